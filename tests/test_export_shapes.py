# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of an export that contradict each other are named before FINN's steps stop behind them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from onnx import helper

from shellgen.stitch.finn_worker.operators import check_shapes
from shellgen.stitch.finn_worker.problems import FoundProblems


def model(operator: str, **shapes: list[int] | None) -> SimpleNamespace:
    """One node, whose inputs are all but `out`; what is read of a QONNX ModelWrapper."""
    inputs = [name for name in shapes if name != "out"]
    nodes = [helper.make_node(operator, inputs, ["out"], name="node")]
    return SimpleNamespace(graph=SimpleNamespace(node=nodes), get_tensor_shape=shapes.get)


@pytest.mark.parametrize(
    ("operator", "first", "second", "found"),
    [
        ("MatMul", [1, 37], [36, 19], "this MatMul has 37 columns on the left and 36 rows on the right"),
        ("MatMul", [1, 5, 37], [5, 19, 37], "this MatMul has 37 columns on the left and 19 rows"),
        ("Add", [1, 8, 4, 4], [1, 6, 4, 4], "this Add has inputs of shapes [1, 8, 4, 4] and [1, 6, 4, 4]"),
        ("Mul", [1, 8], [7], "this Mul has inputs of shapes [1, 8] and [7], which do not fit"),
        ("Resize", [1, 8], [2], "the shape of what this Resize makes depends on values, or is not known"),
    ],
)
def test_what_contradicts(operator: str, first: list[int], second: list[int], found: str) -> None:
    with pytest.raises(FoundProblems) as told:
        check_shapes(model(operator, a=first, b=second, out=None), "net.onnx")
    (problem,) = told.value.problems
    assert problem[0] == "net.onnx: node node"
    assert found in problem[1]


@pytest.mark.parametrize(
    ("operator", "first", "second", "out"),
    [
        ("MatMul", [1, 37], [37, 19], [1, 19]),
        ("MatMul", [1, 37], [37], [1]),
        ("Add", [1, 8, 4, 4], [8, 1, 1], [1, 8, 4, 4]),
        ("Mul", [1, 8], [1], [1, 8]),
        ("Concat", [1, 8], [1, 6], [1, 14]),
    ],
)
def test_what_fits(operator: str, first: list[int], second: list[int], out: list[int]) -> None:
    check_shapes(model(operator, a=first, b=second, out=out), "net.onnx")
