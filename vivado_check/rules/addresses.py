# SPDX-License-Identifier: BSD-3-Clause
"""Addresses that Vivado refuses: where a segment may not be, or not with that size."""

from __future__ import annotations

from collections.abc import Iterator

from ..addresses import Placed, amount
from ..report import Message, Origin, Verdict
from .base import Context, rule

REFUSED = "BD 41-1075"
# Source: public logs of BD 41-1075 for AXI ("less than the minimum range").
LEAST_RANGE = 128


def place(placed: Placed) -> str:
    """Return a segment's place as messages say it."""
    return f"{placed.segment.segment} at {placed.offset:#010x} [{amount(placed.range)}]"


def refusal(name: str, placed: Placed, found: str, expected: str, remedy: str) -> Message:
    """Return the error that Vivado reports for a segment that it does not place."""
    where = f"{placed.segment.segment} in {placed.segment.space}"
    return Message(name, Verdict.ERROR, placed.segment.origin, where, found, expected, remedy, REFUSED)


@rule("address-size", scope="design", source="AR 66717")
def size(context: Context) -> Iterator[Message]:
    """Ranges are powers of two, and of a size that a bus has."""
    for placed in _all(context):
        if placed.range < LEAST_RANGE or placed.range.bit_count() != 1:
            yield refusal(
                "address-size",
                placed,
                f"a range of {placed.range:#x} bytes",
                f"a power of two from {LEAST_RANGE}",
                "give the next power of two as -range",
            )


@rule("address-alignment", scope="design", source="AR 66717")
def alignment(context: Context) -> Iterator[Message]:
    """An offset is a multiple of its range."""
    for placed in _all(context):
        if placed.range.bit_count() == 1 and placed.offset % placed.range:
            yield refusal(
                "address-alignment",
                placed,
                f"offset {placed.offset:#x} with a range of {amount(placed.range)}",
                "an offset that is a multiple of the range",
                f"move it to {-(-placed.offset // placed.range) * placed.range:#x}, or make it smaller",
            )


@rule("address-overlap", scope="design", source="UG994, Creating a Memory Map")
def overlap(context: Context) -> Iterator[Message]:
    """No two segments of a space share an address."""
    for all_ in context.addresses.placed.values():
        highest: Placed | None = None
        for placed in all_:
            if highest and placed.offset <= highest.last:
                later = max(highest, placed, key=lambda one: (one.segment.origin, one.offset))
                yield refusal(
                    "address-overlap",
                    later,
                    f"{place(placed)} overlaps {place(highest)}",
                    "segments of one address space that do not share an address",
                    "move one of them",
                )
            if highest is None or placed.last > highest.last:
                highest = placed


@rule("address-aperture", scope="design", source="UG912, BD_ADDR_SEG; UG585 and UG1085, address map")
def aperture(context: Context) -> Iterator[Message]:
    """A segment lies in a window of a master that reaches it, and within its space."""
    for placed in _all(context):
        windows = _windows(context, placed)
        if windows and not any(base <= placed.offset and placed.last < base + n for base, n in windows):
            shown = ", ".join(f"{base:#010x} [{amount(n)}]" for base, n in windows)
            yield refusal(
                "address-aperture",
                placed,
                f"{place(placed)}",
                f"an address that {_masters(placed)} can issue: {shown}",
                "move it into one of these windows, or give the master wider addresses",
            )


def _masters(placed: Placed) -> str:
    return " or ".join(placed.target.masters) if placed.target else placed.segment.space


def _windows(context: Context, placed: Placed) -> list[tuple[int, int]]:
    space = context.addresses.spaces.get(placed.segment.space)
    return context.addresses.windows(space, placed.target) if space and placed.target else []


@rule("address-fixed", scope="design", source="UG912, BD_ADDR_SEG: slave segments with a hard offset")
def fixed(context: Context) -> Iterator[Message]:
    """A slave with one address for every master can only be placed there, or a part of it."""
    for placed in _all(context):
        block = placed.target.block if placed.target else None
        if block is None or not block.absolute or block.base is None:
            continue
        end = None if block.range is None else block.base + block.range
        if placed.offset < block.base or (end is not None and placed.last >= end):
            there = f"{block.base:#010x}" + (f" [{amount(block.range)}]" if block.range else "")
            yield refusal(
                "address-fixed",
                placed,
                f"{place(placed)}",
                f"its own address, {there}, or a part of it",
                "place it where the processing system has it",
            )


@rule("address-path", scope="design", source="UG994, Creating a Memory Map; public logs of BD 41-1075")
def path(context: Context) -> Iterator[Message]:
    """A segment is assigned only where there is a way from the master to the slave."""
    for segment in context.addresses.design.segments:
        space = context.addresses.spaces.get(segment.space)
        if space is None:
            if context.addresses.knows_spaces_of(segment.space):
                yield _no_way(segment.space, segment.segment, segment.origin, "there is no such space")
            continue
        reach = context.addresses.reach(space)
        if reach.whole and segment.segment not in reach.targets and not segment.excluded:
            ways = ", ".join(sorted(reach.targets)) or "nothing"
            yield _no_way(segment.space, segment.segment, segment.origin, f"the space reaches {ways}")


def _no_way(space: str, segment: str, origin: Origin, found: str) -> Message:
    return Message(
        "address-path",
        Verdict.ERROR,
        origin,
        f"{segment} in {space}",
        found,
        "a way over buses from the master to the slave",
        "connect them before the address is assigned, or correct the names",
        REFUSED,
    )


def _all(context: Context) -> Iterator[Placed]:
    for all_ in context.addresses.placed.values():
        yield from (one for one in all_ if not _of_unknown(context, one.segment.segment))


def _of_unknown(context: Context, segment: str) -> bool:
    """Tell whether nothing is known of a segment's IP: registers of silicon lie where they lie."""
    graph = context.graph
    parts = segment.split("/")
    paths = ("/".join(parts[:count]) for count in range(2, len(parts)))
    cell = next(
        (path for path in paths if path in graph.design.cells and graph.design.cells[path].kind == "ip"), ""
    )
    return bool(cell) and graph.resolved(cell) is None
