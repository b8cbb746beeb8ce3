# SPDX-License-Identifier: BSD-3-Clause
"""Several streams in packets on one port of a board, distinguished by TDEST."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from shellgen.errors import PlanError, Problem
from shellgen.links import Link, Shape, Site
from shellgen.links.base import Reach
from shellgen.model import Attachment, Boundary, Claim, Dock, End, Pin, Plan, Step, Unit
from shellgen.model.base import Frozen
from shellgen.model.plain import JsonObject

ENABLE = 4  # of ip/lane_gate
SWITCH, OPEN = 0x4000_0000, 4  # what the board hangs on; sim/vendor/lane_switch
RECEIVE, BOTH = 1, 3


class LaneOptions(Frozen):
    """Options of a stream in cluster.toml.

    Attributes:
        row: Which of the 16 rows of the port it has, at both ends.
        queue: Beats that wait in the core at either end.
        gated: Whether nothing passes until the host has opened the port.
    """

    row: int = Field(ge=0, le=15)
    queue: int = Field(default=0, ge=0, le=4096)
    gated: bool = False


class Lane(Link):
    """A packet is a frame; the far end of a row is the node that receives it."""

    kind: ClassVar[str] = "lane"
    dock: ClassVar[str] = "lane"
    Options: ClassVar[type[Frozen]] = LaneOptions
    reach: ClassVar[frozenset[Reach]] = frozenset({"nodes"})
    isolates: ClassVar[bool] = False
    peer: ClassVar[str] = "the lane"
    parameters: ClassVar[Mapping[str, int]] = {"hold": 8, "lose": 8}
    metered: ClassVar[Mapping[str, tuple[str, ...]]] = {"lane_gate": ("RECEIVED", "SENT")}
    directed_test: ClassVar[tuple[str, ...]] = ("lane_directed.py",)
    test_inputs: ClassVar[Mapping[str, int]] = {"cut": 1}
    about: ClassVar[str] = "packets of up to 16 streams on one port"
    needs: ClassVar[str] = "a board with a lane"

    def shape(self, dock: Dock, word_bits: int, frame_bits: int) -> Shape:  # noqa: ARG002 - words do not matter
        """Fill beats as wide as the port."""
        return Shape.of(dock.bits, frame_bits)

    def check(self, boundary: Boundary, docks: tuple[Dock, ...]) -> list[Problem]:
        """Check that both ports are equally wide."""
        if len({dock.bits for dock in docks}) == 1:
            return []
        widths = " and ".join(str(dock.bits) for dock in docks)
        return [
            Problem(f"stream {boundary.name}", f"lanes of {widths} bits", "Choose boards with equal lanes")
        ]

    def attach(self, site: Site) -> tuple[Attachment, ...]:
        """Put all ends on one pin in each direction."""
        asked = [options for options in site.options if isinstance(options, LaneOptions)]
        rows = {end.stream: options.row for end, options in zip(site.ends, asked, strict=True)}
        _check_rows(site, rows)
        ends = tuple(
            end.model_copy(update={"depth_beats": options.queue})
            for end, options in zip(site.ends, asked, strict=True)
        )
        pins = tuple(
            Pin(
                name=f"{'s' if direction == 'in' else 'm'}_lane",
                role="rx" if direction == "in" else "tx",
                direction="in" if direction == "in" else "out",
                tdata_bits=site.dock.bits,
                tdest_bits=4,
            )
            for direction in dict.fromkeys(end.direction for end in ends)
        )
        return (
            Attachment(
                name="lane",
                link=self.kind,
                dock=self.dock,
                pins=pins,
                ends=ends,
                claims=(Claim(name="lane", addr_bits=6, block="lane_gate"),),
                units=(Unit(name="lane_switch", block="lane_switch", addr_bits=4, base=SWITCH),),
                detail={
                    "rows": {str(stream): row for stream, row in rows.items()},
                    "keep_bits": site.dock.bits // 8,
                    "packed_bits": site.dock.bits // 8 * 9,
                    "tid_bits": max(1, (sum(end.direction == "out" for end in ends) - 1).bit_length()),
                    "gated": any(options.gated for options in asked),
                },
            ),
        )

    def facts(self, plan: Plan) -> JsonObject:
        """Name the boards that have a lane."""
        return {"nodes": [n.name for n in plan.nodes if any(a.link == self.kind for a in n.attachments)]}

    def bring_up(self, plan: Plan) -> tuple[Step, ...]:
        """Open what the boards hang on, all receivers, then all senders."""
        attached = [
            (node.name, one) for node in plan.nodes for one in node.attachments if one.link == self.kind
        ]
        switches = tuple(step for node, _ in attached for step in _switch(node))
        nodes = [node for node, one in attached if one.detail["gated"]]
        if not nodes:
            return switches
        return (
            *switches,
            *(_enable(node, RECEIVE) for node in nodes),
            Step(op="barrier", about="every receiver is open"),
            *(_enable(node, BOTH) for node in nodes),
        )


def _switch(node: str) -> tuple[Step, ...]:
    write = Step(op="write", node=node, unit="lane_switch", offset=OPEN, value=1, about="let packets pass")
    return (write, write.model_copy(update={"op": "until", "again": 1, "reason": OPEN}))


def _enable(node: str, value: int) -> Step:
    return Step(op="write", node=node, unit="lane", offset=ENABLE, value=value, about="open the port")


def _check_rows(site: Site, rows: dict[int, int]) -> None:
    for direction in ("in", "out"):
        ends: list[End] = [end for end in site.ends if end.direction == direction]
        for row, count in Counter(rows[end.stream] for end in ends).items():
            if count > 1:
                found = f"{count} streams {'reach' if direction == 'in' else 'leave'} it on row {row}"
                raise PlanError(Problem(f"node {site.node}: row", found, "Give each a row of its own"))
