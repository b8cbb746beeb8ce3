# SPDX-License-Identifier: BSD-3-Clause
"""The monolith reference: the same partitions joined directly, without any shell."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.emit.core import open_net, sidebands
from shellgen.model import AxiLitePort, Boundary, Endpoint, Memory, Partition, Plan, StreamPort
from shellgen.model.axilite import CHANNELS


@dataclass(frozen=True)
class Monolith:
    """Ready answers for the bench template and for ``bench.json``.

    Attributes:
        nets: Name and width of every partition stream.
        players: Sources of the inputs.
        joins: One per edge.
        partitions: Instances.
        lites: Players of the AXI-Lite slaves whose memories a load replaces.
        taps: (name, net, bits, beats, file) of the monitors at the outputs.
        inputs: For the test: boundary index and word layout of each input file.
        outputs: The same for each output.
    """

    nets: list[dict[str, object]]
    players: list[dict[str, object]]
    joins: list[dict[str, object]]
    partitions: list[dict[str, object]]
    lites: list[dict[str, object]]
    taps: list[tuple[str, str, int, int, str]]
    inputs: list[dict[str, object]]
    outputs: list[dict[str, object]]


def monolith(plan: Plan) -> Monolith:
    """Join the partitions pin to pin; words of different size meet in `sim/word_join`."""
    mono = Monolith([], [], [], [], [], [], [], [])
    for partition in plan.partitions:
        mono.lites.extend(_lite(partition, port, port.memory) for port in partition.axilite if port.memory)
        mono.partitions.append(_instance(partition))
        mono.nets.extend(
            {"net": _net(partition, port), "bits": port.tdata_bits} for port in partition.streams
        )
    for index, boundary in enumerate(plan.boundaries):
        made = _find(plan, boundary.producer)
        taken = _find(plan, boundary.consumer)
        if made and taken:
            mono.joins.append(_join(index, made, taken))
        elif taken:
            _add_input(mono, index, *taken)
        elif made:
            _add_output(mono, index, *made)
    return mono


def _net(partition: Partition, port: StreamPort) -> str:
    return f"mono_{partition.name}_{port.name}"


def _find(plan: Plan, end: Endpoint | None) -> tuple[Partition, StreamPort] | None:
    if end is None:
        return None
    partition = plan.partition(end.partition)
    port = partition.stream(end.port)
    assert port is not None
    return partition, port


def _join(
    index: int, made: tuple[Partition, StreamPort], taken: tuple[Partition, StreamPort]
) -> dict[str, object]:
    return {
        "name": f"mono_{index}",
        "source": _net(*made),
        "sink": _net(*taken),
        "in_bits": made[1].tdata_bits,
        "in_word": made[1].payload_bits,
        "out_bits": taken[1].tdata_bits,
        "out_word": taken[1].payload_bits,
    }


def _layout(index: int, port: StreamPort, file: str) -> dict[str, object]:
    return {
        "boundary": index,
        "file": file,
        "bits": port.tdata_bits,
        "word_bits": port.payload_bits,
        "words": port.words_per_frame,
    }


def repeats(sent: StreamPort | Boundary) -> dict[str, object]:
    """Return how a player plays a stream: one frame again and again or not, and how many in all."""
    frames = f"frames * 32'd{sent.passes}" if sent.passes > 1 else "frames"
    return {"cyclic": sent.role == "weights", "frames": frames}


def _add_input(mono: Monolith, index: int, partition: Partition, port: StreamPort) -> None:
    file = f"mono_sent_{index}.bin"
    mono.inputs.append(_layout(index, port, file))
    mono.players.append(
        {
            "net": _net(partition, port),
            "bits": port.tdata_bits,
            "frame_bytes": port.words_per_frame * port.tdata_bits // 8,
            "beats": port.words_per_frame,
            **repeats(port),
            "file": file,
            "seed": 301 + index,
        }
    )


def _add_output(mono: Monolith, index: int, partition: Partition, port: StreamPort) -> None:
    file = f"mono_made_{index}.bin"
    mono.outputs.append(_layout(index, port, file))
    mono.taps.append(
        (f"mono_made_{index}", _net(partition, port), port.tdata_bits, port.words_per_frame, file)
    )


def _net_of(partition: Partition, lite: AxiLitePort) -> str:
    return f"mono_{partition.name}_{lite.name}"


def _lite(partition: Partition, lite: AxiLitePort, memory: Memory) -> dict[str, object]:
    """Describe the player of one slave; ``region`` is its name in the memory map."""
    net = _net_of(partition, lite)
    signals = []
    for signal, bits, driven in CHANNELS:
        wired = signal.upper() in lite.ports
        signals.append(
            {
                "name": signal,
                "net": f"{net}_{signal}" if wired else f"{net}_{signal}_unused",
                "bits": bits or lite.addr_bits,
                "rests": not wired and not driven,
            }
        )
    return {
        "net": net,
        "region": f"{partition.name}_{lite.name}",
        "addr_bits": lite.addr_bits,
        "ops": memory.words * memory.lanes + 16,
        "signals": signals,
    }


def _mark(net: str, words: int) -> list[str]:
    """Count words beside the stream, and not as the core does."""
    pins = ", ".join(f".{pin}({net}_{pin})" for pin in ("tvalid", "tready", "tlast"))
    return [
        f"wire {net}_tlast;",
        f"frame_mark #(.WORDS({words})) u_{net}_mark (.aclk(aclk), .aresetn(aresetn), {pins});",
    ]


def _instance(partition: Partition) -> dict[str, object]:
    wires: list[str] = []
    owner = f"mono_{partition.name}"
    connections = [(partition.clock, "aclk"), (partition.reset, "aresetn")]
    if partition.clock2x:
        connections.insert(1, (partition.clock2x, "aclk2x"))
    for port in partition.streams:
        net = _net(partition, port)
        connections.extend((port.ports[s], f"{net}_{s.lower()}") for s in ("TDATA", "TVALID", "TREADY"))
        if port.marked:
            wires.extend(_mark(net, port.words_per_frame))
        connections.extend(sidebands(wires, owner, port, f"{net}_tlast"))
    for lite in partition.axilite:
        # No host: every slave input rests at zero, the memories keep their initial content. Only when other
        # weights are loaded into the cluster, a player brings the same ones.
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
    return {"name": partition.name, "module": partition.top, "connections": connections, "wires": wires}
