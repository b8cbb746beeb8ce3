# SPDX-License-Identifier: BSD-3-Clause
"""How deep the FIFO of a stream inside a node has to be.

Where streams part and meet again, a branch that crosses a link is late by a whole frame: the link stores a
frame before it hands it on. The other branch must hold that frame meanwhile, or the layer at which they part
stops, and the link never gets its frame. One whole frame on every stream of such a ring is enough, since
then the layers before it can always finish a frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from shellgen.errors import Problem
from shellgen.plan.draft import Draft, Route

SHALLOW = 32  # words: a LUT for each two bits
MOST = 1 << 20  # words; a frame that needs more is to be cut elsewhere
_NOTABLE_BITS = 8 * 18432  # eight block RAMs


def on_a_ring(route: Route, routes: Sequence[Route]) -> bool:
    """Tell whether the two ends of a stream are joined by other streams too, whatever their direction.

    The host does not count: what it sends and what it receives wait for nothing but the partitions.
    """
    if route.producer is None or route.consumer is None:
        return False
    others = [
        {other.producer.partition, other.consumer.partition}
        for other in routes
        if other is not route and other.producer and other.consumer
    ]
    reached, grown = set[str](), {route.producer.partition}
    while grown != reached:
        reached = grown
        grown = reached.union(*(ends for ends in others if ends & reached))
    return route.consumer.partition in reached


def depth_of(route: Route, routes: Sequence[Route], words_per_frame: int) -> int:
    """Return the words of the producer that the FIFO holds; ``depth`` of the [[link]] wins."""
    if route.depth is not None:
        return route.depth
    return max(SHALLOW, words_per_frame) if on_a_ring(route, routes) else SHALLOW


def depth_problems(draft: Draft, route: Route) -> list[Problem]:
    """Refuse a depth for a stream without FIFO, and one that no device holds."""
    if route.link is not None:
        if route.depth is None:
            return []
        found = f"a stream over {route.link} has no FIFO whose depth could be set"
        return [Problem(f"{route.where}.depth", found, "Remove it: depth is for streams inside a board")]
    assert route.producer is not None
    words = depth_of(route, draft.routes, draft.port(route.producer).words_per_frame)
    if words > MOST:
        found = f"its FIFO would hold {words} words, since the stream lies on a ring"
        remedy = "Cut the network elsewhere, or state a depth that you have proved to be enough"
        return [Problem(route.where or f"{draft.where}: stream {route.producer}", found, remedy)]
    return []


def notable(depth: int, word_bits: int) -> bool:
    """Tell whether a FIFO takes so much memory that the user should know."""
    return depth > SHALLOW and depth * word_bits > _NOTABLE_BITS
