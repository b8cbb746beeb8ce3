# SPDX-License-Identifier: BSD-3-Clause
"""Replays plan.json word by word: whether its FIFOs are deep enough. It shares no code with the planner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from word_executor import Part, Stream, delivers

Json = Mapping[str, Any]


def curve(steps: Sequence[Sequence[int]]) -> list[int]:
    """Return the need of each word: runs of rises, and runs that are repeated."""
    runs: list[tuple[int, int]] = []
    for rise, words in steps:
        for _ in range(-words if words < 0 else 1):
            runs.append(runs[-rise] if words < 0 else (rise, words))
    found, need = [], 0
    for rise, words in runs:
        for _ in range(words):
            need += rise
            found.append(need)
    return found


def words(port: Json) -> int:
    """Return the words of a frame of a stream port."""
    return prod(port["folded_shape"][:-1])


def part_of(record: Json, into: Mapping[str, Stream], out: Mapping[str, Stream], frames: int) -> Part:
    """Return a partition: of the network by its curves, of shellgen by what its block does."""
    ports = {port["name"]: port for port in record["streams"]}
    takes: dict[str, list[int]] = {}
    kind = record["junction"]
    if kind is None:
        course = record["course"]
        takes = {name: curve(one["steps"]) for name, one in course["takes"].items()}
        curves = {name: curve(one["steps"]) for name, one in course["gives"].items()}
        gives = {name: curves[name.partition(" ")[0]] for name in out}
        steps = course["steps"]
    else:
        steps = words(next(ports[name.partition(" ")[0]] for name in out))
        gives = {name: list(range(1, steps + 1)) for name in out}
        if kind != "concat":
            takes = {name: list(range(1, steps + 1)) for name in into}
        else:
            turn = [name for name in into for _ in range(ports[name]["folded_shape"][-2])]
            for name in into:
                count = 0
                takes[name] = [count := count + (turn[k % len(turn)] == name) for k in range(steps)]
    for name, stream in into.items():
        if stream.unit != stream.taken:
            takes[name] = [-(-k * stream.made // stream.taken) for k in takes[name]]
    numbers = {name: number for number, name in enumerate((*into, *out))}
    return Part(
        {numbers[name]: stream for name, stream in into.items()},
        {numbers[name]: stream for name, stream in out.items()},
        {numbers[name]: need for name, need in takes.items()},
        {numbers[name]: need for name, need in gives.items()},
        steps,
        frames,
    )


def replay(plan: Json, rooms: Mapping[str, int], frames: int = 4) -> bool:
    """Return whether a plan delivers its frames with FIFOs of so many words."""
    parts = {one["name"]: one for one in plan["partitions"]}
    ports = {(name, port["name"]): port for name, one in parts.items() for port in one["streams"]}
    held = {one["boundary"]: one["held"] for one in plan["fifos"]}
    ends: dict[str, tuple[dict[str, Stream], dict[str, Stream]]] = {name: ({}, {}) for name in parts}
    for boundary in plan["boundaries"]:
        made, taken = boundary["producer"], boundary["consumer"]
        counts = [words(ports[end["partition"], end["port"]]) for end in (made or taken, taken or made)]
        stream = Stream(counts[0], counts[1], endless=made is None)
        if made and taken and boundary["link"]:
            stream.chunk, stream.room = counts[0], counts[0]
            assert boundary["link"] == "tcp_dma"  # which forwards whole frames
        elif made and taken:
            stream.room = rooms[boundary["name"]] + held[boundary["name"]]
        if taken:
            ends[taken["partition"]][0][taken["port"]] = stream
        if made:
            sent = ends[made["partition"]][1]  # a port may have several consumers
            sent[made["port"] if made["port"] not in sent else f"{made['port']} {boundary['name']}"] = stream
    return delivers([part_of(parts[name], *sides, frames) for name, sides in ends.items()])
