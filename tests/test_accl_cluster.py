# SPDX-License-Identifier: BSD-3-Clause
"""Cards under Coyote with ACCL between them: every frame arrives exactly, or the report says what did not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from accl_cluster import LARGE, ODD, SMALL, joined, parameters, play, reference
from cluster_bench import report_text

from shellgen.demo import demo

pytestmark = pytest.mark.xdist_group("accl")
sweep = pytest.mark.sweep
SIMULATORS = ["verilator", pytest.param("icarus", marks=sweep)]
# What engines do that work as they should: they think, pause, and cut frames as they like.
BUSY = {"slow": 100, "think": 40, "status": 300, "host": 900}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cards, the first with two layers."""
    return reference(tmp_path_factory.mktemp("two"), [(0, 1), (2, 3)])


@pytest.mark.recorded
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_two_cards(simulator: str, two: Path) -> None:
    report = play(two, simulator, frames=5, settings=parameters(**BUSY))
    verdicts = {verdict["name"]: verdict for verdict in report["stalled"]["verdicts"]}
    assert {"monolith", "golden"} < set(verdicts)
    assert all(one["words"] > 0 and one["mismatches"] == 0 for one in verdicts.values())


@sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_two_cards_with_engines_at_odds(simulator: str, two: Path) -> None:
    report = play(two, simulator, frames=5, settings=parameters(**BUSY), walk="sample")
    assert report["directed_tests"]["accl"] == {"phases": 10, "left_out": ""}


@sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
@pytest.mark.parametrize("mode", ["buffered", "direct"])
@pytest.mark.parametrize("cards", [1, 2, 4])
def test_a_chain(cards: int, mode: str, simulator: str, tmp_path: Path) -> None:
    each = 4 // cards
    layers = [tuple(range(card * each, (card + 1) * each)) for card in range(cards)]
    settings = parameters(**BUSY) if cards > 1 else ()
    play(reference(tmp_path, layers, mode), simulator, settings=settings, walk="sample", control=True)


@sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_two_cards_send_to_one(simulator: str, tmp_path: Path) -> None:
    streams = {"p0": (ODD,), "p1": (SMALL,), "p2": (ODD, SMALL)}
    out = joined(tmp_path / "out", streams, ["p0.0>p2.0", "p1.0>p2.1"])
    play(out, simulator, settings=parameters(segment=128, **BUSY))


@sweep
def test_one_card_sends_to_two_and_all_frames_are_large(tmp_path: Path) -> None:
    streams = {"p0": (LARGE, ODD), "p1": (LARGE,), "p2": (ODD,)}
    play(joined(tmp_path / "out", streams, ["p0.0>p1.0", "p0.1>p2.0"]), settings=parameters(**BUSY))


@sweep
def test_a_loop_through_three_cards(tmp_path: Path) -> None:
    streams = {"p0": (SMALL,), "p1": (SMALL,), "p2": (SMALL,)}
    out = joined(tmp_path / "out", streams, ["p0.0>p1.0", "p1.0>p2.0"], host={"through": "n0"})
    play(out, "icarus", frames=4, settings=parameters(**BUSY))


@sweep
@pytest.mark.parametrize("node", ["n0", "n1", "n2"])
def test_a_card_that_is_reset_in_mid_frame(node: str, tmp_path: Path) -> None:
    streams = {"p0": (LARGE,), "p1": (LARGE,), "p2": (LARGE,)}
    out = joined(tmp_path / "out", streams, ["p0.0>p1.0", "p1.0>p2.0"])
    report = play(out, reset_node=node, full_rate=False, stalled=False)
    for by in ("control", "pin"):
        found = report[f"reset_{by}"]
        assert "note" not in found
        assert all(verdict["passed"] for verdict in found["verdicts"])


@sweep
def test_the_digits_on_two_cards(tmp_path: Path) -> None:
    """FINN's RTL: what `make demo-coyote` shows."""
    report: dict[str, Any] = demo(tmp_path, 2, "verilator", reference=False, platform="coyote").document()
    assert report["passed"], report_text(report)
    assert report["accuracy"] > 0.95
