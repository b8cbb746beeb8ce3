# SPDX-License-Identifier: BSD-3-Clause
"""Address windows that attachments claim: their placement and their errors."""

from __future__ import annotations

from itertools import combinations

from shellgen.errors import InputError, Problem
from shellgen.model import Attachment, Claim, Window
from shellgen.model.names import RDL_WORDS
from shellgen.model.registers import RegisterBlock
from shellgen.plan.allocate import allocate
from shellgen.plan.draft import NodeDraft
from shellgen.registers import block_registers

__all__ = ["TURNS", "claim_problems", "fixed_windows", "free_windows", "stream_counts"]

Ranges = list[tuple[int, int]]
STATUS, TURNS = "shell_status", "shell_turns"
# Names of a node in memory_map.h that windows must not use.
RESERVED = {"base", "span", "slot_bytes", "build_id", "aperture", "aperture_bytes", "dmas", "regions"}


def stream_counts(node: NodeDraft) -> dict[str, int]:
    """Return the parameters of the status registers that define their number."""
    ends = [end for attachment in node.attachments for end in attachment.ends]
    incoming = sum(end.direction == "in" for end in ends)
    return {"N_RX": incoming, "N_TX": len(ends) - incoming}


def fixed_windows(node: NodeDraft) -> tuple[Window, ...]:
    """Return the windows of claims with a fixed offset."""
    return tuple(_window(claim, claim.offset) for _, claim in _claims(node) if claim.offset is not None)


def free_windows(node: NodeDraft, taken: Ranges) -> tuple[Window, ...]:
    """Return the windows of the other claims, outside the occupied ranges."""
    free = [claim for _, claim in _claims(node) if claim.offset is None]
    places = allocate([claim.addr_bits for claim in free], taken)
    return tuple(_window(claim, offset) for claim, offset in zip(free, places, strict=True))


def claim_problems(where: str, node: NodeDraft, reserved: Ranges, limit: int) -> list[Problem]:
    """Return every problem of the claimed windows and the status registers.

    Args:
        where: File and table of the node.
        node: The node, with its attachments.
        reserved: Offset and bytes of each reserved range.
        limit: Bytes that the host can address. All three use 4 bytes per register.
    """
    claims = _claims(node)
    problems = _names(where, node)
    found = _counts(block_registers(STATUS), stream_counts(node))
    if found:
        text = f"the status registers of node {node.name} cannot have all its streams: {found}"
        problems.append(Problem(where, text, "Move a partition to another node"))
    turns = sum(part.takes_turns for part in node.partitions)
    if found := _counts(block_registers(TURNS), {"N": turns}):
        text = f"node {node.name} deals to and gathers from replicas at {turns} places: {found}"
        problems.append(Problem(where, text, "Move a partition to another node"))
    for attachment, claim in claims:
        told = f"{_told(attachment, claim)} of node {node.name}"
        for text in (_place(claim, reserved, limit), _registers(claim.block, claim.addr_bits, claim.counts)):
            if text:
                remedy = "Correct the link, lite.window, or what is reserved"
                problems.append(Problem(where, f"{told}: {text}", remedy))
    for attachment in node.attachments:
        for unit in attachment.units:
            text = _registers(unit.block, unit.addr_bits, unit.counts)
            if text:
                told = f"unit {unit.name} of {attachment.name} (link {attachment.link})"
                problems.append(Problem(where, f"{told} of node {node.name}: {text}", "Correct the link"))
    fixed = [pair for pair in claims if pair[1].offset is not None]
    for (one, first), (two, second) in combinations(fixed, 2):
        if _overlap(_range(first), _range(second)):
            text = f"{_told(one, first)} at {first.offset:#x} and {_told(two, second)} at {second.offset:#x}"
            text += f" overlap on node {node.name}"
            problems.append(Problem(where, text, "Give the two links different nodes"))
    return problems


def _claims(node: NodeDraft) -> list[tuple[Attachment, Claim]]:
    return [(attachment, claim) for attachment in node.attachments for claim in attachment.claims]


def _told(attachment: Attachment, claim: Claim) -> str:
    return f"window {claim.name} of {attachment.name} (link {attachment.link})"


def _window(claim: Claim, offset: int | None) -> Window:
    assert offset is not None
    return Window(
        name=claim.name,
        kind="master" if claim.leaves else "block",
        offset=offset,
        size=1 << claim.addr_bits,
        addr_bits=claim.addr_bits,
        block=claim.block,
        counts=claim.counts,
    )


def _names(where: str, node: NodeDraft) -> list[Problem]:
    """Return windows and units with a duplicate name: nets and the map use it, C in capitals."""
    taken = dict.fromkeys(("status", "bridge", "crossing", "turns"), "the core itself")
    taken |= {
        f"{partition.name}_{port.name}".lower(): f"partition {partition.name}"
        for partition in node.partitions
        for port in partition.axilite
    }
    named = [(attachment, _told(attachment, claim), claim.name) for attachment, claim in _claims(node)]
    named += [
        (attachment, f"unit {unit.name} of {attachment.name} (link {attachment.link})", unit.name)
        for attachment in node.attachments
        for unit in attachment.units
    ]
    problems = []
    for attachment, told, plain in named:
        name, text = plain.lower(), ""
        if name in taken:
            text = f"{told} of node {node.name} has the name of a window of {taken[name]}"
        elif name in RESERVED or plain in RDL_WORDS:
            text = f"{told} of node {node.name} has a name that the memory map needs"
        if text:
            problems.append(Problem(where, text, "Let the link begin the name with that of its attachment"))
        taken[name] = f"{attachment.name} (link {attachment.link})"
    return problems


def _place(claim: Claim, reserved: Ranges, limit: int) -> str:
    if not 2 <= claim.addr_bits <= 32:
        return f"it has {claim.addr_bits} address bits, and 2 to 32 are possible"
    if claim.offset is None:
        return ""
    start, size = _range(claim)
    if start % size:
        return f"its offset {start:#x} is not a multiple of its {size:#x} bytes"
    if start + size > limit:
        return f"it ends at {start + size:#x}, and the host reaches {limit:#x} bytes"
    for other in reserved:
        if _overlap((start, size), other):
            first, end = other[0], other[0] + other[1]
            own = f"bytes {start:#x} to {start + size - 1:#x}"
            return f"{own} overlap what is reserved, {first:#x} to {end - 1:#x}"
    return ""


def _registers(name: str | None, addr_bits: int, counts: tuple[tuple[str, int], ...]) -> str:
    """Return the problems with the registers that a claim or a unit names."""
    if name is None:
        return ""
    try:
        block = block_registers(name)
    except InputError as error:
        return str(error)
    last = max(register.offset for register in block.registers)
    bits = block.address_bits or (last + 3).bit_length()
    if bits > addr_bits:
        return f"block {block.block} has {bits} address bits, and the window {addr_bits}"
    return _counts(block, dict(counts))


def _counts(block: RegisterBlock, counts: dict[str, int]) -> str:
    """Return the registers that a block with these parameters cannot have."""
    for register in block.registers:
        repeat = register.repeat
        needed = (*repeat.count, *repeat.behind) if repeat else ()
        missing = [name for name in needed if name not in counts]
        if missing:
            return f"registers {register.name} of {block.block} need to know {missing[0]}"
        if repeat and repeat.registers(counts) > repeat.most:
            wanted = repeat.registers(counts)
            return f"{wanted} registers {register.name} are needed, and {block.block} has {repeat.most}"
    return ""


def _range(claim: Claim) -> tuple[int, int]:
    return claim.offset or 0, 1 << claim.addr_bits


def _overlap(one: tuple[int, int], two: tuple[int, int]) -> bool:
    return one[0] < two[0] + two[1] and two[0] < one[0] + one[1]
