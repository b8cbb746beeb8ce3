# SPDX-License-Identifier: BSD-3-Clause
"""A hardware hand-off (.hwh) tells of each IP in a design as it is configured there."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from vivado_check.formats.xml import parse_xml

from .component import BlockFact, Component, Condition, InterfaceFact, ParameterFact, PortFact, Value
from .facts import CLOCK, INTERRUPT, RESET

_DIRECTIONS = {"I": "in", "O": "out", "IO": "inout"}
_MODES = {
    "TARGET": "slave",
    "SLAVE": "slave",
    "INITIATOR": "master",
    "MASTER": "master",
    "MONITOR": "monitor",
}
_SIGNALS = {"clk": (CLOCK, "CLK"), "rst": (RESET, "RST"), "intr": (INTERRUPT, "INTERRUPT")}
_HERE = Condition(True, None)


def read_handoff(content: bytes, origin: str) -> list[Component]:
    """Return the IP of a hand-off, each in one configuration; module references are left out.

    Raises:
        XmlError: It is not XML, or may not be read.
        ValueError: It is no hand-off.
    """
    root = parse_xml(content)
    if root.tag != "EDKSYSTEM":
        raise ValueError("it is no hardware hand-off")
    release = root.get("VIVADOVERSION", "")
    found = []
    for module in root.iter("MODULE"):
        vlnv = module.get("VLNV", "")
        if vlnv.count(":") == 3 and vlnv.split(":")[1] != "module_ref":
            found.append(_module(module, Component(vlnv, origin, release, True, False)))
    return found


def _module(module: Element, found: Component) -> Component:
    for parameter in module.iterfind("PARAMETERS/PARAMETER"):
        name, value = parameter.get("NAME", ""), parameter.get("VALUE", "")
        found.parameters[name] = ParameterFact(name, Value(value, source="user"))
    for port in module.iterfind("PORTS/PORT"):
        _port(port, found)
    for bus in module.iterfind("BUSINTERFACES/BUSINTERFACE"):
        name = bus.get("NAME", "")
        found.interfaces[name] = InterfaceFact(
            name,
            _MODES.get(bus.get("TYPE", ""), ""),
            bus.get("VLNV", ""),
            _params(bus),
            {one.get("LOGICAL", ""): one.get("PHYSICAL", "") for one in bus.iterfind("PORTMAPS/PORTMAP")},
            memory=name if bus.get("TYPE") in ("TARGET", "SLAVE") else "",
            present=_HERE,
        )
    for block in module.iterfind("ADDRESSBLOCKS/ADDRESSBLOCK"):
        found.blocks.append(
            BlockFact(
                block.get("INTERFACE", ""),
                block.get("NAME", ""),
                Value("0"),
                Value(block.get("RANGE", "")),
                block.get("USAGE", ""),
                block.get("ACCESS", ""),
                _HERE,
            )
        )
    return found


def _port(port: Element, found: Component) -> None:
    name, direction = port.get("NAME", ""), _DIRECTIONS.get(port.get("DIR", ""), "in")
    ends = [
        Value(text, resolve="generated") if (text := port.get(end)) else None for end in ("LEFT", "RIGHT")
    ]
    found.ports[name] = PortFact(name, direction, ends[0], ends[1], present=_HERE)
    vlnv, logical = _SIGNALS.get(port.get("SIGIS", ""), ("", ""))
    if vlnv:
        mode = "slave" if direction == "in" else "master"
        found.interfaces[name] = InterfaceFact(name, mode, vlnv, {}, {logical: name}, present=_HERE)


def _params(bus: Element) -> dict[str, Value]:
    return {
        one.get("NAME", ""): Value(one.get("VALUE", ""), resolve="generated", permission="bd")
        for one in bus.iterfind("PARAMETER")
    }
