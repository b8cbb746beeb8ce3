# SPDX-License-Identifier: BSD-3-Clause
"""The residual example: an export with a skip edge, on three boards, and with the skip edge inside one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from plan_replay import replay

from shellgen.api import generate, load
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.stitch import stitch_model

EXAMPLES = Path(__file__).parents[1] / "examples"
RESIDUAL = EXAMPLES / "residual"
TOGETHER = '[[node]]\nname = "ends"\nboard = "zedboard"\npartitions = [0, 2]\n\n'

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("residual")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with cluster.toml and its build."""
    return build_residual(tmp_path_factory.mktemp("residual"))


def build_residual(folder: Path) -> Path:
    """Stitch the example and write images, labels and cluster.toml."""
    command = [sys.executable, str(EXAMPLES / "digits" / "vectors.py"), str(folder), "8"]
    subprocess.run(command, check=True)
    build = folder / "build" / "residual"
    stitch_model(RESIDUAL / "residual.onnx", RESIDUAL / "folding.json", build, folder / "input.npy")
    shutil.copy(RESIDUAL / "cluster.toml", folder)
    return folder


def together(folder: Path, depth: int = 0) -> Path:
    """The same cluster with stem and head on one board; with the depth of the skip edge, if one is given."""
    text = (folder / "cluster.toml").read_text()
    branch, verify = text.index('[[node]]\nname = "branch"'), text.index("[verify]")
    head = text.index('[[node]]\nname = "head"')
    start = text.index("[[node]]")
    ends = 'from = "0.m_axis_1"\nto = "2.s_axis_0"'
    skip = f"[[link]]\n{ends}\ndepth = {depth}\n\n" if depth else ""
    (folder / "two.toml").write_text(text[:start] + TOGETHER + text[branch:head] + skip + text[verify:])
    return folder / "two.toml"


def test_the_skip_edge_passes_a_board(built: Path) -> None:
    plan, _, _ = load(built / "cluster.toml")
    ends = [(b.producer_node, b.consumer_node) for b in plan.boundaries]
    assert ends == [(None, "stem"), ("stem", "branch"), ("stem", "head"), ("branch", "head"), ("head", None)]
    labels = np.load(built / "labels.npy")
    logits = np.load(built / "build/residual/output.npy").reshape(len(labels), -1)
    assert (logits.argmax(axis=1) == labels).mean() > 0.8
    head = onnx.load(built / "build/residual/StreamingDataflowPartition_2/StreamingDataflowPartition_2.onnx")
    assert {"ElementwiseAdd", "Pool"} <= {node.op_type for node in head.graph.node}
    remarks = {node.name: node.doc_string for node in head.graph.node if node.doc_string}
    told = {entry.key: entry.value for entry in head.metadata_props}["shellgen_layers"]
    assert json.loads(told) == remarks
    (added,) = [node for node in head.graph.node if node.op_type == "ElementwiseAdd"]
    assert remarks[added.name] == "RTL of shellgen (layer_eltwise), not FINN's HLS"
    sources = built / "build/residual/StreamingDataflowPartition_2/stitched_ip/ip/src"
    assert remarks[added.name] in (sources / f"shellgen_{added.name}.v").read_text()


def test_a_skip_edge_inside_a_board_holds_a_frame(built: Path) -> None:
    """For the full rate; to live it needs what the FIFO that FINN put behind the fork does not hold."""
    for held in (281, 2):
        plan, _, _ = load(together(with_fork(built, held)))
        (skip,) = plan.node("ends").inner
        (fifo,) = plan.fifos
        assert (skip.depth, skip.producer_words, fifo.held) == (256, 256, held + 2)
        assert fifo.live == max(1, 254 - held - 2)


def with_fork(built: Path, words: int) -> Path:
    """Return a copy of the example whose FIFOs behind the fork have at most so many words."""
    folder = built.parent / f"fork_{words}"
    if not folder.exists():
        shutil.copytree(built / "build", folder / "build")
        for path in built.iterdir():
            if path.is_file():
                shutil.copy(path, folder)
        part = folder / "build/residual/StreamingDataflowPartition_0"
        model = onnx.load(part / f"{part.name}.onnx")
        deep = {
            node.name: one
            for node in model.graph.node
            for one in node.attribute
            if one.name == "depth" and one.i > words
        }
        for name, depth in deep.items():
            source = part / "stitched_ip/ip/src" / f"{name}.v"
            text = source.read_text()
            assert f"DEPTH({depth.i})" in text
            source.write_text(text.replace(f"DEPTH({depth.i})", f"DEPTH({words})"))
            depth.i = words
        onnx.save(model, part / f"{part.name}.onnx")
    return folder


EDGES = [("0.m_axis_0", "1"), ("1", "2.s_axis_1"), ("0.m_axis_1", "2.s_axis_0")]


def alone(folder: Path, *depths: int) -> Path:
    """The same network on one board, with depths of branch, branch and skip edge."""
    text = (folder / "cluster.toml").read_text()
    board = '[[node]]\nname = "all"\nboard = "zedboard"\nfit = "warn"\npartitions = [0, 1, 2]\n\n'
    links = [
        f'[[link]]\nfrom = "{made}"\nto = "{taken}"\ndepth = {depth}\n\n'
        for (made, taken), depth in zip(EDGES, depths, strict=False)
    ]
    start, verify = text.index("[[node]]"), text.index("[verify]")
    (folder / "one.toml").write_text(text[:start] + board + "".join(links) + text[verify:])
    return folder / "one.toml"


def test_a_skip_edge_beside_convolutions_holds_two_rows(built: Path) -> None:
    """Two rows, two pixels and one of 4 words each, less what fork, join and their FIFOs have."""
    plan, _, _ = load(alone(built))
    assert [one.live for one in plan.fifos] == [1, 1, 1]  # FINN's FIFO behind the fork holds 281
    plan, _, _ = load(alone(with_fork(built, 2)))
    *_, skip = sorted(plan.fifos, key=lambda one: one.live)
    assert (skip.live, skip.held, skip.tight) == ((2 * 8 + 2 + 1) * 4 - 2 - 4, 4, True)
    document = json.loads(plan.to_json())
    rooms = {one.boundary: one.live for one in plan.fifos}
    assert replay(document, rooms)
    assert not replay(document, rooms | {skip.boundary: skip.live - 1})


def test_the_model_is_what_its_script_makes(tmp_path: Path) -> None:
    """Not byte for byte: products of another BLAS differ in the last bit."""
    code = "import sys, pathlib, build; print(build.build(pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(tmp_path / "again.onnx")]
    run = subprocess.run(command, cwd=RESIDUAL, capture_output=True, text=True, check=True)
    assert float(run.stdout) > 0.9
    kinds = [
        [node.op_type for node in onnx.load(path).graph.node]
        for path in (tmp_path / "again.onnx", RESIDUAL / "residual.onnx")
    ]
    assert kinds[0] == kinds[1]


def test_transfers_are_as_long_as_the_skip_edge_is_deep(built: Path) -> None:
    for frames, most in {0: 1, 7: 2, 8: 3}.items():  # and FINN's FIFO holds one more
        plan, _, _ = load(together(built, 256 * frames))
        ends = [end for node in plan.nodes for one in node.attachments for end in one.ends]
        assert {end.most_frames for end in ends if "host" not in end.boundary} == {most}
        assert {end.most_frames for end in ends if "host" in end.boundary} == {65535}


@pytest.mark.sweep
@pytest.mark.parametrize(("boards", "depth"), [(2, 0), (2, 9 * 256), (3, 0)])
def test_the_cluster_is_bit_exact(built: Path, boards: int, depth: int) -> None:
    """The bench's transfers have 3 frames at one end and 2 at the other, where the plan lets them."""
    out = built / f"out_{boards}_{depth}"
    generate(built / "cluster.toml" if boards == 3 else together(built, depth), out)
    report = simulate(out, "verilator", SimulateOptions(frames=8))
    assert report.passed, report.problem


@pytest.mark.sweep
def test_replicas_of_the_first_parts_take_images_in_turn(built: Path) -> None:
    """The skip edge and the branch are gathered in front of the head; all proofs, and the labels."""
    shutil.copy(RESIDUAL / "cluster_replicas.toml", built)
    plan, _ = generate(built / "cluster_replicas.toml", built / "replicas")
    assert [(node.name, node.core) for node in plan.nodes] == [
        ("front_0", "front_0"),
        ("front_1", "front_0"),
        ("head", "head"),
    ]
    report = simulate(built / "replicas", "verilator", SimulateOptions(frames=8), built / "labels.npy")
    assert report.passed
    assert report.accuracy is not None
    assert report.accuracy > 0.8
