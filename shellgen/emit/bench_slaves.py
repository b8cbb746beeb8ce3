# SPDX-License-Identifier: BSD-3-Clause
"""The AXI-Lite slaves of a core: those of its partitions, those of links beside it, and its own registers.

The bench monitors the pins of each (``sim/axil_watch.sv``). A gate (``sim/axil_gate.sv``) can delay all of
them except the core's own, and make them fail.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from shellgen.emit.bench_gates import gate_mode
from shellgen.emit.taps import inner_clock, node_clock
from shellgen.model import Artifact, NodePlan, Plan, Window
from shellgen.model.axilite import CHANNELS

REGISTER_BITS = 32
_REGISTERS = re.compile(r"\b(u_\w+) \(.*?\.s_axil_awvalid\((\w+)_axil_awvalid\)", re.DOTALL)
# Signals that axil_watch monitors at the pins of a slave.
WATCHED = tuple(name for name, _, _ in CHANNELS)


@dataclass(frozen=True)
class BenchSlave:
    """A slave of a core.

    Attributes:
        number: Number on the node, from 1.
        region: Its name in the memory map.
        clock: The bench's net of its clock; a net inside would tick a delta cycle later.
        reset: Path of its reset; for a slave beside the core, the core's reset.
        mode: Path of the variable with its behaviour; empty if bench_top has the gate, or there is none.
        inner: Prefix of the nets at the core's pins, if bench_top has the gate.
        outer: Prefix of the nets at the slave's model, if bench_top has the gate.
        signals: Signals and their bits, if bench_top has the gate.
        addr_bits: Address bits of its port.
        shift: Left shift of a register address in the host's space, in bits.
        own: Whether it is the core's own, which is never delayed.
        compared: 1 if it gets the host's accesses unchanged and without delay: no bridge, no second clock.
        watched: Monitored signals with their paths; the host's signal if it has no such port.
        prot: 1 if it has AWPROT and ARPROT.
        strb: 1 if it has WSTRB.
    """

    number: int
    region: str
    clock: str
    reset: str
    addr_bits: int
    shift: int
    compared: int
    watched: tuple[tuple[str, str], ...]
    own: bool = False
    mode: str = ""
    inner: str = ""
    outer: str = ""
    signals: tuple[tuple[str, int], ...] = ()
    prot: int = 1
    strb: int = 1


def bench_slaves(plan: Plan, node: NodePlan) -> tuple[BenchSlave, ...]:
    """Return the slaves of a node's partitions, by partition and port, then the others."""
    within = _of_partitions(plan, node)
    beside = [_beside(node, window, len(within) + k) for k, window in enumerate(leaving(node), 1)]
    return (*within, *beside)


def own_slaves(node: NodePlan, blocks: Mapping[str, str], first: int) -> tuple[BenchSlave, ...]:
    """Return the register blocks in a core.

    Args:
        node: Node of the core.
        blocks: Result of `register_blocks`.
        first: Number of the first slave.
    """
    return tuple(_own(node, window, blocks, number) for number, window in enumerate(own_windows(node), first))


def own_windows(node: NodePlan) -> tuple[Window, ...]:
    """Return the windows of the register blocks in a core."""
    return tuple(window for window in node.windows if window.kind in {"status", "bridge", "block"})


def register_blocks(core: Artifact) -> dict[str, str]:
    """Return the instance of the register block of each claim in a core, by the claim's name."""
    text = core.content.decode()
    statements = (one for one in text.split(");") if ".s_axil_awvalid(" in one)
    return {match[2]: match[1] for one in statements for match in _REGISTERS.finditer(one)}


def leaving(node: NodePlan) -> tuple[Window, ...]:
    """Return the windows whose slaves are beside the core."""
    return tuple(window for window in node.windows if window.kind == "master")


def master_net(node: NodePlan, window: Window) -> str:
    """Return the prefix of the nets at which a link's bench template connects the slave of such a window."""
    return f"{node.name}_m_axil_{window.name}"


def master_pins(node: NodePlan, window: Window) -> str:
    """Return the prefix of the nets at the core's pins, before the gate."""
    return f"{master_net(node, window)}_pin"


def _shift(node: NodePlan) -> int:
    return node.lite_scale.bit_length() - 1


def _of_partitions(plan: Plan, node: NodePlan) -> tuple[BenchSlave, ...]:
    found = []
    ports = [
        (plan.partition(name), lite) for name in node.partitions for lite in plan.partition(name).axilite
    ]
    for number, (partition, lite) in enumerate(ports, 1):
        path = f"u_{node.name}.u_{plan.inside(node, partition.name)}"
        names = {signal.lower(): f"{path}.{port}" for signal, port in lite.ports.items()}
        found.append(
            BenchSlave(
                number=number,
                region=f"{partition.name}_{lite.name}",
                clock=inner_clock(node),
                reset=f"{path}.{partition.reset}",
                addr_bits=lite.addr_bits,
                shift=_shift(node),
                compared=int(not (node.bridge or node.apart)),
                watched=tuple(
                    (signal, _watched(signal, names, lite.data_bits, f"{node.name}_{signal}"))
                    for signal in WATCHED
                ),
                mode=f"{path}.{gate_mode(lite)}",
                prot=int({"awprot", "arprot"} <= set(names)),
                strb=int("wstrb" in names),
            )
        )
    return tuple(found)


def _beside(node: NodePlan, window: Window, number: int) -> BenchSlave:
    pins = master_pins(node, window)
    return replace(
        _of_window(node, window, number, pins),
        inner=pins,
        outer=master_net(node, window),
        signals=tuple((name, bits or window.addr_bits) for name, bits, _ in CHANNELS),
    )


def _own(node: NodePlan, window: Window, blocks: Mapping[str, str], number: int) -> BenchSlave:
    # A link may rename its block's pins; then its nets are monitored.
    instance = blocks.get(window.name) if window.kind == "block" else f"u_{window.kind}"
    pins = f"{instance}.s_axil" if instance else f"{window.name}_axil"
    return replace(_of_window(node, window, number, f"u_{node.name}.{pins}"), own=True)


def _of_window(node: NodePlan, window: Window, number: int, pins: str) -> BenchSlave:
    """Return a slave with the core's clock and reset; ``pins`` is the prefix of the monitored signals."""
    return BenchSlave(
        number=number,
        region=window.name,
        clock=node_clock(node.name),
        reset=f"(aresetn_{node.name} && {node.name}_pin)",
        addr_bits=window.addr_bits,
        shift=_shift(node),
        compared=1,
        watched=tuple((signal, f"{pins}_{signal}") for signal in WATCHED),
    )


def _watched(signal: str, names: dict[str, str], data_bits: int, host: str) -> str:
    """Return a monitored signal: of 64 data bits the lower half."""
    part = {"wdata": "[31:0]", "wstrb": "[3:0]", "rdata": "[31:0]"}.get(signal, "")
    if signal not in names:
        return host + part
    return names[signal] + (part if data_bits != REGISTER_BITS else "")
