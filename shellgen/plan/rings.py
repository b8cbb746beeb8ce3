# SPDX-License-Identifier: BSD-3-Clause
"""Maximum transfers where streams fork and rejoin.

A link forwards whole transfers. With f frames in each, its two ends withhold up to 2 (f - 1) whole frames
from the next partition. A parallel path between the same two partitions has to buffer these frames and one
more. If it cannot, the full path blocks the partition at the fork, and the partition at the join waits for a
transfer that is never complete.

In a deadlock, partitions wait for each other in a cycle: each waits at the input of a full stream or at the
output of an empty one. Over the cycle, the sum of frames in the full streams equals the sum withheld by the
empty ones. No deadlock is possible if on every closed path, in either direction, the forward streams hold
more frames than the backward streams withhold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Ends = Mapping[int, tuple[str, str]]  # by stream number: producing and consuming partition
Arc = tuple[int, bool]  # stream number, and whether it is traversed from producer to consumer


def rings(ends: Ends) -> list[list[int]]:
    """Return the streams on closed paths, ignoring directions, grouped by connected part."""
    bridges = _bridges(ends)
    closed = {number: pair for number, pair in ends.items() if number not in bridges}
    near = _neighbours(closed)
    found: list[list[int]] = []
    seen: set[str] = set()
    for root in near:
        if root in seen:
            continue
        seen.add(root)
        ahead, ring = [root], set[int]()
        while ahead:
            for number, other in near[ahead.pop()]:
                ring.add(number)
                if other not in seen:
                    seen.add(other)
                    ahead.append(other)
        found.append(sorted(ring))
    return found


def largest_transfers(ends: Ends, held: Mapping[int, int], most: int) -> dict[int, int]:
    """Return the maximum frames of a transfer at the ends of each link on a ring.

    Args:
        ends: All streams between partitions.
        held: Whole frames in the FIFO of each stream inside a board; a link carries the other streams.
        most: Upper limit of the search.

    Returns:
        For each stream number over a link: 1 to ``most``.
    """
    found: dict[int, int] = {}
    for ring in rings(ends):
        links = [number for number in ring if number not in held]
        low, high = 1, most if links else 1
        if high > 1 and _can_lock_up(ring, ends, held, 2):  # the usual case: FIFOs hold one frame by default
            high = 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (low, middle - 1) if _can_lock_up(ring, ends, held, middle) else (middle, high)
        found |= dict.fromkeys(links, low)
    return found


def _neighbours(ends: Ends) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for number, (one, other) in ends.items():
        found.setdefault(one, []).append((number, other))
        found.setdefault(other, []).append((number, one))
    return found


def _bridges(ends: Ends) -> set[int]:
    """Return the edges on no closed path, by one depth-first search (Tarjan, 1974)."""
    near = _neighbours(ends)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    bridges: set[int] = set()
    for root in near:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack = [(root, -1, iter(near[root]))]
        while stack:
            name, came, ahead = stack[-1]
            for number, other in ahead:
                if number == came:
                    continue
                if other in order:
                    low[name] = min(low[name], order[other])
                    continue
                order[other] = low[other] = len(order)
                stack.append((other, number, iter(near[other])))
                break
            else:
                stack.pop()
                if stack:
                    below = stack[-1][0]
                    low[below] = min(low[below], low[name])
                    if low[name] > order[below]:
                        bridges.add(came)
    return bridges


def _can_lock_up(ring: Iterable[int], ends: Ends, held: Mapping[int, int], frames: int) -> bool:
    """Search for a closed path with a sum of 0 or less: Bellman and Ford's algorithm, over arcs.

    Its nodes are arcs instead of partitions, so that no path reverses inside a stream: a stream cannot be
    full and empty at the same time. A link holds at least the frame that its receiver refuses.
    """
    withheld = 2 * (frames - 1)
    cost: dict[Arc, int] = {}
    for number in ring:
        inside = number in held
        cost[number, True] = held[number] if inside else 1
        cost[number, False] = 0 if inside else -withheld
    leaving: dict[str, list[Arc]] = {}
    for number, forwards in cost:
        leaving.setdefault(ends[number][0 if forwards else 1], []).append((number, forwards))
    count = len(cost)
    # Scaled, so that a sum of 0 becomes negative and one of 1 stays positive.
    scaled = {arc: one * (count + 1) - 1 for arc, one in cost.items()}
    least = dict(scaled)
    for _ in range(count + 1):
        changed = False
        for (number, forwards), so_far in list(least.items()):
            for arc in leaving[ends[number][1 if forwards else 0]]:
                if arc[0] != number and so_far + scaled[arc] < least[arc]:
                    least[arc] = so_far + scaled[arc]
                    changed = True
        if not changed:
            return False
    return True
