# SPDX-License-Identifier: BSD-3-Clause
"""Zynq boards and a card in the bench: every frame arrives exactly over a network that loses packets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from mixed_cluster import CARD, KIND, SMALL, ZYNQ, cluster, network

from shellgen.simulate.cluster import Injection

pytestmark = pytest.mark.xdist_group("mixed")
SIMULATOR = "verilator"  # of a card's 512 bits Icarus makes 40 cycles a second
WAY = {"round_trip_ns": 20_000}  # of the bench: a card asks after twice that
FLIP = 1  # of axis_error_injector
TWO = (*SMALL, ("UINT8", 8, 56))


def made(folder: Path, *boards: str, streams: tuple[tuple[str, int, int], ...] = SMALL) -> Path:
    return generate_fake(network(len(boards), streams), cluster(boards, WAY), folder / "out")


def play(out: Path, **more: Any) -> dict[str, Any]:
    """Simulate; all proofs must hold."""
    report = run(out, SIMULATOR, **{"walk": "none", "idle_limit": 100_000, "seconds": 1200, **more})
    assert report["passed"], report_text(report)
    return report


@pytest.mark.recorded
def test_a_board_before_and_behind_a_card(tmp_path: Path) -> None:
    """Both directions at once; what is lost comes again, and each board has its own clock."""
    report = play(made(tmp_path, ZYNQ, CARD, "zcu104"), settings=(f"{KIND}.loss=3000",))
    found = report["stalled"]["links"][KIND]
    assert found["lost"] > 0
    assert found["data sent"] == found["data taken"] == 3 * 7


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [(ZYNQ, CARD), (CARD, ZYNQ), (CARD, ZYNQ, CARD)], ids="-".join)
def test_two_streams_with_every_fault(boards: tuple[str, ...], tmp_path: Path) -> None:
    """Two sockets of a program, at the port of its board."""
    faults = ("loss", "duplicate", "reorder", "truncate", "corrupt", "beat")
    out = made(tmp_path, *boards, streams=TWO)
    report = play(out, settings=tuple(f"{KIND}.{fault}=1500" for fault in faults), frames=20)
    for words in ("lost", "duplicated", "reordered", "truncated", "corrupted", "short of a beat"):
        assert report["full_rate"]["links"][KIND][words] > 0, report_text(report)


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [(ZYNQ, CARD), (CARD, ZYNQ)], ids="-".join)
def test_a_fault_at_the_dma_is_seen(boards: tuple[str, ...], tmp_path: Path) -> None:
    """One bit of a frame that changes between core and program."""
    out = made(tmp_path, *boards)
    wrong = Injection(boundary=1, kind=FLIP, beat=7)
    report = run(out, SIMULATOR, walk="none", inject=wrong, seconds=1200)
    assert not report["passed"]


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [(ZYNQ, CARD), (CARD, ZYNQ)], ids="-".join)
def test_the_directed_tests_hold(boards: tuple[str, ...], tmp_path: Path) -> None:
    play(made(tmp_path, *boards), walk="sampled")
