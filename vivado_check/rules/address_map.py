# SPDX-License-Identifier: BSD-3-Clause
"""Addresses that Vivado lets pass: slaves that nobody finds, memory that masters see at different places."""

from __future__ import annotations

from collections.abc import Iterator

from ..addresses import Placed, Space, Target
from ..report import Message, Origin, Verdict
from .base import Context, rule


@rule("address-unassigned", scope="design", source="Xilinx/ResNet50-PYNQ issue 10: BD 41-1356")
def unassigned(context: Context) -> Iterator[Message]:
    """Every segment that a space reaches is placed in it or excluded from it."""
    addresses = context.addresses
    automatic = bool(addresses.left_to_vivado) or context.graph.open
    for space in addresses.spaces.values():
        said = addresses.said(space.path)
        for target in addresses.reach(space).targets.values():
            if target.path in said or automatic or not target.sure or _beyond(space, target):
                continue
            yield Message(
                "address-unassigned",
                Verdict.FINDING,
                _line(context, space, target),
                f"{target.path} in {space.path}",
                f"{target.masters[0]} reaches it, and it has no address",
                "an address in every space that reaches it, or its exclusion",
                "assign_bd_address or exclude_bd_addr_seg for this space",
                "BD 41-1356",
            )


def _beyond(space: Space, target: Target) -> bool:
    """Return whether a block lies at an address that the space does not have: Vivado leaves it out."""
    block = target.block
    return block.absolute and None not in (block.base, space.bytes) and block.base >= space.bytes  # type: ignore[operator]


def _line(context: Context, space: Space, target: Target) -> Origin:
    """Return the line to correct: the last that assigned something in that space, else the connection."""
    lines = [one.origin for one in context.addresses.design.segments if one.space == space.path]
    return max(lines) if lines else context.graph.joined(target.interface)


@rule("address-views", scope="design", source="UG994, Creating a Memory Map; PG021, buffer addresses")
def views(context: Context) -> Iterator[Message]:
    """Memory that several masters share is at one address for all, since programs hand addresses on."""
    first: dict[str, Placed] = {}
    for space in context.addresses.spaces:
        for placed in context.addresses.placed.get(space, ()):
            block = placed.target.block if placed.target else None
            if block is None or block.usage != "memory" or block.absolute:
                continue
            other = first.setdefault(placed.segment.segment, placed)
            if other.offset != placed.offset:
                yield Message(
                    "address-views",
                    Verdict.FINDING,
                    placed.segment.origin,
                    f"{placed.segment.segment} in {space}",
                    f"it is at {placed.offset:#x} here and at {other.offset:#x} in {other.segment.space}",
                    "one address for memory that several masters share",
                    "give it the same offset in both spaces",
                )


@rule("address-automatic", scope="design", source="UG994, Creating a Memory Map")
def automatic(context: Context) -> Iterator[Message]:
    """The addresses that Vivado chooses are not known for every slave."""
    addresses = context.addresses
    known = {(one.segment.space, one.segment.segment) for all_ in addresses.placed.values() for one in all_}
    for segment in addresses.design.segments:
        if not segment.excluded and (segment.space, segment.segment) not in known:
            yield _chosen(segment.origin, f"{segment.segment} in {segment.space}", "it")
    for origin in addresses.left_to_vivado:
        count = sum(
            target.path not in addresses.said(space.path) and (space.path, target.path) not in known
            for space in addresses.spaces.values()
            for target in addresses.reach(space).targets.values()
        )
        if count:
            yield _chosen(
                origin,
                addresses.design.name,
                "a segment that is left" if count == 1 else f"{count} segments that are left",
            )


def _chosen(origin: Origin, where: str, what: str) -> Message:
    return Message(
        "address-automatic",
        Verdict.NOT_MODELLED,
        origin,
        where,
        f"Vivado chooses the address of {what}",
        "an address that is known before Vivado runs",
        "give -offset and -range",
    )


@rule("address-lost", scope="design", source="UG994, Creating a Memory Map")
def lost(context: Context) -> Iterator[Message]:
    """Slaves behind an unknown IP cannot be determined."""
    behind: dict[str, list[str]] = {}
    for space in context.addresses.spaces.values():
        for interface in context.addresses.reach(space).lost:
            behind.setdefault(interface, []).append(space.path)
    for interface, spaces in behind.items():
        yield Message(
            "address-lost",
            Verdict.NOT_MODELLED,
            context.graph.joined(interface),
            interface,
            f"what {', '.join(spaces)} reaches behind it is not known",
            "facts of its IP",
            "teach them with --learn",
        )
