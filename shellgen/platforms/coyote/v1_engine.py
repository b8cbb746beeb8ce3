# SPDX-License-Identifier: BSD-3-Clause
"""The ports of ACCL's block design: which belong to the core, which to Coyote, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.model import Claim, NodePlan, Pin
from shellgen.model.axilite import CHANNELS
from shellgen.platforms.coyote.streams import ENGINE
from shellgen.platforms.coyote.v1_design import (
    CONTROL,
    CONTROL_BITS,
    Network,
    StreamPort,
    accl_design,
    engine_streams,
)

# Stream of the block design by the role of the core's interface.
ROLES = {
    "command": "s_axis_command",
    "status": "m_axis_status",
    "to_cclo": "s_axis_krnl",
    "from_cclo": "m_axis_krnl",
}
# What an input is held at where nobody drives it, if not at 0; what nobody takes is dropped.
QUIET = {"tkeep": "'1", "tlast": "1'b0", "tvalid": "1'b0", "tready": "1'b1"}
# Commands in whose highest 6 bits Coyote has the number of a process, and ACCL nothing.
WORDS = ("tcp_0_rd_pkg", "tcp_0_tx_meta")
ID_BITS = 6

Wire = tuple[str, str]


@dataclass(frozen=True)
class Group:
    """Ports that belong together, each with what it is joined to.

    Attributes:
        about: What they are for.
        wires: Port and expression; an empty one leaves the port open.
    """

    about: str
    wires: tuple[Wire, ...]


@dataclass(frozen=True)
class _End:
    """An interface of Coyote.

    Attributes:
        name: Of the interface.
        bits: Of a command; 0: it is a stream.
    """

    name: str
    bits: int = 0


COMMANDS: dict[Network, dict[str, _End]] = {
    "rdma": {
        "s_axis_rdma_wr_req": _End("rdma_0_wr_req", 96),
        "s_axis_rdma_rd_req": _End("rdma_0_rd_req", 96),
        "m_axis_rdma_sq": _End("rdma_0_sq", 512),
    },
    "tcp": {
        "s_axis_eth_notification": _End("tcp_0_notify", 88),
        "s_axis_eth_rx_meta": _End("tcp_0_rx_meta", 16),
        "s_axis_eth_tx_status": _End("tcp_0_tx_stat", 64),
        "m_axis_eth_read_pkg": _End("tcp_0_rd_pkg", 38),
        "m_axis_eth_tx_meta": _End("tcp_0_tx_meta", 38),
    },
}


def has_engine(node: NodePlan) -> bool:
    """Tell whether a link of the node uses ACCL."""
    return any(one.dock == ENGINE for one in node.attachments)


def engine_pins(node: NodePlan) -> dict[str, Pin]:
    """Return the core's interfaces to ACCL, by role."""
    return {pin.role: pin for one in node.attachments if one.dock == ENGINE for pin in one.pins}


def engine_claim(node: NodePlan) -> Claim | None:
    """Return the window through which the host reaches ACCL, if any."""
    claims = [claim for one in node.attachments if one.dock == ENGINE for claim in one.claims if claim.leaves]
    return claims[0] if claims else None


def signals(port: StreamPort) -> tuple[str, ...]:
    """Return the names of the signals of a port that are used."""
    marks = ("tkeep", "tlast") if port.marked else ()
    return ("tdata", *marks, *(("tdest",) if port.dest_bits else ()), "tvalid", "tready")


def memory_stream(kind: str, number: int, way: str, *, sliced: bool) -> str:
    """Return the name of a stream of memory as core and block design see it: behind slices, if any."""
    return f"{'' if sliced else 'axis_'}{kind}_{number}_{way}"


def engine_groups(node: NodePlan, network: Network) -> Iterator[Group]:
    """Return all ports of the block design but outputs that go nowhere.

    The wrapper has these or not as Vivado likes, so they must not be named.
    """
    yield Group("clock and reset", (("aclk", "aclk"), ("aresetn", "aresetn[0]")))
    yield Group("registers", tuple(_registers(engine_claim(node))))
    pins = {ROLES[role]: pin for role, pin in engine_pins(node).items()}
    ends, ports = _ends(network), accl_design(network).ports
    for port in ports:
        if port.name not in ends:
            yield Group(f"core: {port.name}", tuple(_kernel_port(port, pins.get(port.name))))
    for port in ports:
        if port.name in ends:
            yield Group(f"Coyote: {port.name}", tuple(_coyote_port(port, ends[port.name])))


def _registers(claim: Claim | None) -> Iterator[Wire]:
    """The core decodes the host's window, and forwards ACCL's part with 4 bytes a register."""
    for signal, bits, driven in CHANNELS:
        if claim:
            name = f"m_axil_{claim.name}_{signal}"
            spare = 0 if bits else CONTROL_BITS - claim.addr_bits
            yield f"{CONTROL}_{signal}", f"{{{spare}'d0, {name}}}" if spare else name
        elif driven:
            yield f"{CONTROL}_{signal}", "'0"


def _kernel_port(port: StreamPort, pin: Pin | None) -> Iterator[Wire]:
    """A stream to or from the core, or held quiet where the core has none."""
    here = {signal for signal, _, _ in pin.signals} if pin else set()
    for signal in signals(port):
        if pin and signal in here:
            yield f"{port.name}_{signal}", f"{pin.name}_{signal}"
        elif (port.mode == "Slave") != (signal == "tready"):
            yield f"{port.name}_{signal}", QUIET.get(signal, "'0")


def _ends(network: Network) -> dict[str, _End]:
    """Return what the ports of the block design are in Coyote."""
    found = {}
    for way in ("rd", "wr"):
        found[f"cyt_byp_{way}_cmd"] = _End(f"bpss_{way}_req", 96)
        found[f"cyt_byp_{way}_sts"] = _End(f"bpss_{way}_done", 13)
    for number in range(engine_streams(network)):
        for kind in ("host", "card"):
            for port, way in (("s_axis", "sink"), ("m_axis", "src")):
                found[f"{port}_{kind}_{number}"] = _End(memory_stream(kind, number, way, sliced=True))
    found["s_axis_eth_rx_data"] = _End(f"axis_{network}_0_sink")
    found["m_axis_eth_tx_data"] = _End(f"axis_{network}_0_src")
    return found | COMMANDS[network]


def _coyote_port(port: StreamPort, end: _End) -> Iterator[Wire]:
    bits = 8 * port.data_bytes
    if not end.bits:
        for signal in signals(port):
            number = f"{{{port.dest_bits - ID_BITS}'d0, {end.name}.tid}}"
            yield f"{port.name}_{signal}", number if signal == "tdest" else f"{end.name}.{signal}"
        return
    data = f"{end.name}.data"
    if end.name in WORDS:
        data = f"{end.name}_word"
    elif end.bits < bits:
        data = f"{{{bits - end.bits}'d0, {data}}}"
    yield f"{port.name}_tdata", data
    if port.marked and port.mode == "Slave":
        yield f"{port.name}_tkeep", "'1"
        yield f"{port.name}_tlast", "1'b1"
    yield f"{port.name}_tvalid", f"{end.name}.valid"
    yield f"{port.name}_tready", f"{end.name}.ready"
