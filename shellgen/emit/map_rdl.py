# SPDX-License-Identifier: BSD-3-Clause
"""``memory_map.rdl``: the memory map in SystemRDL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from shellgen.model import Plan
from shellgen.model.axilite import REGISTER_BYTES
from shellgen.model.map_movers import MapChannel, MapDma
from shellgen.model.memory_map import MapNode, MapRegister, MapUnit, MemoryMap
from shellgen.render import render

# SystemRDL's properties for host accesses; `hw` is the access by the core.
_ACCESS = {
    "r": "sw = r;",
    "w": "sw = w;",
    "rw": "sw = rw;",
    "r/w1c": "sw = rw; onwrite = woclr;",
    "rc": "sw = r; onread = rclr;",
    "w1": "sw = w; onwrite = woset;",
    "r/w1": "sw = rw; onwrite = woset;",
}
# Every node has its own address space, but SystemRDL has one for all. The addresses of the first node are its
# host addresses, and so are the lower digits of all others. Addresses behind a bridge are a separate space.
_NODE_BYTES = 1 << 44
_FAR = 1 << 43
_ABOUT = (
    f"Addresses are those of each node's host, plus {_NODE_BYTES:#x} for each node before it in this "
    f"map. What lies behind a bridge has addresses of its own; here they begin {_FAR:#x} above its node."
)
_MM2S, _S2MM = 0x00, 0x30  # registers of the two channels of an AXI DMA (PG021)


@dataclass(frozen=True)
class _DmaRegister:
    """A register of an AXI DMA (PG021); ``hw`` is the access by the DMA."""

    name: str
    offset: int
    text: str
    hw: str = "rw"


@dataclass(frozen=True)
class _Entries:
    """A memory in SystemRDL: number of entries, and their bits."""

    count: int
    bits: int


def memory_rdl(plan: Plan, found: MemoryMap) -> str:
    """Return the SystemRDL of a cluster or of a node."""
    texts = plan.kept(
        "nodes in SystemRDL", dict[str, str]
    )  # in the map of the cluster and in that of the node
    for node in found.nodes:
        if node.name not in texts:
            texts[node.name] = _node(node)
    return render(
        "host/memory_map.rdl.j2",
        generator=plan.generator,
        map=found,
        nodes=[texts[node.name] for node in found.nodes],
        about=_ABOUT,
        place=lambda index, address: f"{index * _NODE_BYTES + address:#x}",
        far_place=lambda index: f"{index * _NODE_BYTES + _FAR:#x}",
    )


def _node(node: MapNode) -> str:
    return render(
        "host/memory_map_node.rdl.j2",
        node=node,
        sw=_ACCESS,
        entries=_entries,
        far_bytes=REGISTER_BYTES,
        dma_registers=_dma_registers,
        relative=lambda address, base: f"{address - base:#x}",
        spread=_spread,
    )


def _spread(unit: MapUnit) -> Iterator[tuple[MapRegister, str, str]]:
    """Yield the registers of a unit with their names and places: as an array, or one by one if others are
    between them, which SystemRDL does not allow.
    """
    for entry in unit.registers:
        if entry.stride == REGISTER_BYTES and entry.count:
            yield entry, entry.name, f"[{entry.count}] @ {entry.offset:#x} += {entry.stride:#x}"
        else:
            yield from ((entry, name, f" @ {offset:#x}") for name, offset in entry.elements)


def _entries(size: int, slot: int) -> _Entries:
    return _Entries(size // slot, 8 * slot)


def _dma_registers(dma: MapDma) -> list[_DmaRegister]:
    found = []
    for prefix, start, channel, address in (
        ("MM2S", _MM2S, dma.channels.mm2s, "SA"),
        ("S2MM", _S2MM, dma.channels.s2mm, "DA"),
    ):
        for register in _channel(dma, channel, address) if channel else ():
            found.append(replace(register, name=f"{prefix}_{register.name}", offset=start + register.offset))
    return found


def _channel(dma: MapDma, channel: MapChannel, address: str) -> list[_DmaRegister]:
    """Return the registers of a channel, by their offset in it."""
    wide = dma.address_bits > 32
    entries = [
        _DmaRegister("DMACR", 0x00, f"Control; stream {channel.stream}, {_interrupt(channel)}"),
        _DmaRegister("DMASR", 0x04, "Status; writing 1 clears an interrupt"),
    ]
    if dma.cyclic:
        started = "Last descriptor; writing it starts" + (", with its upper half" if wide else "")
        places = [_DmaRegister("CURDESC", 0x08, "Descriptor"), _DmaRegister("TAILDESC", 0x10, started)]
        entries += places
    else:
        places = [_DmaRegister(address, 0x18, "Address of the buffer")]
        length = _DmaRegister("LENGTH", 0x28, f"Bytes, at most {dma.max_bytes}; writing it starts")
        entries += [*places, length]
    upper = [_DmaRegister(f"{one.name}_MSB", one.offset + 4, "Upper half", "r") for one in places]
    return [*entries, *(upper if wide else ())]


def _interrupt(channel: MapChannel) -> str:
    line = channel.interrupt
    if not line:
        return "no interrupt"
    through = f", by input {line.input} of {line.controller}" if line.controller else ""
    return f"interrupt ID {line.gic} at the GIC{through}"
