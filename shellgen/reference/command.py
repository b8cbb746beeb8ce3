# SPDX-License-Identifier: BSD-3-Clause
"""``shellgen reference`` takes the configuration file that FINN gets: folding and cuts by layer name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shellgen.errors import InputError, Problem
from shellgen.reference.folding import LayerFolding, ReferenceFolding
from shellgen.reference.layers import Layer, load_layers
from shellgen.stitch.config import Attributes, load_config


def decide(model: Path, config: Path) -> tuple[ReferenceFolding, tuple[int, ...]]:
    """Return folding and cuts of a configuration (`shellgen.stitch.StitchConfig`).

    ``MVAU_<i>`` is the i-th MatMul and takes PE and SIMD, ``Thresholding_<i>`` the i-th MultiThreshold and
    takes PE; both take runtime_writeable_weights. A partition begins with a MatMul here.

    Raises:
        InputError: The file does not fit, or a cut is not before a MatMul of the model.
    """
    decided = load_config(config)
    layers = load_layers(model)
    matmuls, thresholdings = 0, 0
    folding, begins = [], []
    for layer in layers:
        names = []
        if layer.weights is not None:
            names.append(f"MVAU_{matmuls}")
            matmuls += 1
        if layer.thresholds is not None:
            names.append(f"Thresholding_{thresholdings}")
            thresholdings += 1
        begins.append(names[0])
        folding.append(_layer(layer, [decided.folding.get(name, {}) for name in names], decided.folding))
    unknown = [name for name in decided.cut_before if name not in begins[1:]]
    if unknown:
        remedy = f"A partition of ours begins with one of: {', '.join(begins[1:])}"
        raise InputError(
            *(Problem(f"{config}: cut_before", f"cannot cut before {name}", remedy) for name in unknown)
        )
    cuts = tuple(sum(name in decided.cut_before for name in begins[: at + 1]) for at in range(len(layers)))
    return ReferenceFolding(layers=tuple(folding)), cuts


def _layer(layer: Layer, entries: list[Attributes], whole: dict[str, Attributes]) -> LayerFolding:
    defaults = whole.get("Defaults", {})

    def value(entry: Attributes, name: str, otherwise: int) -> int:
        return int(entry.get(name, defaults.get(name, otherwise)))

    product = entries[0] if layer.weights is not None else {}
    return LayerFolding(
        pe=value(product, "PE", 1),
        simd=value(product, "SIMD", 1),
        threshold_pe=value(entries[-1], "PE", 1) if layer.thresholds is not None else 1,
        runtime_writeable=any(value(entry, "runtime_writeable_weights", 0) for entry in entries),
    )


def load_vectors(path: Path) -> NDArray[np.int64]:
    """Read inputs of shape (frames, ...) as (frames, features).

    Raises:
        InputError: The file is missing, not ``.npy``, or not of integers.
    """
    try:
        values = np.load(path, allow_pickle=False)
    except OSError:
        raise InputError(Problem(str(path), "there is no such vectors file", "Check the path")) from None
    except ValueError:
        raise InputError(Problem(str(path), "it is not a .npy file", "Write it with numpy.save")) from None
    if values.ndim < 2 or not np.array_equal(values, np.rint(values)):
        found = f"shape {values.shape} of {values.dtype}"
        raise InputError(Problem(str(path), found, "Give whole numbers of shape (frames, features)"))
    frames: NDArray[np.int64] = values.reshape(len(values), -1).astype(np.int64)
    return frames
