# SPDX-License-Identifier: BSD-3-Clause
"""Largest transfers on rings, against a model of their own: random networks that run frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from shellgen.plan.rings import largest_transfers, rings

MOST = 9
NETWORKS = 200
FRAMES = 40


@dataclass
class Stream:
    """A FIFO of whole frames inside a board, or a link: two transfer buffers, and bytes between them."""

    room: int
    sent: int = 0  # frames of a transfer at the sender; 0 inside a board
    taken: int = 0  # the same at the receiver
    filling: int = 0
    between: int = 0
    arriving: int = 0
    ready: int = 0

    def takes(self) -> bool:
        return self.filling < self.sent if self.sent else self.ready < self.room

    def put(self) -> None:
        if self.sent:
            self.filling += 1
        else:
            self.ready += 1

    def move(self) -> bool:
        """One transfer at a time: the next begins when the last was forwarded."""
        if self.sent and self.filling == self.sent and not self.between:
            self.filling, self.between = 0, self.sent
            return True
        if self.between and not self.ready:
            count = min(self.between, self.taken - self.arriving)
            self.between -= count
            self.arriving += count
            if self.arriving == self.taken:
                self.arriving, self.ready = 0, self.taken
            return True
        return False


@dataclass
class Partition:
    """Takes a frame of every input, then gives one to every output, in any order."""

    inputs: list[Stream] = field(default_factory=list)
    outputs: list[Stream] = field(default_factory=list)
    owed: list[Stream] = field(default_factory=list)
    frames: int = 0

    def step(self, random: Random) -> bool:
        if self.owed:
            able = [stream for stream in self.owed if stream.takes()]
            for stream in able:
                stream.put()
                self.owed.remove(stream)
            return bool(able)
        if not all(stream.ready for stream in self.inputs):
            return False
        for stream in self.inputs:
            stream.ready -= 1
        self.frames += 1
        self.owed = random.sample(self.outputs, len(self.outputs))
        return True


def runs(
    ends: dict[int, tuple[str, str]], held: dict[int, int], counts: dict[int, tuple[int, int]], random: Random
) -> bool:
    """Whether the host gets its frames, however many it waits for."""
    streams = {
        number: Stream(held[number]) if number in held else Stream(0, *counts[number]) for number in ends
    }
    partitions = {name: Partition() for pair in ends.values() for name in pair}
    for number, (one, other) in ends.items():
        partitions[one].outputs.append(streams[number])
        partitions[other].inputs.append(streams[number])
    events = [*(partition.step for partition in partitions.values())]
    while any(partition.frames < FRAMES for partition in partitions.values()):
        random.shuffle(events)
        moved = [step(random) for step in events] + [stream.move() for stream in streams.values()]
        if not any(moved):
            return False
    return True


def network(random: Random) -> tuple[dict[int, tuple[str, str]], dict[int, int]]:
    """A connected graph without cycles of data, on few boards."""
    size = random.randint(2, 7)
    board = [random.randrange(3) for _ in range(size)]
    pairs = [(random.randrange(one), one) for one in range(1, size)]
    for _ in range(random.randint(1, 4)):
        one, other = sorted(random.sample(range(size), 2))
        pairs.append((one, other))
    ends = {number: (f"p{one}", f"p{other}") for number, (one, other) in enumerate(pairs)}
    inside = [number for number, (one, other) in enumerate(pairs) if board[one] == board[other]]
    return ends, {number: random.choice((1, 1, 2, 5, 9, 17, 40)) for number in inside}


def test_no_network_locks_up_at_its_limit_and_some_do_above() -> None:
    random = Random(20261123)
    above, limits = 0, set()
    for _ in range(NETWORKS):
        ends, held = network(random)
        limit = largest_transfers(ends, held, MOST)
        links = [number for number in ends if number not in held]
        on_rings = {number for ring in rings(ends) for number in ring}
        assert set(limit) == {number for number in links if number in on_rings}
        limits |= set(limit.values())
        for extremes in (True, False):
            counts = {
                number: (most, most) if extremes else (random.randint(1, most), random.randint(1, most))
                for number in links
                for most in (limit.get(number, MOST),)
            }
            assert runs(ends, held, counts, random), (ends, held, counts)
        if any(most < MOST for most in limit.values()):
            counts = {number: (random.randint(2, MOST), random.randint(2, MOST)) for number in links}
            above += not runs(ends, held, counts, random)
    assert above > NETWORKS // 25, above
    assert {1, 2, 5} <= limits


def test_what_lies_on_a_ring() -> None:
    assert rings({0: ("a", "b"), 1: ("b", "c")}) == []
    assert rings({0: ("a", "b"), 1: ("b", "c"), 2: ("a", "c"), 3: ("c", "d")}) == [[0, 1, 2]]
    assert rings({0: ("a", "b"), 1: ("a", "b"), 4: ("b", "c"), 7: ("c", "d"), 8: ("c", "d")}) == [
        [0, 1],
        [7, 8],
    ]
    chain = {number: (f"p{number}", f"p{number + 1}") for number in range(2000)}
    assert rings(chain) == []
    assert rings(chain | {2000: ("p2000", "p0")}) == [list(range(2001))]


def test_a_skip_beside_two_links_carries_what_its_fifo_holds() -> None:
    ends = {0: ("stem", "branch"), 1: ("branch", "head"), 2: ("stem", "head")}
    for held, most in {1: 1, 4: 1, 5: 2, 8: 2, 9: 3, 40: MOST}.items():
        assert largest_transfers(ends, {2: held}, MOST) == {0: most, 1: most}
    assert largest_transfers(ends, {}, MOST) == {0: 1, 1: 1, 2: 1}
    assert largest_transfers(ends, {0: 1, 1: 1, 2: 1}, MOST) == {}
