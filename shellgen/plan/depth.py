# SPDX-License-Identifier: BSD-3-Clause
"""FIFO depths of streams inside a node, and the resulting limits of transfers.

Where streams fork and rejoin, one branch is late: a convolution needs rows, a link stores a packet or a frame
before it forwards it. The other branch must buffer the words of that time, or the layer at the fork stalls,
and the late branch never gets what it needs. `shellgen.plan.schedule` computes how many these are. Where it
cannot, one whole frame on every stream of such a ring is enough as long as transfers have one frame each;
`shellgen.plan.rings` computes the limit for deeper FIFOs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from shellgen.counted import counted
from shellgen.errors import Problem
from shellgen.model import Fifo
from shellgen.plan.draft import Draft, Route, wire_word_bits
from shellgen.plan.memory import ring_port
from shellgen.plan.rings import largest_transfers, rings

SHALLOW = 32  # words: a LUT for each two bits
MOST = 1 << 20  # words; for a larger frame, the network should be cut elsewhere
_LUTRAM = 64  # words, up to which ip/axis_fifo takes LUTs
_MOST_FRAMES = (1 << 16) - 1  # maximum of every link's register
_NOTABLE_BITS = 8 * 18432  # eight block RAMs


def depth_of(draft: Draft, route: Route) -> int:
    """Return the FIFO depth in words of the producer; ``depth`` of the [[link]] takes precedence."""
    if route.depth is not None:
        return route.depth
    frame, level = _frame_words(draft, route), draft.level(route)
    if level is not None:
        # For the full rate, where that takes no more than a frame.
        return max(SHALLOW, level.words, min(level.rate, frame))
    return max(SHALLOW, draft.frames_on_rings(route) * frame)


def fifos(draft: Draft) -> tuple[Fifo, ...]:
    """Return the FIFOs of all streams inside boards."""
    return tuple(
        _fifo(draft, draft.route_of(one), one.name, node.name)
        for node in draft.nodes
        for one in draft.inner(node)
    )


def _fifo(draft: Draft, route: Route, boundary: str, node: str) -> Fifo:
    """Return the FIFO of a stream with what its depth comes from."""
    level, depth, frames = draft.level(route), depth_of(draft, route), draft.frames_on_rings(route)
    memory: Literal["lutram", "bram", "ddr", "host"] = "lutram" if depth <= _LUTRAM else "bram"
    if route.buffer is not None and route.buffer != "chip":
        memory = route.buffer
    if level is None:
        least = frames * _frame_words(draft, route) if frames else 1
        reason: Literal["default", "frames", "curves", "stated"] = "frames" if frames else "default"
        made = Fifo(boundary=boundary, node=node, depth=depth, live=least, full_rate=least, memory=memory)
        why = {"reason": "stated" if route.depth else reason, "spilled": route.spilled}
        return made.model_copy(update=why)
    beside = (draft.boundary_of(draft.routes[number]) for number in level.beside)
    return Fifo(
        boundary=boundary,
        node=node,
        depth=depth,
        live=level.words,
        full_rate=level.rate,
        tight=level.tight,
        held=level.held,
        beside=tuple(one.name for one in beside),
        memory=memory,
        reason="stated" if route.depth else "curves",
        spilled=route.spilled,
    )


def queue_words(draft: Draft, route: Route, holds: int) -> int:
    """Return the words that a stream over a link must hold in front of the link.

    Args:
        draft: After `size_buffers`.
        route: The stream.
        holds: Bytes that the link holds for certain.
    """
    level, producer = draft.level(route), route.producer
    if level is None or producer is None:
        return 0
    return max(0, level.words - holds * 8 // wire_word_bits(draft.port(producer), draft.packing(route)))


def transfers_on_rings(draft: Draft) -> Mapping[str, int]:
    """Return the maximum frames of a transfer for each boundary over a link that is on a ring."""
    held = {
        number: _whole_frames(draft, draft.routes[number])
        for number in draft.pairs
        if draft.routes[number].link is None
    }
    names = {(boundary.producer, boundary.consumer): boundary.name for boundary in draft.boundaries}
    most = largest_transfers(draft.pairs, held, _MOST_FRAMES)
    # What a replica has for every frame of another one, a ring does not tell: no transfer withholds a frame.
    turns = {part.name for part in draft.partitions if part.junction in ("deal", "gather")}
    for ring in rings(draft.pairs):
        if turns.intersection(name for number in ring for name in draft.pairs[number]):
            most |= {number: 1 for number in ring if number in most}
    routes = draft.routes
    return {names[routes[number].producer, routes[number].consumer]: few for number, few in most.items()}


def _whole_frames(draft: Draft, route: Route) -> int:
    """Return the whole frames that a stream inside a board holds, with its ends."""
    level = draft.level(route)
    return (depth_of(draft, route) + (level.held if level else 0)) // _frame_words(draft, route)


def _frame_words(draft: Draft, route: Route) -> int:
    assert route.producer is not None
    return draft.port(route.producer).words_per_frame


def depth_problems(draft: Draft, route: Route) -> list[Problem]:
    """Refuse a depth for a stream without FIFO, and a depth that fits no device."""
    if route.link is not None:
        if route.depth is None:
            return []
        found = f"a stream over {route.link} has no FIFO whose depth could be set"
        return [Problem(f"{route.where}.depth", found, "Remove it: depth is for streams inside a board")]
    words = depth_of(draft, route)
    if route.depth is not None and words > MOST and not _in_memory(draft, route):
        found = f"it is {words}, and a FIFO holds at most {MOST} words"
        remedy = "State less, or cut the network elsewhere"
        return [Problem(f"{route.where}.depth", found, remedy + _instead(draft, route))]
    level = draft.level(route)
    if route.depth is not None and level is not None and level.tight and route.depth < level.words:
        least = counted(level.words, "word")
        found = f"it is {route.depth}, and with less than {least} the cluster would lock up"
        remedy = f"State {level.words} or more, or remove it"
        return [Problem(f"{route.where}.depth", found, remedy)]
    if words > MOST and not _in_memory(draft, route):
        found = f"its FIFO would hold {counted(words, 'word')}, since the stream lies on a ring"
        remedy = "Cut the network elsewhere, or state a depth that you have proved to be enough"
        remedy += _instead(draft, route)
        return [Problem(route.where or f"{draft.where}: stream {route.producer}", found, remedy)]
    return []


def _instead(draft: Draft, route: Route) -> str:
    """Return the remedy of a ring in memory, where the board has any."""
    node = draft.node_of(route.producer)
    return ', or say buffer = "ddr"' if node is not None and ring_port(node) else ""


def _in_memory(draft: Draft, route: Route) -> bool:
    """Return whether a stream inside a board is kept in its memory, or will be because it is too deep."""
    if route.buffer is not None:
        return route.in_memory
    node = draft.node_of(route.producer)
    return node is not None and ring_port(node) is not None


def notable(depth: int, word_bits: int) -> bool:
    """Return whether a FIFO is large enough for a note to the user."""
    return depth > SHALLOW and depth * word_bits > _NOTABLE_BITS
