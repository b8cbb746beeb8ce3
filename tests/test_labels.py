# SPDX-License-Identifier: BSD-3-Clause
"""The class of a frame is that of the whole model, with what it leaves to the host."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from shellgen.errors import InputError
from shellgen.simulate.labels import Labels

SCORES = np.array([[1, 2, 3], [3, 1, 2], [0, 5, 4]])


def after(out: Path, *nodes: onnx.NodeProto, count: int = 3, **held: object) -> None:
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in held.items()]
    ends = [
        helper.make_tensor_value_info(*one)
        for one in (("x", TensorProto.FLOAT, (1, 3)), ("y", TensorProto.FLOAT, (1, count)))
    ]
    graph = helper.make_graph([*nodes], "after", ends[:1], ends[1:], tensors)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), out / "host_after.onnx")


def accuracy(out: Path, *wanted: int) -> float | None:
    np.save(out / "labels.npy", np.array(wanted))
    np.save(out / "result.npy", SCORES)
    return Labels(out / "labels.npy", out).accuracy(out / "result.npy", len(SCORES))


def test_a_model_that_ends_at_the_last_board(tmp_path: Path) -> None:
    assert accuracy(tmp_path, 2, 0, 1) == 1.0
    assert accuracy(tmp_path, 2, 2, 2) == pytest.approx(1 / 3)


def test_a_bias_that_the_host_adds(tmp_path: Path) -> None:
    bias = np.array([6, 0, -6], np.float32)
    after(tmp_path, helper.make_node("Add", ["x", "bias"], ["y"]), bias=bias)
    assert accuracy(tmp_path, 0, 0, 0) == 1.0
    assert accuracy(tmp_path, 2, 0, 1) == pytest.approx(1 / 3)


def test_a_model_that_returns_the_class(tmp_path: Path) -> None:
    after(tmp_path, helper.make_node("ArgMax", ["x"], ["y"], axis=1), count=1)
    assert accuracy(tmp_path, 2, 0, 1) == 1.0


def test_an_operator_that_is_unknown_is_told_before_the_run(tmp_path: Path) -> None:
    after(tmp_path, helper.make_node("MultiThreshold", ["x"], ["y"], domain="qonnx.custom_op.general"))
    with pytest.raises(InputError, match=r"host_after\.onnx: it cannot be executed here"):
        accuracy(tmp_path, 0, 0, 0)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ([2, 3, 1], "label 3 of frame 1, and the model has 3 classes; give labels from 0 to 2"),
        ([0, 1, -1], "label -1 of frame 2 is no class; give whole numbers"),
        ([0.5, 1, 1], "label 0.5 of frame 0 is no class; give whole numbers"),
        ([np.nan, 1, 1], "label nan of frame 0 is no class"),
        ([[0, 1, 1]], "its array is int64 (1, 3), and labels have shape (frames,)"),
    ],
)
def test_labels_that_are_no_classes(wanted: object, said: str, tmp_path: Path) -> None:
    np.save(tmp_path / "labels.npy", np.array(wanted))
    with pytest.raises(InputError) as caught:
        Labels(tmp_path / "labels.npy", tmp_path, scores=3)
    (problem,) = caught.value.problems
    assert said.lower() in f"{problem.found}; {problem.remedy}".lower()


def test_the_classes_are_those_of_the_whole_model(tmp_path: Path) -> None:
    after(tmp_path, helper.make_node("Concat", ["x", "x"], ["y"], axis=1), count=6)
    np.save(tmp_path / "labels.npy", np.array([5, 0, 0]))
    Labels(tmp_path / "labels.npy", tmp_path, scores=3)
