# SPDX-License-Identifier: BSD-3-Clause
"""The core as an RTL kernel: names, interfaces and registers as Vitis wants them (UG1393)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from shellgen.model import MemoryPort, NodePlan, Pin
from shellgen.model.axilite import host_channels
from shellgen.registers import map_block
from shellgen.render import bit_range

INSTANCE = "core_0"
CONTROL = "s_axi_control"
AXIMM = "xilinx.com:interface:aximm:1.0"
AXIS = "xilinx.com:interface:axis:1.0"
# Ports of a kernel by those of a core: clock, reset, and a second pair.
CLOCKS = (("ap_clk", "ap_rst_n"), ("ap_clk_2", "ap_rst_n_2"))
RING_PORT = "ddr_ring_port"  # the block with the addresses of streams in memory
# XRT maps whole pages.
PAGE = 0x1000


@dataclass(frozen=True)
class KernelPort:
    """A port of the kernel.

    Attributes:
        declaration: Direction, range and name.
        core: Port of the core that it is wired to.
        name: Its name.
        signal: What it is in its interface, in AXI's words.
    """

    declaration: str
    core: str
    name: str
    signal: str


@dataclass(frozen=True)
class Interface:
    """An interface of the kernel.

    Attributes:
        name: As in kernel.xml and link.cfg.
        vlnv: Kind of bus.
        about: What it is for.
        ports: Its ports.
        direction: ``in`` is a slave.
        kind: Type of a stream in kernel.xml; empty for registers and masters.
        bits: Data of a stream or a master.
    """

    name: str
    vlnv: str
    about: str
    ports: tuple[KernelPort, ...]
    direction: str
    kind: str = ""
    bits: int = 32


@dataclass(frozen=True)
class KernelClock:
    """A clock of the kernel, its reset, and the ports of the core that they drive."""

    name: str
    reset: str
    core: str
    core_reset: str


@dataclass(frozen=True)
class Argument:
    """A register as kernel.xml names it."""

    name: str
    offset: int


def kernel_name(node: NodePlan) -> str:
    """Return the name of a node's kernel."""
    return f"{node.name}_kernel"


def control_bytes(node: NodePlan) -> int:
    """Return how far the registers of a kernel reach."""
    return max(PAGE, 1 << node.lite_port_bits)


def clocks(node: NodePlan) -> tuple[KernelClock, ...]:
    """Return the clocks of a kernel."""
    return tuple(
        KernelClock(name, reset, clock.name, clock.reset)
        for (name, reset), clock in zip(CLOCKS, node.clocks, strict=False)
    )


def interfaces(node: NodePlan) -> tuple[Interface, ...]:
    """Return the interfaces of a kernel: registers, then streams in the order of the core, then masters."""
    ports = _addressed(CONTROL, "s_axil", host_channels(node.lite_port_bits, node.lite_slot))
    control = Interface(CONTROL, AXIMM, "registers (memory_map.json)", ports, "in")
    streams = [
        _stream(pin, f"{attachment.name}: {pin.role}")
        for attachment in node.attachments
        for pin in attachment.pins
    ]
    return (control, *streams, *map(_master, node.memory_ports))


def _master(port: MemoryPort) -> Interface:
    ports = _addressed(port.name, port.name, port.signals)
    return Interface(port.name, AXIMM, "a stream in memory", ports, "out", bits=port.data_bits)


def _addressed(name: str, core: str, signals: Iterable[tuple[str, int, bool]]) -> tuple[KernelPort, ...]:
    """Return the ports of an interface with addresses, and those of the core that they are wired to."""
    return tuple(
        KernelPort(
            _declaration("input" if driven else "output", bits, f"{name}_{signal}"),
            f"{core}_{signal}",
            f"{name}_{signal}",
            signal.upper(),
        )
        for signal, bits, driven in signals
    )


def _stream(pin: Pin, about: str) -> Interface:
    ways = ("input", "output") if pin.direction == "in" else ("output", "input")
    vectors = ("tdata", "tkeep", "tid", "tdest", "tuser")
    ports = tuple(
        KernelPort(
            _declaration(ways[back], bits, f"{pin.name}_{signal}", vector=signal in vectors),
            f"{pin.name}_{signal}",
            f"{pin.name}_{signal}",
            signal.upper(),
        )
        for signal, bits, back in pin.signals
    )
    sides = f"{pin.tdata_bits},{pin.tuser_bits},{pin.tid_bits},{pin.tdest_bits}"
    return Interface(
        pin.name, AXIS, about, ports, pin.direction, f"stream<ap_axiu<{sides}>>&", pin.tdata_bits
    )


def _declaration(direction: str, bits: int, name: str, vector: bool = False) -> str:
    span = bit_range(bits) if bits > 1 or vector else ""
    return f"{direction:<6} wire {span:<8} {name}"


def pointers(node: NodePlan) -> tuple[Argument, ...]:
    """Return the registers that hold where a master's memory begins, as the argument of that master."""
    own = next((one for one in node.windows if one.block == RING_PORT), None)
    if own is None:
        return ()
    block = map_block(node, own)
    base = next(register for register in block.registers if register.name == "BASE_LOW")
    places = [
        block.base + base.offset + number * (base.stride or 0) for number in range(len(node.memory_ports))
    ]
    return tuple(
        Argument(port.name.removeprefix("m_axi_"), offset)
        for port, offset in zip(node.memory_ports, places, strict=True)
    )


def arguments(node: NodePlan) -> tuple[Argument, ...]:
    """Return the core's own registers, for programs that find them by name."""
    return tuple(_arguments(node))


def _arguments(node: NodePlan) -> Iterator[Argument]:
    status = map_block(node, node.status)
    for register in status.registers:
        for name, offset in register.elements:
            yield Argument(f"{status.name}_{name}".lower(), offset)
