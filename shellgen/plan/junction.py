# SPDX-License-Identifier: BSD-3-Clause
"""Partitions that shellgen generates: a block of ``ip/`` with the ports of a FINN partition.

A junction is placed, linked, emitted and proved like any other partition, and every boundary still has one
producer and one consumer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shellgen import __version__
from shellgen.model import Endpoint, Estimate, JunctionKind, Partition, SourceFile, StreamPort
from shellgen.model.partition import ABSENT
from shellgen.model.port import OtherPort
from shellgen.plan.draft import Draft, Route
from shellgen.render import render

__all__ = [
    "MOST_DEALT",
    "MOST_TURNS",
    "add_junction",
    "by_number",
    "junction_files",
    "placed_on",
    "replaced",
    "with_outputs",
    "with_relay",
]

MOST_DEALT, MOST_TURNS = 16, 64  # streams and length of the pattern of ip/axis_deal and ip/axis_gather


def add_junction(  # noqa: PLR0913 - the parts of a partition
    draft: Draft,
    kind: JunctionKind,
    inputs: Sequence[StreamPort],
    outputs: Sequence[StreamPort],
    origin: str,
    pattern: tuple[int, ...] = (),
) -> Partition:
    """Return a new partition; its ports carry the elements of the given ones in words of the same size.

    Args:
        draft: Tells which names are taken.
        kind: What it does.
        inputs: A port for each stream in.
        outputs: A port for each stream out.
        origin: The field of cluster.toml or the node of the model that asks for it.
        pattern: Of a deal or gather, the stream of each frame in turn.
    """
    taken = {partition.name for partition in draft.partitions}
    tops = {partition.top for partition in draft.partitions}
    number = next(k for k in range(len(taken) + 1) if not {f"{kind}_{k}", _top(kind, k)} & (taken | tops))
    ports = [_port(port, "in", k) for k, port in enumerate(inputs)]
    ports += [_port(port, "out", k) for k, port in enumerate(outputs)]
    part = Partition(
        name=f"{kind}_{number}",
        top=_top(kind, number),
        clock="ap_clk",
        reset="ap_rst_n",
        streams=tuple(ports),
        sources=(),
        takes=_TAKES[kind](ports),
        others=_others(kind, len(inputs), len(outputs)),
        junction=kind,
        pattern=pattern,
        origin=origin,
    )
    return _with_source(part)


def replaced(draft: Draft, old: Sequence[Route], new: Sequence[Route]) -> Draft:
    """Put new routes in place of the first of some."""
    left = {id(route) for route in old}
    routes: list[Route] = []
    for route in draft.routes:
        if route is old[0]:
            routes.extend(new)
        elif id(route) not in left:
            routes.append(route)
    return replace(draft, routes=tuple(routes))


def placed_on(draft: Draft, part: Partition, node: str) -> Draft:
    """Return the draft with a junction on a node."""
    nodes = tuple(
        replace(one, partitions=(*one.partitions, part)) if one.name == node else one for one in draft.nodes
    )
    return replace(draft, partitions=(*draft.partitions, part), nodes=nodes)


def with_relay(draft: Draft, port: StreamPort, node: str, origin: str) -> tuple[Draft, Endpoint, Endpoint]:
    """Return the draft with a relay for a stream on a node, where the stream enters it, and where it leaves.

    Args:
        draft: Without it.
        port: What the stream is like.
        node: Name of the node.
        origin: The field of cluster.toml or the node of the model that asks for it.
    """
    part = add_junction(draft, "relay", [port], [port], origin)
    into, out = (Endpoint(partition=part.name, port=f"{side}_axis_0") for side in "sm")
    return placed_on(draft, part, node), into, out


def with_outputs(part: Partition, count: int) -> Partition:
    """Return a broadcast with fewer outputs; with one it only passes the stream on."""
    kind: JunctionKind = "relay" if count == 1 else "broadcast"
    streams = (*part.inputs, *part.outputs[:count])
    update = {"junction": kind, "streams": streams, "takes": _TAKES[kind](streams)}
    return _with_source(part.model_copy(update=update))


def by_number(part: Partition) -> Partition:
    """Return a gather whose frames come in order, since their numbers are compared in front of it."""
    return _with_source(part.model_copy(update={"pattern": ()}))


def _with_source(part: Partition) -> Partition:
    digest = hashlib.sha256(_source(part)).hexdigest()
    source = SourceFile(name=f"{part.top}.v", kind="verilog", sha256=digest)
    return part.model_copy(update={"sources": (source,)})


def junction_files(partitions: Sequence[Partition]) -> dict[str, bytes]:
    """Return the sources of the junctions among partitions, by sha256."""
    return {one.sources[0].sha256: _source(one) for one in partitions if one.junction}


def _others(kind: JunctionKind, inputs: int, outputs: int) -> tuple[OtherPort, ...]:
    """Return what a deal or a gather has besides: a bit for each replica that is out."""
    if kind not in ("deal", "gather"):
        return ()
    return (OtherPort(name=ABSENT, direction="in", bits=max(inputs, outputs)),)


def _port(like: StreamPort, direction: str, index: int) -> StreamPort:
    name = f"s_axis_{index}" if direction == "in" else f"m_axis_{index}"
    ports = {signal: f"{name}_{signal.lower()}" for signal in ("TDATA", "TVALID", "TREADY")}
    return like.model_copy(update={"name": name, "direction": direction, "ports": ports, "layer": ""})


def _top(kind: JunctionKind, number: int) -> str:
    return f"shellgen_{kind}_{number}"


@dataclass(frozen=True)
class JoinedPort:
    """A port of a join: payload, bits above it, words of a pixel, bits of an element, 1 if signed."""

    name: str
    tdata_bits: int
    payload_bits: int
    pad_bits: int
    words: int
    element_bits: int
    signed: int

    @classmethod
    def of(cls, port: StreamPort) -> JoinedPort:
        """Return the facts of a stream port of which the last two dimensions are words and elements."""
        return cls(
            name=port.name,
            tdata_bits=port.tdata_bits,
            payload_bits=port.payload_bits,
            pad_bits=port.tdata_bits - port.payload_bits,
            words=port.shape[-2],
            element_bits=port.element.bits,
            signed=int(port.element.signed),
        )


def _source(partition: Partition) -> bytes:
    inputs, outputs = partition.inputs, partition.outputs
    joined = []
    if partition.junction in ("concat", "sum"):
        joined = [JoinedPort.of(port) for port in inputs]
    out = outputs[0]
    text = render(
        f"verilog/{'merge' if partition.merges else partition.junction}.v.j2",
        generator=f"shellgen {__version__}",
        module=partition.top,
        bits=inputs[0].tdata_bits,
        inputs=inputs,
        outputs=outputs,
        joined=joined,
        out=JoinedPort.of(out) if joined else out,
        elements=out.elements_per_word if joined else 0,
        all_bits=sum(port.payload_bits for port in joined),
        words=out.words_per_frame,
        last_word=out.words_per_frame - 1,
        word_bits=max(1, (out.words_per_frame - 1).bit_length()),
        pattern=partition.pattern,
    )
    return text.encode()


def _estimate(lut: int, ff: int) -> Estimate:
    return Estimate(lut=lut, ff=ff, source="shellgen", told=0, layers=0)


def _relay_takes(ports: Sequence[StreamPort]) -> Estimate:
    bits = ports[0].tdata_bits
    return _estimate(bits + 4, 2 * bits + 2)


def _broadcast_takes(ports: Sequence[StreamPort]) -> Estimate:
    bits, copies = ports[0].tdata_bits, len(ports) - 1
    return _estimate(bits + 2 * copies + 4, 2 * bits + copies + 2)


def _concat_takes(ports: Sequence[StreamPort]) -> Estimate:
    bits, inputs = ports[0].payload_bits + 1, len(ports) - 1
    return _estimate(bits * -(-inputs // 2) + 3 * bits // 2 + 60, 2 * bits + 40)


def _sum_takes(ports: Sequence[StreamPort]) -> Estimate:
    bits, inputs = ports[-1].payload_bits, len(ports) - 1
    return _estimate(bits * (inputs - 1) + inputs // 5 + 3, bits * (inputs - 1) + 2 * inputs.bit_length())


def _deal_takes(ports: Sequence[StreamPort]) -> Estimate:
    bits, streams = ports[0].tdata_bits, len(ports) - 1
    return _estimate(bits + 4 * streams + 40, 2 * bits + 2 * streams + 32)


def _gather_takes(ports: Sequence[StreamPort]) -> Estimate:
    bits, streams = ports[0].tdata_bits, len(ports) - 1
    return _estimate(bits * -(-streams // 2) + 2 * bits + 20 * streams, 2 * bits + 16 * streams + 16)


_TAKES: dict[JunctionKind, Callable[[Sequence[StreamPort]], Estimate]] = {
    "relay": _relay_takes,
    "broadcast": _broadcast_takes,
    "concat": _concat_takes,
    "sum": _sum_takes,
    "deal": _deal_takes,
    "gather": _gather_takes,
}
