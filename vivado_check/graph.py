# SPDX-License-Identifier: BSD-3-Clause
"""Connections of a block design down to the pins of its IP, through hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .automation import board_preset, doubt_preset, is_open, preset_cells
from .design import Cell, Design, InterfacePin, Pin
from .ip.facts import CLOCK, INTERRUPT, RESET, Catalogue, Ip, IpInterface, IpPort, Resolved
from .joins import Joins
from .report import Origin

SIGNALS = {"clk": (CLOCK, "CLK"), "rst": (RESET, "RST"), "intr": (INTERRUPT, "INTERRUPT")}
# What a port of the design is to those inside.
_INSIDE = {"I": "out", "O": "in", "IO": "inout"}
_MODES = {"master": "slave", "slave": "master", "mirroredmaster": "mirroredSlave"}
MODULE_REFERENCE = "xilinx.com:module_ref:{}:1.0"


def split_path(path: str) -> tuple[str, str]:
    """Return the cell and the name of a pin or interface; the cell of a port of the design is ``/``."""
    cell, _, name = path.rpartition("/")
    return cell or "/", name


def pin_path(cell: str, name: str) -> str:
    """Return the path of a pin or interface of a cell."""
    return f"{cell.rstrip('/')}/{name}"


def associated(clock: IpInterface, parameter: str) -> tuple[str, ...]:
    """Return the names that a clock's ASSOCIATED_BUSIF or ASSOCIATED_RESET lists."""
    return tuple(name.strip() for name in clock.params.get(parameter, "").split(":") if name.strip())


def bus_type(vlnv: str) -> str:
    """Return the bus of an interface, which block designs name by its abstraction (``aximm_rtl``)."""
    parts = vlnv.split(":")
    if len(parts) == 4:
        parts[2] = parts[2].removesuffix("_rtl")
    return ":".join(parts)


@dataclass(frozen=True)
class _Ends:
    """Ends of a net, those that drive it, and whether one does or may."""

    ends: tuple[str, ...]
    drivers: tuple[str, ...]
    driven: bool


class Graph:
    """Drivers and loads of all nets.

    Paths are of pins of IP and of ports of the design; those of hierarchies are passed through. What lies
    behind a container is not known.

    Attributes:
        pins: Nets of pins, joined through hierarchies.
        buses: Likewise of interfaces.
        open: Whether automation connected more than the record holds, or the script stopped half way: then
            nothing may be said to be missing.
    """

    def __init__(
        self, design: Design, catalogue: Catalogue, release: str, *, finished: bool = True, board: str = ""
    ) -> None:
        self.design = design
        self.catalogue = catalogue
        self.release = release
        self.pins = Joins(design.nets.values())
        self.buses = Joins(design.interface_nets.values())
        self.open = is_open(design) or not finished
        self._presets = preset_cells(design)
        self._board = board_preset(board)
        self._ends: dict[int, _Ends] = {}
        self._ips: dict[str, Ip | None] = {}
        self._resolved: dict[str, Resolved | None] = {}
        self._signals: dict[str, dict[str, IpInterface]] = {}
        self._clocks: dict[str, dict[str, str]] = {}

    def has_preset(self, cell: str) -> bool:
        """Return whether a board or a preset sets parameters of a cell, besides the script."""
        return cell in self._presets

    # ---- cells ------------------------------------------------------------------------------------------
    def config(self, cell: str) -> Mapping[str, str]:
        """Return the ``CONFIG.*`` of a cell as the script set them."""
        return {name: setting.value for name, setting in self.design.cells[cell].config.items()}

    def ip(self, cell: str) -> Ip | None:
        """Return the facts of a cell's IP or module, None if there are none or it is no cell of an IP."""
        if cell not in self._ips:
            self._ips[cell] = self._find(cell)
        return self._ips[cell]

    def _find(self, cell: str) -> Ip | None:
        found = self.design.cells.get(cell)
        if found is None or found.kind in ("hier", "container"):
            return None
        vlnv = MODULE_REFERENCE.format(found.reference) if found.kind == "module" else found.vlnv
        return self.catalogue.find(vlnv, self.release)

    def resolved(self, cell: str) -> Resolved | None:
        """Return a cell's pins and interfaces in its configuration, None if its IP is not known."""
        if cell not in self._resolved:
            ip = self.ip(cell)
            resolved = self._resolve(ip, cell) if ip else None
            self._resolved[cell] = _overridden(self.design.cells[cell], resolved) if resolved else None
        return self._resolved[cell]

    def _resolve(self, ip: Ip, cell: str) -> Resolved:
        config = self.config(cell)
        if cell not in self._presets:
            return ip.resolve(config)
        if self._presets[cell] and self._board is not None:
            return ip.resolve({**self._board, **config})
        return doubt_preset(ip, config, ip.resolve(config))

    # ---- pins and interfaces ----------------------------------------------------------------------------
    def port(self, path: str) -> IpPort | None:
        """Return a pin (a port of the design as seen from inside: an input drives), None if not known."""
        cell, name = split_path(path)
        if cell == "/":
            pin = self.design.cells["/"].pins.get(name)
            return _inside_pin(pin) if pin and pin.direction in _INSIDE else None
        resolved = self.resolved(cell)
        return resolved.ports.get(name) if resolved else None

    def signal(self, path: str) -> IpInterface | None:
        """Return what a pin is as a clock, reset or interrupt, None if it is none or not known."""
        cell, name = split_path(path)
        return self.signals(cell).get(name)

    def signals(self, cell: str) -> Mapping[str, IpInterface]:
        """Return what the pins of a cell are as clocks, resets or interrupts, by their names."""
        if cell not in self._signals:
            self._signals[cell] = self._signals_of(cell)
        return self._signals[cell]

    def _signals_of(self, cell: str) -> dict[str, IpInterface]:
        if cell == "/":
            pins = self.design.cells["/"].pins.values()
            return {pin.name: _inside_signal(pin) for pin in pins if pin.type in SIGNALS}
        resolved = self.resolved(cell)
        found = {}
        for interface in resolved.interfaces.values() if resolved else ():
            if interface.vlnv in (CLOCK, RESET, INTERRUPT):
                found.update(dict.fromkeys(interface.ports.values(), interface))
        return found

    def interface(self, path: str) -> IpInterface | None:
        """Return an interface (one of the design as seen from inside: a Slave port is a master)."""
        cell, name = split_path(path)
        if cell == "/":
            declared = self.design.cells["/"].interfaces.get(name)
            return _inside_interface(declared) if declared and declared.vlnv else None
        resolved = self.resolved(cell)
        return resolved.interfaces.get(name) if resolved else None

    # ---- nets -------------------------------------------------------------------------------------------
    def is_end(self, path: str) -> bool:
        """Return whether a path is of an IP or a port of the design, and no mere pin of a hierarchy."""
        cell, _ = split_path(path)
        found = self.design.cells.get(cell)
        return cell == "/" or found is None or found.kind != "hier"

    def ends(self, path: str) -> tuple[str, ...]:
        """Return all ends of a pin's net, itself among them if it is one, in the order of the script."""
        return self._net(path).ends

    def _net(self, path: str) -> _Ends:
        group = self.pins.group(path)
        if id(group) not in self._ends:
            ends = tuple(filter(self.is_end, group))
            ports = {end: self.port(end) for end in ends}
            drivers = tuple(end for end, port in ports.items() if port and port.direction == "out")
            self._ends[id(group)] = _Ends(
                ends, drivers, any(port is None or port.direction != "in" for port in ports.values())
            )
        return self._ends[id(group)]

    def drivers(self, pin: str) -> tuple[str, ...]:
        """Return every end of a pin's net that is known to drive it."""
        return self._net(pin).drivers

    def driver(self, pin: str) -> str | None:
        """Return what drives a pin, None if nothing is known to."""
        return next(iter(self.drivers(pin)), None)

    def may_be_driven(self, pin: str) -> bool:
        """Return whether something drives a pin, or may: an end that is not known, a connected bus."""
        return self.open or self._net(pin).driven or self._driven_by_bus(pin)

    def _driven_by_bus(self, pin: str) -> bool:
        cell, name = split_path(pin)
        resolved = self.resolved(cell) if cell != "/" else None
        return resolved is not None and any(
            name in interface.ports.values() and f"{cell}/{interface.name}" in self.buses.origins
            for interface in resolved.interfaces.values()
        )

    def loads(self, pin: str) -> tuple[str, ...]:
        """Return the other ends of a pin's net, in the order of the script."""
        return tuple(end for end in self.ends(pin) if end != pin)

    def bus_ends(self, interface: str) -> tuple[str, ...]:
        """Return all ends of an interface's net, itself and monitors among them."""
        return tuple(filter(self.is_end, self.buses.group(interface)))

    def is_monitor(self, interface: str) -> bool:
        """Return whether an interface only looks at what it is connected to."""
        found = self.interface(interface)
        return found is not None and found.mode.lower() == "monitor"

    def peer(self, interface: str) -> str | None:
        """Return the other end of an interface's net, monitors left out."""
        others = [end for end in self.bus_ends(interface) if end != interface and not self.is_monitor(end)]
        if len(others) > 1:  # perhaps monitors that are not known: the opposite is the one with another mode
            here = self.interface(interface)
            others = [
                end
                for end in others
                if here and (there := self.interface(end)) and there.mode.lower() != here.mode.lower()
            ]
        return others[0] if len(others) == 1 else None

    def joined(self, path: str) -> Origin:
        """Return the line that connected a pin or an interface, else the one that made its cell."""
        origin = self.pins.origins.get(path) or self.buses.origins.get(path)
        return origin or self.design.cells[split_path(path)[0]].origin

    # ---- clocks -----------------------------------------------------------------------------------------
    def clock_of(self, interface: str) -> str | None:
        """Return the pin that clocks an interface (ASSOCIATED_BUSIF), None if not known."""
        cell, name = split_path(interface)
        if cell not in self._clocks:
            self._clocks[cell] = self._clocks_of(cell)
        return self._clocks[cell].get(name.lower())

    def _clocks_of(self, cell: str) -> dict[str, str]:
        """Return the clock pin of each interface of a cell, by its name in lower case."""
        found: dict[str, str] = {}
        for pin, signal in self.signals(cell).items():
            if signal.vlnv == CLOCK:
                for bus in associated(signal, "ASSOCIATED_BUSIF"):
                    found.setdefault(bus.lower(), pin_path(cell, pin))
        return found

    def source_of_clock(self, pin: str) -> str | None:
        """Return where a clock comes from: the pin of an IP or a port that no IP only passes on."""
        seen = {pin}
        source = self.driver(pin)
        while source is not None and (before := self._before_buffer(source)) and before not in seen:
            seen.add(before)
            if (further := self.driver(before)) is None:
                break
            source = further
        return source

    def _before_buffer(self, pin: str) -> str | None:
        """Return the input that a global clock buffer of one bit forwards unchanged."""
        cell, name = split_path(pin)
        found = self.design.cells.get(cell)
        port = self.port(pin)
        if not found or ":util_ds_buf" not in found.vlnv or port is None or port.bits != 1:
            return None
        return f"{cell}/{name[:-1]}I" if name in ("BUFG_O", "BUFH_O", "BUFR_O") else None


def _overridden(cell: Cell, resolved: Resolved) -> Resolved:
    """Return an IP with the CONFIG that a script set on single interfaces and pins."""
    changed: dict[str, dict[str, str]] = {}
    for name, setting in cell.properties.items():
        pin, slash, parameter = name.partition("/")
        if slash and parameter.startswith("CONFIG."):
            changed.setdefault(pin, {})[parameter.removeprefix("CONFIG.")] = setting.value
    if not changed:
        return resolved
    found = dict(resolved.interfaces)
    for name, interface in resolved.interfaces.items():
        pins = (name, *(interface.ports.values() if interface.vlnv in (CLOCK, RESET, INTERRUPT) else ()))
        given = [changed[pin] for pin in pins if pin in changed]
        for params in given:
            found[name] = replace(interface, params={**interface.params, **params})
    return replace(resolved, interfaces=found)


def _inside_pin(pin: Pin) -> IpPort:
    return IpPort(pin.name, _INSIDE[pin.direction], pin.left, pin.right)  # type: ignore[arg-type]


def _inside_signal(pin: Pin) -> IpInterface:
    vlnv, logical = SIGNALS[pin.type]
    params = {name: setting.value for name, setting in pin.config.items()}
    mode = "master" if pin.direction == "I" else "slave"
    return IpInterface(pin.name, mode, vlnv, params, {logical: pin.name})


def _inside_interface(declared: InterfacePin) -> IpInterface:
    mode = declared.mode.lower()
    params = {name: setting.value for name, setting in declared.config.items()}
    return IpInterface(declared.name, _MODES.get(mode, mode), bus_type(declared.vlnv), params)
