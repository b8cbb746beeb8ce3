# SPDX-License-Identifier: BSD-3-Clause
"""Gates before the slaves of partitions: in the bench, a module with a partition's name and ports around it.

The core stays as it is built. What it instantiates is, in the bench, such a module; the partition itself is
compiled under another name (`shellgen.simulate.bare`). The monolith has the partition itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import Artifact, AxiLitePort, Partition, Plan
from shellgen.model.axilite import CHANNELS
from shellgen.render import render

FOLDER = "bench/partition"


@dataclass(frozen=True)
class GatedPort:
    """A port: its direction, its bits, and the net that the partition itself gets."""

    name: str
    output: bool
    bits: int
    net: str

    @property
    def span(self) -> str:
        """Range of the declaration."""
        return f"[{self.bits - 1}:0] " if self.bits > 1 else ""


@dataclass(frozen=True)
class GateNet:
    """A net beside a gate; one that the slave would drive, and lacks, ``rests`` at zero."""

    name: str
    bits: int
    rests: bool


@dataclass(frozen=True)
class GateSignal:
    """A signal of AXI-Lite: what is connected to it towards the core, and towards the slave."""

    name: str
    pin: str
    net: str


@dataclass(frozen=True)
class Gate:
    """The gate of a slave: its name, the variable that bench_top sets, the nets it needs, its signals."""

    name: str
    mode: str
    addr_bits: int
    data_bits: int
    seed: int
    nets: tuple[GateNet, ...]
    signals: tuple[GateSignal, ...]


def bare_name(partition: Partition) -> str:
    """Return the module that a partition itself is in the bench."""
    return f"{partition.top}_bare"


def gate_mode(lite: AxiLitePort) -> str:
    """Return the variable that holds how a slave behaves, inside the module of its partition."""
    return f"{lite.name}_mode"


def gate_files(plan: Plan) -> tuple[str, ...]:
    """Return the path of each module with gates."""
    return tuple(dict.fromkeys(f"{FOLDER}/{partition.top}.sv" for partition in plan.partitions))


def emit_gates(plan: Plan) -> tuple[Artifact, ...]:
    """Return the module with gates of each partition; partitions of one module share it."""
    return tuple(
        {p.top: Artifact.text(f"{FOLDER}/{p.top}.sv", _module(plan, p)) for p in plan.partitions}.values()
    )


def _module(plan: Plan, partition: Partition) -> str:
    gates = tuple(_gate(lite, seed) for seed, lite in enumerate(partition.axilite, 1))
    return render(
        "bench/partition.sv.j2",
        generator=plan.generator,
        build_id=plan.cluster_id,
        top=partition.top,
        bare=bare_name(partition),
        clock=partition.clock,
        reset=partition.reset,
        ports=_ports(partition),
        gates=gates,
    )


def _ports(partition: Partition) -> tuple[GatedPort, ...]:
    clocks = [partition.clock, *([partition.clock2x] if partition.clock2x else []), partition.reset]
    found = [GatedPort(name, False, 1, name) for name in clocks]
    for stream in partition.streams:
        wide = {"TDATA": stream.tdata_bits, "TKEEP": stream.tdata_bits // 8, "TSTRB": stream.tdata_bits // 8}
        for signal, name in stream.ports.items():
            output = (stream.direction == "out") != (signal == "TREADY")
            found.append(GatedPort(name, output, wide.get(signal, 1), name))
    for lite in partition.axilite:
        for signal, bits, driven in _channels(lite):
            if signal.upper() in lite.ports:
                pin = lite.ports[signal.upper()]
                found.append(GatedPort(pin, not driven, bits, _net(lite, signal)))
    found += [
        GatedPort(other.name, other.direction == "out", other.bits, other.name) for other in partition.others
    ]
    return tuple(found)


def _channels(lite: AxiLitePort) -> list[tuple[str, int, bool]]:
    wide = {"wdata": lite.data_bits, "rdata": lite.data_bits, "wstrb": lite.data_bits // 8}
    return [(name, wide.get(name, bits or lite.addr_bits), driven) for name, bits, driven in CHANNELS]


def _net(lite: AxiLitePort, signal: str) -> str:
    return f"{lite.name}_behind_{signal}"


def _gate(lite: AxiLitePort, seed: int) -> Gate:
    nets, signals = [], []
    for signal, bits, driven in _channels(lite):
        pin, net = lite.ports.get(signal.upper()), _net(lite, signal)
        if pin is None:
            # Of a signal that the partition lacks, the gate hears zero, and what it says goes nowhere.
            net = f"{net}_unused" if driven else net
            pin = f"{bits}'d0" if driven else f"{lite.name}_before_{signal}_unused"
            nets += [] if driven else [GateNet(pin, bits, rests=False)]
            nets.append(GateNet(net, bits, rests=not driven))
        else:
            nets.append(GateNet(net, bits, rests=False))
        signals.append(GateSignal(signal, pin, net))
    return Gate(lite.name, gate_mode(lite), lite.addr_bits, lite.data_bits, seed, tuple(nets), tuple(signals))
