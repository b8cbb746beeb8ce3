# SPDX-License-Identifier: BSD-3-Clause
"""Operators that nothing here can read: of a later ONNX than the model declares, or of another domain."""

from __future__ import annotations

from typing import Any

import onnx.defs

from .problems import stop_if

_ONNX = ("", "ai.onnx")
_QONNX = ("Quant", "BipolarQuant", "Trunc", "IntQuant", "FloatQuant")  # some exporters leave out their domain
_KNOWN = ("qonnx.", "finn.", "onnx.brevitas")  # beginnings of domains
_ELEMENTWISE = ("Add", "Sub", "Mul", "Div")
_CORRECT = "Correct the model, and export it again"
_OTHERS = "Export the network with operators of ONNX or QONNX, and with fixed shapes"


def unknown_operators(model: Any, where: str) -> list[tuple[str, str, str]]:
    """Find operators that ONNX got after the opset of the model; their results would have no shape."""
    declared = {entry.domain: entry.version for entry in model.model.opset_import}
    version = next((declared[name] for name in _ONNX if name in declared), None)
    problems = []
    for node in model.graph.node:
        place = f"{where}: node {node.name or node.output[0]}"
        if node.domain not in _ONNX and not node.domain.startswith(_KNOWN):
            found = f"it is {node.op_type} of {node.domain}, which neither ONNX nor QONNX has"
            problems.append((place, found, _OTHERS))
        if node.domain not in _ONNX or node.op_type in _QONNX or version is None:
            continue
        since = _SINCE.get(node.op_type)
        if since is None:
            problems.append((place, f"ONNX has no operator {node.op_type}", _OTHERS))
        elif since > version:
            found = f"ONNX has {node.op_type} since opset {since}, and the model declares opset {version}"
            problems.append((place, found, f"Export it with opset {since} or later"))
    return problems


def check_shapes(model: Any, where: str) -> None:
    """Refuse operators whose results have no shape; FINN's steps would stop somewhere behind them.

    Raises:
        FoundProblems: There are such operators.
    """
    problems = []
    for node in model.graph.node:
        ins, outs = (
            [model.get_tensor_shape(name) for name in side if name] for side in (node.input, node.output)
        )
        if all(map(_is_known, ins)) and (clash := _clash(node.op_type, ins)):
            problems.append((f"{where}: node {node.name}", clash, _CORRECT))
        elif any(map(_has_values, ins)) and all(map(_is_known, ins)) and not all(map(_is_known, outs)):
            found = f"the shape of what this {node.op_type} makes depends on values, or is not known"
            problems.append((f"{where}: node {node.name}", found, _OTHERS))
    stop_if(problems)


def _clash(operator: str, shapes: list[list[int]]) -> str | None:
    """Return what is wrong with the shapes of a product, a sum or the like."""
    if len(shapes) != 2:
        return None
    first, second = shapes
    if operator == "MatMul" and len(first) > 1 and len(second) > 1 and first[-1] != second[-2]:
        return f"this MatMul has {first[-1]} columns on the left and {second[-2]} rows on the right"
    ends = zip(reversed(first), reversed(second), strict=False)  # as ONNX broadcasts
    if operator in _ELEMENTWISE and any(one != other and 1 not in (one, other) for one, other in ends):
        return f"this {operator} has inputs of shapes {first} and {second}, which do not fit"
    return None


def _is_known(shape: list[int] | None) -> bool:
    return shape is not None and 0 not in shape


def _has_values(shape: list[int] | None) -> bool:
    """Tell values of the network from scales, shapes and other numbers about them."""
    return shape is not None and len(shape) > 1


def _first_versions() -> dict[str, int]:
    found: dict[str, int] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == "":
            found[schema.name] = min(schema.since_version, found.get(schema.name, schema.since_version))
    return found


_SINCE = _first_versions()
