# SPDX-License-Identifier: BSD-3-Clause
"""Attention: products of two streams, transposes of any order, several heads; and the transformer example."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from layer_network import GENERAL, Network
from onnx import TensorProto, numpy_helper
from stitched_rtl import build_bench, run_bench
from test_stitch_tokens import case

from shellgen.api import generate, load
from shellgen.errors import InputError
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.stitch import stitch_model

EXAMPLES = Path(__file__).parents[1] / "examples"
TRANSFORMER = EXAMPLES / "transformer"
TOKENS, HEADS, WIDTH = 4, 2, 6  # width of a head
PART = "xczu7ev-ffvc1156-2-e"

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]


def steps(net: Network, tensor: str, name: str, signed: bool) -> str:
    """Sums become 4 bits, by one row of thresholds for all channels."""
    shape, kind = net.shapes[tensor], "INT4" if signed else "UINT4"
    table = np.sort(np.random.default_rng(len(name)).integers(-60, 60, (1, 15)), axis=1)
    net.node(
        "MultiThreshold",
        [tensor, net.constant(f"{name}_steps", table, "INT12")],
        [net.tensor(name, shape, kind)],
        GENERAL,
        out_dtype=kind,
        out_bias=-8.0 if signed else 0.0,
        data_layout={3: "NWC", 4: "NHWC"}[len(shape)],
    )
    return name


def moved(net: Network, tensor: str, name: str, order: list[int]) -> str:
    net.node("Transpose", [tensor], [name], perm=order)
    return net.tensor(name, tuple(net.shapes[tensor][axis] for axis in order), net.types[tensor])


def shaped(net: Network, tensor: str, name: str, shape: tuple[int, ...]) -> str:
    net.initialisers.append(numpy_helper.from_array(np.array(shape, np.int64), f"{name}_shape"))
    net.node("Reshape", [tensor, f"{name}_shape"], [name])
    return net.tensor(name, shape, net.types[tensor])


def product(net: Network, left: str, right: str, name: str, columns: int) -> str:
    net.node("MatMul", [left, right], [name])
    return net.tensor(name, (*net.shapes[left][:-1], columns), "INT32")


def write_attention(path: Path, signed: bool = True) -> None:
    """Write two heads of attention over four tokens; ``signed`` keys and values."""
    net, rng, whole = Network(), np.random.default_rng(6), HEADS * WIDTH
    x = net.tensor("x", (1, TOKENS, whole), "INT4")
    ends = {}
    for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        weights = net.constant(f"{name}_weights", rng.integers(-7, 8, (whole, whole)), "INT4")
        sums = steps(net, product(net, x, weights, f"{name}_sums", whole), name, signed or name == "q")
        split = shaped(net, sums, f"{name}_split", (1, TOKENS, HEADS, WIDTH))
        ends[name] = moved(net, split, f"{name}_heads", order)
    scores = steps(net, product(net, ends["q"], ends["k"], "scores", TOKENS), "weights", signed=False)
    mixed = steps(net, product(net, scores, ends["v"], "mixed_sums", WIDTH), "mixed", signed=True)
    joined = shaped(net, moved(net, mixed, "back", [0, 2, 1, 3]), "joined", (1, TOKENS, whole))
    weights = net.constant("out_weights", rng.integers(-7, 8, (whole, 5)), "INT4")
    net.save(path, x, product(net, joined, weights, "y", 5), TensorProto.FLOAT)


@pytest.mark.sweep
def test_two_heads_of_attention(tmp_path: Path) -> None:
    """`stitch` compares FINN's layers with the model; what is not at the end takes two exchanges."""
    write_attention(tmp_path / "model.onnx")
    np.save(tmp_path / "in.npy", np.random.default_rng(2).integers(-8, 8, (3, 1, TOKENS, HEADS * WIDTH)))
    given = {"part": PART}
    (name,) = stitch_model(tmp_path / "model.onnx", None, tmp_path / "b", tmp_path / "in.npy", given=given)
    kinds = [node.op_type for node in onnx.load(tmp_path / "b" / name / f"{name}.onnx").graph.node]
    assert kinds.count("InnerShuffle_rtl") == 2 + 1 + 2 + 2
    assert len(np.unique(np.load(tmp_path / "b" / "output.npy"))) > 20


@pytest.mark.sweep
def test_two_heads_are_bit_exact(tmp_path: Path) -> None:
    write_attention(tmp_path / "model.onnx")
    (name,) = stitch_model(tmp_path / "model.onnx", None, tmp_path / "build", given={"part": PART})
    one = case(tmp_path / "build" / name, np.random.default_rng(3))
    build_bench([one], tmp_path / "bench")
    assert run_bench([one], tmp_path / "bench", 30_000) == {name: (len(one.wanted.words), 0)}


@pytest.mark.parametrize(
    ("signed", "part", "found"),
    [
        (False, PART, "its second operand is UINT4, and FINN's RTL takes it for a signed number"),
        (True, "xc7z020clg484-1", "its second operand is a stream, which FINN's RTL takes on devices with"),
    ],
)
@pytest.mark.sweep
def test_products_of_streams_that_the_rtl_does_not_take(
    tmp_path: Path, signed: bool, part: str, found: str
) -> None:
    write_attention(tmp_path / "model.onnx", signed)
    with pytest.raises(InputError, match=found):
        stitch_model(tmp_path / "model.onnx", None, tmp_path / "build", given={"part": part})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("transformer")
    subprocess.run([sys.executable, str(EXAMPLES / "digits" / "vectors.py"), str(folder), "8"], check=True)
    build = folder / "build" / "transformer"
    stitch_model(TRANSFORMER / "transformer.onnx", TRANSFORMER / "folding.json", build, folder / "input.npy")
    shutil.copy(TRANSFORMER / "cluster.toml", folder)
    return folder


def test_the_transformer_is_planned_with_golden_frames(built: Path) -> None:
    plan, _, _ = load(built / "cluster.toml")
    assert plan.golden is not None
    assert plan.golden.note == "golden: 8 frames of [verify], and the model's ONNX agrees"
    labels = np.load(built / "labels.npy")
    logits = np.load(built / "build/transformer/output.npy").reshape(len(labels), -1)
    assert (logits.argmax(axis=1) == labels).mean() > 0.8


def test_the_model_is_what_its_script_makes(tmp_path: Path) -> None:
    code = "import sys, pathlib, build; print(build.build(pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(tmp_path / "again.onnx")]
    run = subprocess.run(command, cwd=TRANSFORMER, capture_output=True, text=True, check=True)
    assert float(run.stdout) > 0.9
    graphs = [onnx.load(path).graph for path in (tmp_path / "again.onnx", TRANSFORMER / "transformer.onnx")]
    assert [node.op_type for node in graphs[0].node] == [node.op_type for node in graphs[1].node]


@pytest.mark.sweep
def test_the_transformer_is_bit_exact_over_two_boards(built: Path) -> None:
    generate(built / "cluster.toml", built / "out")
    report = simulate(built / "out", "verilator", SimulateOptions(frames=8))
    assert report.passed, report.problem
