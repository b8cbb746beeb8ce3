# SPDX-License-Identifier: BSD-3-Clause
"""Sequences without which the others have the same times: most words between two FIFOs are among them.

A word that waits in a FIFO goes on as soon as the words and the room that it waits for are there. Whatever
waits for it can wait for these in its place. So a chain of layers that take a word for each word becomes one
wait for data and one for room, and what is left is the layers that take and give words at rates of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from shellgen.read.recurrence import After, Sequence


@dataclass(frozen=True)
class Contracted:
    """The sequences that are left.

    Attributes:
        sequences: Of events.
        place: Of the original sequences that are left, the number among these.
    """

    sequences: list[Sequence]
    place: dict[int, int]


def contracted(sequences: list[Sequence], kept: Collection[int]) -> Contracted:
    """Return sequences with the same times, without those that only pass on what they wait for.

    Args:
        sequences: Of single events.
        kept: Numbers of sequences whose times are asked for.
    """
    after = [list(one.after) for one in sequences]
    users: list[set[int]] = [set() for _ in sequences]
    for number, waits in enumerate(after):
        for one in waits:
            users[one.of].add(number)
    alone = [_passes_on(number, sequences) and number not in kept for number in range(len(sequences))]
    gone: set[int] = set()
    for number in np.flatnonzero(alone).tolist():
        found = _without(number, sequences, after, users[number])
        if found is None:
            continue
        gone.add(number)
        for one in after[number]:
            users[one.of].discard(number)
        for user, waits in found.items():
            after[user] = waits
            for one in waits:
                users[one.of].add(user)
    left = [number for number in range(len(sequences)) if number not in gone]
    place = {number: at for at, number in enumerate(left)}
    return Contracted([_placed(sequences[number], after[number], place) for number in left], place)


def _passes_on(number: int, sequences: list[Sequence]) -> bool:
    """Tell whether events only follow those that they wait for, so that their own gaps never matter.

    For each event they wait for another one of each other sequence, none of which is faster than a cycle.
    """
    own = sequences[number]
    if own.rigid or (own.gaps != 1).any() or not any(one.counts[0] > 0 for one in own.after):
        return False
    for one in own.after:
        other = sequences[one.of]
        after_last = one.counts[0] + len(other) > one.counts[-1]
        rises = after_last and bool((np.diff(one.counts) > 0).all())
        if one.of == number or not rises or one.counts[-1] > len(other) or (other.gaps < 1).any():
            return False
    return True


def _without(
    number: int, sequences: list[Sequence], after: list[list[After]], users: Collection[int]
) -> dict[int, list[After]] | None:
    """Return what those that wait for a sequence wait for without it; None if one would wait for itself."""
    found: dict[int, list[After]] = {}
    for user in sorted(users):
        waits = [one for one in after[user] if one.of != number]
        for one in after[user]:
            if one.of != number:
                continue
            for behind in after[number]:
                through = _through(one, behind, len(sequences[number]), len(sequences[behind.of]))
                if through is None:
                    return None
                if through.of != user:
                    _add(waits, through)
                elif not _implied(through, sequences[user]):
                    return None
        found[user] = waits
    return found


def _through(one: After, behind: After, size: int, other: int) -> After | None:
    """Return the wait for what an event waits for that is itself waited for."""
    if one.counts[-1] > size:
        return None
    frames, rest = np.divmod(one.counts - 1, size)
    return After(behind.of, frames * other + behind.counts[rest], one.delay + behind.delay)


def _implied(wait: After, own: Sequence) -> bool:
    """Tell whether the gaps of a sequence alone are enough for a wait for its own events."""
    size, times = len(own), np.cumsum(own.gaps)
    events = np.arange(size)
    if (wait.counts > events).any():
        return False
    frames, rest = np.divmod(wait.counts - 1, size)
    return bool((times - (frames * times[-1] + times[rest]) >= wait.delay).all())


def _add(waits: list[After], new: After) -> None:
    """Add a wait, unless another one is as long."""
    if any(_covers(one, new) for one in waits):
        return
    waits[:] = [one for one in waits if not _covers(new, one)]
    waits.append(new)


def _covers(one: After, other: After) -> bool:
    return one.of == other.of and one.delay >= other.delay and bool((one.counts >= other.counts).all())


def _placed(own: Sequence, after: list[After], place: Mapping[int, int]) -> Sequence:
    """Return a sequence with the new numbers of those that it waits for."""
    rigid = own.rigid and replace(own.rigid, steps=place[own.rigid.steps], leave=place[own.rigid.leave])
    return Sequence(own.gaps, [replace(one, of=place[one.of]) for one in after], rigid)
