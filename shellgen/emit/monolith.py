# SPDX-License-Identifier: BSD-3-Clause
"""The monolith, the single-FPGA reference: the same partitions connected directly, without any shell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from shellgen.emit.bench_gates import bare_name
from shellgen.emit.core import open_net, sidebands
from shellgen.emit.mono_junctions import mono_fork, mono_junction
from shellgen.emit.taps import Repeats, Tap, padded_word
from shellgen.model import AxiLitePort, Boundary, Endpoint, Partition, Plan, StreamPort
from shellgen.model.axilite import CHANNELS
from shellgen.model.bench import BenchJoined
from shellgen.model.replicas import alike, without_replicas

CLOCK = "mono_aclk"


@dataclass(frozen=True)
class MonoNet:
    """The stream of a partition's port."""

    net: str
    bits: int


@dataclass(frozen=True)
class MonoSource:
    """The source of a monolith input: an epoch is ``beats`` words; see `Repeats` and ``axis_source``."""

    net: str
    bits: int
    frame_bytes: int
    beats: int
    repeats: Repeats
    file: str
    seed: int


@dataclass(frozen=True)
class MonoJoin:
    """Two streams that meet in a ``word_join``: their TDATA and the payload bits of their words.

    Behind a fork it holds a frame, in ``words``: a skip edge keeps it while the other branch computes.
    """

    name: str
    source: str
    sink: str
    in_bits: int
    in_word: int
    out_bits: int
    out_word: int
    words: int


@dataclass(frozen=True)
class MonoPartition:
    """An instance: its ports with their connections, and its wires."""

    name: str
    module: str
    connections: tuple[tuple[str, str], ...]
    wires: tuple[str, ...]


@dataclass(frozen=True)
class MonoSignal:
    """A signal of an AXI-Lite slave; an output that the slave lacks ``rests`` at zero."""

    name: str
    net: str
    bits: int
    rests: bool


@dataclass(frozen=True)
class MonoLite:
    """The master of one slave with a memory; ``region`` is the slave's name in the memory map."""

    net: str
    region: str
    addr_bits: int
    signals: tuple[MonoSignal, ...]


@dataclass(frozen=True)
class Monolith:
    """Values for the bench template and for ``bench.json``.

    Attributes:
        nets: Every partition stream.
        sources: Sources of the inputs.
        joins: One per edge.
        partitions: Instances.
        junctions: Lines of the junctions.
        lites: Masters of the AXI-Lite slaves whose memories a load replaces.
        taps: Monitors at the outputs.
        inputs: For the test: boundary index and word layout of each input file.
        outputs: The same for each output.
    """

    nets: tuple[MonoNet, ...]
    sources: tuple[MonoSource, ...]
    joins: tuple[MonoJoin, ...]
    partitions: tuple[MonoPartition, ...]
    junctions: tuple[str, ...]
    lites: tuple[MonoLite, ...]
    taps: tuple[Tap, ...]
    inputs: tuple[BenchJoined, ...]
    outputs: tuple[BenchJoined, ...]


def monolith(plan: Plan) -> Monolith:
    """Connect the partitions pin to pin; `sim/word_join` converts words of different size."""
    index = {boundary.name: number for number, boundary in enumerate(plan.boundaries)}
    carriers = [one.carriers for one in alike(plan)]
    plan = without_replicas(plan)
    ends = [
        (index[boundary.name], _find(plan, boundary.producer), _find(plan, boundary.consumer))
        for boundary in plan.boundaries
    ]
    crossing = {index[boundary.name]: boundary for boundary in plan.boundaries}
    inputs = [(index, *taken) for index, made, taken in ends if taken and not made]
    outputs = [(index, *made) for index, made, taken in ends if made and not taken]
    sends = Counter(made[0].name for _, made, taken in ends if made and taken)
    forks = _forks(ends)
    return Monolith(
        nets=tuple(
            MonoNet(_net(partition, port), port.tdata_bits)
            for partition in plan.partitions
            for port in partition.streams
        )
        + tuple(MonoNet(net, fork.bits) for fork in forks for net in fork.nets.values()),
        sources=tuple(_source(crossing[index], index, partition, port) for index, partition, port in inputs),
        joins=tuple(
            _join(index, _made(forks, index, made), made[1], taken, fork=sends[made[0].name] > 1)
            for index, made, taken in ends
            if made and taken
        ),
        partitions=tuple(_instance(part) for part in plan.partitions if part.junction is None),
        junctions=tuple(
            line
            for part in plan.partitions
            if part.junction is not None
            for line in mono_junction(part, CLOCK, _net)
        )
        + tuple(line for fork in forks for line in mono_fork(fork.net, CLOCK, list(fork.nets.values()))),
        lites=tuple(
            _lite(partition, port)
            for partition in plan.partitions
            for port in partition.axilite
            if port.memory
        ),
        taps=tuple(
            Tap(
                "mono_made",
                index,
                _made(forks, index, (partition, port)),
                port.tdata_bits,
                port.words_per_frame * crossing[index].per_epoch,
                CLOCK,
                word=padded_word(port),
            )
            for index, partition, port in outputs
        ),
        inputs=tuple(_layout(carriers[index], index, port, _sent(index)) for index, _, port in inputs),
        outputs=tuple(
            _layout(carriers[index], index, port, f"mono_made_{index}.bin") for index, _, port in outputs
        ),
    )


def _net(partition: Partition, port: StreamPort) -> str:
    return f"mono_{partition.name}_{port.name}"


@dataclass(frozen=True)
class MonoFork:
    """A port with several consumers: its net and bits, and the net of each copy by the boundary's index."""

    net: str
    bits: int
    nets: dict[int, str]


def _forks(
    ends: Sequence[tuple[int, tuple[Partition, StreamPort] | None, tuple[Partition, StreamPort] | None]],
) -> list[MonoFork]:
    found: dict[str, MonoFork] = {}
    for index, made, _ in ends:
        if made:
            net = _net(*made)
            found.setdefault(net, MonoFork(net, made[1].tdata_bits, {})).nets[index] = f"{net}_copy_{index}"
    return [fork for fork in found.values() if len(fork.nets) > 1]


def _made(forks: Sequence[MonoFork], index: int, made: tuple[Partition, StreamPort]) -> str:
    """Return the net of a boundary's producer, or of the copy that the boundary gets."""
    return next((fork.nets[index] for fork in forks if index in fork.nets), _net(*made))


def _find(plan: Plan, end: Endpoint | None) -> tuple[Partition, StreamPort] | None:
    if end is None:
        return None
    partition = plan.partition(end.partition)
    port = partition.stream(end.port)
    assert port is not None
    return partition, port


def _join(
    index: int, source: str, made: StreamPort, taken: tuple[Partition, StreamPort], *, fork: bool
) -> MonoJoin:
    return MonoJoin(
        name=f"mono_{index}",
        source=source,
        sink=_net(*taken),
        in_bits=made.tdata_bits,
        in_word=made.payload_bits,
        out_bits=taken[1].tdata_bits,
        out_word=taken[1].payload_bits,
        words=made.words_per_frame if fork else 0,
    )


def _layout(carriers: tuple[int, ...], index: int, port: StreamPort, file: str) -> BenchJoined:
    return BenchJoined(
        boundary=index,
        file=file,
        bits=port.tdata_bits,
        word_bits=port.payload_bits,
        words=port.words_per_frame,
        carriers=carriers,
    )


def _sent(index: int) -> str:
    return f"mono_sent_{index}.bin"


def _source(boundary: Boundary, index: int, partition: Partition, port: StreamPort) -> MonoSource:
    return MonoSource(
        net=_net(partition, port),
        bits=port.tdata_bits,
        frame_bytes=port.words_per_frame * port.tdata_bits // 8,
        beats=port.words_per_frame * (1 if boundary.carries_weights else boundary.per_epoch),
        repeats=Repeats.of(boundary),
        file=_sent(index),
        seed=301 + index,
    )


def _net_of(partition: Partition, lite: AxiLitePort) -> str:
    return f"mono_{partition.name}_{lite.name}"


def _lite(partition: Partition, lite: AxiLitePort) -> MonoLite:
    net = _net_of(partition, lite)
    signals = []
    for signal, bits, driven in CHANNELS:
        wired = signal.upper() in lite.ports
        name = f"{net}_{signal}" if wired else f"{net}_{signal}_unused"
        signals.append(MonoSignal(signal, name, bits or lite.addr_bits, rests=not wired and not driven))
    return MonoLite(
        net=net,
        region=f"{partition.name}_{lite.name}",
        addr_bits=lite.addr_bits,
        signals=tuple(signals),
    )


def _mark(net: str, words: int) -> list[str]:
    """Count words at the stream, independently of the core."""
    pins = ", ".join(f".{pin}({net}_{pin})" for pin in ("tvalid", "tready", "tlast"))
    return [
        f"wire {net}_tlast;",
        f"frame_mark #(.WORDS({words})) u_{net}_mark (.aclk({CLOCK}), .aresetn(aresetn), {pins});",
    ]


def _instance(partition: Partition) -> MonoPartition:
    wires: list[str] = []
    owner = f"mono_{partition.name}"
    connections = [(partition.clock, CLOCK), (partition.reset, "aresetn")]
    if partition.clock2x:
        connections.insert(1, (partition.clock2x, f"{CLOCK}2x"))
    for port in partition.streams:
        net = _net(partition, port)
        connections.extend((port.ports[s], f"{net}_{s.lower()}") for s in ("TDATA", "TVALID", "TREADY"))
        if port.marked:
            wires.extend(_mark(net, port.words_per_frame))
        connections.extend(sidebands(wires, owner, port, f"{net}_tlast"))
    for lite in partition.axilite:
        # No host: every slave input rests at zero, and the memories keep their initial content. A master only
        # loads them if the cluster loads other weights.
        for signal, wide, driven in CHANNELS:
            if signal.upper() not in lite.ports:
                continue
            name, bits = lite.ports[signal.upper()], wide or lite.addr_bits
            if lite.memory:
                net = f"{_net_of(partition, lite)}_{signal}"
                connections.append((name, f"{net} & {{{bits}{{mono_load}}}}" if driven else net))
            else:
                tied = f"{bits}'d0" if driven else None
                connections.append((name, tied or open_net(wires, owner, name, bits)))
    for other in partition.others:
        tied = f"{other.bits}'d0" if other.direction == "in" else None
        connections.append((other.name, tied or open_net(wires, owner, other.name, other.bits)))
    return MonoPartition(partition.name, bare_name(partition), tuple(connections), tuple(wires))
