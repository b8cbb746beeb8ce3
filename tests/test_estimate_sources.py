# SPDX-License-Identifier: BSD-3-Clause
"""Sources of the estimate's figures, in their order, and those that cannot be."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bad_input import System, copy_system
from cluster_bench import MIXED
from estimate_clusters import cluster
from small_report import report_of, streams

from shellgen.api import generate, load
from shellgen.api import plan as planned
from shellgen.cli import main
from shellgen.estimate import estimate
from shellgen.estimate.figures import layers_of
from shellgen.estimate.scale import circle_of
from shellgen.model import Plan
from shellgen.model.bench_findings import Findings, NodeControl
from shellgen.read.cycles import layer_cycles
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.rtlsim import simulated_period

PERIOD = 1_000  # cycles from frame to frame of a run


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    return copy_system(tmp_path)


LOSSY = {"settings": {"tcp_dma.loss": 3}}


def written(plan: Plan, path: Path, **more: Any) -> Path:
    """Write the report of a run of a plan: the first frame after 3,000 cycles."""
    control = {node.name: NodeControl(build_id=node.build_id) for node in plan.nodes}
    times = tuple(3_000 + PERIOD * number for number in range(8))
    known = {"control": more.pop("control", control), "full_rate": streams(times=more.pop("times", times))}
    known["full_rate"] = known["full_rate"].model_copy(update={"epoch": more.pop("epoch", 1)})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report_of(Findings(golden="none", **known), **more).document()))
    return path


def shown(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    assert main(["estimate", *words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_a_run_of_this_build_counts_first(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    plan, _ = generate(at.root / "cluster.toml", at.root / "out")
    before = shown(capsys, "out")
    report = written(plan, at.root / "run.json")
    for words in (("out", "--measured", str(report)), ("cluster.toml", "--measured", str(report))):
        found = shown(capsys, *words)
        assert found["frames_per_second"] == pytest.approx(plan.nodes[0].compute.hz / PERIOD)
        slowest = max(plan.partitions, key=lambda one: one.pace.period if one.pace else 0)
        assert found["limit"].startswith(f"{slowest.name} on ")
        assert found["parts"][0]["source"] == "simulation of this build"
        assert found["measured"]["source"] == str(report)
        others = [one for one in before["parts"] if one["part"] != found["limit"]]
        assert found["parts"][1:] == others
    # An output knows its own runs; those that failed, or were of other files, do not count.
    written(plan, at.root / "out/bench/run_icarus/report.json")
    assert shown(capsys, "out")["measured"]["source"].endswith("report.json")
    for more in ({"passed": False}, {"edited": ("zed0/zed0_core.v",)}, {"times": (5, 6)}, LOSSY):
        written(plan, at.root / "out/bench/run_icarus/report.json", **more)
        assert "measured" not in shown(capsys, "out")


@pytest.mark.parametrize("board", ["zed0", "zed1"])  # one of which has the slowest layer
def test_a_run_with_replicas_tells_the_times_of_turns(
    board: str, at: System, capsys: pytest.CaptureFixture[str]
) -> None:
    at.cluster((f'name = "{board}"', f'name = "{board}"\nreplicas = 2'))
    plan, _ = generate(at.root / "cluster.toml", at.root / "out")
    assert plan.epoch == 2
    report = written(plan, at.root / "run.json", epoch=2)
    found = shown(capsys, "out", "--measured", str(report))
    assert found["frames_per_second"] == pytest.approx(2 * plan.nodes[0].compute.hz / PERIOD)
    assert found["measured"]["seconds_per_frame"] == pytest.approx(PERIOD / 2 / plan.nodes[0].compute.hz)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"control": {}}, "has not read the build ID of node zed0"),
        (
            {"control": {"far": NodeControl(build_id="0" * 16)}},
            "of a cluster with far, which has no node zed0",
        ),
        ({"control": dict.fromkeys(("zed0", "zed1"), NodeControl(build_id="0" * 16))}, "has build ID 0000"),
        ({"passed": False}, "it has no rate: the run did not pass"),
        ({"times": (100, 200)}, "it has no rate: few frames"),
        ({"edited": ("zed0/zed0_core.v",)}, "the run was of edited files, such as zed0/zed0_core.v"),
        ({"settings": {"zed0.ppm": 7, "tcp_dma.latency": 9}}, "delays between the boards: tcp_dma.latency=9"),
    ],
)
def test_a_run_of_another_build_is_refused(
    at: System, more: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = written(load(at.root / "cluster.toml")[0], at.root / "run.json", **more)
    assert main(["estimate", "cluster.toml", "--measured", str(report)]) == 2
    error = capsys.readouterr().err
    assert f"{report}: " in error
    assert said in error


@pytest.mark.parametrize("text", ["", "{", "[]", '{"passed": true}'])
def test_what_is_no_report_is_refused(at: System, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = at.root / "run.json"
    path.write_text(text)
    assert main(["estimate", "cluster.toml", "--measured", "run.json"]) == 2
    assert "run.json" in capsys.readouterr().err


def test_simulations_of_finn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Both forms of the report; only the one beside the stitched IP is of this partition."""
    path = tmp_path / "report/rtlsim_performance.json"
    path.parent.mkdir()

    def period(content: object, *layers: int | None) -> int | None:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        caplog.clear()
        return simulated_period(tmp_path / "stitched_ip", layers)

    assert period([{"intervals": [1195, 1195], "samples": 5}], 1198) == 1195
    assert period({"cycles": 9000, "stable_throughput[images/s]": 50_000.0, "fclk[mhz]": 100.0}) == 2000
    assert not caplog.messages
    assert period([{"intervals": [500]}], 1198) == 500
    assert "a frame takes 500 cycles by this simulation, but the slowest layer 1198" in caplog.text
    damaged: tuple[object, ...] = (
        "{",
        [],
        {},
        [{"intervals": [0]}],
        [{"intervals": [-4]}],
        [{"intervals": ["x"]}],
        [[]],
    )
    for bad in damaged:
        assert period(bad, 1198) is None, bad
        assert "it is not used" in caplog.text
    for rate, clock in ((0, 100), (50, "x"), (float("inf"), 100), (1e-300, 100)):
        assert period({"stable_throughput[images/s]": rate, "fclk[mhz]": clock}) is None
    path.rename(tmp_path / "rtlsim_performance.json")
    assert simulated_period(tmp_path / "stitched_ip", ()) is None
    assert simulated_period(tmp_path / "deeper" / "stitched_ip", ()) is None


def test_finn_simulation_counts_before_layers(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    folder = at.root / "build/partition_1/report"
    assert folder.parent.is_dir()
    (at.root / "build/report").mkdir()
    (at.root / "build/report/rtlsim_performance.json").write_text('[{"intervals": [700]}]')
    found = shown(capsys, "cluster.toml")
    sources = {one["part"]: one["source"] for one in found["parts"] if " on zed" in one["part"]}
    assert "FINN's rtlsim_performance.json" in sources.values()


@pytest.mark.parametrize("cycles", [0, -4, 1.5, "x", None, True])
def test_cycles_that_no_layer_takes(cycles: object, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    node = Node("MVAU_rtl", "m", "finn", ("in",), ("out",), {"MW": 8, "MH": 4})
    model = FinnModel(tmp_path / "models/a/m.onnx", (node,), (), (), (), {}, {}, {})
    report = tmp_path / "report/estimate_layer_cycles.json"
    report.parent.mkdir()
    report.write_text(json.dumps({"m": cycles}))
    assert layer_cycles(model, tmp_path / "ip") == ((32, "formula"),)
    (said,) = caplog.messages
    assert str(report) in said
    assert f"m has {json.dumps(cycles)} cycles" in said
    assert "give estimate.layers.m in cluster.toml" in said


def test_more_than_a_board_has_is_an_answer(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    """`generate` refuses it; `estimate` shows by how much, and --strict makes it a failure."""
    text = (Path(__file__).parents[1] / "boards/zedboard.toml").read_text()
    lines = [f"lut = {9}" if line.startswith("lut = ") else line for line in text.splitlines()]
    (at.root / "tiny.toml").write_text("\n".join(lines).replace('"zedboard"', '"tiny"') + "\n")
    at.cluster(('board = "zedboard"', 'board = "./tiny.toml"'))
    assert main(["generate", "cluster.toml", "-o", "new"]) == 2
    assert "LUT (" in capsys.readouterr().err
    found = shown(capsys, "cluster.toml")
    assert any("of the 9 that" in note for note in found["overfull"])
    assert shown(capsys, "cluster.toml", "--strict", code=1)["overfull"] == found["overfull"]
    at.cluster(('board = "./tiny.toml"', 'board = "zedboard"'))
    assert shown(capsys, "cluster.toml", "--strict")["overfull"] == []


def test_a_link_without_a_rate_is_said(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[1] / "boards/zedboard.toml").read_text()
    text = text.replace('"zedboard"', '"bare"', 1).replace('"1 Gb/s, PS GEM0"', '"none wired"')
    (at.root / "bare.toml").write_text(text)
    at.cluster(('board = "zedboard"', 'board = "./bare.toml"'))
    assert main(["estimate", "cluster.toml"]) == 0
    said = "the network port of zed0 has no rate in the board file, so it is not counted: give it there"
    assert said in capsys.readouterr().out


def test_what_cannot_be_scaled_is_refused(
    at: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert circle_of(load(at.root / "cluster.toml")[0]) == ()
    nodes = (("first", "zedboard", (0, 2)), ("second", "zedboard", (1,)))
    cluster = replace(MIXED, nodes=nodes).write_inputs(tmp_path / "looped")
    assert main(["estimate", str(cluster), "--scale", "4"]) == 2
    assert "frames go round first, second" in capsys.readouterr().err


def test_the_limit_is_said_with_its_cycles(at: System) -> None:
    """Waits between layers, and which layer is slow alone."""
    plan, _, _ = load(at.root / "cluster.toml")
    part = plan.partitions[0]
    assert part.pace is not None
    slow = part.model_copy(update={"pace": part.pace.model_copy(update={"period": 5_000})})
    found = estimate(plan.model_copy(update={"partitions": (slow, *plan.partitions[1:])}))
    assert found.limit.detail.startswith("layers that wait for one another, 5,000 cycles at ")
    assert " alone " in found.limit.detail
    assert found.limit.source == "words between its layers"


def test_a_layer_of_builds_with_equal_names_is_given_behind_its_partition(tmp_path: Path) -> None:
    path = cluster(2, tmp_path)  # three builds, of which each has StreamingDataflowPartition_0_MVAU_rtl_0
    second = planned(path).partitions[1]
    name = second.full(second.layers[0])
    path.write_text(path.read_text() + f"[estimate.layers]\n{name} = 5000\nMVAU_rtl_0 = 7000\n")
    plan = planned(path)
    given = [layer.cycles for one in plan.partitions for layer in layers_of(plan, one)[:1]]
    assert given[:2] == [7000, 5000]
    assert 7000 not in given[1:]
