# SPDX-License-Identifier: BSD-3-Clause
"""Published systems in the engine: the table of docs/estimate.md, each value computed here."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from shellgen.estimate.engine import Channel, Stage, System, Window, run

PAGE = Path(__file__).parents[1] / "docs/estimate.md"
FRAMES = 120  # a multiple of the patterns of all replicas

# ZedBoards: us and bytes of the first of six boards, and the rate of sending that fits the published rate.
PL_US, LAST_US, SENT_BYTES, FITTED_RATE = 6_754, 3_422, 100_352, 59e6
WHOLE_US, PART_US = 4_867.77, (3_480.23, 1_389.70)
RESNET_CYCLES = 903_168
MACS = (1.82e9, 0.49e9)  # of the network, and of one of its two branches


def rate(system: System, last: str) -> float:
    """Frames/s of a system in us, with as many frames in flight as it takes."""
    return 1e6 / run(system, FRAMES).period(last)


def boards(overlapped: bool) -> System:
    """Two of the six boards: PL, then the server sends; in one thread, or beside the next frame."""
    send = SENT_BYTES / FITTED_RATE * 1e6
    stages = (Stage("pl_1", PL_US), Stage("send_1", send), Stage("pl_6", LAST_US))
    channels = tuple(Channel(one.name, two.name, 2) for one, two in pairwise(stages))
    return System(stages, channels, () if overlapped else (Window("pl_1", "send_1", 1),))


def split(copies: int) -> System:
    """BNNsplit: copies of part 1 take the images in turn, part 2 takes them in order; one in flight each."""
    stages = (Stage("part_1", PART_US[0], replicas=tuple(range(copies))), Stage("part_2", PART_US[1]))
    return System(stages, (Channel("part_1", "part_2", 1),))


def branches() -> System:
    """LCP: one image to two branches, joined; the unit is a multiply-accumulate."""
    names = ("branch_0", "branch_1")
    stages = (Stage("host", 0), *(Stage(name, MACS[1]) for name in names), Stage("join", 0))
    return System(
        stages,
        (*(Channel("host", name, 1) for name in names), *(Channel(name, "join", 1) for name in names)),
    )


def alone(time: float) -> System:
    """One stage that is through with a frame before it takes the next."""
    return System((Stage("all", time),), (), (Window("all", "all", 1),))


def error(ours: float, published: float) -> str:
    percent = round(100 * (ours / published - 1), 1)
    return f"{percent:+.1f} %" if percent else "0.0 %"


def row(system: str, inputs: str, published: str, ours: str, remark: str) -> str:
    return f"| {system} | {inputs} | {published} | {ours} | {remark} |"


def rows() -> list[str]:
    """Return the table, line by line."""
    in_turn, overlapped = rate(boards(False), "pl_6"), rate(boards(True), "pl_6")
    whole, one, two = (rate(alone(time), "all") for time in (WHOLE_US, *PART_US))
    by_copies = [rate(split(copies), "part_2") for copies in (1, 2, 3)]
    images = run(split(1), 20).leave[1, -1] / 1e3
    found = [
        row(
            "six ZedBoards",
            f"PL {PL_US:,} us, {SENT_BYTES:,} bytes sent at {FITTED_RATE / 1e6:g} MB/s, one thread for both",
            "118.3 frames/s",
            f"{in_turn:.1f}; {overlapped:.1f} with two threads",
            f"{error(in_turn, 118.3)}; **fitted**: the rate of sending",
        ),
        row(
            "BNNsplit, one board",
            f"{WHOLE_US:,} us whole, {PART_US[0]:,} and {PART_US[1]:,.2f} us in parts, one in flight",
            "205.5; 287.1; 719.6 images/s",
            f"{whole:.1f}; {one:.1f}; {two:.1f}",
            f"{error(whole, 205.5)}; {error(one, 287.1)}; {error(two, 719.6)}",
        ),
        row(
            "BNNsplit, 2, 3, 4 boards",
            "the same, part 1 on 1, 2, 3 boards",
            "287; 574; 720 images/s",
            "; ".join(f"{value:.1f}" for value in by_copies),
            "; ".join(error(*pair) for pair in zip(by_copies, (287, 574, 720), strict=True)),
        ),
        row(
            "BNNsplit, 20 images",
            "the same, two boards",
            "83.8 ms",
            f"{images:.1f} ms",
            f"without network: {(83.8 - images) / 20:.2f} ms for an image are left for it",
        ),
    ]
    for name, clock, published, remark in (
        ("ResNet-50 W1A2, one U280", 160, 176.10, ""),
        ("ResNet-50 W4A5, one U280", 150, 165.09, ""),
        ("ResNet-50 W4A5, three U280", 200, 162.32, ", **unexplained**"),
    ):
        ours = rate(alone(RESNET_CYCLES / clock), "all")
        inputs = f"{RESNET_CYCLES:,} cycles, {clock} MHz"
        found.append(
            row(name, inputs, f"{published:.2f} frames/s", f"{ours:.2f}", error(ours, published) + remark)
        )
    gain = MACS[0] / run(branches(), FRAMES).period("join")
    compute, spent = 1 / gain, 1 / 2.7
    found.append(
        row(
            "LCP, two PYNQ",
            "1.82 G multiply-accumulates, 0.49 G in a branch",
            "2.7 times one board",
            f"at most {gain:.1f} times",
            f"of {spent:.2f} of the time, {compute:.2f} is compute, {spent - compute:.2f} all else",
        )
    )
    return found


def test_the_page_has_the_table() -> None:
    text = PAGE.read_text()
    shown = [line for line in text.splitlines() if line.startswith("| ") and " | " in line]
    missing = [line for line in rows() if line not in shown]
    assert not missing, "\n".join(missing)


def test_the_published_rates_within_the_stated_errors() -> None:
    assert rate(boards(False), "pl_6") == pytest.approx(118.3, rel=0.001)  # fitted
    assert rate(boards(True), "pl_6") == pytest.approx(148.1, rel=0.001)
    assert rate(alone(WHOLE_US), "all") == pytest.approx(205.5, rel=0.001)
    assert sum(PART_US) == pytest.approx(WHOLE_US, rel=0.0005)
    for copies, published in ((1, 287), (2, 574), (3, 720), (4, 720)):
        assert rate(split(copies), "part_2") == pytest.approx(published, rel=0.002)
    for clock, expected, low, high in (
        (160, 176.10, 0.0, 0.007),
        (150, 165.09, 0.0, 0.007),
        (200, 162.32, 0.3, 0.4),
    ):
        assert low <= rate(alone(RESNET_CYCLES / clock), "all") / expected - 1 <= high


def test_the_knee_of_copies_lies_where_both_parts_take_the_same_time() -> None:
    """Two copies of part 1 leave part 2 idle, three do not: 3,480 us to 1,390 us is 2.5 to 1."""
    assert PART_US[0] / PART_US[1] == pytest.approx(2.5, rel=0.003)
    rates = [rate(split(copies), "part_2") for copies in (1, 2, 3, 4)]
    gains = [two / one for one, two in pairwise(rates)]
    assert gains[0] == pytest.approx(2)
    assert gains[1] == pytest.approx(1.25, rel=0.01)
    assert gains[2] == pytest.approx(1)
