# SPDX-License-Identifier: BSD-3-Clause
"""Programs as ends of streams over VNx: what a board's Ethernet must offer them, and what they must know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shellgen.counted import counted
from shellgen.errors import Problem
from shellgen.links.base import Medium, Site
from shellgen.links.figures import Figures
from shellgen.links.vnx_udp.addresses import HOST, cages, options_at
from shellgen.links.vnx_udp.options import ProgramOptions, VnxOptions
from shellgen.model import Attachment, End, NodePlan, Plan
from shellgen.model.base import Frozen
from shellgen.model.plain import JsonObject

TERMS = ("link", "packet_beats", "packing", "role", "element", "shape", "slots")


def wrong_for_program(kind: str, site: Site) -> Iterator[Problem]:
    """Yield what keeps a program from being the end of the streams of a node."""
    where, told = f"node {site.node}: options.{kind}", list(site.options)
    streams = ", ".join(end.boundary for end in site.ends)
    if not all(_vnx(options).ip for options in told):
        found = f"a program of {site.node} is an end of {streams}, and its board has no address"
        remedy = 'Give the address of its Ethernet port in the network of the cards: ip = ["192.168.0.20"]'
        yield Problem(f"{where}.ip", found, remedy)
    for mtu in dict.fromkeys(_vnx(options).mtu for options in told):
        if site.dock.mtu is not None and mtu > site.dock.mtu:
            found = f"{mtu}, and the Ethernet of {site.node} takes packets of at most {site.dock.mtu} bytes"
            remedy = f"Say mtu = {site.dock.mtu} in [links.{kind}], for all cards and boards"
            yield Problem(f"{where}.mtu", found, remedy)


def _vnx(options: Frozen) -> VnxOptions:
    assert isinstance(options, VnxOptions)
    return options


def told_to_programs(
    plan: Plan, node: NodePlan | None, kind: str, built: Mapping[tuple[str, str], Mapping[str, int]]
) -> dict[str, JsonObject]:
    """Return addresses and terms of each stream that a program of a node is an end of, by its name.

    Args:
        plan: The plan.
        node: The program's node; None for the program of the host.
        kind: Of the link.
        built: Parameters of the blocks of all cards, by node and boundary; both ends have the same terms.
    """
    name = node.name if node else HOST
    station = next((one for one in cages(plan, kind) if one.node == name and one.program), None)
    found: dict[str, JsonObject] = {}
    for row in station.rows if station else ():
        boundary = plan.boundary(row.boundary)
        other = next(
            one for one in (boundary.producer_node, boundary.consumer_node) if one not in (None, name)
        )
        parameters = built[other, row.boundary]
        assert station is not None
        found[row.boundary] = {
            "link": kind,
            "address": station.ip,
            "port": row.my_port,
            "peer": row.peer,
            "peer_port": row.their_port,
            "reorder": options_at(node or plan.node(other), kind, boundary).reorder,
            "terms": {name: parameters[name] for name in TERMS},
        }
    return found


def with_programs(plan: Plan, kind: str) -> Iterator[tuple[NodePlan, Attachment, End]]:
    """Yield each end at a card whose other end is a program."""
    streams = {row.boundary for cage in cages(plan, kind) if cage.program for row in cage.rows}
    for node in plan.nodes:
        for attachment in node.attachments:
            for end in attachment.ends if attachment.link == kind else ():
                if end.boundary in streams:
                    yield node, attachment, end


def over_program(options: VnxOptions, node: str | None) -> JsonObject:
    """Return what an attachment says of a program at the other end of a stream, on this node."""
    if not isinstance(options, ProgramOptions):
        return {}
    return {
        "program": {"node": node or HOST, "window": options.window, "round_trip_ns": options.round_trip_ns}
    }


def _program(attachment: Attachment, end: End) -> Mapping[str, Any] | None:
    ends = attachment.detail["ends"]
    assert isinstance(ends, dict)
    found: Mapping[str, Any] | None = ends[str(end.stream)].get("program")
    return found


def is_program(attachment: Attachment, end: End) -> bool:
    """Return whether a program is the other end of a stream."""
    return _program(attachment, end) is not None


def program_media(attachment: Attachment, end: End, packets: int, figures: Figures) -> tuple[Medium, ...]:
    """Return the time of a program for a frame, and of its credits where it sends.

    Args:
        attachment: Of the card.
        end: The card's end of the stream.
        packets: Of a frame.
        figures: Those of the link.
    """
    told = _program(attachment, end)
    if told is None:
        return ()
    node = str(told["node"])  # one program serves all streams of its board
    figure = "host_packet_us" if node == HOST else "program_packet_us"
    each = figures[figure] * 1e-6
    source = f"{counted(packets, 'packet')} of {figures[figure]:g} us each ({figure})"
    found = (Medium(f"program of {node}", packets * each, source, network=True, node=node),)
    if end.direction == "out":  # the card's own credits say it
        return found
    window, way = told["window"], told["round_trip_ns"]
    source = f"{counted(window, 'packet')} under way for a round trip of at most {way:,} ns (round_trip_ns)"
    return (*found, Medium(f"credits of {end.boundary}", packets / window * way * 1e-9, source, ring=True))
