# SPDX-License-Identifier: BSD-3-Clause
"""Verilog of the numbers of frames in a core: tags go past partitions, and match streams that meet."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.costs import TAGS, tags
from shellgen.emit.ends import stream_net
from shellgen.emit.instance import SHELL, Domain, compute_domain
from shellgen.emit.turns import absent_net
from shellgen.model import Endpoint, NodePlan, Partition, Plan, StreamPort
from shellgen.render import render


@dataclass(frozen=True)
class Hop:
    """A FIFO of tags: the prefix of the nets at both sides, with their clocks."""

    source: str
    sink: str
    source_domain: Domain
    sink_domain: Domain
    depth: int = TAGS

    @property
    def level_bits(self) -> int:
        """Bits of its fill level."""
        return (self.depth + 1).bit_length()


@dataclass(frozen=True)
class Past:
    """The way of tags past a partition, from its streams in to its streams out.

    Attributes:
        name: The partition.
        inputs: Prefixes of the nets of its streams in.
        words: Words of a frame of each.
        bits: TDATA of each.
        outputs: Prefixes of those out.
        pattern: Of a deal, the output of each frame in turn.
        absent: Of a deal or a gather, the net with a bit for each replica that is out.
    """

    name: str
    inputs: tuple[str, ...]
    words: tuple[int, ...]
    bits: tuple[int, ...]
    outputs: tuple[str, ...]
    pattern: tuple[int, ...] = ()
    absent: str = ""

    @property
    def nets(self) -> tuple[str, ...]:
        """Prefixes of the nets of all."""
        return self.inputs + self.outputs


def tag_net(net: str) -> str:
    """Return the prefix of the nets of the tags of a stream."""
    return f"{net}_tag"


def met_net(net: str) -> str:
    """Return the prefix of the nets at a partition where streams meet, behind what matches them."""
    return f"{net}_met"


def numbered_inputs(plan: Plan, partition: Partition) -> tuple[StreamPort, ...]:
    """Return the streams into a partition whose frames have numbers."""
    taken = plan.kept("numbered consumers", lambda: _numbered_consumers(plan))
    return tuple(p for p in partition.inputs if Endpoint(partition=partition.name, port=p.name) in taken)


def _numbered_consumers(plan: Plan) -> set[Endpoint | None]:
    return {one.consumer for one in plan.boundaries if one.numbered}


def meets(plan: Plan, partition: Partition) -> bool:
    """Return whether streams are matched in front of a partition."""
    return len(numbered_inputs(plan, partition)) > 1


def pin_net(plan: Plan, partition: Partition, port: StreamPort) -> str:
    """Return the prefix of the nets at the pins of a partition's stream."""
    net = stream_net(Endpoint(partition=partition.name, port=port.name))
    return met_net(net) if port in numbered_inputs(plan, partition) and meets(plan, partition) else net


def tags_text(plan: Plan, node: NodePlan) -> list[str]:
    """Return the tags of a core, or nothing if its frames have no numbers."""
    hops = [*_hops_of_ends(plan, node), *_inner_hops(plan, node)]
    if not hops:
        return []
    parts = (plan.partition(name) for name in node.partitions)
    past = [_past(plan, node, part) for part in parts if numbered_inputs(plan, part)]
    return [render("verilog/tags.v.j2", hops=hops, past=past, domain=compute_domain(node))]


def _hops_of_ends(plan: Plan, node: NodePlan) -> list[Hop]:
    inside, found = compute_domain(node), []
    for end in node.ends:
        if plan.boundary(end.boundary).numbered:
            there, here = tag_net(end.net), tag_net(stream_net(end.port))
            hop = (
                Hop(there, here, SHELL, inside) if end.direction == "in" else Hop(here, there, inside, SHELL)
            )
            found.append(hop)
    return found


def _inner_hops(plan: Plan, node: NodePlan) -> list[Hop]:
    domain, found = compute_domain(node), []
    for inner in node.inner:
        if plan.boundary(inner.boundary).numbered:
            source, sink = (tag_net(stream_net(end)) for end in (inner.producer, inner.consumer))
            frames = -(-inner.depth // inner.producer_words)
            found.append(Hop(source, sink, domain, domain, tags(frames)))
    return found


def _past(plan: Plan, node: NodePlan, part: Partition) -> Past:
    made = {one.producer for one in plan.boundaries if one.numbered}
    inputs = numbered_inputs(plan, part)
    ends = [Endpoint(partition=part.name, port=port.name) for port in part.outputs]
    return Past(
        name=part.name,
        inputs=tuple(stream_net(Endpoint(partition=part.name, port=port.name)) for port in inputs),
        words=tuple(port.words_per_frame for port in inputs),
        bits=tuple(port.tdata_bits for port in inputs),
        outputs=tuple(stream_net(end) for end in ends if end in made),
        pattern=part.pattern,
        absent=absent_net(plan, node, part, len(part.streams) - 1) if part.takes_turns else "",
    )
