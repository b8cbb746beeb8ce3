# SPDX-License-Identifier: BSD-3-Clause
"""Every behaviour of an ACCL engine or the network is survived bit for bit, or the report names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from accl_cluster import parameters, play, reference
from cluster_bench import run

from shellgen.simulate.options import Injection

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("accl")]
# Each alone and at its worst; frames of the cut are two beats, so `packet` and `segment` cut each of them.
SURVIVED: dict[str, dict[str, int]] = {
    "a far network": {"latency": 20_000},
    "receive buffers of a beat": {"buffer": 64},
    "messages of a beat": {"segment": 64},
    "packets of a beat": {"packet": 64},
    "a slow command port": {"slow": 250},
    "a slow firmware": {"think": 3_000},
    "a late status": {"status": 5_000},
    "a host that calls all the time": {"host": 60},
    "all of it": {"latency": 900, "segment": 64, "slow": 120, "think": 90, "status": 200, "host": 300},
}
KINDS = {"flip": 1, "drop": 2, "duplicate": 3, "swap": 4}
CUT = 2  # the boundary between the cards
CUTS = "StreamingDataflowPartition_1_to_StreamingDataflowPartition_2"


@pytest.fixture(scope="module", params=["buffered", "direct"])
def two(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cards with two layers each."""
    return reference(tmp_path_factory.mktemp("two"), [(0, 1), (2, 3)], request.param)


def spoilt(out: Path, **more: Any) -> dict[str, Any]:
    """Run under back-pressure only, whatever comes of it."""
    return run(out, "verilator", frames=5, walk="none", idle_limit=30_000, full_rate=False, **more)


@pytest.mark.parametrize("name", SURVIVED)
def test_what_is_survived(name: str, two: Path) -> None:
    report = play(two, frames=5, settings=parameters(**SURVIVED[name]))
    assert report["stalled"]["links"]["accl"]["puts"] == 6


def test_a_status_that_says_no_is_counted_and_the_frames_are_right(two: Path) -> None:
    report = play(two, frames=5, settings=parameters(refuse=2))
    assert report["stalled"]["links"]["accl"]["of them refused"] == 3


def test_a_status_that_never_comes_is_told(two: Path) -> None:
    """The third frame has arrived, and the fourth is not begun."""
    report = spoilt(two, settings=parameters(withhold=3))
    counts = report["stalled"]["links"]["accl"]
    assert not report["passed"]
    assert (counts["puts"], counts["without a status yet"], counts["of them refused"]) == (3, 1, 0)
    assert f"the shell of {CUTS} waits for nobody" in report["problem"]


def test_a_command_that_is_not_understood_is_told(two: Path) -> None:
    """Its status has come, and its data stay: no other command is given over them."""
    report = spoilt(two, settings=parameters(reject=3))
    counts = report["stalled"]["links"]["accl"]
    assert not report["passed"]
    assert counts["of them refused"] == 1
    assert counts["packets delivered"] < counts["puts"]
    assert CUTS in report["problem"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beat", [0, 3])
def test_a_fault_on_the_way_to_the_engine_is_seen(beat: int, kind: str, two: Path) -> None:
    """A surplus beat is reported by the engine itself; without a beat it waits without end."""
    report = spoilt(two, inject=Injection(boundary=CUT, kind=KINDS[kind], beat=beat))
    assert not report["passed"]
    assert CUTS in report["problem"]
    told = {verdict["name"] for verdict in report["stalled"]["verdicts"] if verdict["proof"] == "status"}
    assert ("accl" in told) == (kind == "duplicate")
    assert report["stalled"]["arrived"] == (kind in {"flip", "duplicate"})
