# SPDX-License-Identifier: BSD-3-Clause
"""The hardware handoff of a block design: what PYNQ reads, in the form in which Vivado writes it.

Its elements and attributes are those of two ``.hwh`` files that come with pynqmetadata. A module reference
has an address block, but no registers: Vivado does not know them.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from .catalogue import AXIMM, AXIS, Interface
from .design import CellInstance, Design, Placed

_FAMILY = {"processing_system7": "zynq", "zynq_ultra_ps_e": "zynquplus"}
# Signals of an interface that are shown; enough to find who is connected to whom.
_SIGNALS = {AXIMM: ("AWADDR", "WDATA", "ARADDR", "RDATA"), AXIS: ("TDATA", "TVALID", "TREADY")}
_FROM_SLAVE = {"RDATA", "TREADY"}
# Parameters that PYNQ wants of a processing system, beyond those that a script sets.
_PS7_CLOCK, _PSU_CLOCK = "PCW_FCLK{0}_PERIPHERAL_", "PSU__CRL_APB__PL{0}_REF_CTRL__"
_CLOCKS = {
    "processing_system7": (
        *(_PS7_CLOCK + name for name in ("DIVISOR0", "DIVISOR1", "CLKSRC")),
        "PCW_FPGA_FCLK{0}_ENABLE",
    ),
    "zynq_ultra_ps_e": (
        *(_PSU_CLOCK + name for name in ("DIVISOR0", "DIVISOR1", "SRCSEL")),
        "PSU__FPGA_PL{0}_ENABLE",
    ),
}


def _element(name: str, content: Iterable[str] = (), **attributes: object) -> str:
    head = name + "".join(f" {key}={quoteattr(str(value))}" for key, value in attributes.items())
    inside = "".join(content)
    return f"<{head}>{inside}</{name}>\n" if inside else f"<{head}/>\n"


def hwh_text(design: Design) -> str:
    """Return the file for a design that has been validated."""
    ps = next(cell for cell in design.cells.values() if cell.ip.name in _FAMILY)
    body = [
        _element("SYSTEMINFO", ARCH=_FAMILY[ps.ip.name], NAME=design.name),
        _element("EXTERNALPORTS"),
        _element("EXTERNALINTERFACES"),
        _element("MODULES", [_module(design, cell) for cell in design.cells.values()]),
    ]
    return '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n' + _element(
        "EDKSYSTEM", body, EDWVERSION="1.2"
    )


def _module(design: Design, cell: CellInstance) -> str:
    parameters = dict(cell.config)
    for index in range(4):
        for name in _CLOCKS.get(cell.ip.name, ()):
            parameters.setdefault(name.format(index), "1")
    content = [
        _element("DOCUMENTS"),
        _element("ADDRESSBLOCKS", _address_blocks(cell)),
        _element("PARAMETERS", [_element("PARAMETER", NAME=k, VALUE=v) for k, v in parameters.items()]),
        _element("PORTS", _ports(design, cell)),
        _element("BUSINTERFACES", [_bus(name, port) for name, port in cell.interfaces.items()]),
        _element(
            "MEMORYMAP", [_range(design, p) for p in design.placed if p.space.startswith(f"{cell.name}/")]
        ),
    ]
    name = cell.vlnv.split(":")[2]
    return _element(
        "MODULE",
        content,
        COREREVISION=1,
        FULLNAME=f"/{cell.name}",
        HWVERSION=cell.vlnv.rpartition(":")[2],
        INSTANCE=cell.name,
        IPTYPE="PERIPHERAL",
        IS_ENABLE=1,
        MODCLASS="PERIPHERAL",
        MODTYPE=name,
        VLNV=cell.vlnv,
    )


def _address_blocks(cell: CellInstance) -> list[str]:
    return [
        _element("ADDRESSBLOCK", ACCESS="", INTERFACE=name, NAME=segment.name, RANGE=segment.size, USAGE="")
        for name, port in cell.interfaces.items()
        for segment in port.segments
    ]


def _ports(design: Design, cell: CellInstance) -> list[str]:
    found = []
    for name, pin in cell.pins.items():
        path = f"{cell.name}/{name}"
        driver = design.driver(path)
        if pin.direction == "out":  # shows all that it drives, an input only its driver
            net = [other for other in design.net_of if design.driver(other) == path and other != path]
        else:
            net = [driver] if driver else []
        joined = [_connection(other) for other in net]
        kind = {"clk": "clk", "rst": "rst"}.get(pin.kind, "undef")
        found.append(_port(name, pin.direction, kind, joined))
    for name, port in cell.interfaces.items():
        peer = design.peer.get(f"{cell.name}/{name}")
        for signal in _SIGNALS.get(port.bus, ()):
            out = (port.mode == "master") != (signal in _FROM_SLAVE)
            joined = [_connection(f"{peer}_{signal.lower()}")] if peer else []
            found.append(_port(f"{name}_{signal.lower()}", "out" if out else "in", "undef", joined))
    return found


def _port(name: str, direction: str, kind: str, joined: list[str]) -> str:
    direction = "O" if direction == "out" else "I"
    return _element(
        "PORT", [_element("CONNECTIONS", joined)], DIR=direction, NAME=name, SIGIS=kind, SIGNAME=""
    )


def _connection(path: str) -> str:
    cell, _, pin = path.partition("/")
    return _element("CONNECTION", INSTANCE=cell, PORT=pin)


def _bus(name: str, port: Interface) -> str:
    maps = [
        _element("PORTMAP", LOGICAL=signal, PHYSICAL=f"{name}_{signal.lower()}")
        for signal in _SIGNALS.get(port.bus, ())
    ]
    vlnv = f"xilinx.com:interface:{port.bus}:1.0"
    return _element(
        "BUSINTERFACE", [_element("PORTMAPS", maps)], NAME=name, TYPE=port.mode.upper(), VLNV=vlnv
    )


def _range(design: Design, placed: Placed) -> str:
    """Name a slave as its master sees it."""
    owner, segment = design.segments()[placed.segment]
    slave, _, interface = owner.partition("/")
    master = next(name for name in design.spaces()[placed.space])
    return _element(
        "MEMRANGE",
        ADDRESSBLOCK=segment.name,
        BASENAME="C_BASEADDR",
        BASEVALUE=f"0x{placed.offset:08X}",
        HIGHNAME="C_HIGHADDR",
        HIGHVALUE=f"0x{placed.offset + placed.size - 1:08X}",
        INSTANCE=slave,
        IS_DATA="TRUE",
        IS_INSTRUCTION="TRUE",
        MASTERBUSINTERFACE=master.partition("/")[2],
        MEMTYPE="MEMORY" if "DDR" in segment.name else "REGISTER",
        SLAVEBUSINTERFACE=interface,
    )
