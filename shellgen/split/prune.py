# SPDX-License-Identifier: BSD-3-Clause
"""Foldings of which none is needless: not slower than a period, and not worse than another in every way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shellgen.split.task import SLACK, Choice, Hop, Kind, Takes, Task, fits_words


def least(vectors: Iterable[Takes]) -> list[Takes]:
    """Return those that no other is below, or equal to, in every resource; the first of equals."""
    kept: list[Takes] = []
    for one in sorted(set(vectors), key=lambda takes: (sum(takes), takes)):
        if not any(_below(other, one) for other in kept):
            kept.append(one)
    return kept


def _below(one: Takes, other: Takes) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


def candidates(task: Task, kind: Kind, seconds: float) -> list[list[Choice]]:
    """Return the foldings of each layer that a cheapest split for this period can need.

    One folding makes another needless if it takes no more of anything and can stand beside all neighbours
    beside which the other can stand. In an empty list no folding of the layer is fast enough, or fits.
    """
    limit = seconds * (1 + SLACK)
    fast = [
        [choice for choice in choices if kind.seconds(choice) <= limit and _below(choice.takes, kind.room)]
        for choices in kind.choices
    ]
    last = len(task.layers)
    beside: list[list[tuple[Hop, int, list[int]]]] = [[] for _ in task.layers]
    for hop in task.hops:
        if hop.producer >= 0 and hop.consumer < last:
            reads = sorted({choice.reads[hop.input] for choice in fast[hop.consumer]})
            writes = sorted({choice.writes[hop.output] for choice in fast[hop.producer]})
            beside[hop.producer].append((hop, 0, reads))
            beside[hop.consumer].append((hop, 1, writes))
    return [_needed(choices, beside[layer]) for layer, choices in enumerate(fast)]


def _needed(choices: Sequence[Choice], beside: Sequence[tuple[Hop, int, list[int]]]) -> list[Choice]:
    known: dict[tuple[int, int, int], int] = {}

    def stands(choice: Choice) -> tuple[int, ...]:
        """Return the neighbours' words beside which it can stand, as bits of a number for each stream."""
        found = []
        for place, (hop, after, words) in enumerate(beside):
            own = choice.reads[hop.input] if after else choice.writes[hop.output]
            key = (place, own, after)
            if key not in known:
                known[key] = sum(
                    fits_words(other, own, hop.same) << bit
                    if after
                    else fits_words(own, other, hop.same) << bit
                    for bit, other in enumerate(words)
                )
            found.append(known[key])
        return tuple(found)

    groups: dict[tuple[int, ...], list[Choice]] = {}
    for choice in sorted(choices, key=lambda one: (sum(one.takes), one.takes, one.cycles, one.number)):
        kept = groups.setdefault(stands(choice), [])
        if not any(_below(other.takes, choice.takes) for other in kept):
            kept.append(choice)
    ranked = [(choice, signature) for signature, kept in groups.items() for choice in kept]
    return [
        choice
        for choice, own in ranked
        if not any(
            signature != own
            and all(mask & mine == mine for mask, mine in zip(signature, own, strict=True))
            and _below(other.takes, choice.takes)
            for other, signature in ranked
        )
    ]
