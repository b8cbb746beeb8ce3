# SPDX-License-Identifier: BSD-3-Clause
"""``shellgen reference`` takes the configuration file that FINN gets: folding and cuts by layer name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shellgen.errors import InputError, Problem, offer
from shellgen.formats.npy import read_npy
from shellgen.reference.execute import execute_layers
from shellgen.reference.folding import LayerFolding, ReferenceFolding
from shellgen.reference.layers import Layer, load_layers
from shellgen.stitch.config import StitchConfig, load_config

_WRITEABLE = "runtime_writeable_weights"
_KNOWN = {"MVAU": ("PE", "SIMD", _WRITEABLE), "Thresholding": ("PE", _WRITEABLE)}
# What only FINN's own hardware has a choice of; one file serves both.
_FINN_ONLY = {"ram_style", "ram_style_thresholds", "resType", "preferred_impl_style"}
_MODES = ("internal_decoupled", "internal_embedded", "external")
_FINN_ONLY |= {"depth_trigger_bram", "depth_trigger_uram", "pumpedCompute", "pumpedMemory"}


def decide(model: Path, config: Path) -> tuple[ReferenceFolding, tuple[int, ...]]:
    """Return folding and cuts of a configuration (`shellgen.stitch.StitchConfig`).

    ``MVAU_<i>`` is the i-th MatMul and takes PE and SIMD, ``Thresholding_<i>`` the i-th MultiThreshold and
    takes PE; both take runtime_writeable_weights. A partition begins with a MatMul here, or with thresholds
    that follow none.

    Raises:
        InputError: A file is missing or malformed, or names layers, attributes or factors that do not fit.
    """
    decided = load_config(config)
    return _Reader(decided, load_layers(model), config).result()


class _Reader:
    """Matches a configuration with the layers; collects what does not fit."""

    def __init__(self, config: StitchConfig, layers: tuple[Layer, ...], path: Path) -> None:
        self.config = config
        self.layers = layers
        self.path = path
        self.problems: list[Problem] = []
        self.names = _names(layers)

    def result(self) -> tuple[ReferenceFolding, tuple[int, ...]]:
        """Return folding and cuts, or raise all problems."""
        first = {pair[0] or pair[1] for pair in self.names}
        every = [name for pair in self.names for name in pair if name]
        for name in self.config.cut_before:
            if name not in first:
                found = f"no layer {name} begins here; thresholds stay with the MatMul before them"
                self._problem("cut_before", found, offer(name, sorted(first), "Name one of"))
        for name in self.config.folding:
            if name not in (*every, "Defaults"):
                found = f"the network has no layer {name}"
                self._problem("folding", found, offer(name, every, "Name one of"))
        folding = [self._layer(*pair, layer) for pair, layer in zip(self.names, self.layers, strict=True)]
        if self.problems:
            raise InputError(*self.problems)
        cuts = [0]
        for matrix, thresholds in self.names[1:]:
            cuts.append(cuts[-1] + ((matrix or thresholds) in self.config.cut_before))
        return ReferenceFolding(layers=tuple(folding)), tuple(cuts)

    def _layer(self, matrix: str, thresholds: str, layer: Layer) -> LayerFolding:
        made = {"PE": layer.features_out, "SIMD": layer.features_in}
        values = self._values(matrix, made)
        compare = self._values(thresholds, made)
        writeable = {entry[_WRITEABLE] for entry in (values, compare) if entry}
        if len(writeable) > 1:
            remedy = f"Give {matrix} and {thresholds} the same, or set it in Defaults"
            self._problem(f"folding.{thresholds}.{_WRITEABLE}", "a layer has one switch for both", remedy)
        return LayerFolding(
            pe=values.get("PE", 1),
            simd=values.get("SIMD", 1),
            threshold_pe=compare.get("PE", 1),
            runtime_writeable=bool(writeable & {1}),
            external=self._external(matrix),
        )

    def _external(self, name: str) -> bool:
        """Whether FINN's mem_mode puts the weights of a layer outside; all else is one memory here."""
        given = self.config.folding.get("Defaults", {}) | self.config.folding.get(name, {})
        mode = given.get("mem_mode", _MODES[0])
        if mode not in _MODES:
            self._problem(f"folding.{name}.mem_mode", f"got {mode!r}", offer(str(mode), _MODES))
        return bool(name) and mode == "external"

    def _values(self, name: str, sizes: dict[str, int]) -> dict[str, int]:
        """Return the attributes of one FINN layer, checked; none for a layer that is not there."""
        if not name:
            return {}
        known = _KNOWN[name.partition("_")[0]]
        own = self.config.folding.get(name, {})
        given = {k: v for k, v in self.config.folding.get("Defaults", {}).items() if k in known} | own
        values = {key: 0 if key == _WRITEABLE else 1 for key in known}
        for key, value in given.items():
            where = f"folding.{name}.{key}"
            size = sizes.get(key)
            if key not in known:
                if key not in _FINN_ONLY | {"mem_mode"}:
                    self._problem(where, "there is no such attribute", offer(key, known))
            elif not isinstance(value, int) or (size is None and value not in (0, 1)):
                self._problem(where, f"got {value!r}", "Give a whole number" if size else "Give 0 or 1")
            elif size is not None and (value < 1 or size % value):
                divisors = ", ".join(str(n) for n in range(1, size + 1) if size % n == 0)
                self._problem(where, f"{value} does not divide {size}", f"Choose one of {divisors}")
            else:
                values[key] = value
        return values

    def _problem(self, field: str, found: str, remedy: str) -> None:
        self.problems.append(Problem(f"{self.path}: {field}", found, remedy))


def _names(layers: tuple[Layer, ...]) -> list[tuple[str, str]]:
    """Return FINN's names of each layer's MatMul and MultiThreshold; an empty one where it has none."""
    names = []
    matrices = thresholds = 0
    for layer in layers:
        matrix = f"MVAU_{matrices}" if layer.weights is not None else ""
        compare = f"Thresholding_{thresholds}" if layer.thresholds is not None else ""
        matrices, thresholds = matrices + bool(matrix), thresholds + bool(compare)
        names.append((matrix, compare))
    return names


def load_vectors(model: Path, path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read inputs of shape (frames, ...); return (frames, features) and what the model makes of it.

    Raises:
        InputError: The file is missing, not ``.npy``, or not of frames of the model's input.
    """
    where = f"{path}: vectors"
    layers = load_layers(model)
    values = read_npy(path, where)
    features = layers[0].vectors * layers[0].features_in
    remedy = f"Give whole numbers of shape (frames, {features})"
    number = np.issubdtype(values.dtype, np.number) and bool(np.isfinite(values).all())
    if not number or values.ndim < 2 or values.size != len(values) * features or not values.size:
        found = f"shape {values.shape} of {values.dtype}"
        raise InputError(Problem(where, found, remedy))
    inputs = values.reshape(len(values), -1)
    try:
        outputs = execute_layers(layers, inputs)
    except InputError as error:
        raise InputError(*(Problem(where, problem.found, remedy) for problem in error.problems)) from None
    return inputs.astype(np.int64), outputs
