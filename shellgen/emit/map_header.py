# SPDX-License-Identifier: BSD-3-Clause
"""``memory_map.h``: the memory map for C and C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.model import Plan
from shellgen.model.axilite import REGISTER_BYTES
from shellgen.model.map_bring_up import MapReason
from shellgen.model.memory_map import MapBlock, MapNode, MapRegion, MapRegister, MemoryMap
from shellgen.model.registers import Register
from shellgen.registers import block_registers
from shellgen.render import render

# Blocks that the host programs use, by the names of their windows.
KNOWN = {"status": "shell_status", "bridge": "axil_bridge"}


@dataclass(frozen=True)
class Constants:
    """Constants of one kind of block.

    Attributes:
        prefix: Prefix of their names; it differs if registers are further apart.
        slot: Bytes from a register to the next.
        block: The kind.
        registers: In the host's address space; their number depends on the node.
    """

    prefix: str
    slot: int
    block: str
    registers: tuple[MapRegister, ...]

    @property
    def slot_bits(self) -> int:
        """Bits of an access."""
        return 8 * self.slot


@dataclass(frozen=True)
class Flag:
    """Sticky error bits of a register.

    Attributes:
        place: Name in messages.
        address: Address of the register.
        mask: The bits.
        clears: Whether writing 1 clears them.
        about: Meaning.
    """

    place: str
    address: int
    mask: int
    clears: bool
    about: str


def memory_header(plan: Plan, found: MemoryMap) -> str:
    """Return the header of a cluster or of a node: offsets, masks, and tables of the whole map."""
    constants = _constants(found)
    # The programs need these names even if no node has such a block.
    kinds = sorted({*KNOWN.values(), *(each.block for each in constants)})
    names = plan.kept("names in C", dict[str, str])  # most nodes have the same blocks
    key = repr([(each.prefix, each.slot, each.block, *map(id, each.registers)) for each in constants])
    if key not in names:
        registers = {name: block_registers(name).registers for name in kinds}
        names[key] = render("host/memory_map_names.h.j2", constants=constants, kinds=registers)
    texts = plan.kept("nodes in C", dict[str, str])  # in the map of the cluster and in that of the node
    for node in found.nodes:
        if node.name not in texts:
            texts[node.name] = _node(node)
    return render(
        "host/memory_map.h.j2",
        generator=plan.generator,
        map=found,
        names=names[key],
        nodes=[texts[node.name] for node in found.nodes],
        known=_known(),
        reasons=_reasons(found),
        most_units=max(len(node.units) for node in found.nodes),
        most_windows=max((len(d.memory) for node in found.nodes for d in node.dma), default=1),
    )


def _known() -> dict[str, tuple[Register, ...]]:
    return {name: block_registers(block).registers for name, block in KNOWN.items()}


def _node(node: MapNode) -> str:
    return render(
        "host/memory_map_node.h.j2",
        node=node,
        known=_known(),
        macro=_macro,
        c_int=_c_int,
        place=_place,
        stream_offset=_stream_offset,
        turn_place=_turn_place,
        flags={node.name: list(_flags(node))},
    )


def _reasons(found: MemoryMap) -> list[MapReason]:
    """Return the reason registers of waiting steps, without duplicates."""
    steps = found.bring_up.steps if found.bring_up else ()
    return list(dict.fromkeys(step.reason for step in steps if step.reason))


def _flags(node: MapNode) -> Iterator[Flag]:
    """Return the flags of links and units; the programs check those of their own blocks anyway."""
    for block in (*node.blocks, *node.units):
        for register in () if block.name in KNOWN else block.registers:
            for name, offset in register.elements:
                place, address = f"{block.name} {name}", block.base + offset
                parts = [each for each in register.fields if each.sticky]
                for part in parts:
                    clears = part.access == "r/w1c"
                    yield Flag(f"{place}.{part.name}", address, part.mask, clears, part.text)
                if register.sticky and not parts:
                    mask = (1 << register.width) - 1
                    yield Flag(place, address, mask, register.access == "r/w1c", register.text)


def _constants(found: MemoryMap) -> list[Constants]:
    """Return the kinds of blocks; those with registers 8 bytes apart have another prefix.

    A name therefore has the same meaning in the header of the cluster and of a node.
    """
    kinds: dict[tuple[int, str], MapBlock] = {}
    for node in found.nodes:
        for block in node.blocks:
            if block.block:
                kinds.setdefault((node.slot_bytes, block.block), block)
        for unit in node.units:
            if unit.block:
                kinds.setdefault((REGISTER_BYTES, unit.block), unit)
    return [
        Constants(_prefix(slot), slot, name, block.registers) for (slot, name), block in sorted(kinds.items())
    ]


def _prefix(slot: int) -> str:
    """Return the prefix of C names of register offsets for this slot size."""
    return "SHELLGEN_" if slot == REGISTER_BYTES else f"SHELLGEN_SLOT{slot}_"


def _macro(prefix: str, region: MapRegion) -> str:
    """Return the prefix of a region's names in C: with its layer, if it is known."""
    return re.sub(r"[^0-9A-Z]+", "_", f"{prefix}_{region.name}_{region.layer or ''}".upper()).rstrip("_")


def _c_int(value: int) -> str:
    """Return a 64-bit C constant; the smallest is not a literal. A value that does not fit is 0."""
    if not -(1 << 63) <= value < 1 << 63:
        return "0"
    return "INT64_MIN" if value == -(1 << 63) else f"INT64_C({value})"


def _place(node: MapNode, name: str, register: Register) -> tuple[int, int, int]:
    """Return address, stride and number of a register that the programs use; 0 without such a block."""
    block = next((block for block in node.blocks if block.name == name), None)
    if block is None:
        return 0, 0, 0
    own = block.register(register.name)
    return block.base + own.offset, own.stride or 0, own.count or 1


def _turn_place(node: MapNode, name: str, index: int) -> int:
    """Return the address of a register of a deal or gather."""
    block = node.block("turns")
    register = block.register(name)
    return block.base + register.offset + index * (register.stride or 0)


def _stream_offset(node: MapNode, index: int) -> int:
    """Return the offset of a stream's registers from those of stream 0."""
    return (node.block("status").register("FRAMES").stride or 0) * index
