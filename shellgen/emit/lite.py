# SPDX-License-Identifier: BSD-3-Clause
"""The AXI-Lite tree of a core as Verilog instances: crossbars, register slices, status registers."""

from __future__ import annotations

from dataclasses import dataclass, field

from shellgen.model import AxiLitePort, Crossbar, CrossbarPort, NodePlan, Plan
from shellgen.model.axilite import CHANNELS


@dataclass(frozen=True)
class Instance:
    """One module instance; ``connections`` are (port, expression), in order."""

    module: str
    name: str
    comment: str
    connections: tuple[tuple[str, str], ...]
    parameters: tuple[tuple[str, str], ...] = ()
    wires: tuple[str, ...] = field(default=())


# Cycles until a silent slave is answered SLVERR. A parent waits longer than its children, so that a dead
# leaf does not take its whole branch with it (ip/axil_crossbar).
TIMEOUT = 1024
TIMEOUT_STEP = 64

CLOCKED = (("aclk", "aclk"), ("aresetn", "aresetn"))


def crossbar_instances(node: NodePlan) -> list[Instance]:
    """Return the crossbars, each but the root behind a register slice."""
    parents = {
        port.target: (parent, index) for parent in node.crossbars for index, port in enumerate(parent.ports)
    }
    instances = []
    for crossbar in node.crossbars:
        upstream = "s_axil"
        if crossbar.name in parents:
            parent, index = parents[crossbar.name]
            upstream = f"{crossbar.name}_s"
            instances.append(_slice(node, crossbar, parent, index))
        instances.append(_crossbar(node, crossbar, upstream))
    return instances


def _wire(bits: int, name: str) -> str:
    return f"wire {f'[{bits - 1}:0] ' if bits > 1 else ''}{name};"


def _crossbar(node: NodePlan, crossbar: Crossbar, upstream: str) -> Instance:
    width, count = node.lite_addr_bits, len(crossbar.ports)
    bases = ", ".join(f"{width}'h{port.offset:x}" for port in reversed(crossbar.ports))
    sizes = ", ".join(f"8'd{port.size_log2}" for port in reversed(crossbar.ports))
    unused = [f"{crossbar.name}_{signal}" for signal in ("awaddr", "araddr", "awprot", "arprot")]
    slave = [(f"s_axil_{signal}", f"{upstream}_{signal}") for signal, _, _ in CHANNELS]
    master = [(f"m_axil_{signal}", f"{crossbar.name}_{signal}") for signal, _, _ in CHANNELS]
    return Instance(
        module="axil_crossbar",
        name=f"u_{crossbar.name}",
        comment="AXI-Lite to: " + ", ".join(f"{port.target} at {port.offset:#x}" for port in crossbar.ports),
        wires=(
            *(_wire(count * (bits or width), f"{crossbar.name}_{signal}") for signal, bits, _ in CHANNELS),
            # A slave sees only the address bits that it decodes, and may have no use for PROT.
            f"wire {crossbar.name}_unused = &{{1'b0, {', '.join(unused)}}};",
        ),
        parameters=(
            ("N", str(count)),
            ("ADDR_W", str(width)),
            ("BASES", f"{{{bases}}}"),
            ("SIZES_LOG2", f"{{{sizes}}}"),
            ("TIMEOUT", str(TIMEOUT + TIMEOUT_STEP * _height(node, crossbar))),
        ),
        connections=(*CLOCKED, *slave, *master),
    )


def _height(node: NodePlan, crossbar: Crossbar) -> int:
    """Levels of crossbars below this one."""
    below = [child for child in node.crossbars if any(port.target == child.name for port in crossbar.ports)]
    return max((1 + _height(node, child) for child in below), default=0)


def _slice(node: NodePlan, crossbar: Crossbar, parent: Crossbar, index: int) -> Instance:
    width = node.lite_addr_bits
    slave = [(f"s_axil_{s}", lite_net(parent, index, s, bits or width)) for s, bits, _ in CHANNELS]
    master = [(f"m_axil_{s}", f"{crossbar.name}_s_{s}") for s, _, _ in CHANNELS]
    return Instance(
        module="axil_register",
        name=f"u_{crossbar.name}_slice",
        comment=f"register slice in front of {crossbar.name}",
        wires=tuple(_wire(bits or width, f"{crossbar.name}_s_{signal}") for signal, bits, _ in CHANNELS),
        parameters=(("ADDR_W", str(width)),),
        connections=(*CLOCKED, *slave, *master),
    )


def lite_net(crossbar: Crossbar, index: int, signal: str, bits: int, used: int | None = None) -> str:
    """Return the slice of a crossbar's vector that belongs to one of its ports (``used`` low bits of it)."""
    low = index * bits
    if bits == 1:
        return f"{crossbar.name}_{signal}" if len(crossbar.ports) == 1 else f"{crossbar.name}_{signal}[{low}]"
    return f"{crossbar.name}_{signal}[{low + (used or bits) - 1}:{low}]"


def find_port(node: NodePlan, target: str) -> tuple[Crossbar, int, CrossbarPort]:
    """Return the crossbar port that serves this window."""
    return next(
        (crossbar, index, port)
        for crossbar in node.crossbars
        for index, port in enumerate(crossbar.ports)
        if port.target == target
    )


def slave_connections(node: NodePlan, window: str, port: AxiLitePort) -> list[tuple[str, str]]:
    """Connect a partition's slave; it sees the low address bits that it decodes."""
    crossbar, index, _ = find_port(node, window)
    return [
        (
            port.ports[signal.upper()],
            lite_net(crossbar, index, signal, bits or node.lite_addr_bits, None if bits else port.addr_bits),
        )
        for signal, bits, _ in CHANNELS
        if signal.upper() in port.ports
    ]


def status_instance(plan: Plan, node: NodePlan) -> Instance:
    """Return the status registers with the event inputs of every link port, receivers first."""
    crossbar, index, _ = find_port(node, "status")
    window = node.windows[0]
    rx, tx = [f"rx_{p.index}" for p in node.rx], [f"tx_{p.index}" for p in node.tx]
    ports = [f"s_axis_{p.index}" for p in node.rx] + [f"m_axis_{p.index}" for p in node.tx]
    beats = [f"{port}_tvalid && {port}_tready" for port in ports]
    stalls = [f"{port}_tvalid && !{port}_tready" for port in ports]
    errors = [("error_short", 0), ("error_long", 1), ("error_keep", 2)]
    slave = [
        (
            f"s_axil_{s}",
            lite_net(crossbar, index, s, bits or node.lite_addr_bits, None if bits else window.addr_bits),
        )
        for s, bits, _ in CHANNELS
    ]
    return Instance(
        module="shell_status",
        name="u_status",
        comment="build id, frame and beat counters, stalls, sticky framing errors",
        parameters=(
            ("BUILD_ID", f"64'h{plan.build_id}"),
            ("N_RX", str(len(rx))),
            ("N_TX", str(len(tx))),
        ),
        connections=(
            *CLOCKED,
            *slave,
            ("beat", _concat(beats)),
            ("stall", _concat(stalls)),
            ("frame_done", _concat([f"{name}_frame_done" for name in rx + tx])),
            *(
                (name, _concat([f"{net}_error[{bit}]" for net in rx]) if rx else "1'b0")
                for name, bit in errors
            ),
        ),
    )


def _concat(parts: list[str]) -> str:
    return "{" + ", ".join(reversed(parts)) + "}"
