# SPDX-License-Identifier: BSD-3-Clause
"""An exception of FINN or qonnx as a problem: the step that raised it, and the layer that it was at."""

from __future__ import annotations

import traceback
from types import FrameType
from typing import Any

from onnx import NodeProto
from qonnx.transformation.base import Transformation

_REMEDY = (
    "Check data types, shapes and folding at this place; if they are right, export the network with "
    "operators that this step takes, or streamline it with FINN by hand first"
)
# Names of the node at hand in loops of FINN's and qonnx's transformations, the likeliest first.
_NODES = ("node", "n", "onnx_node")


def explain(error: BaseException, where: str, step: str = "") -> tuple[str, str, str]:
    """Return (where, found, remedy) for an exception that nothing here expected.

    Args:
        error: With its traceback.
        where: Name of the model.
        step: The transformation, if the caller knows it.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    step, node = step or _step(frames), _node(frames)
    said = " ".join(str(error).split()).rstrip(".") or "it gives no reason"
    found = f"FINN's step {step} stops" if step else "FINN stops"
    if node is not None:
        found += f" at this {node.op_type or 'node'}"
        where = f"{where}: node {node.name or ' '.join(node.output)}"
    return (where, f"{found}: {type(error).__name__}: {said}", _REMEDY)


def _step(frames: list[FrameType]) -> str:
    """Return the class of the outermost transformation, as FINN's documentation lists it."""
    for frame in frames:
        owner = frame.f_locals.get("self")
        if isinstance(owner, Transformation):
            return type(owner).__name__
    return ""


def _node(frames: list[FrameType]) -> Any:
    """Return the node in the innermost frame that has one."""
    for frame in reversed(frames):
        found = frame.f_locals
        values = [found.get(name) for name in _NODES]
        values += [getattr(found.get("self"), "onnx_node", None), *found.values()]
        for value in values:
            if isinstance(value, NodeProto):
                return value
    return None
