# SPDX-License-Identifier: BSD-3-Clause
"""Bus signals of a module's ports: by their attributes, or by the port maps of a package.

Vivado joins signals by these roles and not by names, so two roles that change places cross two wires.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..design import Setting
from ..hdl import SYSTEM_VERILOG, VERILOG, Source, tops
from ..ip.bus_signals import ALIKE, BURSTS, BYTES, FREE, READS, SIGNALS, TOLD, WRITES, is_lite
from ..ip.facts import AXIMM, AXIS
from ..ip.header import Head, Port, read_head
from ..ip.module import ModuleIp
from ..recording import Part
from ..report import Message, Origin, Verdict
from .base import Context, rule

_SOURCE = "Arm IHI 0022 and IHI 0051, signal lists; UG1118, port maps; UG994, attributes of RTL modules"
_KINDS = (VERILOG, SYSTEM_VERILOG)
_WORDS = re.compile(r"([\w.-]+:[\w.-]+:[\w.-]+:[\w.-]+)\s+(\S+)\s+(\S+)")


@dataclass
class _Interface:
    """An interface of a module, with the ports that it is made of.

    Attributes:
        members: Role and port of each.
        mode: As it was said, in lower case; empty if nobody has said it.
        parameters: Of the bus, as they were said.
    """

    vlnv: str
    name: str
    members: list[tuple[str, Port]]
    mode: str
    parameters: dict[str, str]

    @property
    def roles(self) -> set[str]:
        """Return all roles."""
        return {role for role, _ in self.members}


@dataclass(frozen=True)
class _Module:
    """A module that Vivado reads interfaces of."""

    source: Source
    head: Head
    bits: dict[str, int | None]

    def line(self, port: Port) -> Origin:
        """Return the line that declares a port."""
        start = self.source.text.find(f"module {self.head.name}")
        found = re.compile(rf"^[^\n/]*\b{re.escape(port.name)}\s*[,;)\n]", re.MULTILINE).search(
            self.source.text, max(start, 0)
        )
        return Origin(self.source.name, self.source.text.count("\n", 0, found.end() - 1) + 1 if found else 0)


def _modules(context: Context) -> Iterator[tuple[_Module, list[_Interface]]]:
    """Yield the modules that sessions refer to or package, with the interfaces that are written out."""
    packages = {package.top: package for package in context.recording.packages}
    for name in dict.fromkeys((*tops(context.recording), *packages)):
        source = next((found for one in context.projects if name and (found := one.defining(name))), None)
        head = read_head(source.text, name) if source and source.kind in _KINDS else None
        if source is None or head is None or not head.whole:
            continue
        ports = ModuleIp(name, head).resolve({}).ports
        module = _Module(source, head, {port: one.bits for port, one in ports.items()})
        interfaces = list(_spelt(head))
        if name in packages:
            interfaces += _mapped(head, packages[name].of("bus_interface"))
        yield module, interfaces


def _spelt(head: Head) -> Iterator[_Interface]:
    found: dict[tuple[str, str], _Interface] = {}
    for port in head.ports:
        words = _WORDS.fullmatch(port.attributes.get("X_INTERFACE_INFO", "").strip())
        if words is None or port.attributes.get("X_INTERFACE_IGNORE", "").lower() == "true":
            continue
        key = (words[1].replace("_rtl:", ":"), words[2])
        one = found.setdefault(key, _Interface(*key, [], "", {}))
        one.members.append((words[3].upper(), port))
        one.mode = one.mode or (port.attributes.get("X_INTERFACE_MODE", "").lower().split() or [""])[0]
        said = port.attributes.get("X_INTERFACE_PARAMETER", "")
        one.parameters |= dict(re.findall(r"(\w+)\s+([^,\s]+)", said))
    yield from found.values()


def _mapped(head: Head, parts: Iterable[Part]) -> Iterator[_Interface]:
    ports = {port.name: port for port in head.ports}
    for part in parts:
        vlnv = _said(part, "abstraction_type_vlnv", "bus_type_vlnv", "vlnv").replace("_rtl:", ":")
        named = [(map_.name.upper(), _said(map_, "physical_name")) for map_ in part.of("port_map")]
        members = [(role, ports[name]) for role, name in named if name in ports]
        if not part.inferred and members and vlnv in (AXIS, AXIMM):
            yield _Interface(vlnv, part.name, members, _said(part, "interface_mode").lower(), {})


def _said(part: Part, *names: str) -> str:
    found: Iterator[Setting] = (part.properties[name] for name in names if name in part.properties)
    return next(found, Setting("", Origin())).value


@rule("bus-role", scope="session", source=_SOURCE)
def bus_role(context: Context) -> Iterator[Message]:
    """Each port of an interface is a signal of its bus, goes its way, and is as wide as that."""
    for module, interfaces in _modules(context):
        for one in interfaces:
            if one.vlnv in SIGNALS:
                yield from _judged(module, one, ours=context.ours)


def _judged(module: _Module, one: _Interface, *, ours: bool) -> Iterator[Message]:
    signals = SIGNALS[one.vlnv]
    seen: dict[str, Port] = {}
    for role, port in one.members:
        if role not in signals:
            yield _wrong(module, one, port, f"it is {role}, which the bus does not have", ", ".join(signals))
        elif role in seen:
            yield _wrong(module, one, port, f"it is {role}, and so is {seen[role].name}", "one port for each")
        elif meant := _meant(one, role, port, ours=ours):
            yield _wrong(module, one, port, f"it is {role}, and {meant} is missing", meant)
        elif other := _exchanged(one, role, port):
            yield _wrong(module, one, port, f"it is {role}, and {other.name} is {_named(port)}", _named(port))
        seen.setdefault(role, port)
    known = {role: port for role, port in seen.items() if role in signals}
    yield from _directions(module, one, known)
    yield from _widths(module, one, known)
    if one.mode not in ("monitor", "mirroredmaster", "mirroredslave"):
        yield from _complete(module, one, known, ours=ours)


def _meant(one: _Interface, role: str, port: Port, *, ours: bool) -> str:
    """Return the signal that the port's name is the name of, if that is another and no port has it."""
    if one.vlnv not in (AXIS, AXIMM):
        return ""
    name = _named(port)
    if name == role or name not in SIGNALS[one.vlnv] or name in one.roles:
        return ""
    return "" if not ours and {name, role} <= FREE else name


def _exchanged(one: _Interface, role: str, port: Port) -> Port | None:
    """Return the port that has changed places with this one: each has the role that names the other."""
    others = (other for held, other in one.members if held == _named(port) != role and _named(other) == role)
    return next(others, None)


def _named(port: Port) -> str:
    """Return the signal that the end of the port's name would be the name of."""
    return port.name.rpartition("_")[2].upper()


def _directions(module: _Module, one: _Interface, known: dict[str, Port]) -> Iterator[Message]:
    """Judge by the mode that was said, else by what most ports do: a bus has two ends and no third."""
    signals = SIGNALS[one.vlnv]
    ends = {role: (port.direction == "output") == signals[role].master for role, port in known.items()}
    ends = {role: end for role, end in ends.items() if known[role].direction != "inout"}
    if one.mode == "monitor" or not ends:
        return
    told = {"master": True, "mirroredslave": True, "slave": False, "mirroredmaster": False}.get(one.mode)
    masters = sum(ends.values())
    master = told if told is not None else 2 * masters >= len(ends)
    for role, end in ends.items():
        if end != master:
            port = known[role]
            side = "master" if master else "slave"
            way = "output" if signals[role].master == master else "input"
            yield _wrong(module, one, port, f"it is {role} of a {side}, and an {port.direction}", f"an {way}")


def _widths(module: _Module, one: _Interface, known: dict[str, Port]) -> Iterator[Message]:
    bits = {role: module.bits.get(port.name) for role, port in known.items()}
    for role, wide in bits.items():
        fixed = SIGNALS[one.vlnv][role].widths
        other = bits.get(ALIKE.get(role, "")), bits.get(BYTES.get(role, ""))
        wanted: tuple[int, ...] = fixed
        if other[0] is not None:
            wanted = (other[0],)
        elif other[1] is not None:
            wanted = (-(-other[1] // 8),)
        if wide is not None and wanted and wide not in wanted:
            found = f"it is {role}, and {wide} bit{'s' * (wide != 1)} wide"
            yield _wrong(module, one, known[role], found, f"{' or '.join(map(str, wanted))}")


def _complete(module: _Module, one: _Interface, known: dict[str, Port], *, ours: bool) -> Iterator[Message]:
    """Judge what is missing, and what an AXI-Lite interface has too much."""
    if one.vlnv == AXIS and "TVALID" not in known:
        yield _lacks(module, one, known, "TVALID")
    if one.vlnv != AXIMM:
        return
    for group in (WRITES, READS):
        if set(known) & set(group):
            for role in group:
                if role not in known:
                    yield _lacks(module, one, known, role)
    for role, beside in TOLD.items() if ours else ():
        if beside in known and role not in known:
            yield _lacks(module, one, known, role)
    if is_lite(set(known), one.parameters):
        for role in sorted(BURSTS & set(known)) if {"AWVALID", "ARVALID"} & set(known) else ():
            found = f"it is {role}, and nothing else of {one.name} makes bursts"
            yield _wrong(module, one, known[role], found, "no such signal: AXI-Lite has none")


def _lacks(module: _Module, one: _Interface, known: dict[str, Port], role: str) -> Message:
    first = next(iter(known.values()), one.members[0][1])
    return _wrong(module, one, first, f"{one.name} has no {role}", f"a port that is {role}")


def _wrong(module: _Module, one: _Interface, port: Port, found: str, expected: str) -> Message:
    return Message(
        "bus-role",
        Verdict.FINDING,
        module.line(port),
        f"{module.head.name}/{port.name}",
        found,
        expected,
        f"correct X_INTERFACE_INFO or the port map of {one.name}",
    )
