# SPDX-License-Identifier: BSD-3-Clause
"""The estimated rate: cycles of layers against FINN's own, the limit of a cluster, and the output."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bad_input import PARTS, System, copy_system
from external_cluster import write_build

from shellgen import stitch
from shellgen.api import load
from shellgen.cli import main
from shellgen.estimate import estimate, timing
from shellgen.estimate.scale import changes, scaled
from shellgen.model import Plan
from shellgen.read.cycles import layer_cycles
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.stitch.environment import ensure_finn_env


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    return copy_system(tmp_path)


def cycles(op: str, **attributes: Any) -> int | None:
    values = {name: tuple(one) if isinstance(one, list) else one for name, one in attributes.items()}
    node = Node(op, "layer", "finn.custom_op.fpgadataflow", ("in",), ("out",), values)
    return layer_cycles(FinnModel(Path("m.onnx"), (node,), (), (), (), {}, {}, {}))[0][0]


@pytest.mark.finn
@pytest.mark.xdist_group("stitch_finn")
@pytest.mark.parametrize("count", [24, pytest.param(500, marks=pytest.mark.sweep)])
def test_layers_take_the_cycles_that_finn_says(count: int, tmp_path: Path) -> None:
    script = Path(__file__).parent / "finn_cycles.py"
    command = [str(ensure_finn_env()), str(script), str(count)]
    environment = os.environ | {
        "PYTHONPATH": str(Path(stitch.__file__).parent),
        "FINN_BUILD_DIR": str(tmp_path),
    }
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    told = json.loads(ran.stdout)
    assert len(told) == count
    wrong = [(op, attributes, said) for op, attributes, said in told if cycles(op, **attributes) != said]
    assert wrong == []


def test_a_published_network_is_limited_by_the_layers_that_are_known() -> None:
    """ResNet-50 of finn-examples, PE 2 and SIMD 64 at its 3x3 convolutions: 177 frames/s at 160 MHz."""
    found = cycles("MVAU_rtl", MW=576, MH=64, PE=2, SIMD=64, numInputVectors=[1, 56, 56])
    assert found == 903_168
    assert 160e6 / found == pytest.approx(177.15, abs=0.01)


@pytest.mark.parametrize(
    ("op", "attributes", "expected"),
    [
        ("MVAU_rtl", {"MW": 8, "MH": 4, "PE": 1, "SIMD": 2, "cycles_estimate": 77}, 77),
        ("MVAU_rtl", {"MW": 8, "MH": 4, "cycles_estimate": 77, "rtlsim_cycles": 80}, 80),
        ("MVAU_rtl", {"MW": 8, "MH": 4, "cycles_estimate": -5}, 32),
        ("MVAU_rtl", {"MW": 8, "MH": 4, "PE": 0, "SIMD": -1}, 32),
        ("MVAU_rtl", {"MW": 1 << 40, "MH": 1 << 40}, None),
        ("StreamingFIFO_rtl", {"folded_shape": [1, 6, 6, 2, 4]}, 72),
        (
            "StreamingDataWidthConverter_rtl",
            {"shape": [1, 16, 24], "dataType": "INT4", "inWidth": 96, "outWidth": 16},
            96,
        ),
        (
            "StreamingDataWidthConverter_rtl",
            {"inShape": [1, 4, 24], "outShape": [1, 96], "dataType": "INT4", "inWidth": 96, "outWidth": 16},
            24,
        ),
        ("ElementwiseAdd", {"out_shape": [1, 4, 4, 6], "PE": 3}, 32),
        ("StreamingEltwise_hls", {"NumChannels": 6, "numInputVectors": [1, 4], "PE": 3}, 8),
        ("ElementwiseAdd", {"PE": 3}, None),
        ("FMPadding_rtl", {"ImgDim": [4], "Padding": [1, 1, 1, 1], "NumChannels": 4}, None),
        ("ConvolutionInputGenerator_hls", {"IFMDim": [4, 4]}, None),
        ("StreamingConcat", {"ElemsPerStream": [3, 5], "numInputVectors": [1, 4, 4]}, 16),
        ("UpsampleNearestNeighbour_Batch", {"IFMDim": 4, "OFMDim": 8, "NumChannels": 6}, 64),
        ("DownSampler", {"ImgDim": 8, "NumChannels": 6, "SIMD": 2, "Stride": 2}, 192),
        ("StreamingMaxPool_Batch", {"ImgDim": [8, 8], "PoolDim": [2, 2], "NumChannels": 6}, 80),
        ("StreamingMaxPool_Batch", {"ImgDim": [9, 1], "PoolDim": [2, 1], "NumChannels": 6, "PE": 2}, 36),
        ("StreamingConcat_hls", {"SIMD": 2}, None),
        ("LayerOfTomorrow", {"PE": 2}, None),
    ],
)
def test_what_a_layer_tells(op: str, attributes: dict[str, Any], expected: int | None) -> None:
    assert cycles(op, **attributes) == expected


def test_the_slowest_layer_limits_a_cluster(at: System) -> None:
    plan, _, _ = load(at.root / "cluster.toml")
    assert all(all(plan.partition(name).layer_cycles) for name in PARTS)
    first, second = plan.partitions
    layers = (f"{second.name}_StreamingFIFO_rtl_0", *second.layers, f"{second.name}_slow")
    cycles_of = {"layer_cycles": (5_000, 4_000, 5_000)}  # a FIFO has those of its neighbours
    slow = second.model_copy(update={"layers": layers, **cycles_of, "pace": None})
    found = estimate(plan.model_copy(update={"partitions": (first, slow)}))
    assert found.unknown == {}
    assert found.limit.name.startswith(f"{second.name} on ")
    assert found.limit.detail.startswith("layer slow, 5,000 cycles")
    assert found.frames_per_second == pytest.approx(plan.nodes[1].compute.hz / 5_000)
    changed = plan.model_copy(update={"partitions": (first, slow)})
    assert timing(changed).streaming == pytest.approx(found.frames_per_second)
    assert len({one.name for one in found.servers}) == len(found.servers)


def test_a_slow_medium_limits_a_cluster(at: System) -> None:
    """A board file with another Ethernet rate, and one without any."""
    text = (Path(__file__).parents[1] / "boards/zedboard.toml").read_text()
    cluster = at.root / "cluster.toml"
    written = cluster.read_text()

    def planned(name: str, ethernet: str) -> Plan:
        changed = text.replace('"1 Gb/s, ', f'"{ethernet}, ').replace('name = "zedboard"', f'name = "{name}"')
        (at.root / f"{name}.toml").write_text(changed)
        cluster.write_text(written.replace('"zedboard"', f'"./{name}.toml"'))
        return load(cluster)[0]

    plan = planned("slow", "10 Mb/s")
    found = estimate(plan)
    (into,) = [one for one in found.servers if one.name == f"Ethernet into {plan.nodes[0].name}"]
    received = sum(end.frame_bytes for end in plan.nodes[0].rx)
    assert into.seconds == pytest.approx(received * 8 * 1538 / 1448 / 10e6)
    assert found.limit.name.startswith("Ethernet ")
    bare = estimate(planned("bare", "none wired"))
    assert not [one for one in bare.servers if "Ethernet" in one.name]


def test_the_command_and_the_last_lines_of_others(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "cluster.toml", "-o", "out"]) == 0
    said = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("about"))
    shown = []
    for where in ("cluster.toml", "out"):
        assert main(["estimate", where]) == 0
        shown.append(capsys.readouterr().out)
        assert said in shown[-1].splitlines()
        assert "without the time of hosts and drivers" in shown[-1]
    assert shown[0] == shown[1]
    records = []
    for words in (["estimate", "out"], ["plan", "cluster.toml", "-o", "plan"]):
        assert main([*words, "--json"]) == 0
        records.append(json.loads(capsys.readouterr().out))
    assert records[1]["estimate"].items() <= records[0].items()
    assert records[0]["limit"] == records[0]["parts"][0]["part"]
    assert records[0]["frames_per_second"] == pytest.approx(1 / records[0]["parts"][0]["seconds_per_frame"])
    (at.root / "empty").mkdir()
    assert main(["estimate", "empty"]) == 2
    assert "plan.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "field", "value", "said"),
    [
        ("boundaries", "consumer_node", "nobody", "boundaries[1].consumer_node: there is no node nobody"),
        ("boundaries", "consumer", {"partition": "q", "port": "s"}, "consumer: there is no partition q"),
        ("nodes", "partitions", ["q"], "nodes[1].partitions: there is no partition q"),
        ("partitions", "layer_cycles", [-4, -4], "partitions[1].layer_cycles"),
        (
            "nodes",
            "board",
            {"part": ...},
            "nodes[1].board.part: this field is missing. Generate the folder again",
        ),
        (
            "nodes",
            "board",
            {"platform": {"zynq": {}}},
            "out/plan.json: nodes[1].board: platform.zynq.family: this field is missing. Generate the folder",
        ),
    ],
)
def test_a_plan_that_was_edited(
    at: System, table: str, field: str, value: Any, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", "cluster.toml", "-o", "out"]) == 0
    file = at.root / "out/plan.json"
    document = json.loads(file.read_text())
    if field == "board":  # of an older version
        value = {name: one for name, one in {**document[table][1][field], **value}.items() if one is not ...}
    document[table][1][field] = value
    file.write_text(json.dumps(document))
    capsys.readouterr()
    assert main(["estimate", "out"]) == 2
    assert said in capsys.readouterr().err


def test_layers_that_nobody_knows_are_named(at: System) -> None:
    plan, _, _ = load(at.root / "cluster.toml")
    first, *others = plan.partitions
    changed = first.model_copy(update={"layer_cycles": (None, *first.layer_cycles[1:])})
    found = estimate(plan.model_copy(update={"partitions": (changed, *others)}))
    assert found.unknown == {first.name: 1}
    assert f"not known and not counted: 1 of {first.name}" in found.sentences()[-2]
    # A build without models: streams and media are known all the same.
    bare = tuple(one.model_copy(update={"layer_cycles": (), "pace": None}) for one in plan.partitions)
    found = estimate(plan.model_copy(update={"partitions": bare}))
    assert set(found.unknown) == set(PARTS)
    assert not any(" on " in one.name and one.name.startswith(PARTS) for one in found.servers)


def written(at: System, table: str) -> Path:
    cluster = at.root / "cluster.toml"
    cluster.write_text(f"{cluster.read_text()}\n{table}\n")
    return cluster


def test_cluster_toml_knows_better(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    plan, _, _ = load(at.root / "cluster.toml")
    layer = plan.partitions[1].layers[0]
    table = f"""[estimate.layers]
"{layer}" = 70_000
[estimate.servers.{plan.nodes[0].name}]
bytes_per_s = 1e3
frame_us = 5
in_sequence = true
"""
    told = load(written(at, table))[0]
    assert [node.build_id for node in told.nodes] == [node.build_id for node in plan.nodes]
    assert told.cluster_id == plan.cluster_id
    found = {one.name: one for one in estimate(told).servers}
    slow = next(one for name, one in found.items() if name.startswith(f"{plan.partitions[1].name} on"))
    assert slow.seconds == pytest.approx(70_000 / plan.nodes[1].compute.hz)
    assert slow.source == "[estimate] of cluster.toml"
    server = found[f"server of {plan.nodes[0].name}"]
    moved = sum(end.frame_bytes for end in plan.nodes[0].ends)
    assert server.seconds > moved / 1e3 + 2 * 5e-6
    # Two sources that differ by more than a factor of two are both shown.
    known = plan.partitions[1].layer_cycles[0]
    said = " ".join(estimate(told).sentences())
    assert "two sources differ by more than a factor of two" in said
    assert "70,000 cycles by [estimate]" in said
    assert f"{known:,} by" in said
    assert "two sources differ" not in " ".join(estimate(plan).sentences())
    times = timing(told, most=estimate(told).frames_per_second)
    rates = [one.frames_per_second for one in times.regimes]
    assert times.first_frame == pytest.approx(times.regimes[0].latency)  # the same frame, with the way back
    assert rates[-1] <= estimate(told).frames_per_second
    # One thread at zed0 is never faster than one frame in flight there.
    assert rates[-1] == pytest.approx(1 / server.seconds, rel=0.01)
    assert main(["estimate", "cluster.toml", "--frames", "3", "--in-flight", "2", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [one["in_flight"] for one in record["regimes"]] == [1, 2, None]
    assert record["total"]["frames"] == 3
    assert record["total"]["value"] > record["first_frame"]["value"]
    assert {one["stage"] for one in record["stages"]} >= {
        f"server of {plan.nodes[0].name} sends {plan.boundaries[1].name}"
    }


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[estimate.layers]\nMVAU_rtl_99 = 5", "estimate.layers.MVAU_rtl_99: no partition has such a layer"),
        ("[estimate.layers]\nMVAU_rtl_0 = 0", "estimate.layers.MVAU_rtl_0"),
        ("[estimate.layers]\nMVAU_rtl_0 = -3", "estimate.layers.MVAU_rtl_0"),
        ("[estimate.layers]\nMVAU_rtl_0 = 5", "StreamingDataflowPartition_1 have such a layer"),
        ("[estimate.servers.zed7]", "estimate.servers.zed7: there is no such node"),
        ("[estimate.servers.zed0]\nbytes_per_s = 0", "estimate.servers.zed0.bytes_per_s"),
        ("[estimate.servers.zed0]\nbytes_per_s = 1e-300", "estimate.servers.zed0.bytes_per_s"),
        ("[estimate.servers.zed0]\nframe_us = nan", "estimate.servers.zed0.frame_us: got nan"),
        ("[estimate.layers]\nMVAU_rtl_0 = inf", "estimate.layers.MVAU_rtl_0: got inf"),
        ("[estimate]\nrate = 5", "estimate.rate"),
        ("[estimate.links.tcp]\nmm2s_cycles = 5", "estimate.links.tcp: there is no such link"),
        ("[estimate.links.tcp_dma]\nmm2s = 5", "the link has no such figure"),
        ("[estimate.links.tcp_dma]\nmm2s_percent = 120", "estimate.links.tcp_dma.mm2s_percent: got 120 %"),
        ("[estimate.links.accl]\nput_us = -1", "estimate.links.accl.put_us"),
        ("[estimate.links.vnx_udp]\nround_trip_ns = nan", "estimate.links.vnx_udp.round_trip_ns"),
    ],
)
def test_figures_that_cannot_be(
    at: System, table: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    written(at, table)
    assert main(["estimate", "cluster.toml"]) == 2
    assert said in capsys.readouterr().err


def test_numbers_of_frames_that_cannot_be(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    for option, most in (("--frames", 100_000), ("--in-flight", 10_000)):
        for value in ("0", "-1", "x", "1000000"):
            assert main(["estimate", str(at.root / "cluster.toml"), f"{option}={value}"]) == 2
            assert f"give a whole number from 1 to {most}." in capsys.readouterr().err


def test_the_sources_of_cycles_are_taken_in_their_order(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def told(**attributes: Any) -> tuple[int | None, str]:
        node = Node("MVAU_rtl", "m", "finn", ("in",), ("out",), {"MW": 8, "MH": 4, **attributes})
        model = FinnModel(tmp_path / "models/a/m.onnx", (node,), (), (), (), {}, {}, {})
        return layer_cycles(model, tmp_path / "ip")[0]

    assert told() == (32, "formula")
    assert told(cycles_estimate=40) == (40, "estimate")
    report = tmp_path / "report/estimate_layer_cycles.json"
    report.parent.mkdir()
    for text in ("{", "[]", '{"m": "x"}', '{"m": 0}', '{"m": -4}', '{"m": true}'):
        report.write_text(text)
        assert told(cycles_estimate=40) == (40, "estimate"), text
    caplog.clear()
    report.write_text('{"m": 50}')
    assert told(cycles_estimate=40) == (50, "report")
    assert told(cycles_estimate=40, rtlsim_cycles=60) == (60, "measured")
    assert not caplog.messages
    report.write_text('{"m": 5000}')
    assert told() == (5000, "report")
    assert "takes 5000 cycles by FINN's estimate_layer_cycles.json, but 32 by the formula" in caplog.text
    report.write_text('{"other": 5000}')
    assert told() == (32, "formula")
    assert "of another build" in caplog.text


def test_boards_are_added_where_they_help(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    """Parts of 3,000 and 2,000 cycles: a board more is a copy of the slower one, until that is the other."""
    plan, _, _ = load(at.root / "cluster.toml")
    slow = [
        part.model_copy(update={"layers": (f"{part.name}_l",), "layer_cycles": (cycles,), "pace": None})
        for part, cycles in zip(plan.partitions, (3_000, 2_000), strict=True)
    ]
    plan = plan.model_copy(update={"partitions": tuple(slow)})
    hz = plan.nodes[0].compute.hz
    points = scaled(plan, 64)
    assert [point.boards for point in points] == list(range(2, 65))
    assert [point.copies for point in points[:4]] == [(1, 1), (2, 1), (2, 2), (3, 2)]
    assert [hz / point.frames_per_second for point in points[:4]] == pytest.approx([3000, 2000, 1500, 1000])
    assert points[3].efficiency == pytest.approx(3 * 2 / 5)
    found = {change.text: hz / change.frames_per_second for change in changes(plan)}
    first, second = (node.name for node in plan.nodes)
    assert found[f"a second board {first}"] == pytest.approx(2000)
    assert found[f"twice the folding of layer l of {slow[0].name}"] == pytest.approx(2000)
    assert not any(second in text for text in found)
    assert main(["estimate", "cluster.toml", "--scale", "8", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [one["boards"] for one in record["scale"]] == list(range(2, 9))
    # Two ports are as slow as each other, and no single change is for both.
    assert [one["change"] for one in record["changes"]] == ["more boards at once (zed0 x 2, zed1 x 2)"]
    for words, said in (
        (["--scale", "1"], "has 2 boards, and --scale gives 1"),
        (["--scale", "65"], "from 1 to 64"),
    ):
        assert main(["estimate", "cluster.toml", *words]) == 2
        assert said in capsys.readouterr().err


def test_weights_from_memory_limit_both_ways_of_counting(tmp_path: Path) -> None:
    """All weights are sent again for each vector; the table and the engine agree on the time that takes."""
    plan, _, _ = load(write_build(tmp_path))
    weights, *_ = [boundary for boundary in plan.boundaries if boundary.carries_weights]
    slow = weights.model_copy(update={"passes": 10_000})
    boundaries = tuple(slow if one == weights else one for one in plan.boundaries)
    plan = plan.model_copy(update={"boundaries": boundaries})
    found = estimate(plan)
    assert "s_axis_" in found.limit.name or "port " in found.limit.name
    rate = timing(plan).streaming
    assert rate == pytest.approx(found.frames_per_second)
