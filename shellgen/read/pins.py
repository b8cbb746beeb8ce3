# SPDX-License-Identifier: BSD-3-Clause
"""A module's pins, grouped into interfaces, and their translation to the ports of a `Partition`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from shellgen.errors import Problem
from shellgen.model import AxiLitePort, OtherPort, StreamPort
from shellgen.model.axilite import SIGNALS
from shellgen.model.names import is_name

Kind = Literal["stream", "lite", "memory", "clock", "reset", "other"]


@dataclass(frozen=True)
class Pin:
    """One Verilog port."""

    name: str
    direction: Literal["in", "out"]
    bits: int


@dataclass(frozen=True)
class Interface:
    """Pins that belong together.

    Attributes:
        name: As the packager or FINN's metadata calls it.
        kind: ``memory`` is a full AXI port or an AXI-Lite master.
        master: Whether the module starts the transfers.
        ports: Pin by upper-case AXI signal.
    """

    name: str
    kind: Kind
    master: bool
    ports: dict[str, str]


@dataclass(frozen=True)
class Boundary:
    """All pins of a module and their interfaces.

    Attributes:
        module: Name of the module.
        pins: In the order of the port list.
        interfaces: In the order found.
        where: Source file, for messages.
    """

    module: str
    pins: tuple[Pin, ...]
    interfaces: tuple[Interface, ...]
    where: str

    def of(self, kind: Kind) -> tuple[Interface, ...]:
        """Return the interfaces of one kind, by the number at the end of their names."""
        found = [interface for interface in self.interfaces if interface.kind == kind]
        return tuple(sorted(found, key=lambda interface: _index(interface.name)))


def _index(name: str) -> tuple[int, str]:
    match = re.search(r"(\d+)$", name)
    return (int(match[1]) if match else 0, name)


@dataclass(frozen=True)
class Ports:
    """The part of a `Boundary` that becomes part of a `Partition`."""

    clock: str
    clock2x: str | None
    reset: str
    streams: tuple[StreamPort, ...]
    axilite: tuple[AxiLitePort, ...]
    others: tuple[OtherPort, ...]


def is_dma(boundary: Boundary) -> bool:
    """Tell FINN's IODMA from a compute partition by its pins: a memory port and one stream.

    Source: idma0 and odma0 as FINN's ZynqBuild makes them.
    """
    return bool(boundary.of("memory")) and len(boundary.of("stream")) == 1


def ports_of(
    boundary: Boundary, problems: list[Problem], layer: Callable[[str, int], str | None]
) -> Ports | None:
    """Translate a boundary; what does not fit goes to ``problems`` and the answer is None.

    Args:
        boundary: What the module has.
        problems: Receives what a partition cannot have.
        layer: Names the layer behind a memory port, by the port's name and its index among them.
    """
    start = len(problems)
    pins = {pin.name: pin for pin in boundary.pins}
    _check_pins(boundary, pins, problems)
    clocks = _named(boundary, "clock", "CLK", ("ap_clk", "aclk", "clk"))
    doubled = [name for name in clocks if "2x" in name.lower()]
    plain = [name for name in clocks if name not in doubled]
    resets = _named(boundary, "reset", "RST", ("ap_rst_n", "aresetn", "rst_n"))
    for what, found in (("clock", plain), ("reset", resets)):
        if len(found) != 1:
            text = f"{len(found)} {what} ports ({', '.join(found) or 'none'}); a partition has one"
            problems.append(
                Problem(boundary.where, text, "Rebuild the partition with FINN's CreateStitchedIP")
            )
    if not boundary.of("stream"):
        remedy = "Name the stitched IP of a compute partition (its ip/component.xml has s_axis_0, m_axis_0)"
        problems.append(Problem(boundary.where, "it has no AXI4-Stream interface", remedy))
    memories = enumerate(boundary.of("memory"))
    problems.extend(_memory_problem(boundary, one, layer(one.name, index)) for index, one in memories)
    if len(problems) > start:
        return None
    taken = {plain[0], resets[0], *doubled}
    for interface in boundary.interfaces:
        kept = _CONNECTED if interface.kind == "stream" else interface.ports
        taken.update(pin for signal, pin in interface.ports.items() if signal in kept)
    streams = [_stream(interface, pins) for interface in boundary.of("stream")]
    return Ports(
        clock=plain[0],
        clock2x=doubled[0] if doubled else None,
        reset=resets[0],
        streams=tuple(sorted(streams, key=lambda port: port.direction != "in")),
        axilite=tuple(_lite(interface, pins) for interface in boundary.of("lite")),
        others=tuple(
            OtherPort(name=pin.name, direction=pin.direction, bits=pin.bits)
            for pin in boundary.pins
            if pin.name not in taken
        ),
    )


# Signals of a stream that the core drives or reads; TUSER, TID and TDEST are ports like any other.
_CONNECTED = {"TDATA", "TVALID", "TREADY", "TLAST", "TKEEP", "TSTRB"}
# AXI4-Lite without PROT, which HLS leaves out.
_LITE = tuple(signal for signal in SIGNALS if not signal.endswith("PROT"))


_WIDEST = 1 << 20  # bits of a port
_ADDRESS = 40  # of an AXI-Lite slave: what a Zynq UltraScale+ can address


def _check_pins(boundary: Boundary, pins: dict[str, Pin], problems: list[Problem]) -> None:
    texts = [boundary.module, *pins, *(one.name for one in (*boundary.of("stream"), *boundary.of("lite")))]
    for text in dict.fromkeys(texts):
        if not is_name(text):
            found = f"it has a name {text!r:.80}, which is not a plain Verilog identifier"
            problems.append(Problem(boundary.where, found, "Package the IP again with another name"))
    for port in boundary.pins:
        if port.bits > _WIDEST:
            found = f"its port {port.name} has {port.bits} bits"
            problems.append(Problem(boundary.where, found, f"Package the IP again; {_WIDEST} are the most"))
    for one in boundary.of("lite"):
        for signal in ("AWADDR", "ARADDR"):
            wide = pins[one.ports[signal]].bits if one.ports.get(signal) in pins else 0
            if wide > _ADDRESS:
                found = f"its {signal} has {wide} bits"
                remedy = f"Package the IP again; {_ADDRESS} are the most"
                problems.append(Problem(f"{boundary.where}: {one.name}", found, remedy))
    needed = {"stream": ("TDATA", "TVALID", "TREADY"), "lite": _LITE}
    for interface in boundary.interfaces:
        where = f"{boundary.where}: {interface.name}"
        for signal in needed.get(interface.kind, ()):
            if signal not in interface.ports:
                remedy = "Package the IP again with its whole interface"
                problems.append(Problem(where, f"it has no {signal}", remedy))
        for signal, pin in interface.ports.items():
            if pin not in pins:
                found = f"{signal} is mapped to port {pin}, which the module does not have"
                problems.append(Problem(where, found, "Package the IP again"))


def _memory_problem(boundary: Boundary, interface: Interface, layer: str | None) -> Problem:
    whose = f"of layer {layer}" if layer else "of a layer that no ONNX describes"
    found = f"it is an AXI memory port {whose}, and a partition may have only streams and AXI-Lite"
    remedy = "Build that layer with mem_mode internal_decoupled, or external for weights as a stream; "
    remedy += "a DMA of FINN's (IODMA) belongs outside: name the partitions before InsertIODMA"
    return Problem(f"{boundary.where}: {interface.name}", found, remedy)


def _named(boundary: Boundary, kind: Kind, signal: str, usual: tuple[str, ...]) -> list[str]:
    """Return the clock or reset pins: as declared, else by FINN's usual names."""
    declared = [interface.ports[signal] for interface in boundary.of(kind) if signal in interface.ports]
    if declared:
        return list(dict.fromkeys(declared))
    names = {pin.name.lower(): pin.name for pin in boundary.pins if pin.direction == "in"}
    found = [names[name] for name in usual if name in names]
    doubled = [names["ap_clk2x"]] if kind == "clock" and "ap_clk2x" in names else []
    return found + doubled


def _stream(interface: Interface, pins: dict[str, Pin]) -> StreamPort:
    return StreamPort(
        name=interface.name,
        direction="out" if interface.master else "in",
        tdata_bits=pins[interface.ports["TDATA"]].bits,
        ports={signal: pin for signal, pin in interface.ports.items() if signal in _CONNECTED},
    )


def _lite(interface: Interface, pins: dict[str, Pin]) -> AxiLitePort:
    return AxiLitePort(
        name=interface.name,
        addr_bits=pins[interface.ports["AWADDR"]].bits,
        data_bits=pins[interface.ports["WDATA"]].bits,
        ports=interface.ports,
    )
