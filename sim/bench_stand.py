# SPDX-License-Identifier: BSD-3-Clause
"""State of a stuck cluster when a limit ends it: data under way at every stream, and who waits for whom.

Actors are the host, the partitions, and the way of each boundary between them (framers, converters, link).
A word that is offered and not taken (valid, no ready) lets the sender wait for the receiver; one that is
asked for and not there (ready, no valid) the receiver for the sender.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench_records import Bench, Boundary, End, Tap

HOST = "the host"


class Ended(Exception):  # noqa: N818 - what has happened
    """Something ended the run; the message says what, and ``record`` all that the report needs."""

    def __init__(self, text: str, kind: str, **record: Any) -> None:
        super().__init__(text)
        self.record = {"kind": kind, "text": text, **record}


def endless(bench: Bench, many: Sequence[tuple[dict[str, int], Tap]], frames: int) -> Ended:
    """Return what to raise when sinks have seen a whole frame more than was sent.

    Args:
        bench: ``bench.json``.
        many: These sinks: their counts and their places.
        frames: Frames that were sent.
    """
    crossed = [
        {"place": place.place, "words": tap["count"], "of": frames * place.beats} for tap, place in many
    ]
    text = "a whole frame more than was sent has crossed: " + "; ".join(
        f"{entry['place']}: {entry['words']:,} words, and {frames} frames have {entry['of']:,}"
        for entry in crossed
    )
    place = many[0][1] if many else bench.taps[0]
    boundary = bench.boundaries[place.boundary]
    behind = boundary.name if place.side in ("inner", "taken", "received") else ""
    return Ended(
        text, "overrun", first=_pin(boundary, place.side), boundary=behind, crossed=crossed, frames=frames
    )


def stand(
    bench: Bench, taps: Sequence[dict[str, int]], frames: int, wanted: int, cycle: int
) -> dict[str, Any]:
    """Return where everything stands.

    Args:
        bench: ``bench.json``.
        taps: Count, last (cycle), valid and ready of each sink and monitor.
        frames: Frames that were sent.
        wanted: Frames that were waited for.
        cycle: Since the start.

    Returns:
        cycle, frames, arrived; last: place and cycle of the last transfer, or None; streams: those of which
        words are missing, with place, boundary, side, tap, words, of, frame, valid, ready and last (cycle, or
        None); waits: sentences; blame: what all wait for, or an empty string.
    """
    pairs = list(zip(taps, bench.taps, strict=True))
    moved = [(tap["last"], place.place) for tap, place in pairs if tap["count"]]
    streams = [
        {
            "place": place.place,
            "boundary": bench.boundaries[place.boundary].name,
            "side": place.side,
            "tap": place.name,
            "words": tap["count"],
            "of": wanted * place.beats,
            "frame": tap["count"] // place.beats,
            "valid": tap["valid"],
            "ready": tap["ready"],
            "last": tap["last"] if tap["count"] else None,
        }
        for tap, place in pairs
        if tap["count"] < wanted * place.beats
    ]
    waits, blame = _who_waits(bench, pairs, wanted)
    last = max(moved, default=None)
    return {
        "cycle": cycle,
        "frames": frames,
        "arrived": min((tap["count"] // place.beats for tap, place in pairs), default=0),
        "last": last and {"cycle": last[0], "place": last[1]},
        "streams": streams,
        "waits": waits,
        "blame": blame,
    }


def describe(state: dict[str, Any]) -> str:
    """Say in a paragraph where everything stands."""
    said = [f"{state['arrived']} of {state['frames']} frames had arrived by cycle {state['cycle']:,}."]
    last = state["last"]
    said.append(
        f"Last moved: {last['place']}, at cycle {last['cycle']:,}." if last else "Nothing has moved at all."
    )
    said += [state["blame"]] if state["blame"] else []
    late = [
        f"{entry['place']}: {entry['words']:,} of {entry['of']:,} words, valid {entry['valid']}, "
        f"ready {entry['ready']}, "
        + ("none so far" if entry["last"] is None else f"last at cycle {entry['last']:,}")
        for entry in state["streams"]
    ]
    return " ".join(said) + ("\n  " + ";\n  ".join(late) + ".\n " if late else "")


def _who_waits(bench: Bench, pairs: list[tuple[dict[str, int], Tap]], wanted: int) -> tuple[list[str], str]:
    edges: dict[str, dict[str, str]] = {}  # who waits, for whom, and where
    blocked: dict[str, list[str]] = {}  # who lets others wait, and how
    refusing = _refusing(bench, pairs)
    for tap, place in pairs:
        boundary = bench.boundaries[place.boundary]
        ends = _ends(boundary, place.side)
        if ends is None or tap["count"] >= wanted * place.beats:
            continue
        sender, receiver = ends
        where = _pin(boundary, place.side)
        if tap["valid"] and not tap["ready"]:
            edges.setdefault(sender, {})[receiver] = where
            blocked.setdefault(receiver, []).append(f"does not take the word that is offered at {where}")
        elif not tap["valid"] and (tap["ready"] or (place.side == "taken" and receiver in refusing)):
            edges.setdefault(receiver, {})[sender] = where
            counted = f" after {tap['count']:,} of {wanted * place.beats:,}" if tap["count"] else ""
            blocked.setdefault(sender, []).append(f"hands out no word{counted} at {where}")
        elif not tap["valid"]:
            for one in ends:
                blocked.setdefault(one, []).append(f"does nothing at {where}, where neither side is ready")
    waits = [
        f"{one} waits for {other} at {where}"
        for one, others in edges.items()
        for other, where in others.items()
    ]
    idle = [one for one in blocked if one not in edges and one != HOST]
    if idle:
        return waits, "; ".join(
            f"{one} waits for nobody and {' and '.join(blocked[one])}" for one in idle
        ) + "."
    ring = _ring(edges)
    if ring:
        text = "They wait for one another: " + " waits for ".join([*ring, ring[0]])
        full = "".join(f" {one}." for one in _full(bench, pairs, edges, ring))
        return waits, f"{text}. A FIFO on one of two branches that meet again is too short.{full}"
    return waits, ""


def _refusing(bench: Bench, pairs: list[tuple[dict[str, int], Tap]]) -> set[str]:
    """Return who does not take a word that is offered: where they have another input, they wait for that one.

    A join of shellgen is ready at none of its inputs until all have a word.
    """
    return {
        _owner(bench.boundaries[place.boundary].consumer)
        for tap, place in pairs
        if place.side == "taken" and tap["valid"] and not tap["ready"]
    }


def _full(
    bench: Bench, pairs: list[tuple[dict[str, int], Tap]], edges: dict[str, dict[str, str]], ring: list[str]
) -> list[str]:
    """Say what the FIFOs hold that take no more, of the streams inside boards in a ring."""
    counts = {(place.boundary, place.side): tap["count"] for tap, place in pairs}
    said = []
    for index, boundary in enumerate(bench.boundaries):
        way, made = f"the shell of {boundary.name}", counts.get((index, "made"))
        left = counts.get((index, "inner"))
        if way in ring and made is not None and left is not None and way in edges.get(_maker(boundary), {}):
            said.append(f"The FIFO of {boundary.name} takes no more: it holds {made - left:,} words")
    return said


def _maker(boundary: Boundary) -> str:
    return boundary.producer.partition if boundary.producer else HOST


def _ends(boundary: Boundary, side: str) -> tuple[str, str] | None:
    """Name who sends and who receives at a sink; None inside of a way, and at the monolith's."""
    way = f"the shell of {boundary.name}"
    if side == "made":
        return _owner(boundary.producer), way
    if side == "taken":
        return way, _owner(boundary.consumer)
    if side == "received":
        return way, HOST
    return None


def _owner(end: End | None) -> str:
    assert end  # the host has no pins
    return end.partition


def _pin(boundary: Boundary, side: str) -> str:
    """Name the pins of a sink, and the layer there without the partition's name before it."""
    if side == "received":
        return "its DMA"
    end = boundary.consumer if side == "taken" else boundary.producer
    assert end
    layer = end.layer.removeprefix(f"{end.partition}_")
    return f"{end.partition}.{end.port}" + (f" (layer {layer})" if layer else "")


def _ring(edges: dict[str, dict[str, str]]) -> list[str]:
    """Return actors that wait for one another in a ring, or nothing."""
    for start in edges:
        path = [start]
        while (after := next((one for one in edges.get(path[-1], {}) if one in edges), None)) is not None:
            if after in path:
                return path[path.index(after) :]
            path.append(after)
    return []
