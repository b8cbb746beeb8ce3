# SPDX-License-Identifier: BSD-3-Clause
"""Boards at frequencies and phases of their own, and the reset of one while the others run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cluster_bench import generate_fake, report_text, run, streams_only
from fake_network import chain, partition, spec

from shellgen.cli import main
from shellgen.errors import InputError
from shellgen.simulate import SIMULATORS

pytestmark = pytest.mark.xdist_group("clocks")
WORDS = (("UINT4", 2, 24),)
FAST, SLOW = 100, 40


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three boards, the middle one slow."""
    network = chain(*(partition(name, WORDS, WORDS) for name in "abc"))
    boards = [
        {"name": f"n{k}", "board": "zedboard", "partitions": [k], "clock_mhz": SLOW if k == 1 else FAST}
        for k in range(3)
    ]
    return generate_fake(network, spec(boards), tmp_path_factory.mktemp("clocks") / "out")


@pytest.mark.sweep
def test_a_seed_gives_the_same_cycles_on_both_simulators(out: Path) -> None:
    """However far apart the clocks are; with a board in the middle reset, too."""
    settings = ("n0.ppm=900", "n1.ppm=-250", "n2.drift=90", "tcp_dma.latency=7", "tcp_dma.rearm=3")
    reports = [run(out, simulator, seed=5, settings=settings, reset_node="n1") for simulator in SIMULATORS]
    found = []
    for report in reports:
        assert report["passed"], report["problem"]
        assert report["settings"]["n1.ppm"] == -250
        assert -50 <= report["settings"]["n2.ppm"] <= 50
        assert "--set n1.ppm=-250" in report["repeat"]
        assert report["clock_hz"] == pytest.approx(1e6 * SLOW, rel=0.01)
        for by in ("control", "pin"):
            reset = report[f"reset_{by}"]
            assert reset["lost"], "a frame was under way"
            assert reset["words_of_others"] > 0
            assert all(verdict["passed"] for verdict in reset["verdicts"])
        assert re.search(r"reset of n1 by CONTROL in mid-frame: frames \d", report_text(report))
        runs = [report[run][key] for run in ("full_rate", "stalled") for key in ("cycles", "turns")]
        found.append((runs, report["settings"]))
    assert found[0] == found[1]


@pytest.mark.sweep
def test_a_transfer_that_outlives_its_dma_is_seen(out: Path) -> None:
    """The rest of a packet when the sender's DMA is reset must not come before the next one."""
    model = out / "bench" / "sim" / "tcp_link.sv"
    right = model.read_text()
    forgets = "repeat (packet_q) store.delete(store.size() - 1);\n            wrote_q  <= wrote_q - packet_q;"
    assert right.count(forgets) == 1
    model.write_text(right.replace(forgets, ""))
    try:
        report = streams_only(out, "icarus", reset_node="n1", stalled=False)
    finally:
        model.write_text(right)
    assert "after the reset of n1 by its pin" in report["problem"]


@pytest.mark.sweep
def test_a_parameter_does_what_it_says(out: Path) -> None:
    """The first frame crosses two links, so it comes twice as much later, in cycles of the receivers."""
    only = {"control": False, "walk": False, "stalled": False, "frames": 2}
    late = {}
    for name in ("latency", "rearm"):
        report = run(out, "icarus", settings=(f"tcp_dma.{name}=200",), **only)
        late[name] = report["full_rate"]["cycles"]
    plain = run(out, "icarus", **only)["full_rate"]["cycles"]
    # 200 cycles at 40 MHz and 200 at 100 MHz, counted at 40 MHz; between two transfers a channel rests.
    assert 270 <= late["latency"] - plain <= 300
    assert late["rearm"] - plain >= 75


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (("n0.pm=3",), r"Did you mean n0.ppm\? Known are: n0.ppm, n0.drift"),
        (("n0.ppm=1001",), "out of range. Choose -1000 to 1000"),
        (("n0.phase=x",), "not a whole number. Write n0.phase=<number>"),
        (("n0.phase",), "not a whole number"),
        (("tcp_dma.latency=-1",), "out of range. Choose 0 to"),
    ],
)
def test_a_setting_that_is_none_is_refused(out: Path, settings: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(out, "icarus", settings=settings)


def test_a_node_that_is_not_there_is_refused(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(out), "--reset-node", "n9", "--quiet"]) == 2
    assert "there is no node 'n9'. Choose from: n0, n1, n2" in capsys.readouterr().err
