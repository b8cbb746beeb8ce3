# SPDX-License-Identifier: BSD-3-Clause
"""The open block design: cells, nets, interface nets, address spaces."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .catalogue import AXIMM, AXIS, Interface, Ip, Pin, Segment
from .project import ModelError


class NotSetError(Exception):
    """A parameter that stays as it is: Vivado says so in a message of this identity, and goes on."""

    def __init__(self, identity: str, text: str) -> None:
        super().__init__(text)
        self.identity = identity


@dataclass
class CellInstance:
    name: str
    ip: Ip
    vlnv: str
    config: dict[str, str]
    owned: set[str] = field(default_factory=set)

    def set(self, name: str, value: str) -> None:
        """Set a parameter; ``<name>.VALUE_SRC USER`` takes it out of Vivado's hands.

        Raises:
            NotSetError: There is no such parameter, or Vivado derives it.
            ModelError: The value is not legal.
        """
        parameter, _, source = name.partition(".")
        legal = self.ip.legal(parameter, value)
        where = f"Cannot set the parameter {parameter} on /{self.name}."
        if legal is None:
            raise NotSetError("BD 41-1276", f"{where} Parameter does not exist")
        if not source and parameter in self.ip.derived - self.owned:
            raise NotSetError("BD 41-737", f"{where} It is read-only.")
        if source == "VALUE_SRC" and value == "USER":
            self.owned.add(parameter)
        elif source or not legal:
            raise ModelError(
                f"[IP_Flow 19-3461] value '{value}' is out of the range for {name} of /{self.name}"
            )
        else:
            self.config[parameter] = value

    @property
    def interfaces(self) -> dict[str, Interface]:
        return self.ip.interfaces(self.config)

    @property
    def pins(self) -> dict[str, Pin]:
        return self.ip.pins(self.config)


@dataclass
class Port:
    """A port of the design, seen from inside: an input drives, and a Slave interface is a master.

    Attributes:
        kind: Bus of an interface, else ``clk``, ``rst`` or ``data``.
        given: Whether signals come in through it.
    """

    name: str
    kind: str
    given: bool
    config: dict[str, str] = field(default_factory=dict)

    @property
    def pin(self) -> Pin:
        low = self.config.get("POLARITY", "ACTIVE_LOW") == "ACTIVE_LOW"
        return Pin("out" if self.given else "in", self.kind, low, required=not self.given)

    def interface(self, clock: str | None, inside: Interface | None) -> Interface:
        """Return it as what it is inside; a stream that leaves has the shape of its pin."""
        if self.kind == AXIS and not self.given and inside:
            return replace(inside, mode="slave", clock=clock)
        if self.kind == AXIS:
            flags = {
                name: self.config.get(f"HAS_{name.upper()}") == "1" for name in ("tlast", "tkeep", "tstrb")
            }
            bits = 8 * int(self.config.get("TDATA_NUM_BYTES", "0"))
            return Interface(
                AXIS,
                "master" if self.given else "slave",
                clock,
                bits=bits,
                has_last=flags["tlast"],
                has_keep=flags["tkeep"],
                has_strb=flags["tstrb"],
                dest_bits=int(self.config.get("TDEST_WIDTH", "0")),
            )
        window = (0, 1 << int(self.config.get("ADDR_WIDTH", "32")))
        protocol = self.config.get("PROTOCOL", "AXI4")
        bits = int(self.config.get("DATA_WIDTH", "32"))
        return Interface(AXIMM, "master", clock, protocol, bits, space=self.name, window=window)


@dataclass(frozen=True)
class Placed:
    """A slave segment in an address space."""

    space: str
    segment: str
    offset: int
    size: int


@dataclass
class Design:
    name: str
    cells: dict[str, CellInstance] = field(default_factory=dict)
    net_of: dict[str, str] = field(default_factory=dict)
    driver_of: dict[str, str] = field(default_factory=dict)
    peer: dict[str, str] = field(default_factory=dict)
    watched: dict[str, str] = field(default_factory=dict)
    externals: set[str] = field(default_factory=set)
    placed: list[Placed] = field(default_factory=list)
    excluded: set[tuple[str, str]] = field(default_factory=set)
    automated: set[str] = field(default_factory=set)
    ports: dict[str, Port] = field(default_factory=dict)
    validated: bool = False
    saved: bool = False

    def create(self, name: str, ip: Ip, vlnv: str) -> CellInstance:
        if name in self.cells:
            raise ModelError(f"[model] a cell of the name {name} is in the design already")
        if len(name) > 24:
            raise ModelError(f"[BD 41-1753] the name {name} has more than 24 characters")
        config = {parameter: default for parameter, (default, _) in ip.parameters.items()}
        self.cells[name] = CellInstance(name, ip, vlnv, config)
        return self.cells[name]

    # ---- lookup: all names are <cell>/<thing> without a leading slash, or that of a port -------------
    def pins(self) -> dict[str, Pin]:
        found = {f"{c.name}/{name}": pin for c in self.cells.values() for name, pin in c.pins.items()}
        return found | {port.name: port.pin for port in self.ports.values() if port.kind not in (AXIS, AXIMM)}

    def interfaces(self) -> dict[str, Interface]:
        found = {f"{c.name}/{name}": port for c in self.cells.values() for name, port in c.interfaces.items()}
        for port in self.ports.values():
            if port.kind in (AXIS, AXIMM):
                inside = found.get(self.peer.get(port.name, ""))
                found[port.name] = port.interface(self.clock_of(port.name), inside)
        return found

    def clock_of(self, interface: str) -> str | None:
        """Return the port of the clock that an interface port is associated with."""
        for port in self.ports.values():
            if interface in port.config.get("ASSOCIATED_BUSIF", "").split(":"):
                return port.name
        return None

    def segments(self) -> dict[str, tuple[str, Segment]]:
        """Slave segments by path, each with its interface."""
        found = {}
        for name, port in self.interfaces().items():
            cell, _, local = name.partition("/")
            for segment in port.segments:
                found[f"{cell}/{port.path or local}/{segment.name}"] = (name, segment)
        return found

    def spaces(self) -> dict[str, list[str]]:
        """Master interfaces by address space."""
        found: dict[str, list[str]] = {}
        for name, port in self.interfaces().items():
            if port.space:
                space = name if name in self.ports else f"{name.partition('/')[0]}/{port.space}"
                found.setdefault(space, []).append(name)
        return found

    # ---- connections -----------------------------------------------------------------------------------
    def connect(self, names: list[str]) -> None:
        """Join pins into one net."""
        self.validated = False
        pins = self.pins()
        unknown = [name for name in names if name not in pins]
        if unknown or len(names) < 2:
            raise ModelError(f"[BD 5-235] connect_bd_net needs two pins, got {names}")
        for name in names:
            bus = f"{name.partition('/')[0]}/{pins[name].bus}"
            if pins[name].bus and bus not in self.peer:
                raise ModelError(f"[model] {name} is taken out of {bus} before that is connected")
        nets = {self.net_of[name] for name in names if name in self.net_of}
        members = {name for name, net in self.net_of.items() if net in nets} | set(names)
        drivers = {name for name in members if pins[name].direction == "out"}
        if len(drivers) > 1:
            raise ModelError(f"[model] more than one driver on a net: {sorted(drivers)}")
        net = sorted(drivers or members)[0]
        self.net_of.update(dict.fromkeys(members, net))
        if drivers:
            self.driver_of[net] = drivers.pop()

    def connect_interfaces(self, first: str, second: str) -> None:
        """Join a master and a slave of one bus type."""
        self.validated = False
        ports = self.interfaces()
        for name in (first, second):
            if name not in ports:
                raise ModelError(f"[BD 5-235] no interface {name}")
        if "monitor" in (ports[first].mode, ports[second].mode):
            self._watch(first, second)
            return
        for name in (first, second):
            if name in self.peer:
                raise ModelError(f"[BD 41-1306] {name} is connected already, to {self.peer[name]}")
        one, other = ports[first], ports[second]
        if {one.mode, other.mode} != {"master", "slave"}:
            raise ModelError(f"[model] {first} and {second} are both {one.mode}")
        if one.bus != other.bus:
            raise ModelError(f"[model] {first} is {one.bus}, {second} is {other.bus}")
        self.peer[first], self.peer[second] = second, first

    def _watch(self, first: str, second: str) -> None:
        """Let a monitor look at an interface that is connected already."""
        ports = self.interfaces()
        monitor, target = (first, second) if ports[first].mode == "monitor" else (second, first)
        if target not in self.peer or ports[target].bus != ports[monitor].bus or monitor in self.watched:
            raise ModelError(f"[model] {monitor} cannot look at {target}")
        self.watched[monitor] = target

    def driver(self, pin: str) -> str | None:
        return self.driver_of.get(self.net_of.get(pin, ""))

    # ---- addresses -------------------------------------------------------------------------------------
    def reachable(self, space: str) -> set[str]:
        """Slave segments that a space's masters get to, through interconnects."""
        ports = self.interfaces()
        found: set[str] = set()
        todo = [self.peer[master] for master in self.spaces().get(space, []) if master in self.peer]
        while todo:
            slave = todo.pop()
            found |= {path for path, (owner, _) in self.segments().items() if owner == slave}
            cell = slave.partition("/")[0]
            if self.cells[cell].ip.name in ("axi_interconnect", "smartconnect"):
                masters = [n for n in ports if n.startswith(f"{cell}/") and ports[n].mode == "master"]
                todo += [self.peer[name] for name in masters if name in self.peer]
        return found

    def assign(self, space: str, path: str, offset: int, size: int) -> None:
        """Place a segment.

        Raises:
            ModelError: Not reachable, not aligned, outside the master's window or the segment, overlapping.
        """
        self.validated = False
        if path not in self.reachable(space):
            raise ModelError(f"[BD 41-1075] {path} cannot be reached from {space}")
        segment = self.segments()[path][1]
        where = f"{path} at {offset:#x} in {space}"
        if size < 4096 or size & (size - 1) or offset % size:
            raise ModelError(f"[BD 41-1075] {where}: {size:#x} bytes are no aligned power of two from 4 KiB")
        if segment.fixed and (offset < segment.base or offset + size > segment.base + segment.size):
            raise ModelError(
                f"[BD 41-1075] {where}: the segment has {segment.size:#x} bytes at {segment.base:#x}"
            )
        if not segment.fixed and size < segment.size:
            raise ModelError(f"[BD 41-1075] {where}: the slave decodes {segment.size:#x} bytes")
        windows = [self.interfaces()[master].window for master in self.spaces()[space]]
        if not any(w and w[0] <= offset and offset + size <= w[1] for w in windows):
            raise ModelError(f"[model] {where}: outside what the master can address")
        for other in self.placed:
            if other.space == space and offset < other.offset + other.size and other.offset < offset + size:
                raise ModelError(f"[BD 41-1075] {where}: overlaps {other.segment}")
        self.placed.append(Placed(space, path, offset, size))

    def exclude(self, space: str, path: str) -> None:
        if path not in self.reachable(space) or any(
            p.space == space and p.segment == path for p in self.placed
        ):
            raise ModelError(f"[model] {path} cannot be excluded from {space}")
        self.excluded.add((space, path))
