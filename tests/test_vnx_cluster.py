# SPDX-License-Identifier: BSD-3-Clause
"""Cards over VNx and a switch with faults: every frame arrives exactly, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import chain, partition, spec

from shellgen.simulate.cluster import Injection

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("vnx")]
KIND = "vnx_udp"
SIMULATOR = "verilator"  # of a card's 512 bits Icarus makes 40 cycles a second
# A frame of 16 KiB, which is 12 packets and holds up 4 us of the stack four times over, and one of 56 bytes.
LARGE, SMALL = ("UINT4", 128, 32 * 1024), ("UINT8", 8, 56)
PERCENT, FIVE_PERCENT = 655, 3277  # in 1/65536
FAULTS = {
    "loss": PERCENT,
    "burst": FIVE_PERCENT,
    "duplicate": PERCENT,
    "reorder": 10 * PERCENT,
    "truncate": PERCENT,
    "corrupt": PERCENT,
    "beat": PERCENT,
}
SEEN = {
    "loss": "lost",
    "burst": "lost",
    "duplicate": "duplicated",
    "reorder": "reordered",
    "truncate": "truncated",
    "corrupt": "corrupted",
    "beat": "short of a beat",
}


def cluster(
    folder: Path,
    cards: int,
    *,
    loop: bool = False,
    mhz: tuple[float, ...] = (),
    streams: tuple[tuple[str, int, int], ...] = (LARGE, SMALL),
    options: Mapping[str, object] | None = None,
) -> Path:
    """Cards in a row with streams between them, which may end where they begin."""
    parts = (partition(f"p{k}", streams, streams) for k in range(cards))
    network = chain(*parts, streams=len(streams))
    nodes: list[dict[str, object]] = [
        {"name": f"n{k}", "board": "u280", "partitions": [k]} for k in range(cards)
    ]
    for node, one in zip(nodes, mhz, strict=False):
        node["clock_mhz"] = one
    more: dict[str, object] = {"host": {"through": "n0"}} if loop else {}
    more |= {"links": {KIND: dict(options)}} if options else {}
    return generate_fake(network, spec(nodes, **more), folder)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chain of two, one clock of which is slower than the wire and one faster."""
    return cluster(tmp_path_factory.mktemp("two") / "out", 2, mhz=(180, 300))


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A loop of three."""
    return cluster(tmp_path_factory.mktemp("three") / "out", 3, loop=True)


def play(out: Path, frames: int = 12, **more: Any) -> dict[str, Any]:
    """Simulate; all proofs must hold."""
    options = {"frames": frames, "walk": "none", "idle_limit": 100_000, "seconds": 1200, **more}
    report = run(out, SIMULATOR, **options)
    assert report["passed"], report_text(report)
    return report


def parameters(**values: int) -> tuple[str, ...]:
    return tuple(f"{KIND}.{name}={value}" for name, value in values.items())


def counts(report: dict[str, Any], words: str, run: str = "full_rate") -> int:
    found: int = report[run]["links"][KIND][words]
    return found


def test_a_perfect_cable(two: Path) -> None:
    report = play(two)
    assert counts(report, "lost") == counts(report, "sent again") == 0
    assert counts(report, "data sent") == counts(report, "data taken") == 13 * (12 + 1)


@pytest.mark.parametrize(("mtu", "opens"), [(1500, True), (1499, False), (500, False)])
def test_no_session_opens_where_full_packets_do_not_pass(mtu: int, opens: bool, two: Path) -> None:
    """Short packets pass every switch: without long HELLOs bring-up ends well, and no frame arrives."""
    options: dict[str, Any] = {"frames": 4, "walk": "none", "idle_limit": 20_000, "stalled": False}
    report = run(two, SIMULATOR, settings=parameters(mtu=mtu), **options)
    said = report_text(report)
    assert report["passed"] == opens, said
    assert ("has found its receiver, both agree, and 1500 bytes pass" in said) != opens, said


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_alone(fault: str, two: Path) -> None:
    report = play(two, settings=parameters(**{fault: FAULTS[fault]}), frames=30)
    for name in ("full_rate", "stalled"):
        assert counts(report, SEEN[fault], name) > 0
        assert counts(report, "data taken", name) == 31 * 13
        if fault != "duplicate":
            assert counts(report, "sent again", name) > 0
    assert SEEN[fault] in report_text(report)


def test_all_faults_at_once_in_a_loop(three: Path) -> None:
    report = play(three, settings=parameters(**FAULTS, latency=700), frames=20)
    for words in set(SEEN.values()):
        assert counts(report, words) > 0


@pytest.mark.parametrize("seed", [1, 2])
def test_a_seed_repeats_a_run(seed: int, two: Path) -> None:
    first, again = (
        play(two, settings=parameters(**FAULTS), frames=8, seed=seed, stalled=False) for _ in range(2)
    )
    assert first["full_rate"] == again["full_rate"]


def test_receivers_that_stall_longer_than_the_stack_can_wait(tmp_path: Path) -> None:
    """4 us are what the FIFOs of VNx hold at 100 Gb/s; then beats are lost, and frames are not.

    A sender whose round trip is shorter has less under way.
    """
    far = cluster(tmp_path / "out", 2, mhz=(180, 300), options={"round_trip_ns": 10_000})
    report = play(far, frames=560, stall=128)
    assert report["stalled"]["hold"] > 800
    assert counts(report, "beats lost in full FIFOs", "stalled") > 0
    assert counts(report, "beats lost in full FIFOs") == 0


@pytest.mark.parametrize("node", ["n0", "n1", "n2"])
def test_a_card_that_is_reset_in_mid_frame_rejoins(node: str, three: Path) -> None:
    report = play(three, settings=parameters(loss=PERCENT), reset_node=node, full_rate=False, stalled=False)
    for by in ("control", "pin"):
        found = report[f"reset_{by}"]
        assert "note" not in found
        assert all(verdict["passed"] for verdict in found["verdicts"])


def test_clocks_apart(two: Path) -> None:
    settings = ("n0.ppm=1000", "n1.ppm=-1000", "n0.drift=1000", *parameters(**FAULTS))
    play(two, settings=settings)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_damage_to_a_beat_is_healed(kind: int, two: Path) -> None:
    """Flipped, dropped, doubled or swapped: what would fail another link costs a packet here."""
    report = play(two, inject=Injection(boundary=2, kind=kind, beat=100), stalled=False)
    assert counts(report, "sent again") > 0


def test_a_cable_that_stands_still_is_survived_by_control(two: Path) -> None:
    report = play(two, inject=Injection(boundary=2, kind=5, beat=100), stalled=False)
    assert report["stuck"]
