# SPDX-License-Identifier: BSD-3-Clause
"""The class of a frame is that of the whole model, with what it leaves to the host."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from shellgen.api import generate
from shellgen.errors import InputError
from shellgen.reference import LayerFolding, ReferenceFolding, build_reference, synthetic_model
from shellgen.simulate.cluster import SimulateOptions, simulate
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


def test_labels_belong_to_golden_vectors(tmp_path: Path) -> None:
    np.save(tmp_path / "labels.npy", np.array([2, 0, 1]))
    np.save(tmp_path / "result.npy", SCORES[[0, 1, 0, 1]])
    labels = Labels(tmp_path / "labels.npy", tmp_path)
    with pytest.raises(InputError, match="it has 3 labels, and the golden vectors have 4 frames"):
        labels.fit(4)
    labels.fit(2)
    assert labels.accuracy(tmp_path / "result.npy", 4) == 1.0


@pytest.mark.recorded
def test_the_accuracy_is_that_of_the_frames_that_are_told(tmp_path: Path) -> None:
    """Short frames are sent more often under back-pressure, and one run is judged."""
    folding = LayerFolding(pe=4, simd=4, threshold_pe=4)
    model = synthetic_model([8, 8, 8], activation_type="UINT4")
    build_reference(model, ReferenceFolding(layers=(folding, folding)), (0, 1), tmp_path / "build")
    nodes = [f'[[node]]\nname = "zed{at}"\nboard = "zedboard"\npartitions = [{at}]\n' for at in (0, 1)]
    (tmp_path / "cluster.toml").write_text('build = "build/parent.onnx"\n' + "".join(nodes))
    generate(tmp_path / "cluster.toml", tmp_path / "out")
    wanted = np.load(tmp_path / "out" / "bench" / "golden_2.npy")
    found = wanted.reshape(len(wanted), -1).argmax(1)
    found[0] = (found[0] + 1) % 8
    np.save(tmp_path / "labels.npy", found)
    options = SimulateOptions(walk="none", control=False)
    report = simulate(tmp_path / "out", "icarus", options, labels=tmp_path / "labels.npy")
    assert report.passed
    assert report.stalled
    assert report.frames == len(found)
    assert report.stalled.frames > len(found)
    assert report.accuracy == pytest.approx(1 - 1 / len(found))
