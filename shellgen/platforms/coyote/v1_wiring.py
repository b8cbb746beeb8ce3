# SPDX-License-Identifier: BSD-3-Clause
"""Connections between the core, ACCL's block design and the interfaces of Coyote v1 in the user logic.

An interface of Coyote is one of SystemVerilog, and what comes from Coyote is a ``sink``. A stream has TDATA,
TKEEP, TLAST, TID, TVALID and TREADY in small letters; a command has ``valid``, ``ready`` and ``data``.

Source: Coyote 46298860 (v1), hw/scripts/wr_hdl/template_gen/user_logic.txt and hw/hdl/pkg.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.model import NodePlan
from shellgen.model.axilite import CHANNELS, host_channels
from shellgen.platforms.coyote.streams import host_streams
from shellgen.platforms.coyote.v1_design import Network, accl_design, engine_streams
from shellgen.platforms.coyote.v1_engine import (
    QUIET,
    ROLES,
    WORDS,
    Group,
    Wire,
    engine_claim,
    engine_groups,
    engine_pins,
    memory_stream,
    signals,
)

_MEMBER = re.compile(r"(\w+)\.\w+")


@dataclass(frozen=True)
class Net:
    """A wire of the user logic; 1 bit needs no range."""

    bits: int
    name: str


@dataclass(frozen=True)
class Slice:
    """Register slices in a stream of Coyote.

    Attributes:
        outer: Coyote's interface.
        given: Whether it comes from Coyote.
    """

    outer: str
    given: bool

    @property
    def inner(self) -> str:
        """The interface on the other side of the slices."""
        return self.outer.removeprefix("axis_")

    @property
    def source(self) -> str:
        """Side where beats enter."""
        return self.outer if self.given else self.inner

    @property
    def sink(self) -> str:
        """Side where beats leave."""
        return self.inner if self.given else self.outer


@dataclass(frozen=True)
class Wiring:
    """Contents of the user logic.

    Attributes:
        sliced: Streams with register slices; none without ACCL.
        nets: Between core and block design.
        core: Ports of the core, each with what it is joined to.
        engine: Ports of the block design; none without ACCL.
        assigns: Everything else.
    """

    sliced: tuple[Slice, ...]
    nets: tuple[Net, ...]
    core: tuple[Group, ...]
    engine: tuple[Group, ...]
    assigns: tuple[Wire, ...]

    @property
    def interfaces(self) -> tuple[str, ...]:
        """Interfaces of Coyote that the user logic needs."""
        inner = {one.inner for one in self.sliced}
        joined = [value for group in (*self.core, *self.engine) for _, value in group.wires]
        found = [name for text in joined for name in _MEMBER.findall(text)]
        found += [name for target, _ in self.assigns for name in _MEMBER.findall(target)]
        found += [one.outer for one in self.sliced]
        return tuple(name for name in dict.fromkeys(found) if name not in inner)


def first_stream(network: Network | None) -> int:
    """Return the first host stream that is not ACCL's."""
    return engine_streams(network) if network else 0


def stream_count(node: NodePlan, network: Network | None) -> int:
    """Return N_STRM_AXI."""
    first = first_stream(network)
    return max([1, first, *(one.dest + 1 for one in host_streams(node, first))])


def wiring(node: NodePlan, network: Network | None) -> Wiring:
    """Decide what every port is joined to.

    Args:
        node: A checked node.
        network: What ACCL sends through; None where the node has no ACCL.
    """
    return Wiring(
        sliced=tuple(_sliced(node, network)) if network else (),
        nets=tuple(_nets(node, network)) if network else (),
        core=tuple(_core(node, network)),
        engine=tuple(engine_groups(node, network)) if network else (),
        assigns=tuple(_assigns(node, network)),
    )


def _sliced(node: NodePlan, network: Network) -> Iterator[Slice]:
    """ACCL's design has slices in every stream of memory, since what they join lies in several SLRs."""
    for kind, count in (("host", stream_count(node, network)), ("card", engine_streams(network))):
        for number in range(count):
            yield Slice(f"axis_{kind}_{number}_sink", given=True)
            yield Slice(f"axis_{kind}_{number}_src", given=False)


def _nets(node: NodePlan, network: Network) -> Iterator[Net]:
    ports = {port.name: port for port in accl_design(network).ports}
    for role, pin in engine_pins(node).items():
        shared = signals(ports[ROLES[role]])
        yield from (Net(bits, f"{pin.name}_{signal}") for signal, bits, _ in pin.signals if signal in shared)
    if claim := engine_claim(node):
        for signal, bits, _ in CHANNELS:
            yield Net(bits or claim.addr_bits, f"m_axil_{claim.name}_{signal}")
    if network == "tcp":
        yield from (Net(32, f"{name}_word") for name in WORDS)


# ---- core -----------------------------------------------------------------------------------------------
def _core(node: NodePlan, network: Network | None) -> Iterator[Group]:
    yield Group("clock and reset", ((node.clocks[0].name, "aclk"), (node.clocks[0].reset, "aresetn[0]")))
    yield Group("registers", tuple(_registers(node)))
    for one in host_streams(node, first_stream(network)):
        name = memory_stream("host", one.dest, "sink" if one.sends else "src", sliced=bool(network))
        about = f"what the host {'sends' if one.sends else 'receives'} as dest {one.dest}"
        wires = tuple((f"{one.pin.name}_{signal}", f"{name}.{signal}") for signal, _, _ in one.pin.signals)
        yield Group(about, wires)
    if network:
        yield from _engine_side(node, network)


def _registers(node: NodePlan) -> Iterator[Wire]:
    """The address is that in the card's BAR; above the window's bits it tells this vFPGA from others."""
    for signal, bits, _ in host_channels(node.lite_port_bits, node.lite_slot):
        span = f"[{bits - 1}:0]" if signal.endswith("addr") else ""
        yield f"s_axil_{signal}", f"axi_ctrl.{signal}{span}"


def _engine_side(node: NodePlan, network: Network) -> Iterator[Group]:
    """Ports that ACCL does not use are left open, or tied to constants."""
    ports = {port.name: port for port in accl_design(network).ports}
    for role, pin in engine_pins(node).items():
        shared, wires = signals(ports[ROLES[role]]), []
        for signal, _, back in pin.signals:
            given = (pin.direction == "in") != back
            alone = QUIET.get(signal, "'0") if given else ""
            wires.append((f"{pin.name}_{signal}", f"{pin.name}_{signal}" if signal in shared else alone))
        yield Group(f"ACCL: {role}", tuple(wires))
    if claim := engine_claim(node):
        names = [f"m_axil_{claim.name}_{signal}" for signal, _, _ in CHANNELS]
        yield Group("ACCL: registers", tuple((name, name) for name in names))


# ---- what is left ---------------------------------------------------------------------------------------
def _assigns(node: NodePlan, network: Network | None) -> Iterator[Wire]:
    first = first_stream(network)
    for number in range(first):
        yield from ((f"{kind}_{number}_src.tid", "'0") for kind in ("host", "card"))
    used = {(one.dest, one.sends) for one in host_streams(node, first)}
    for number in range(first, stream_count(node, network)):
        if (number, True) not in used:
            yield f"{memory_stream('host', number, 'sink', sliced=bool(network))}.tready", "1'b1"
        if (number, False) not in used:
            name = memory_stream("host", number, "src", sliced=bool(network))
            values = (("tdata", "'0"), ("tkeep", "'0"), ("tid", "'0"), ("tlast", "1'b0"), ("tvalid", "1'b0"))
            yield from ((f"{name}.{signal}", value) for signal, value in values)
    if network:
        yield f"axis_{network}_0_src.tid", "'0"
    if network == "rdma":
        yield "rdma_0_ack.ready", "1'b1"
    for name in WORDS if network == "tcp" else ():
        yield f"{name}.data", f"{{6'd0, {name}_word}}"
