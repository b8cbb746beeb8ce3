# SPDX-License-Identifier: BSD-3-Clause
"""Reset of one board in mid-frame: the others run on, what was lost is named, and later frames are right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from bench_bring_up import bring_up
from bench_budget import reset_cycles
from bench_budget import silence as link_silence
from bench_host import LOOK_CYCLES, looks, released, resets
from bench_judge import Run, judge
from bench_lite import NodeLite
from bench_marks import MARKED, arrived, check_marks, matched, wanted
from bench_records import Tap
from bench_run import Watch
from bench_session import Session, drain_limit, reset
from bench_stimulus import write_stimulus
from cocotb.triggers import ClockCycles, RisingEdge

Means = Literal["control", "pin"]
Tell = Callable[[dict[str, Any]], None]
NAMES = {"control": "CONTROL", "pin": "its pin"}
BEFORE, AFTER = 6, 2  # frames sent before and while the board is reset, and when all is at rest again
STEPS = 7  # longest time with closed ports in cycles, while frames are awaited one by one
LEAST_LOOKS = 2000  # at the streams, until a frame is under way on the board
MORE, FEW = 5, 2  # resets at other moments, where all is asked for; where a link finds together slowly
LATEST = 400  # cycles until one of these at least, or the time of a frame


async def node_reset(dut: Any, session: Session, name: str, by: Means, tell: Tell) -> None:
    """Reset a board while it works on a frame, and send more when all is at rest again.

    Args:
        dut: The bench.
        session: The simulation.
        name: Of the node.
        by: As a host does it, or by the core's pin, which resets what is beside it too, and the boards that
            a link can only set up together with this one.
        tell: Gets what is found.

    A partition often counts the words that it takes apart from those that it hands out, and a short frame is
    over before the reset acts. So one more reset finds the board's partitions halted in the middle of a frame
    that they take.

    Frames of one word have no middle. Then a board is reset while one of them waits at the pins of a
    partition, which is held between single cycles. Where even that is never seen, the report says that it was
    not shown, and what would show it; resets at other moments need no such frame.

    Raises:
        AssertionError: A later frame is wrong, or one with a number is neither right nor marked.
    """
    random = np.random.default_rng([session.options.seed, 9])
    slow = any(link.silence for link in session.bench.links)
    more = (FEW if slow else MORE) if session.options.walk == "full" else 0
    able = False
    record: dict[str, Any] = {}

    def kept(found: dict[str, Any]) -> None:
        record.update(found)
        tell(found)

    for by_word in (False, True):
        try:
            able = await _reset_once(dut, session, name, by, None, kept, by_word=by_word)
            break
        except NotCaughtError:
            able = True
            longer = [node.name for node in session.bench.nodes if _has_longer(session, node.name)]
            text = "not shown: all frames were through before one was seen on the board"
            tell({"node": name, "note": f"{text}; {advice(session, name, longer)}"})
    if able and record and any(_takes(session.bench.taps[at]) for at in _taps(session, name)):
        tell(record | {"taking": await _while_taking(dut, session, name, by)})
    for _ in range(more if able else 0):
        await _reset_once(dut, session, name, by, random, tell)


async def _while_taking(dut: Any, session: Session, name: str, by: Means) -> bool:
    """Reset a board whose partitions are halted while they take a frame; return whether one was."""

    def unheard(found: dict[str, Any]) -> None:
        """Leave the record of the first reset as it is."""

    for by_word in (False, True):
        with suppress(NotCaughtError):
            return await _reset_once(dut, session, name, by, None, unheard, by_word=by_word, taking=True)
    return False


def advice(session: Session, name: str, longer: Sequence[str]) -> str:
    """Say what may show a reset in mid-frame that was not caught.

    Args:
        session: The simulation.
        name: The node that was to be reset.
        longer: Nodes with streams whose frames have several words.
    """
    most = BEFORE + AFTER
    said = [f"--frames {most} sends more of them"] if session.bench.frames < most else []
    others = [node for node in longer if node != name]
    if others and name not in longer:
        said.append(f"--reset-node {' or '.join(others)} has frames of several words")
    if session.options.walk != "full":
        said.append("--walk full resets the board at other moments as well")
    return ", ".join(said) or "resets at other moments follow"


def _has_longer(session: Session, name: str) -> bool:
    return any(session.bench.taps[at].beats > 1 for at in _taps(session, name))


class NotCaughtError(Exception):
    """All frames were through before one was seen on the board."""


async def _reset_once(
    dut: Any,
    session: Session,
    name: str,
    by: Means,
    random: np.random.Generator | None,
    tell: Tell,
    *,
    by_word: bool = False,
    taking: bool = False,
) -> bool:
    """Reset a board, in mid-frame or at any moment; return whether that could be done."""
    await reset(dut, session)
    await bring_up(dut, session)
    before = max(2, min(BEFORE, session.bench.frames - AFTER))
    sent = write_stimulus(session, before + AFTER)
    watch = Watch(dut, session.bench, session.options, f"streams, reset of {name} by {NAMES[by]}")
    await watch.send(0)
    early, _ = await watch.quiet()
    if any(early):
        tell({"node": name, "note": "not run: a partition hands out words before its frame"})
        return False
    taps = _taps(session, name)
    if random is None:
        where = [at for at in taps if _takes(session.bench.taps[at])] if taking else taps
        caught = await _mid_frame(dut, session, watch, where, before, by_word=by_word, halt=taking)
    else:
        caught = await _any_moment(dut, session, watch, before, random)
    if by == "pin":
        boards = _with_it(session, name)
        await _by_pin(dut, boards)
        await bring_up(dut, session, boards)
    else:
        await _by_control(dut, session, name)
    dut.jam.value = 0
    slow = any(link.silence for link in session.bench.links)
    words, _ = await watch.quiet(silence=link_silence(session.bench, session.options.inputs))
    others = sum(words) - sum(caught) - sum(words[at] - caught[at] for at in taps)
    await _dump(dut)
    lost, damaged = _lost(session, before)
    await check_marks(dut, session, before, _with_it(session, name) if by == "pin" else [name])
    counted = await _counters(dut, session)
    for (stream, _), (_, flags) in counted.items():
        # Data under way to it was discarded, and does not count as a transfer after the reset.
        own = by == "control" and not slow and stream.endswith(f" at {name}")
        assert not (own and flags & ~MARKED), (
            f"after the reset of {name} by CONTROL, {stream}: FLAGS are {flags:#x}"
        )
    await watch.anew(before)
    watch.frames = None
    await watch.send(before + AFTER)
    await watch.quiet()
    await _dump(dut)
    verdicts = judge(session.bench, Run(sent, AFTER, ended=False, first=before), session.golden)
    wrong = [verdict for verdict in verdicts if not verdict.passed]
    found = {"node": name, "frames": before, "lost": lost, "damaged": damaged, "words_of_others": others}
    if random is None:
        tell(found | {"after": AFTER, "verdicts": [verdict.record() for verdict in verdicts]})
    text = f"after the reset of {name} by {NAMES[by]}" + (
        " in the middle of a frame that it takes" if taking else ""
    )
    assert verdicts, f"{text} nothing was compared"
    assert not wrong, f"{text}, {wrong[0].name}: {wrong[0].detail}"
    again = await _counters(dut, session)
    for (stream, passes), (frames, flags) in counted.items():
        now = again[stream, passes]
        assert now == (frames + AFTER * passes, flags), f"{text}, {stream}: frames and flags are {now}"
    return True


def _takes(tap: Tap) -> bool:
    """Return whether frames that a partition takes there have a middle."""
    return tap.side == "taken" and tap.beats > 1


def _taps(session: Session, name: str) -> list[int]:
    """Return the sinks and monitors on a node, by their place among all."""
    partitions = next(node.partitions for node in session.bench.nodes if node.name == name)

    def there(tap: Tap) -> bool:
        boundary = session.bench.boundaries[tap.boundary]
        end = boundary.producer if tap.side in ("made", "inner", "received") else boundary.consumer
        return tap.side != "mono_made" and end is not None and end.partition in partitions

    return [at for at, tap in enumerate(session.bench.taps) if there(tap)]


async def _mid_frame(
    dut: Any, session: Session, watch: Watch, taps: list[int], frames: int, *, by_word: bool, halt: bool
) -> list[int]:
    """Send frames and wait until a stream of a node is in the middle of one; return the words so far.

    A frame of two words is through before anybody has looked, unless some ports are held meanwhile. One of a
    single word is under way as long as it waits there. With `halt`, the ports stay closed from then on.

    Raises:
        NotCaughtError: No frame was seen there.
    """
    places = watch.places
    gates = sum(1 << at for at in _gates(session))
    held = gates if by_word else 0
    most = LEAST_LOOKS + (frames * session.first if held else 0)
    watch.frames = dut.frames.value = dut.awaited.value = frames
    step = 1

    def within(counts: Sequence[int]) -> bool:
        return any(counts[at] > places[at].beats and counts[at] % places[at].beats for at in taps)

    for look in range(most):
        dut.jam.value = 0
        await ClockCycles(dut.aclk, step)
        dut.jam.value = held
        if held:  # frames that come in step with the looks would always come between them
            await ClockCycles(dut.aclk, 1 + look % STEPS)
        seen = (await watch.probe())["taps"]
        counts = [tap["count"] for tap in seen]
        if within(counts):
            if not halt:
                return counts
            dut.jam.value = gates
            counts = [tap["count"] for tap in (await watch.probe())["taps"]]
            if within(counts):
                return counts
        waits = [at for at in taps if places[at].beats == 1 and seen[at]["valid"] and not seen[at]["ready"]]
        if held and any(0 < counts[at] < frames for at in waits):
            return counts
        if all(counts[at] >= frames * places[at].beats for at in taps):
            break
        step += 0 if held else look // 50
    raise NotCaughtError


def _gates(session: Session) -> list[int]:
    """Return the ports that can hold up a partition's words."""
    return [at for at, port in enumerate(session.bench.ports) if port.startswith("pins of ")]


async def _any_moment(
    dut: Any, session: Session, watch: Watch, frames: int, random: np.random.Generator
) -> list[int]:
    """Send frames while pins of partitions stall for a time; return the words so far.

    The links need no partition to come to an end.
    """
    dut.jam.value = sum(1 << at for at in _gates(session) if random.random() < 1 / 3)
    watch.frames = dut.frames.value = dut.awaited.value = frames
    await ClockCycles(dut.aclk, int(random.integers(1, max(LATEST, session.first))))
    return [tap["count"] for tap in (await watch.probe())["taps"]]


async def _by_control(dut: Any, session: Session, name: str) -> None:
    lite = NodeLite(dut, next(node for node in session.maps["nodes"] if node["name"] == name))
    await lite.write("control", lite.mask("control", "RESET"))
    own = (
        session.first or session.bench.cycles_estimate
    )  # what the others send comes at the pace of their partitions
    for _ in range(looks(drain_limit(dut, session, own))):
        if not await resets(lite):
            return
        await ClockCycles(dut.aclk, LOOK_CYCLES)
    await lite.write("control", lite.mask("control", "HOLD"))  # what a host does then
    await lite.write("control", 0)
    await released(dut, lite, reset_cycles(session.bench))


def _with_it(session: Session, name: str) -> list[str]:
    """Return the boards that must be reset with one, itself among them."""
    found = {name}
    for link in session.bench.links:
        found |= set(link.together) if name in link.together else set()
    return [node.name for node in session.bench.nodes if node.name in found]


async def _by_pin(dut: Any, names: list[str]) -> None:
    for name in names:
        await RisingEdge(getattr(dut, f"aclk_{name}"))
        getattr(dut, f"aresetn_{name}").value = 0
    for name in names:
        await ClockCycles(getattr(dut, f"aclk_{name}"), 32)
    for name in names:
        getattr(dut, f"aresetn_{name}").value = 1


async def _dump(dut: Any) -> None:
    dut.dump.value = 0
    await ClockCycles(dut.aclk, 4)
    dut.dump.value = 1
    await ClockCycles(dut.aclk, 2)
    if not dut.dumped.value:
        await RisingEdge(dut.dumped)


async def _counters(dut: Any, session: Session) -> dict[tuple[str, int], tuple[int, int]]:
    """Return frames and flags of every stream, by its boundary at a node and its passes."""
    found = {}
    for node in session.maps["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            at = stream["index"]
            values = await lite.read(f"frames_{at}"), await lite.read(f"flags_{at}")
            found[f"{stream['boundary']} at {node['name']}", stream["passes"]] = values
    return found


def _lost(session: Session, frames: int) -> tuple[list[int], int]:
    """Return the frames that never arrived at a host, and how many unknown ones arrived.

    The monolith was not reset: it has all results.
    """
    lost: set[int] = set()
    damaged = 0
    for output in session.bench.monolith.outputs:
        for index in dict.fromkeys(output.carriers):
            frame, right = wanted(session, output, index, frames)
            missing, odd = matched(right, arrived(session.bench.boundaries[index]))
            lost |= {int(frame[at]) for at in missing}
            damaged += len(odd)
    return sorted(lost), damaged
