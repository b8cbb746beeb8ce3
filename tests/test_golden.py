# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors of whole systems: given, computed or drawn at random, and when they are not to be had."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cluster_bench import MIXED, run
from external_cluster import write_build
from fake_network import chain, one_each, partition, plan_of
from golden_sums import small, sums
from onnx import helper, numpy_helper

from shellgen.api import generate, load, weights
from shellgen.errors import InputError
from shellgen.golden import given_frames, make_golden
from shellgen.model import Endpoint, Plan, VerifySpec
from shellgen.read.belief import disbelief
from shellgen.read.finn_onnx import Attribute, load_model
from shellgen.read.vectors import read_vectors
from shellgen.reference import execute
from shellgen.simulate.cluster import SimulateOptions
from shellgen.simulate.description import read_bench
from shellgen.simulate.golden import choose_golden, edited_weights

INPUT = 'input = "in.npy"\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three reference partitions on two boards."""
    folder = tmp_path_factory.mktemp("golden")
    MIXED.write_inputs(folder)
    return folder


@pytest.fixture
def system(made: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of it with another ``[verify]``; returns cluster.toml."""
    shutil.copytree(made, tmp_path / "system")
    path = tmp_path / "system" / "cluster.toml"
    head = path.read_text().partition("[verify]")[0]

    def change(verify: str) -> Path:
        path.write_text(head + (f"[verify]\n{verify}" if verify else ""))
        return path

    return change


def vectors_of(plan: Plan, files: dict[str, bytes], folder: Path) -> dict[str, Any]:
    """The vectors by boundary, as a file holds them."""
    assert plan.golden
    found = {}
    for one in plan.golden.vectors:
        (folder / "vectors.npy").write_bytes(files[one.sha256])
        found[one.boundary] = np.load(folder / "vectors.npy")
    return found


def test_an_input_is_enough(system: Callable[[str], Path], tmp_path: Path) -> None:
    cluster = system(INPUT)
    plan, _, files = load(cluster)
    assert plan.golden
    assert plan.golden.note == "golden: 5 frames of [verify], outputs by the model's ONNX"
    first, last = vectors_of(plan, files, tmp_path).values()
    assert np.array_equal(first, np.load(cluster.parent / "in.npy"))
    assert np.array_equal(last, np.load(cluster.parent / "out.npy"))


def test_nothing_is_enough(system: Callable[[str], Path], tmp_path: Path) -> None:
    """Random frames, the same every time, and no part of the build id."""
    plan, _, files = load(system(""))
    assert plan.golden
    assert plan.golden.note == "golden: 8 frames at random, by the model's ONNX; 8 different outputs"
    assert not plan.golden.asked
    first, last = vectors_of(plan, files, tmp_path).values()
    assert np.array_equal(last, execute(tmp_path / "system" / "model.onnx", first))
    assert len(np.unique(first)) == 8, "all of UINT3"
    assert load(system(""))[0] == plan
    given, _, _ = load(system(INPUT))
    assert given.cluster_id == plan.cluster_id
    assert given.golden != plan.golden


@pytest.mark.sweep
def test_the_bench_uses_them_and_says_where_they_are_from(
    system: Callable[[str], Path], tmp_path: Path
) -> None:
    generate(system(""), tmp_path / "out")
    report = run(tmp_path / "out", "icarus", walk=False, full_rate=False)
    assert report["passed"], report["problem"]
    assert report["golden"] == "golden: 8 frames at random, by the model's ONNX; 8 different outputs"
    assert {"golden", "monolith"} < {v["name"] for v in report["stalled"]["verdicts"]}
    path = tmp_path / "out" / "bench" / "golden_0.npy"
    frames = np.load(path)
    frames[0, 3] ^= 1
    np.save(path, frames)
    report = run(tmp_path / "out", "icarus", walk=False, full_rate=False, control=False)
    assert {v["name"] for v in report["stalled"]["verdicts"] if v["mismatches"]} == {"golden"}


def test_vectors_that_the_model_contradicts_are_told(
    system: Callable[[str], Path], caplog: pytest.LogCaptureFixture
) -> None:
    cluster = system(INPUT + 'output = "out.npy"\n')
    with caplog.at_level(logging.WARNING):
        plan, _, _ = load(cluster)
    assert plan.golden
    assert plan.golden.note == "golden: 5 frames of [verify], and the model's ONNX agrees"
    assert not caplog.records
    values = np.load(cluster.parent / "out.npy")
    values[3, 1] += 1
    np.save(cluster.parent / "out.npy", values)
    plan, _, files = load(cluster)
    stream = "StreamingDataflowPartition_2_to_host"
    found = f"frame 3, element 1 of {stream} is {values[3, 1]}, and {values[3, 1] - 1}"
    (record,) = caplog.records
    assert found in record.getMessage()
    assert "(1 of 20 elements differ)" in record.getMessage()
    assert plan.golden
    assert found in plan.golden.note
    assert np.array_equal(list(vectors_of(plan, files, cluster.parent).values())[1], values), (
        "those of the user stay"
    )


def change_child(cluster: Path, change: Callable[[onnx.ModelProto], None]) -> None:
    path = cluster.parent / "build" / "partition_1.onnx"
    model = onnx.load(str(path))
    change(model)
    onnx.save(model, str(path))


def unknown(model: onnx.ModelProto) -> None:
    model.graph.node[-1].op_type = "Mystery_rtl"


def not_stitched(model: onnx.ModelProto) -> None:
    del model.metadata_props[:]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (unknown, "operator Mystery_rtl is unknown (partition StreamingDataflowPartition_1)"),
        (not_stitched, "partition StreamingDataflowPartition_1: partition_1.onnx is from before stitching"),
    ],
)
def test_without_a_model_the_bench_says_why(
    system: Callable[[str], Path], change: Callable[[onnx.ModelProto], None], why: str
) -> None:
    cluster = system("")
    change_child(cluster, change)
    plan, _, _ = load(cluster)
    assert plan.golden
    assert (plan.golden.note, plan.golden.vectors) == (f"golden not run: {why}", ())
    plan, _, _ = load(system(INPUT))
    assert plan.golden
    assert plan.golden.note == f"golden not run: {why}; the frames are those of [verify]"
    assert [one.boundary for one in plan.golden.vectors] == ["host_to_StreamingDataflowPartition_0"]
    plan, _, _ = load(system(INPUT + 'output = "out.npy"\n'))
    assert plan.golden
    assert plan.golden.note == f"golden: 5 frames of [verify], not recomputed: {why}"
    assert len(plan.golden.vectors) == 2


RUN = "/build_dir/vivado_stitch_proj__w2x4_9"


@pytest.mark.parametrize(
    ("recorded", "listed", "why"),
    [
        (RUN, f"{RUN}/finn_vivado_stitch_proj.gen/sources_1/a.v", None),
        (RUN, "/elsewhere/vivado_stitch_proj__w2x4_9/ip/src/a.v", None),
        (
            RUN,
            "/build_dir/vivado_stitch_proj_k2x4_99/finn_vivado_stitch_proj.gen/a.v",
            "is of another run",
        ),
        (RUN, None, "nothing shows that"),
        ("somewhere/stitched_ip", None, None),
        ("", f"{RUN}/a.v", "is from before stitching"),
    ],
)
def test_only_the_model_of_the_sources_is_believed(
    recorded: str, listed: str | None, why: str | None, made: Path, tmp_path: Path
) -> None:
    model = load_model(made / "build" / "partition_0.onnx")
    model = replace(model, metadata={"vivado_stitch_proj": recorded})
    folder = tmp_path / "stitched_ip"
    folder.mkdir()
    if listed:
        (folder / "all_verilog_srcs.txt").write_text(f"/finn/finn-rtllib/mvu/mvu.sv\n{listed}\n")
    found = disbelief(model, folder)
    assert (why in found) if why and found else found is why
    assert disbelief(None, folder) == "it has no ONNX"


def test_retrained_weights_come_with_what_they_compute(system: Callable[[str], Path]) -> None:
    """Whatever [verify] says: its outputs are those of the old weights."""
    cluster = system(INPUT + 'output = "out.npy"\n')

    def negate(model: onnx.ModelProto) -> None:
        (tensor, *_) = [t for t in model.graph.initializer if len(t.dims) == 2 and t.dims[0] == 12]
        tensor.CopyFrom(numpy_helper.from_array(-numpy_helper.to_array(tensor), tensor.name))

    change_child(cluster, negate)
    weights(cluster, cluster.parent / "weights")
    folder = cluster.parent / "weights" / "golden"
    told = json.loads((folder / "golden.json").read_text())
    assert told["note"] == "golden: 5 frames of [verify], outputs by the model's ONNX"
    assert told["streams"] == {b.name: b.elements_per_frame for b in load(cluster)[0].boundaries}
    assert np.array_equal(np.load(folder / "golden_0.npy"), np.load(cluster.parent / "in.npy"))
    assert not np.array_equal(np.load(folder / "golden_3.npy"), np.load(cluster.parent / "out.npy"))
    out = cluster.parent / "generated"
    generate(cluster, out)
    options = SimulateOptions(weights=str(folder.parent))
    assert choose_golden(out, read_bench(out), options).files == ("golden_0.npy", "golden_3.npy")
    assert edited_weights(options) == []
    np.save(folder / "golden_0.npy", np.load(folder / "golden_3.npy"))
    (folder / "golden_3.npy").unlink()
    packed = next(folder.parent.rglob("*.dat"))
    packed.write_bytes(packed.read_bytes().replace(b"1", b"2", 1))
    changed = [str(folder / "golden_0.npy"), str(folder / "golden_3.npy"), str(packed)]
    with pytest.raises(InputError) as caught:
        edited_weights(options)
    assert [problem.where for problem in caught.value.problems] == changed
    assert edited_weights(replace(options, edited=True)) == changed
    with pytest.raises(InputError) as caught:
        choose_golden(out, read_bench(out), options)
    assert [problem.where for problem in caught.value.problems] == [
        str(folder / "golden_0.npy"),
        str(folder / "golden_3.npy"),
    ]
    # None to compare with: [verify] still asks for those of the build, unless its weights are replaced.
    (folder / "golden.json").write_text(json.dumps(told | {"vectors": {}}))
    assert choose_golden(out, read_bench(out), options).of_build


def test_several_inputs_and_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan, model = sums()
    a, b = np.random.default_rng(1).integers(-8, 8, (2, 4, 16))
    np.save("a.npy", a.reshape(4, 2, 8))
    np.save("b.npy", b.reshape(4, 4, 4).astype(float))
    np.save("y.npy", b)
    as_table = {"add.s_axis_1": "b.npy", "add.s_axis_0": "a.npy"}
    for given in (("a.npy", "b.npy"), as_table):
        spec = VerifySpec.model_validate({"input": given, "output": {"add.m_axis_1": "y.npy"}})
        frames = given_frames(plan, read_vectors(tmp_path, spec), "cluster.toml")
        golden, files = make_golden(plan, {"add": model}, {}, frames)
        assert golden.note == "golden: 4 frames of [verify], outputs by the model's ONNX"
        found = vectors_of(plan.model_copy(update={"golden": golden}), files, tmp_path)
        names = [
            "host_to_add_s_axis_0",
            "host_to_add_s_axis_1",
            "add_m_axis_0_to_host",
            "add_m_axis_1_to_host",
        ]
        assert set(found) == set(names)
        assert all(np.array_equal(found[name], v) for name, v in zip(names, (a, b, a + b, b), strict=True))
    golden, _ = make_golden(plan, {"add": model}, {}, {})
    assert golden.note.startswith("golden: 8 frames at random, by the model's ONNX; ")
    assert len(golden.vectors) == 4
    clipped = replace(model, outputs=model.outputs[:1])
    golden, _ = make_golden(plan, {"add": clipped}, {}, {})
    assert golden.note == "golden not run: partition add: its ONNX and its sources have different streams"


def test_partitions_in_any_order_with_a_skip_edge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """x + (x + v) over three boards, the last partition first in the network."""
    monkeypatch.chdir(tmp_path)
    one, other = ("UINT3", 1, 16), ("UINT6", 1, 16)
    parts = [
        partition("join", (one, other), (("UINT7", 1, 16),)),
        partition("shift", (one,), (other,)),
        partition("fork", (one,), (one, one)),
    ]
    network = chain(*parts, edges=False)
    ends = (("fork.m_axis_1", "join.s_axis_0"), ("fork.m_axis_0", "shift"), ("shift", "join.s_axis_1"))
    plan = plan_of(network, one_each(network, link=[{"from": a, "to": b} for a, b in ends]))
    domain, values = "finn.custom_op.fpgadataflow", np.arange(16)
    kinds: dict[str, Any] = {"NumChannels": 16, "Func": "add", "outputDataType": "UINT6"}
    models = {
        "join": small(
            "join", helper.make_node("AddStreams_hls", ["a", "b"], ["y"], domain=domain), ends=("ab", "y")
        ),
        "shift": small(
            "shift",
            helper.make_node("ChannelwiseOp_hls", ["a", "v"], ["y"], domain=domain, **kinds),
            ends=("a", "y"),
            v=values,
        ),
        "fork": small(
            "fork",
            helper.make_node("DuplicateStreams_hls", ["a"], ["x", "y"], domain=domain),
            ends=("a", "xy"),
        ),
    }
    golden, files = make_golden(plan, models, {}, {})
    found = vectors_of(plan.model_copy(update={"golden": golden}), files, tmp_path)
    assert np.array_equal(found["join_to_host"], 2 * found["host_to_fork"].astype(int) + values)
    golden, _ = make_golden(plan, {name: models[name] for name in ("join", "fork")}, {}, {})
    assert golden.note == "golden not run: partition shift: it has no ONNX"


def test_external_weights_are_those_that_the_host_sends(tmp_path: Path) -> None:
    plan, _, _ = load(write_build(tmp_path))
    assert plan.golden
    assert plan.golden.note.endswith("and the model's ONNX agrees")
    assert len(plan.weights) == 2


def test_large_models_get_fewer_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to the two that a stream with lost alignment needs."""
    monkeypatch.chdir(tmp_path)
    plan, model = sums()
    work = 2 * 16 + 4 * 16  # elements in and out, of a copy and of a sum
    monkeypatch.setattr("shellgen.golden.proof._WORK", 3 * work)
    golden, _ = make_golden(plan, {"add": model}, {}, {})
    assert golden.frames == 3
    names = ["host_to_add_s_axis_0", "host_to_add_s_axis_1", "add_m_axis_0_to_host", "add_m_axis_1_to_host"]
    values = np.random.default_rng(1).integers(-4, 4, (5, 16))
    frames = dict(zip(names, (values, values, 2 * values, values), strict=True))
    golden, _ = make_golden(plan, {"add": model}, {}, frames)
    assert golden.note == "golden: 5 frames of [verify], and the model's ONNX agrees on the first 3"
    golden, _ = make_golden(plan, {"add": model}, {}, dict(list(frames.items())[:3]))
    assert golden.note == "golden: 5 frames of [verify], outputs by the model's ONNX", (
        "all that were asked for"
    )
    monkeypatch.setattr("shellgen.golden.proof._WORK", 1)
    golden, _ = make_golden(plan, {"add": model}, {Endpoint(partition="add", port="s_axis_9"): b""}, {})
    assert golden.frames == 2


def test_a_network_that_answers_all_with_the_same_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan, model = sums()
    (copy, add) = model.nodes
    table = numpy_helper.from_array(np.full((1, 1), 99, np.float32), "table")
    kinds: dict[str, Attribute] = {"NumChannels": 16, "outputDataType": "INT6"}
    flat = replace(add, op_type="Thresholding_hls", inputs=("a", "table"), attributes=kinds)
    dull = replace(model, nodes=(copy, flat), initialisers={"table": table})
    golden, _ = make_golden(plan, {"add": dull}, {}, {})
    assert golden.note.endswith(
        "; every value of add_m_axis_0_to_host is the same, so real frames would prove more"
    )
