# SPDX-License-Identifier: BSD-3-Clause
"""Files of a Zynq build for PYNQ, and their contents as PYNQ's own reader sees them.

PYNQ takes a bitstream's metadata from the .hwh of its stem in its folder, but from an .xsa of that stem if
there is one, and then refuses the .bit. Its reader is the package pynqmetadata, which `--hdl` runs if it is
installed; otherwise the file is read here.
Source: PYNQ, pynq/pl_server/embedded_device.py, get_parser.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from shellgen.model.memory_map import MapNode
from vivado_check.formats.xml import parse_xml
from vivado_check.recording import Recording
from vivado_check.report import Message, Origin, Verdict

from .base import Context, rule
from .planned import Planned, channels, planned
from .planned_files import core_registers

SOURCE = "PYNQ, pynq/pl_server/embedded_device.py; pynqmetadata"


@dataclass(frozen=True)
class Loaded:
    """An overlay as a program on the board sees it.

    Attributes:
        addresses: Of each cell that the processor reaches: first byte and bytes.
        registers: Offset by name, by cell.
        interrupts: Controller and index by pin (``axi_dma_0/mm2s_introut``), None if not known.
    """

    addresses: Mapping[str, tuple[int, int]]
    registers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    interrupts: Mapping[str, tuple[str, int]] | None = None


@rule("pynq-overlay", scope="session", source=SOURCE)
def pynq_overlay(context: Context) -> Iterator[Message]:
    """The exported files are an overlay, with core, DMAs and interrupts where programs look for them."""
    recording, wanted = context.recording, planned(context)
    if wanted is None or recording.ended != 0:
        return
    for path in sorted(recording.written):
        bitstream = PurePosixPath(path)
        if bitstream.name != f"{context.node}.bit" or ".runs" in path:
            continue
        yield from _files(recording, bitstream)
        hwh = recording.written.get(str(bitstream.with_suffix(".hwh")))
        if hwh is not None:
            yield from _content(str(bitstream.with_suffix(".hwh")), hwh, wanted, load=context.hdl)


def _message(where: str, found: str, expected: str, remedy: str) -> Message:
    return Message(
        rule="pynq-overlay",
        verdict=Verdict.FINDING,
        origin=Origin(),
        where=where,
        found=found,
        expected=expected,
        remedy=remedy,
    )


def _files(recording: Recording, bitstream: PurePosixPath) -> Iterator[Message]:
    if str(bitstream.with_suffix(".hwh")) not in recording.written:
        found = f"{bitstream.stem}.hwh is not beside it, so PYNQ does not know the design"
        yield _message(str(bitstream), found, "a .hwh of the same stem in its folder", "export it there")
    if str(bitstream.with_suffix(".xsa")) in recording.written:
        found = f"{bitstream.stem}.xsa is beside it: PYNQ takes that for the design, and refuses the .bit"
        yield _message(str(bitstream), found, "no .xsa of the same stem in its folder", "write it elsewhere")


def _content(name: str, path: Path, wanted: Planned, *, load: bool) -> Iterator[Message]:
    try:
        loaded = (by_pynq(path) if load else None) or by_hand(path)
    except Exception as error:  # a third-party reader may raise anything
        found = f"it cannot be read: {type(error).__name__} {str(error)[:80]}"
        yield _message(
            name, found, "a hardware handoff as Vivado writes it", "leave the file of Vivado whole"
        )
        return
    if not loaded.addresses:
        return  # no facts of the processing system; another rule reports it
    yield from _addresses(name, loaded, wanted.map)
    yield from _registers(name, loaded, wanted)
    yield from _interrupts(name, loaded, wanted.map)


def _addresses(name: str, loaded: Loaded, told: MapNode) -> Iterator[Message]:
    core = {base: cell for cell, (base, _) in loaded.addresses.items()}.get(told.base)
    if core is None:
        found = f"nothing is at {told.base:#x}"
        yield _message(name, found, "the core there, as in memory_map.json", "give it this address")
    for dma in told.dma:
        base = loaded.addresses.get(dma.name, (None, 0))[0]
        if base != dma.base:
            found = f"{dma.name} is {'not there' if base is None else f'at {base:#x}'}"
            expected = f"it at {dma.base:#x}, as in memory_map.json"
            yield _message(name, found, expected, "correct its name or address")


def _registers(name: str, loaded: Loaded, node: Planned) -> Iterator[Message]:
    """Compare the registers that have names, if any have: Vivado itself knows none of a module reference."""
    core = {base: cell for cell, (base, _) in loaded.addresses.items()}.get(node.map.base, "")
    named = loaded.registers.get(core, {})
    wanted = {register.name: register.offset for register in core_registers(node)}
    if not named:
        found = "its core has no registers by name"
        yield _message(name, found, "those of memory_map.json", "see why export.tcl puts none in")
    for register in sorted(wanted.keys() | named.keys()) if named else ():
        if wanted.get(register) != named.get(register):
            shown = "is not there" if register not in named else f"is at {named[register]:#x}"
            right = "no such register" if register not in wanted else f"offset {wanted[register]:#x}"
            yield _message(
                name, f"register {register} {shown}", f"{right}, as in memory_map.json", "correct it"
            )


def _interrupts(name: str, loaded: Loaded, told: MapNode) -> Iterator[Message]:
    """Compare interrupts that a controller takes: PYNQ knows no others."""
    interrupts = loaded.interrupts
    if interrupts is None:
        return
    for dma in told.dma:
        for direction, channel in channels(dma):
            wanted = channel.interrupt
            if wanted is None or wanted.controller is None:
                continue
            pin = f"{dma.name}/{direction}_introut"
            right = (wanted.controller, wanted.input)
            found = interrupts.get(pin)
            if found != right:
                where = f"at input {found[1]} of {found[0]}" if found else "nowhere"
                expected = f"it at input {right[1]} of {right[0]}, as in memory_map.json"
                yield _message(name, f"PYNQ finds {pin} {where}", expected, "connect it there")


def by_pynq(path: Path) -> Loaded | None:
    """Return what PYNQ's own reader makes of a .hwh, None if it is not installed."""
    try:
        from pynqmetadata.frontends import Metadata  # noqa: PLC0415 - optional, and slow to import
        from pynqmetadata.views.runtime.runtime_metadata_parser import (  # noqa: PLC0415
            RuntimeMetadataParser,
        )
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parser = RuntimeMetadataParser(Metadata(str(path)))
    cells = {name: cell for name, cell in parser.ip_dict.items() if cell.get("phys_addr") is not None}
    return Loaded(
        {name: (int(cell["phys_addr"]), int(cell["addr_range"])) for name, cell in cells.items()},
        {
            name: {key: int(one["address_offset"]) for key, one in (cell.get("registers") or {}).items()}
            for name, cell in cells.items()
        },
        {pin: (str(one["controller"]), int(one["index"])) for pin, one in parser.interrupt_pins.items()},
    )


def by_hand(path: Path) -> Loaded:
    """Return addresses and registers from a .hwh."""
    root = parse_xml(path.read_bytes())
    addresses = {
        place.get("INSTANCE", ""): _span(place)
        for place in root.iter("MEMRANGE")
        if place.get("MEMTYPE") != "MEMORY" and place.get("INSTANCE")
    }
    registers = {
        module.get("INSTANCE", ""): {
            register.get("NAME", ""): int(prop.get("VALUE", ""), 0)
            for register in module.iter("REGISTER")
            for prop in register.iter("PROPERTY")
            if prop.get("NAME") == "ADDRESS_OFFSET"
        }
        for module in root.iter("MODULE")
    }
    return Loaded(addresses, registers)


def _span(place: Element) -> tuple[int, int]:
    first, last = (int(place.get(name, ""), 0) for name in ("BASEVALUE", "HIGHVALUE"))
    return first, last - first + 1
