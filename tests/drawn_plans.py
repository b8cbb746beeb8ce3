# SPDX-License-Identifier: BSD-3-Clause
"""Plans of clusters drawn by a seed: replicas, joins, loops and rings in memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fake_network import chain, partition, plan_of, spec

from shellgen.model import ClusterSpec, Network, Pace, Partition, Plan

KINDS = ("replicas", "join", "loop", "ring")
WORDS = 32  # of a frame's elements
ZYNQ, CARDS = ("zedboard", "pynq-z2", "zcu104"), ("u280", "u55c")
Part = tuple[Partition, bytes]


@dataclass
class Drawing:
    """A cluster as it is drawn.

    Attributes:
        draw: Where everything comes from.
        parts: Partitions, in order.
        nodes: Boards, in order.
        links: Streams between them.
        replicated: Whether a board has replicas.
    """

    draw: random.Random
    parts: list[Part] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    replicated: bool = False

    def part(self, kind: str = "UINT4") -> str:
        """Add a partition, with cycles of its layers or with the figures of layers that wait."""
        draw, name = self.draw, f"p{len(self.parts)}"
        per_word = [draw.choice((1, 2, 4, 8)) for _ in range(2)]
        made, text = partition(name, ((kind, per_word[0], WORDS),), (("UINT4", per_word[1], WORDS),))
        update: dict[str, Any] = {
            "layers": (f"{name}_a", f"{name}_b"),
            "layer_cycles": (draw.randint(8, 4_000), draw.randint(8, 4_000)),
        }
        if draw.random() < 0.5:
            period = draw.randint(64, 5_000)
            last = period + draw.randint(0, 9_000)
            first, tail, told = draw.randint(0, last // 2), draw.randint(0, last // 2), draw.random() < 0.7
            pace = Pace(period=period, last=last)
            moments = {"first": {"m_axis_0": first}, "tail": {"s_axis_0": tail}}
            update["pace"] = pace.model_copy(update=moments) if told else pace
        self.parts.append((made.model_copy(update=update), text))
        return name

    def node(self, boards: tuple[str, ...], *own: str, **more: Any) -> None:
        """Add a board with these partitions."""
        board = self.draw.choice(boards)
        self.nodes.append({"name": f"n{len(self.nodes)}", "board": board, "partitions": list(own), **more})

    def link(self, one: str, two: str, *, ring: bool = False) -> None:
        """Add a stream."""
        self.links.append({"from": one, "to": two, **({"buffer": "ddr"} if ring else {})})


def drawn(seed: int) -> tuple[Plan, frozenset[str]]:
    """Return a plan that the planner makes, and what of KINDS is in it by what the planner says."""
    plan = plan_of(*drawn_cluster(seed))
    return plan, frozenset(_kinds(plan))


def drawn_cluster(seed: int) -> tuple[Network, ClusterSpec]:
    """Return partitions, and what cluster.toml would say of them."""
    draw = random.Random(seed)
    wanted = {kind for kind in KINDS if draw.random() < 0.5}
    boards = ZYNQ if wanted & {"ring"} or draw.random() < 0.6 else CARDS
    drawing = Drawing(draw)
    first = before = drawing.part()
    drawing.node(boards, first)
    drawing.links.append({"from": "host", "to": first})
    segments = draw.randint(1, 3) + ("replicas" in wanted)
    for number in range(segments):
        ring = "ring" in wanted and (number == 0 or draw.random() < 0.3)
        if "join" in wanted and number == segments - 1:
            before = _diamond(drawing, boards, before, ring=ring)
            continue
        name = drawing.part()
        more: dict[str, Any] = {}
        if "replicas" in wanted and number == 0:
            more = draw.choice(({"replicas": 2}, {"replicas": 3}, {"replicas": 2, "share": [2, 1]}))
        drawing.node(boards, name, **more)
        drawing.link(before, name, ring=ring and not more)
        before = name
    if "loop" in wanted:
        name = drawing.part()
        drawing.nodes[0]["partitions"].append(name)
        drawing.link(before, name)
        before = name
    drawing.links.append({"from": before, "to": "host"})
    more = {"estimate": {"servers": _servers(drawing)}} if boards is ZYNQ and draw.random() < 0.4 else {}
    return chain(*drawing.parts, edges=False), spec(drawing.nodes, link=drawing.links, **more)


def _diamond(drawing: Drawing, boards: tuple[str, ...], before: str, *, ring: bool) -> str:
    """Add two branches of a stream, and what takes their sum."""
    branches = [drawing.part(), drawing.part()]
    for number, name in enumerate(branches):
        drawing.node(boards, name)
        drawing.link(before, name, ring=ring and number == 0)
    head = drawing.part("UINT5")
    drawing.node(boards, head)
    drawing.links.append({"from": branches, "to": head, "join": "sum"})
    return head


def _servers(drawing: Drawing) -> dict[str, dict[str, Any]]:
    """Draw the processors of some boards; of replicas there is none."""
    draw = drawing.draw
    return {
        node["name"]: {
            "bytes_per_s": draw.choice((1e6, 2e7, 1e9)),
            "frame_us": draw.choice((0, 3, 40)),
            "in_sequence": draw.random() < 0.5,
        }
        for node in drawing.nodes
        if "replicas" not in node and draw.random() < 0.5
    }


def _kinds(plan: Plan) -> Iterator[str]:
    """Name what is in a plan."""
    if any(one.copy_of for one in plan.partitions):
        yield "replicas"
    if any(one.junction == "sum" for one in plan.partitions):
        yield "join"
    if any(inner.ring for node in plan.nodes for inner in node.inner):
        yield "ring"
    edges = {(one.producer_node, one.consumer_node) for one in plan.boundaries if one.link}
    reached = {pair for pair in edges if None not in pair}
    for _ in plan.nodes:
        reached |= {(a, d) for a, b in reached for c, d in edges if b == c and d is not None}
    if any(a == b for a, b in reached):
        yield "loop"
