# SPDX-License-Identifier: BSD-3-Clause
"""Shutdown of cards that only send or only receive, and whose frames pass other cards."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from host_module import host_module

MOVER = host_module("shellgen_mover")
HostError = host_module("shellgen_bus").HostError
FRAME = 128


class Core:
    """CONTROL of a core: a reset ends after some looks, or, if stuck, only by force."""

    name = "card"

    def __init__(self, stuck: bool = False) -> None:
        self.stuck, self.left, self.said = stuck, 0, []  # type: ignore[var-annotated]

    def ask_reset(self) -> None:
        self.said.append("reset")
        self.left = 3

    def resets(self) -> bool:
        if not self.stuck:
            self.left = max(0, self.left - 1)
        return bool(self.left)

    def hold(self) -> None:
        self.said.append("hold")
        self.left = 0

    def release(self) -> None:
        self.said.append("release")

    def clear(self) -> None:
        self.said.append("clear")


class Wire:
    """Frames between the movers of a card, in numbers: what waits to be fetched."""

    def __init__(self, waiting: int = 0, broken: bool = False) -> None:
        self.frames, self.broken, self.sent, self.fetched = deque(range(waiting)), broken, 0, 0


class Mover:
    """One mover, as `shellgen_mover.Mover` is seen by the engine."""

    def __init__(self, stream: int, gives: bool, wire: Wire) -> None:
        self.stream, self.gives, self._wire, self._running = stream, gives, wire, False

    def fetch(self, size: int) -> None:
        assert size == FRAME
        self._running = True

    def again(self) -> None:
        self._running = True

    def zeros(self, size: int) -> None:
        assert size == FRAME
        self._wire.sent += 1
        if not self._wire.broken:
            self._wire.frames.append(-1)

    def again_zeros(self) -> None:
        self.zeros(FRAME)

    def finished(self) -> bool:
        if self._running and self._wire.frames:
            self._wire.frames.popleft()
            self._wire.fetched += 1
            self._running = False
            return True
        return False

    @property
    def busy(self) -> bool:
        return self._running and not self.finished()


def engine(wire: Wire, ways: str, others: bool = False) -> Any:
    """Return the engine of a card whose movers go these ways."""
    movers = {str(at): Mover(at, way == "rx", wire) for at, way in enumerate(ways.split())}
    streams = [{"index": at, "memory_bytes": FRAME} for at in range(len(movers) + others)]

    class Board:
        def mover(self, entry: dict[str, Any]) -> Mover:
            return movers[entry["name"]]

    return MOVER.Movers({"movers": [{"name": name} for name in movers], "streams": streams}, Board(), 0.2)


@pytest.mark.parametrize(("others", "zeros"), [(False, 1), (True, 2)])
def test_all_that_waits_is_fetched(others: bool, zeros: int) -> None:
    wire, core, batches = Wire(waiting=4), Core(), []  # type: ignore[var-annotated]
    engine(wire, "rx tx", others).reset(core, batches.append, 7)
    assert (wire.sent, wire.fetched, list(wire.frames)) == (zeros, 4 + zeros, [])
    assert (core.said, batches) == (["reset", "clear"], [1, 7])


def test_a_card_that_only_sends_sends_no_frame_of_its_own() -> None:
    """It would be a result too many at the card that receives."""
    wire, core, batches = Wire(), Core(), []  # type: ignore[var-annotated]
    engine(wire, "rx", others=True).reset(core, batches.append, 7)
    assert (wire.sent, core.said, batches) == (0, ["reset"], [1, 7])


def test_a_card_that_only_receives_takes_frames_one_by_one() -> None:
    wire, core, batches = Wire(waiting=2), Core(), []  # type: ignore[var-annotated]
    moved = engine(wire, "tx", others=True)
    moved.reset(core, batches.append, 1)
    (mover,) = moved.channels(None, None).values()

    class Drain:
        def arm(self) -> None:
            mover.fetch(FRAME)

    moved.begin(core, [Drain()])
    assert moved.most == 1
    assert (wire.fetched, mover.busy, core.said, batches) == (2, True, ["reset"], [1])


def test_a_reset_that_does_not_end_is_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MOVER, "SECONDS", 0.02)
    core = Core(stuck=True)
    engine(Wire(), "rx tx").reset(core, lambda _: None, 1)
    assert core.said[:3] == ["reset", "hold", "release"]


def test_a_network_that_gives_nothing_back_is_told() -> None:
    with pytest.raises(
        HostError, match=r"no result of a frame of zeros within 0.2 s: are all cards brought up\?"
    ):
        engine(Wire(broken=True), "rx tx").reset(Core(), lambda _: None, 1)
