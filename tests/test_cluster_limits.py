# SPDX-License-Identifier: BSD-3-Clause
"""Slow is not stuck: limits, the number of frames, samples of large memories, and what is said of them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cluster_bench import GOLDEN_FRAMES, Chain, report_text, streams_only
from sim_module import sim_module
from test_cluster_defects import DEFECTS, edit, fake

from shellgen.progress import listening
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.progress import describe
from shellgen.simulate.report import format_report

pytestmark = pytest.mark.xdist_group("defects")
# Each frame rests for 4,000 cycles in the middle.
SLOW = """
  reg [12:0] rest;
  wire pause = count % 8 == 4 && rest != 13'd4000;
  always @(posedge ap_clk) rest <= count % 8 != 4 ? 13'd0 : pause ? rest + 13'd1 : rest;
  assign m_axis_0_tdata = s_axis_0_tdata;
  assign m_axis_0_tvalid = s_axis_0_tvalid && !pause;
  assign s_axis_0_tready = m_axis_0_tready && !pause;
"""


def change(out: Path, name: str, old: str, new: str) -> None:
    """Let a file of the bench count with a smaller number, so that a small network is a large one."""
    path = out / "bench" / name
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.sweep
def test_a_network_that_rests_is_not_stuck(tmp_path: Path) -> None:
    """The limit follows from the first frame; a number of one's own is taken as it is."""
    out = fake(tmp_path, SLOW)
    change(out, "bench_run.py", "LEAST_SILENCE = 50_000", "LEAST_SILENCE = 100")
    assert streams_only(out, "icarus", frames=2, idle_limit=None)["problem"] == ""
    report = streams_only(out, "icarus", frames=2, idle_limit=1000)
    assert report["problem"].startswith(
        "--idle-limit ended the run, so there is no result: nothing moved for 1,000"
    )
    assert "0 of 2 frames had arrived" in report["problem"]
    assert "a_to_b, pins of a.m_axis_0: 4 of 16 words, valid 0, ready 1" in report["problem"]


@pytest.mark.sweep
def test_a_run_whose_time_is_up_keeps_what_it_has_seen(tmp_path: Path) -> None:
    out = fake(tmp_path, DEFECTS["no word at all"])
    # From the first cycle on: how long a simulator takes to start is the machine's affair.
    change(out, "bench_run.py", "= options.deadline,", "= options.deadline and time.monotonic() + 4.0,")
    report = streams_only(out, "icarus", idle_limit=None, timeout=4.0)
    assert report["problem"].startswith(
        "--timeout ended the run, so there is no result: 4 s were up. 0 of 6 frames"
    )
    assert "Last moved: host_to_a, pins of a.s_axis_0" in report["problem"]
    shown = report_text(report)
    assert "ended early" in shown
    assert re.search(r"^a_to_b +0 +incomplete$", shown, re.MULTILINE)
    assert re.search(r"^a_to_b, pins of a\.m_axis_0 +0 of 48 +0 +0 +1 +never$", shown, re.MULTILINE)
    assert "a waits for nobody and hands out no word at a.m_axis_0" in shown
    assert (
        "boundaries incomplete, monolith incomplete, golden not run: the plan has no vectors (not required)"
        in shown
    )
    assert shown.endswith("1 failed: FAIL, not as generated: bench/bench_run.py, n0/partition/a.v")
    assert "frames/s" not in shown


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board with weights, and five golden frames."""
    network = Chain(
        (4, 8, 4), "UINT2", ((2, 2, 2),) * 2, (0, 0), (("one", "zedboard", (0,)),), writeable=(0, 1)
    )
    return network.generate(tmp_path_factory.mktemp("small"))


@pytest.fixture
def out(small: Path, tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(
            small, tmp_path / "out", ignore=shutil.ignore_patterns("run_verilator*", "run_icarus*")
        )
    )


def told(out: Path, **options: Any) -> tuple[dict[str, Any], str, str]:
    """Simulate as the command does; return the report, what it says, and what was shown meanwhile."""
    shown: list[str] = []
    with listening(lambda phase, detail: shown.append(f"{phase} {detail}")):
        report = simulate(
            out, "icarus", SimulateOptions(full_rate=False, own_frames=False, edited=True, **options)
        )
    return report.document(), format_report(report), "\n".join(shown)


@pytest.mark.sweep
def test_all_golden_frames_or_as_many_as_fit(out: Path) -> None:
    report, said, shown = told(out, walk="none")
    assert report["problem"] == ""
    assert report["frames"] == GOLDEN_FRAMES
    assert "golden frames were sent" not in said
    assert "Icarus compiles bench_top" in shown
    assert "\nicarus: " in shown  # a run so short may be over before it says where it is
    change(out, "bench_streams.py", "2_000_000", "10")
    report, said, _ = told(out, walk="none")
    assert report["problem"] == ""
    assert "2 of 5 golden frames were sent (--frames 5 sends all)" in said
    assert report["line"].endswith("golden OK (2 of 5 frames compared)")
    assert "2 frames and one more, under back-pressure" in said


@pytest.mark.sweep
def test_large_memories_are_sampled_and_the_report_says_so(out: Path) -> None:
    change(out, "bench_walk.py", "FULL_WALK, SAMPLE = 4096, 2048", "FULL_WALK, SAMPLE = 8, 0")
    change(out, "bench_walk.py", "max(chance, 16)", "max(chance, 2)")
    options = {"control": False, "stalled": False}
    report, said, _ = told(out, **options)
    assert report["problem"] == ""
    assert all(0 < finding["words"] <= finding["of"] for finding in report["weights"])
    some = next(finding for finding in report["weights"] if finding["words"] < finding["of"])
    told_so = f"{some['words']}  written and read back, of {some['of']} (--walk full takes all)"
    assert re.search(f"^{some['region']} +{re.escape(told_so)}$", said, re.MULTILINE)
    report, said, _ = told(out, walk="full", **options)
    assert all(finding["words"] == finding["of"] for finding in report["weights"])

    def short(maps: Any) -> None:
        """An address bit that leads nowhere new: the memory's second half is its first."""
        first = next(r for r in maps["nodes"][0]["regions"] if r["memory"] and r["memory"]["words"] >= 8)
        first["memory"]["words"] *= 4

    edit(out / "memory_map.json", short)
    report, _, _ = told(out, **options)
    assert report["problem"]


def test_each_pass_of_a_long_test_has_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accesses are counted from zero in each pass, so progress under one name would start again."""
    for name in ("bench_files", "bench_records", "bench_budget", "bench_rest", "bench_stand"):
        sim_module(name)
    run: Any = sim_module("bench_run")
    monkeypatch.chdir(tmp_path)
    bench = SimpleNamespace(cycles_estimate=0, links=())
    options = SimpleNamespace(idle_limit=None, deadline=None, timeout=None, inputs={})
    watch = run.Watch(None, bench, options, "memory test")
    watch.access()
    said = [describe(json.loads(Path("progress.json").read_text()))]
    for number in (1, 2):
        watch.begin(number, 2)
        monkeypatch.setattr(run, "SHOW_SECONDS", -1.0)
        watch.access()
        said.append(describe(json.loads(Path("progress.json").read_text())))
    assert said == [
        "memory test: 1 accesses",
        "memory test, pass 1 of 2: 2 accesses",
        "memory test, pass 2 of 2: 3 accesses",
    ]


def test_what_a_run_tells_while_it_runs() -> None:
    state = {"phase": "memory test", "of": None, "accesses": [1200, 4096]}
    assert describe(state) == "memory test: 1,200 of 4,096 accesses"
    silent = {
        "phase": "streams, stalled",
        "frames": 1,
        "of": 2,
        "cycles": 1_234_567,
        "idle": 90000,
        "idle_limit": 200000,
    }
    said = "streams, stalled: frame 1 of 2, 1.2 M cycles, silent for 90,000 (limit 200,000)"
    assert describe(silent) == said
