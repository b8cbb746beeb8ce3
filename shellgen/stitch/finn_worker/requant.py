# SPDX-License-Identifier: BSD-3-Clause
"""FINN's Requant as its RTL computes it, and what this RTL does not take.

FINN's own execution works in floating point; its RTL in fixed point, with scales and biases that FINN writes
with six decimals.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from finn.custom_op.fpgadataflow.requant import Requant
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp

_WIDEST = 18  # bits of an input that all DSPs take whole
_ANY_DSP = 1  # up to that width the arithmetic is the same for each
_OFF = 0.25  # steps of the output; if six decimals move a result by more, a note says so


def fix_requant() -> None:
    """Make FINN execute a Requant with the arithmetic of its RTL."""

    def execute(self: Any, context: Any, graph: Any) -> None:
        del graph
        node, kind = self.onnx_node, self.get_output_datatype()
        found = self.decompose_params(_written(context), _ANY_DSP)
        width = found["s_width"] + found["x_width"]
        scale, bias, shift = (
            np.array(found[key].T.reshape(-1), np.int64) for key in ("scale", "bias", "shift")
        )
        bias = (bias + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))
        sums = context[node.input[0]].astype(np.int64) * scale + bias
        context[node.output[0]] = np.clip(sums >> shift, kind.min(), kind.max()).astype(np.float32)

    Requant.execute_node = execute


def _written(values: Any) -> Any:
    """Return what FINN reads initialisers from, with the decimals that it writes."""

    def get(name: str) -> Any:
        return np.array([float(f"{value:.6f}") for value in np.asarray(values[name]).flat], np.float32)

    return SimpleNamespace(get_initializer=get)


def requant_problems(model: Any, node: Any, place: str) -> list[tuple[str, str, str]]:
    """Find what the RTL of a Requant does not compute."""
    layer = getCustomOp(node)
    kind = layer.get_input_datatype(0)
    if not kind.is_integer() or not kind.signed():
        found = f"its input is {kind.name}, and FINN's RTL takes it for a signed number"
        return [(place, found, "Give it signed values of one more bit, or use thresholds")]
    if kind.bitwidth() > _WIDEST:
        found = f"its input has {kind.bitwidth()} bits, of which FINN's RTL drops some"
        return [(place, found, f"Use at most {_WIDEST} bits, or thresholds")]
    if layer.get_nodeattr("narrow"):
        found = "its output leaves out the most negative value, which FINN's RTL does not"
        return [(place, found, "Set narrow to 0, or use thresholds")]
    if layer.get_nodeattr("mem_mode") != "internal_embedded":
        found = "its scales come from a memory"
        return [(place, found, "Set mem_mode to internal_embedded")]
    names = list(node.input[1:])
    try:
        layer.decompose_params(_written({name: model.get_initializer(name) for name in names}), _ANY_DSP)
    except ValueError as error:
        found = str(error).partition(": ")[2].rstrip(".") or str(error)
        return [
            (
                place,
                f"in six decimals, as FINN writes them, its parameters do not fit: {found}",
                "Scale the layers around it so that scales are above 0.000001",
            )
        ]
    return []


def requant_notes(children: list[tuple[str, str, str]]) -> list[str]:
    """Say where six decimals move results of a layer; children are (name, model file, part)."""
    notes = []
    read = [ModelWrapper(path) for _, path, _ in children]
    for model, node in ((child, node) for child in read for node in child.graph.node):
        if node.op_type != "Requant_rtl":
            continue
        layer = getCustomOp(node)
        kind = layer.get_input_datatype(0)
        exact = {name: model.get_initializer(name).astype(np.float64) for name in node.input[1:3]}
        written = _written(exact)
        scale, bias = (
            np.abs(exact[name].flatten() - written.get_initializer(name)) for name in node.input[1:3]
        )
        off = float((scale * max(abs(kind.min()), abs(kind.max()))).max() + bias.max())
        if off > _OFF:
            notes.append(
                f"FINN writes scales of {node.name} with six decimals, which moves its results by up to "
                f"{off:.1f}; the golden vectors have what its RTL computes"
            )
    return notes
