# SPDX-License-Identifier: BSD-3-Clause
"""Sequences that only pass on what they wait for are left out, and the others keep their times."""

from __future__ import annotations

import random

import numpy as np
import pytest

from shellgen.read.contract import Contracted, contracted
from shellgen.read.recurrence import After, Recurrence, Sequence

FRAMES = 4


def drawn(draw: random.Random) -> list[Sequence]:
    """Sequences in a row: FIFOs, some between other sequences than neighbours, and other waits in between."""
    size = draw.randint(1, 40)
    found: list[Sequence] = []
    alike: list[int] = []  # those in the row that have as many events
    for number in range(draw.randint(3, 12)):
        passes = draw.random() < 0.7
        if not passes:
            size, alike = draw.randint(1, 40), []
        gaps = np.ones(size, np.int64) if draw.random() < 0.7 else np.array(draw.choices(range(1, 5), k=size))
        found.append(Sequence(gaps))
        if number and passes:
            for before in {number - 1, draw.choice(alike)}:
                pipe(found, before, number, draw.randint(0, 6), draw.choice((1, 2, 5, 7, 3 * size)))
        elif number:
            other(found, number - 1, number, draw)
        alike.append(number)
    return found


def pipe(found: list[Sequence], before: int, after: int, delay: int, room: int) -> None:
    counts = np.arange(1, len(found[after]) + 1)
    found[after].after.append(After(before, counts, delay))
    found[before].after.append(After(after, counts - room, 1))


def other(found: list[Sequence], before: int, after: int, draw: random.Random) -> None:
    words, own = len(found[before]), len(found[after])
    need = np.sort([draw.randint(0, words) for _ in range(own)])
    found[after].after.append(After(before, need, draw.randint(0, 5)))
    past = np.searchsorted(need, np.arange(words), "right") - draw.choice((1, 2, 7, 60))
    found[before].after.append(After(after, past, draw.randint(0, 2)))


def times(sequences: list[Sequence]) -> list[list[int]] | None:
    recurrence = Recurrence(sequences, FRAMES)
    if not recurrence.run(FRAMES):
        return None
    return [
        [recurrence.time(number, frame, event) for frame in range(FRAMES) for event in range(len(own))]
        for number, own in enumerate(sequences)
    ]


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_the_others_keep_their_times(start: int) -> None:
    gone = ended = 0
    for seed in range(start, start + 100):
        sequences = drawn(random.Random(seed))
        kept = {0, len(sequences) - 1}
        rest = contracted(sequences, kept)
        assert kept <= rest.place.keys()
        expected, found = times(sequences), times(rest.sequences)
        assert (expected is None) == (found is None), seed
        if expected is not None and found is not None:
            for number, place in rest.place.items():
                assert found[place] == expected[number], (seed, number)
            ended += 1
            gone += len(sequences) - len(rest.sequences)
    assert ended > 30, "most of what was drawn waits for itself"
    assert gone > ended // 2, "hardly anything was left out"


def fifos(*rooms: int, gaps: int = 1) -> Contracted:
    """Words between a source that takes some cycles for each, and a sink, through FIFOs."""
    found = [Sequence(np.full(50, gaps)), *(Sequence(np.ones(50, np.int64)) for _ in rooms)]
    for number, room in enumerate(rooms):
        pipe(found, number, number + 1, 2, room)
    return contracted(found, {0, len(rooms)})


def test_fifos_in_a_row_become_one() -> None:
    rest = fifos(5, 5, 9)
    assert rest.place == {0: 0, 3: 1}
    source, sink = rest.sequences
    (data,), (room,) = sink.after, source.after
    assert (data.of, data.delay, data.counts[0]) == (0, 6, 1)
    assert (room.of, room.delay, room.counts[0]) == (1, 3, 1 - 5 - 5 - 9)


def test_a_fifo_that_is_shorter_than_its_delay_stays() -> None:
    """A word leaves two cycles after it came in, and another only then comes in: not one in each cycle."""
    assert fifos(1, 9).place == {0: 0, 1: 1, 2: 2}
    assert fifos(1, 9, gaps=3).place == {0: 0, 2: 1}
