# SPDX-License-Identifier: BSD-3-Clause
"""Block designs and facts of IP in a few lines, for tests of what judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vivado_check.design import Cell, CellKind, Design, InterfacePin, Net, Pin, Segment, Setting
from vivado_check.expectation import Expectation
from vivado_check.graph import Graph
from vivado_check.ip.facts import (
    AXIMM,
    AXIS,
    CLOCK,
    INTERRUPT,
    RESET,
    AddressBlock,
    Ip,
    IpInterface,
    IpPort,
    Parameter,
    Resolved,
)
from vivado_check.recording import Project, Recording
from vivado_check.report import Message, Origin
from vivado_check.rules.base import RULES, Context, all_rules

RELEASE = "2022.2"


def clock(name: str, mode: str = "slave", **params: str) -> IpInterface:
    return IpInterface(f"CLK.{name}", mode, CLOCK, params, {"CLK": name})


def reset(name: str, mode: str = "slave", polarity: str = "ACTIVE_LOW") -> IpInterface:
    return IpInterface(f"RST.{name}", mode, RESET, {"POLARITY": polarity} if polarity else {}, {"RST": name})


def interrupt(name: str, mode: str = "master", **params: str) -> IpInterface:
    return IpInterface(f"INTR.{name}", mode, INTERRUPT, params, {"INTERRUPT": name})


def memory(name: str, mode: str, protocol: str = "AXI4", **params: str) -> IpInterface:
    return IpInterface(name, mode, AXIMM, {"PROTOCOL": protocol, **params} if protocol else params)


def stream(name: str, mode: str, count: int = 4, **params: str) -> IpInterface:
    return IpInterface(name, mode, AXIS, {"TDATA_NUM_BYTES": str(count), **params})


@dataclass(frozen=True)
class SmallIp:
    """An IP that looks the same in every configuration but for what `variants` says of one parameter."""

    vlnv: str
    interfaces: tuple[IpInterface, ...] = ()
    ports: tuple[IpPort, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    complete: bool = True
    doubtful: frozenset[str] = frozenset()
    blocks: tuple[AddressBlock, ...] = ()
    spaces: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def closed(self) -> bool:
        return self.complete

    def parameter_names(self) -> list[str]:
        return [one.name for one in self.parameters]

    def parameter(self, name: str, config: Mapping[str, str]) -> Parameter | None:  # noqa: ARG002
        return next((one for one in self.parameters if one.name.lower() == name.lower()), None)

    def resolve(self, config: Mapping[str, str]) -> Resolved:  # noqa: ARG002
        ports = {port.name: port for port in self.ports}
        for interface in self.interfaces:
            direction = "out" if interface.mode == "master" else "in"
            for port in interface.ports.values():
                ports.setdefault(port, IpPort(port, direction))  # type: ignore[arg-type]
        named = {interface.name: interface for interface in self.interfaces}
        return Resolved(named, ports, self.blocks, self.spaces, self.complete, self.doubtful, self.complete)


@dataclass
class SmallCatalogue:
    """Facts of the IP that a test needs."""

    ips: dict[str, Ip] = field(default_factory=dict)

    def find(self, vlnv: str, release: str) -> Ip | None:  # noqa: ARG002
        return self.ips.get(vlnv) or next(
            (ip for key, ip in self.ips.items() if key.rpartition(":")[0] == vlnv), None
        )

    def versions(self, vlnv: str, release: str) -> tuple[str, ...] | None:
        first = next((name for name in self.ips if name.startswith(vlnv.rstrip("*"))), None)
        return (first,) if first and release == RELEASE else None


class Block:
    """A block design that is written by hand; each call is a line of its script.

    Attributes:
        ours: Whether it is judged as one of shellgen's own.
        board: Its board part.
        ended: Exit code of its script, None if that was stopped.
    """

    def __init__(self, *ips: Ip, release: str = RELEASE) -> None:
        self.ours = False
        self.ended: int | None = 0
        self.board = ""
        self.catalogue = SmallCatalogue({ip.vlnv: ip for ip in ips})
        self.release = release
        self.line = 0
        self.design = Design("top", self.next())

    def next(self) -> Origin:
        self.line += 1
        return Origin("bd.tcl", self.line)

    def cell(self, path: str, vlnv: str, kind: CellKind = "ip", **config: str) -> None:
        """Make a cell; `vlnv` may be the IP's name alone, and is the module's for a module reference."""
        origin = self.next()
        full = vlnv if ":" in vlnv else next((v for v in self.catalogue.ips if v.split(":")[2] == vlnv), vlnv)
        settings = {name: Setting(value, origin) for name, value in config.items()}
        if kind == "module":
            self.design.cells[path] = Cell(path, kind, origin, reference=vlnv, config=settings)
        else:
            self.design.cells[path] = Cell(path, kind, origin, vlnv=full, config=settings)

    def hier(self, path: str) -> None:
        self.design.cells[path] = Cell(path, "hier", self.next())

    def pin(
        self, cell: str, name: str, direction: str, kind: str = "", bits: int | None = None, **config: str
    ) -> None:
        """Declare a pin of a hierarchy, or a port of the design (cell ``/``)."""
        origin = self.next()
        left, right = (None, None) if bits is None else (bits - 1, 0)
        settings = {key: Setting(value, origin) for key, value in config.items()}
        self.design.cells[cell].pins[name] = Pin(name, direction, origin, kind, left, right, settings)

    def bus_pin(self, cell: str, name: str, mode: str, vlnv: str, **config: str) -> None:
        origin = self.next()
        settings = {key: Setting(value, origin) for key, value in config.items()}
        self.design.cells[cell].interfaces[name] = InterfacePin(name, mode, vlnv, origin, settings)

    def unwire(self, *members: str) -> None:
        """Take pins and interfaces out of their nets."""
        for net in (*self.design.nets.values(), *self.design.interface_nets.values()):
            for member in members:
                net.members.pop(member, None)

    def set(self, cell: str, **config: str) -> None:
        origin = self.next()
        settings = {name.replace("__VALUE_SRC", ".VALUE_SRC"): value for name, value in config.items()}
        self.design.cells[cell].config |= {name: Setting(value, origin) for name, value in settings.items()}

    def wire(self, *members: str, hier: str = "/") -> None:
        self._join(self.design.nets, members, hier)

    def bus(self, *members: str, hier: str = "/") -> None:
        self._join(self.design.interface_nets, members, hier)

    def place(self, space: str, segment: str, offset: int | None, size: int | None) -> None:
        """Assign a segment; without an offset, Vivado chooses."""
        name = "SEG_" + segment.replace("/", "_")
        self.design.segments.append(Segment(space, segment, name, offset, size, self.next()))

    def exclude(self, space: str, segment: str) -> None:
        self.design.segments.append(Segment(space, segment, "SEG", None, None, self.next(), excluded=True))

    def _join(self, nets: dict[tuple[str, str], Net], members: tuple[str, ...], hier: str) -> None:
        origin = self.next()
        known = next(
            (net for net in nets.values() if net.hier == hier and set(members) & set(net.members)), None
        )
        net = known or nets.setdefault((hier, f"net_{len(nets)}"), Net(f"net_{len(nets)}", hier))
        for member in members:
            net.members.setdefault(member, origin)

    @property
    def graph(self) -> Graph:
        return Graph(self.design, self.catalogue, self.release)

    def context(self) -> Context:
        recording = Recording(self.release, Path(), ended=self.ended)
        properties = {"board_part": Setting(self.board, Origin())} if self.board else {}
        recording.projects.append(Project("p", Path(), "", Origin(), properties))
        recording.designs[self.design.name] = self.design
        expected = Expectation() if self.ours else None
        return Context(recording, self.catalogue, Path(), design=self.design, expected=expected)

    def judge(self, *rules: str) -> list[Message]:
        """Return what these rules say, all that judge a design if none is named."""
        known = {rule.name for rule in all_rules()}
        assert set(rules) <= known, set(rules) - known
        chosen = rules or sorted(name for name in known if RULES[name].scope == "design")
        return [message for name in chosen for message in RULES[name].judge(self.context())]
