# SPDX-License-Identifier: BSD-3-Clause
"""Gates at the streams and slaves of partitions: in the bench, a wrapper with the partition's name.

The core is unchanged. In the bench it instantiates this wrapper; the partition itself is compiled under
another name (`shellgen.simulate.bare`). The monolith instantiates the partition itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import Artifact, AxiLitePort, Partition, Plan, StreamPort
from shellgen.model.axilite import CHANNELS
from shellgen.render import render

FOLDER = "bench/partition"


@dataclass(frozen=True)
class GatedPort:
    """A port: its direction, its bits, and the net at the partition itself."""

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
    """A net at a gate; an output that the slave lacks ``rests`` at zero."""

    name: str
    bits: int
    rests: bool


@dataclass(frozen=True)
class GateSignal:
    """A signal of AXI-Lite: its connections on the side of the core and of the slave."""

    name: str
    pin: str
    net: str


@dataclass(frozen=True)
class Gate:
    """The gate of a slave: its name, the variable that bench_top sets, its nets, its signals."""

    name: str
    mode: str
    addr_bits: int
    data_bits: int
    seed: int
    nets: tuple[GateNet, ...]
    signals: tuple[GateSignal, ...]


@dataclass(frozen=True)
class StreamSignal:
    """A payload signal of a stream: the partition's port, the net behind the gate, its bits."""

    pin: str
    net: str
    bits: int


@dataclass(frozen=True)
class StreamGate:
    """The gate of a stream.

    Attributes:
        name: Name of the stream.
        chance: The variable that bench_top sets.
        seed: Seed of its pauses.
        enters: Whether it is an input of the partition.
        beat: Payload signals.
        valid: Port and net of TVALID.
        ready: Of TREADY.
    """

    name: str
    chance: str
    seed: int
    enters: bool
    beat: tuple[StreamSignal, ...]
    valid: tuple[str, str]
    ready: tuple[str, str]

    @property
    def bits(self) -> int:
        """Bits of a beat."""
        return sum(signal.bits for signal in self.beat)


def bare_name(partition: Partition) -> str:
    """Return the module name of the partition itself in the bench."""
    return f"{partition.top}_bare"


def gate_mode(lite: AxiLitePort) -> str:
    """Return the variable with the behaviour of a slave, inside the wrapper of its partition."""
    return f"{lite.name}_mode"


def gate_chance(stream: StreamPort) -> str:
    """Return the variable with the stall rate of a stream, inside the wrapper of its partition."""
    return f"{stream.name}_chance"


def gate_files(plan: Plan) -> tuple[str, ...]:
    """Return the path of each wrapper with gates."""
    return tuple(dict.fromkeys(f"{FOLDER}/{partition.top}.sv" for partition in plan.partitions))


def emit_gates(plan: Plan) -> tuple[Artifact, ...]:
    """Return the wrapper of each partition; partitions of one module share it."""
    return tuple(
        {p.top: Artifact.text(f"{FOLDER}/{p.top}.sv", _module(plan, p)) for p in plan.partitions}.values()
    )


def _module(plan: Plan, partition: Partition) -> str:
    gates = tuple(_gate(lite, seed) for seed, lite in enumerate(partition.axilite, 1))
    streams = tuple(_stream(stream, seed) for seed, stream in enumerate(partition.streams, 1))
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
        streams=streams,
    )


def _ports(partition: Partition) -> tuple[GatedPort, ...]:
    clocks = [partition.clock, *([partition.clock2x] if partition.clock2x else []), partition.reset]
    found = [GatedPort(name, False, 1, name) for name in clocks]
    for stream in partition.streams:
        for signal, name in stream.ports.items():
            output = (stream.direction == "out") != (signal == "TREADY")
            found.append(GatedPort(name, output, _bits(stream, signal), _behind(name)))
    for lite in partition.axilite:
        for signal, bits, driven in _channels(lite):
            if signal.upper() in lite.ports:
                pin = lite.ports[signal.upper()]
                found.append(GatedPort(pin, not driven, bits, _net(lite, signal)))
    found += [
        GatedPort(other.name, other.direction == "out", other.bits, other.name) for other in partition.others
    ]
    return tuple(found)


def _bits(stream: StreamPort, signal: str) -> int:
    """Return the bits of a signal of a stream."""
    kept = stream.tdata_bits // 8
    return {"TDATA": stream.tdata_bits, "TKEEP": kept, "TSTRB": kept}.get(signal, 1)


def _behind(pin: str) -> str:
    """Return the net between the gate of a stream and the partition itself."""
    return f"{pin}_behind"


def _stream(stream: StreamPort, seed: int) -> StreamGate:
    hands = {signal: (pin, _behind(pin)) for signal, pin in stream.ports.items()}
    return StreamGate(
        name=stream.name,
        chance=gate_chance(stream),
        seed=seed,
        enters=stream.direction == "in",
        beat=tuple(
            StreamSignal(*hands[signal], _bits(stream, signal))
            for signal in hands
            if signal not in ("TVALID", "TREADY")
        ),
        valid=hands["TVALID"],
        ready=hands["TREADY"],
    )


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
            # For a signal that the partition lacks, the gate reads zero, and its output is open.
            net = f"{net}_unused" if driven else net
            pin = f"{bits}'d0" if driven else f"{lite.name}_before_{signal}_unused"
            nets += [] if driven else [GateNet(pin, bits, rests=False)]
            nets.append(GateNet(net, bits, rests=not driven))
        else:
            nets.append(GateNet(net, bits, rests=False))
        signals.append(GateSignal(signal, pin, net))
    return Gate(lite.name, gate_mode(lite), lite.addr_bits, lite.data_bits, seed, tuple(nets), tuple(signals))
