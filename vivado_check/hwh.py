# SPDX-License-Identifier: BSD-3-Clause
"""The hardware handoff of a recorded block design: what PYNQ reads of it, in the form of Vivado.

Elements and attributes are those of two ``.hwh`` files that come with pynqmetadata. A module reference has an
address block, but no registers: Vivado does not know them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .addresses import AddressMap, Placed
from .design import Cell
from .graph import Graph
from .ip.facts import AXIMM, AXIS, IpInterface, Resolved

_FAMILY = {"processing_system7": "zynq", "zynq_ultra_ps_e": "zynquplus"}
# Signals of an interface that are shown; enough to find who is connected to whom.
_SIGNALS = {AXIMM: ("AWADDR", "WDATA", "ARADDR", "RDATA"), AXIS: ("TDATA", "TVALID", "TREADY")}
_FROM_SLAVE = {"RDATA", "TREADY"}
_SPECIAL = re.compile(r"[^ !#-%(-;=?-~]")
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


def hwh_text(graph: Graph) -> str:
    """Return the file for a design that has been validated; cells of IP without facts have no pins in it."""
    return _Handoff(graph).text()


class _Handoff:
    """One file."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.addresses = AddressMap(graph)
        self.cells = [cell for cell in graph.design.cells.values() if cell.kind not in ("hier", "container")]

    def text(self) -> str:
        families = [_FAMILY[name] for name in map(_ip_name, self.cells) if name in _FAMILY]
        body = [
            _element("SYSTEMINFO", ARCH=families[0] if families else "", NAME=self.graph.design.name),
            _element("EXTERNALPORTS"),
            _element("EXTERNALINTERFACES"),
            _element("MODULES", [self._module(cell) for cell in self.cells]),
        ]
        return '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n' + _element(
            "EDKSYSTEM", body, EDWVERSION="1.2"
        )

    def _module(self, cell: Cell) -> str:
        resolved = self.graph.resolved(cell.path) or Resolved({}, {})
        name, ip = _ip_name(cell), self.graph.ip(cell.path)
        vlnv = ip.vlnv if ip else cell.vlnv if cell.vlnv.count(":") == 3 else f"{cell.vlnv}:1.0"
        parameters = {key: setting.value for key, setting in cell.config.items() if "." not in key}
        for index in range(4):
            for parameter in _CLOCKS.get(name, ()):
                parameters.setdefault(parameter.format(index), "1")
        content = [
            _element("DOCUMENTS"),
            _element("ADDRESSBLOCKS", _address_blocks(resolved)),
            _element("PARAMETERS", [_element("PARAMETER", NAME=k, VALUE=v) for k, v in parameters.items()]),
            _element("PORTS", self._ports(cell.path, resolved)),
            _element(
                "BUSINTERFACES", [_bus(one) for one in resolved.interfaces.values() if one.vlnv in _SIGNALS]
            ),
            _element("MEMORYMAP", self._ranges(cell.path)),
        ]
        return _element(
            "MODULE",
            content,
            COREREVISION=1,
            FULLNAME=cell.path,
            HWVERSION=vlnv.rpartition(":")[2],
            INSTANCE=_instance(cell.path),
            IPTYPE="PERIPHERAL",
            IS_ENABLE=1,
            MODCLASS="PERIPHERAL",
            MODTYPE=name,
            VLNV=vlnv,
        )

    def _ports(self, cell: str, resolved: Resolved) -> Iterator[str]:
        bound = {
            name
            for one in resolved.interfaces.values()
            if one.vlnv in _SIGNALS
            for name in one.ports.values()
        }
        for name, port in resolved.ports.items():
            if name in bound:
                continue
            path = f"{cell}/{name}"
            # An output shows all that it drives, an input only its driver.
            driver = self.graph.driver(path)
            net = self.graph.loads(path) if port.direction == "out" else (driver,) if driver else ()
            special = self.graph.signal(path)
            kind = special.vlnv.split(":")[2] if special else ""
            shown = [other for other in net if self._knows(other)]
            yield _port(name, port.direction, {"clock": "clk", "reset": "rst"}.get(kind, "undef"), shown)
        for name, interface in resolved.interfaces.items():
            peer = self.graph.peer(f"{cell}/{name}")
            for signal in _SIGNALS.get(interface.vlnv, ()):
                out = (interface.mode.lower() == "master") != (signal in _FROM_SLAVE)
                joined = [f"{peer}_{signal.lower()}"] if peer and self._knows(peer) else []
                yield _port(f"{name}_{signal.lower()}", "out" if out else "in", "undef", joined)

    def _knows(self, path: str) -> bool:
        """Tell whether the other end of a connection is in the file, too."""
        cell, name = path.rpartition("/")[0], path.rpartition("/")[2]
        resolved = self.graph.resolved(cell) if cell else None
        return resolved is not None and (name in resolved.ports or name in resolved.interfaces)

    def _ranges(self, cell: str) -> Iterator[str]:
        for space, placed in self.addresses.placed.items():
            if space.startswith(f"{cell}/"):
                yield from (_range(one) for one in placed if one.target is not None)


def _element(name: str, content: Iterable[str] = (), **attributes: object) -> str:
    head = name + "".join(f" {key}={_quoted(value)}" for key, value in attributes.items())
    inside = "".join(content)
    return f"<{head}>{inside}</{name}>\n" if inside else f"<{head}/>\n"


def _quoted(value: object) -> str:
    """Return a value of an attribute, with its quotes; a line break stays one (XML 1.0, 3.3.3)."""
    return f'"{_SPECIAL.sub(lambda found: f"&#{ord(found[0])};", str(value))}"'


def _ip_name(cell: Cell) -> str:
    return cell.reference or cell.vlnv.split(":")[2]


def _instance(path: str) -> str:
    return path.rpartition("/")[2]


def _address_blocks(resolved: Resolved) -> Iterator[str]:
    for block in resolved.blocks:
        for interface in resolved.interfaces.values():
            if interface.memory == block.memory:
                yield _element(
                    "ADDRESSBLOCK",
                    ACCESS="",
                    INTERFACE=interface.name,
                    NAME=block.name,
                    RANGE=block.range or 0,
                    USAGE="",
                )


def _port(name: str, direction: str, kind: str, net: Iterable[str]) -> str:
    joined = [
        _element("CONNECTION", INSTANCE=_instance(path.rpartition("/")[0]), PORT=path.rpartition("/")[2])
        for path in net
    ]
    return _element(
        "PORT",
        [_element("CONNECTIONS", joined)],
        DIR="O" if direction == "out" else "I",
        NAME=name,
        SIGIS=kind,
        SIGNAME="",
    )


def _bus(interface: IpInterface) -> str:
    maps = [
        _element("PORTMAP", LOGICAL=signal, PHYSICAL=f"{interface.name}_{signal.lower()}")
        for signal in _SIGNALS.get(interface.vlnv, ())
    ]
    return _element(
        "BUSINTERFACE",
        [_element("PORTMAPS", maps)],
        NAME=interface.name,
        TYPE=interface.mode.upper(),
        VLNV=interface.vlnv,
    )


def _range(placed: Placed) -> str:
    """Name a slave as its master sees it."""
    target = placed.target
    assert target is not None
    slave, _, interface = target.interface.rpartition("/")
    return _element(
        "MEMRANGE",
        ADDRESSBLOCK=target.block.name,
        BASENAME="C_BASEADDR",
        BASEVALUE=f"0x{placed.offset:08X}",
        HIGHNAME="C_HIGHADDR",
        HIGHVALUE=f"0x{placed.last:08X}",
        INSTANCE=_instance(slave),
        IS_DATA="TRUE",
        IS_INSTRUCTION="TRUE",
        MASTERBUSINTERFACE=_instance(target.masters[0]) if target.masters else "",
        MEMTYPE="MEMORY" if "DDR" in target.block.name else "REGISTER",
        SLAVEBUSINTERFACE=interface,
    )
