# SPDX-License-Identifier: BSD-3-Clause
"""Folding: the parallelism of each layer."""

from __future__ import annotations

from itertools import pairwise

import onnx
from pydantic import PositiveInt

from shellgen.errors import InputError, Problem
from shellgen.model.base import Frozen
from shellgen.reference.layers import Layer, load_layers
from vivado_check.formats.files import StrPath


class LayerFolding(Frozen):
    """One layer: a matrix product and the thresholds that follow it.

    Attributes:
        pe: Rows of the matrix computed at a time; divides the layer's outputs.
        simd: Inputs taken at a time; divides the layer's inputs.
        threshold_pe: Channels compared at a time; divides the layer's outputs.
        runtime_writeable: Weights and thresholds are reached through AXI-Lite.
        external: The weights come in on a stream of their own, again for every vector.
    """

    pe: PositiveInt = 1
    simd: PositiveInt = 1
    threshold_pe: PositiveInt = 1
    runtime_writeable: bool = False
    external: bool = False


class ReferenceFolding(Frozen):
    """All layers, in network order."""

    layers: tuple[LayerFolding, ...]


def default_folding(
    model: onnx.ModelProto | StrPath,
    *,
    pe: int = 4,
    simd: int = 8,
    runtime_writeable: bool = True,
) -> ReferenceFolding:
    """Return the largest folding up to ``pe`` and ``simd`` that divides each layer's features."""
    return ReferenceFolding(
        layers=tuple(
            LayerFolding(
                pe=_divisor(layer.features_out, pe),
                simd=_divisor(layer.features_in, simd),
                threshold_pe=_divisor(layer.features_out, pe),
                runtime_writeable=runtime_writeable,
            )
            for layer in load_layers(model)
        )
    )


def folding_problems(layers: tuple[Layer, ...], folding: ReferenceFolding, where: str) -> list[Problem]:
    """Return what does not divide."""
    problems = []
    for layer, fold in zip(layers, folding.layers, strict=True):
        checks = []
        if layer.weights is not None:
            checks += [("pe", fold.pe, layer.features_out), ("simd", fold.simd, layer.features_in)]
        elif fold.external:
            found = "it has no weights that could be external"
            problems.append(Problem(f"{where}: {layer.name}", found, "Set external where there is a MatMul"))
        if layer.thresholds is not None:
            checks += [("threshold_pe", fold.threshold_pe, layer.features_out)]
        for field, value, features in checks:
            if features % value:
                remedy = f"Use a divisor of {features}, such as {_divisor(features, value)}"
                found = f"{field} {value} does not divide {features}"
                problems.append(Problem(f"{where}: {layer.name}", found, remedy))
    return problems


def check_cuts(
    layers: tuple[Layer, ...], folding: ReferenceFolding, cuts: tuple[int, ...], where: str
) -> None:
    """Raise InputError unless folding and cuts fit the layers."""
    count = len(layers)
    problems = []
    for what, length in (("folding", len(folding.layers)), ("cuts", len(cuts))):
        if length != count:
            found = f"{what} has {length} entries for {count} layers"
            problems.append(Problem(where, found, "Give one entry for each layer"))
    if not problems:
        problems = folding_problems(layers, folding, where)
        steps = {after - before for before, after in pairwise(cuts)}
        if cuts[0] != 0 or not steps <= {0, 1}:
            found = f"cuts {cuts} do not number the partitions 0, 1, 2 ... along the chain"
            problems.append(Problem(where, found, "Give each layer the index of its partition, ascending"))
    if problems:
        raise InputError(*problems)


def _divisor(features: int, limit: int) -> int:
    return max(n for n in range(1, limit + 1) if features % n == 0)
