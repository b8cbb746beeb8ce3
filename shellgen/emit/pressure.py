# SPDX-License-Identifier: BSD-3-Clause
"""The numbered ports of the bench that stall: sources, sinks and link models outside the cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from shellgen.emit.bench_gates import gate_chance
from shellgen.emit.taps import Tap, link_ends
from shellgen.model import Plan


@dataclass
class StallPorts:
    """Assigns to each port its slice of the output of `sim/bench_pressure.sv`.

    Attributes:
        names: Names of the ports, in the order of their numbers.
        hops: By index of a boundary, the expressions of its sides: receiver and driver of a core.
            The receiver for the host stalls like the host's sink: a buffer between them would hide stalls.
        taps: Expressions by the name of a sink.
        sources: Expressions of the monolith's sources, in order.
        gates: Expressions of the gates at partition pins, by the path of the gate's variable.
    """

    names: list[str] = field(default_factory=list)
    hops: dict[int, tuple[str, str]] = field(default_factory=dict)
    taps: dict[str, str] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)
    gates: dict[str, str] = field(default_factory=dict)

    def add(self, name: str) -> str:
        """Number one more port; return the expression of its stall rate."""
        self.names.append(name)
        return f"pressure[{8 * (len(self.names) - 1)} +: 8]"


def stall_ports(plan: Plan, taps: Sequence[Tap], sources: Sequence[str]) -> StallPorts:
    """Number the ports of the bench, in network order; ports that do not block the cluster come last.

    Args:
        plan: The plan.
        taps: Sinks and monitors; sinks stall.
        sources: Boundaries that the monolith's sources send, by name.
    """
    ports = StallPorts()
    for index, boundary in enumerate(plan.boundaries):
        sender, receiver = link_ends(plan, boundary)
        into = ports.add(f"{boundary.name} into the link") if sender and receiver else ""
        out = ports.add(f"{boundary.name} out of the {'link' if sender else 'host'}") if receiver else ""
        ports.hops[index] = (into, out)
    for tap in taps:
        if tap.seed:
            sink = ports.taps[tap.name] = ports.add(f"{plan.boundaries[tap.boundary].name} into the host")
            ports.hops[tap.boundary] = sink, ports.hops[tap.boundary][1]
    for node in plan.nodes:
        for name in node.partitions:
            for stream in plan.partition(name).streams:
                path = f"u_{node.name}.u_{plan.inside(node, name)}.{gate_chance(stream)}"
                ports.gates[path] = ports.add(f"pins of {name}.{stream.name}")
    ports.sources = [ports.add(f"{name} out of the monolith's source") for name in sources]
    return ports
