# SPDX-License-Identifier: BSD-3-Clause
"""`--scale` against what the planner makes of the same copies, and the order of single changes."""

from __future__ import annotations

import pytest
from fake_network import chain, plan_of, spec
from report_plans import part
from small_report import report_of, streams

from shellgen.estimate import estimate
from shellgen.estimate.bench import compared
from shellgen.estimate.scale import changes, scaled
from shellgen.model import Plan
from shellgen.model.bench_findings import Findings

BOARDS = {"zedboard": "tcp_dma", "u280": "vnx_udp"}
CLOCKS: dict[str, dict[str, float]] = {"zedboard": {}, "u280": {"clock_mhz": 210, "compute_mhz": 100}}
# BNNsplit's parts, 3,480.23 and 1,389.70 us for an image (docs/references.md), at 100 MHz.
PARTS = (348_023, 138_970)


def planned(board: str, copies: tuple[int, int], cycles: tuple[int, int] = PARTS) -> Plan:
    """Two parts on a board each, with so many replicas."""
    network = chain(*(part(f"p{number}", count) for number, count in enumerate(cycles)))
    nodes = [
        {"name": f"n{number}", "board": board, "partitions": [number], "replicas": count, **CLOCKS[board]}
        for number, count in enumerate(copies)
    ]
    return plan_of(network, spec(nodes))


@pytest.mark.parametrize("board", BOARDS)
def test_copies_have_the_rate_of_the_replicas_that_the_planner_makes(board: str) -> None:
    """On each kind of link; the knee lies at 2.5 copies of the slower part, so that three are too many."""
    alone = planned(board, (1, 1))
    assert {one.link for one in alone.boundaries if one.producer and one.consumer} == {BOARDS[board]}
    points = scaled(alone, 8)
    assert [point.copies for point in points] == [(1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (6, 2)]
    for point in points[:4]:
        real = estimate(planned(board, (point.copies[0], point.copies[1])))
        assert real.frames_per_second == pytest.approx(point.frames_per_second, rel=0.001)
        assert real.limit.name.split(" on ")[0] == point.limit.split(" on ")[0]
    rates = [point.frames_per_second / points[0].frames_per_second for point in points[:3]]
    assert rates == pytest.approx([1, 2, PARTS[0] / PARTS[1]], rel=1e-3)
    assert PARTS[0] / PARTS[1] == pytest.approx(2.5, rel=0.01)


def test_single_changes_are_in_the_order_of_what_they_bring() -> None:
    """A second board or twice the folding of the slow part; one of the other part brings nothing."""
    found = changes(planned("zedboard", (1, 1)))
    rates = [one.frames_per_second for one in found]
    assert rates == sorted(rates, reverse=True)
    wanted = {"a second board n0", "twice the folding of layer MVAU_rtl_0 of p0"}
    assert {one.text for one in found} == wanted


def test_boards_that_are_as_slow_are_copied_together() -> None:
    """A second board of one of them brings nothing, one of each doubles the rate."""
    plan = planned("zedboard", (1, 1), (PARTS[0], PARTS[0]))
    best = changes(plan)[0]
    assert best.text == "more boards at once (n0 x 2, n1 x 2)"
    assert best.frames_per_second == pytest.approx(2 * estimate(plan).frames_per_second)


def test_a_run_of_a_chosen_number_waits_for_its_first_frames() -> None:
    """A bench that chooses how many it sends lets two pass alone; the others begin when these are out."""
    plan = planned("zedboard", (1, 1))
    found = {}
    for frames in (2, 8, 10):
        full = streams(frames=frames, timed=frames, cycles=1, times=tuple(range(1, frames + 1)))
        found[frames] = compared(plan, report_of(Findings(full_rate=full))).cycles
    told = compared(plan, report_of(Findings(full_rate=streams(frames=10, timed=10, cycles=1)))).cycles
    assert told == found[2] + found[8] > found[10]
