# SPDX-License-Identifier: BSD-3-Clause
"""Cycles from frame to frame of a partition that is not built yet, and the FIFOs that keep them low.

The slowest layer alone promises too much where layers wait for one another. So the words between layers are
followed as in a built partition (`shellgen.read.flow`), in the model that `stitch` would write. A matrix unit
takes the next vector only while it uses the last one for the last time; with room for a vector in front of
it, the layer before goes on meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path

from shellgen.model import Pace, StreamPort
from shellgen.model.flow import Flow
from shellgen.model.folding import Folding, SplitLayer, SplitNetwork, SplitStream
from shellgen.read.finn_onnx import DOMAIN, FinnModel, Node
from shellgen.read.flow import flows, pace
from shellgen.split.placed import Placed, crossing
from shellgen.split.rows import WORTH, Depths, fifos, with_rows
from shellgen.split.task import Takes


@dataclass
class Known:
    """Results by a model without names: partitions and parts of them come again from search to search.

    Attributes:
        paces: Cycles.
        periods: Cycles without how late outputs may be, of parts of partitions.
        flows: From inputs to outputs.
    """

    paces: dict[tuple[object, ...], Pace | None] = field(default_factory=dict)
    periods: dict[tuple[object, ...], Pace | None] = field(default_factory=dict)
    flows: dict[tuple[object, ...], tuple[Flow, ...]] = field(default_factory=dict)


_SHALLOW = 2
_MARGIN = 64  # words that are on their way through a branch (shellgen/stitch/finn_worker/fifos.py)
_TRIED = 24  # FIFOs of a partition that are tried one by one
_MOST_WORDS = 100_000  # of a frame at all layers; beyond, a few words more or less do not matter
_AROUND = 3  # layers before a FIFO that are followed with it
_KEEPS_VECTORS = ("MVAU",)


@dataclass
class _Draft:
    """Nodes of the model as they are found; tensors have numbers."""

    nodes: list[Node] = field(default_factory=list)
    count: int = 0

    def tensor(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def behind(self, kind: str, tensor: str, attributes: dict[str, int]) -> str:
        """Add a node behind a tensor and return its output."""
        made = self.tensor()
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(Node(f"{kind}_rtl", name, DOMAIN, (tensor,), (made,), {**attributes}))
        return made

    def fifo(self, tensor: str, depth: int = _SHALLOW) -> str:
        """Add a FIFO, which `stitch` puts on every stream."""
        return self.behind("StreamingFIFO", tensor, {"depth": depth})


def node_of(
    layer: SplitLayer, folding: Folding, inputs: Sequence[str] = (), outputs: Sequence[str] = ()
) -> Node:
    """Return a folded layer as a node of FINN's."""
    return Node(
        f"{layer.kind}_rtl" if layer.rtl else layer.kind,
        layer.name,
        DOMAIN,
        tuple(inputs),
        tuple(outputs),
        {key: value for key, value in {**layer.attributes, **folding.attributes}.items() if value != ()},
    )


def depth_of(layer: SplitLayer, folding: Folding, stream: SplitStream) -> int:
    """Return the words of the FIFO behind an output; the network has those of the smallest folding.

    Where streams fork, `stitch` adds words that do not depend on the folding.
    """
    if stream.words <= _SHALLOW:
        return _SHALLOW
    smallest = min(one.writes[stream.output] for one in layer.foldings)
    held = max(0, stream.words - _MARGIN)
    return max(_SHALLOW, min(stream.words, _MARGIN) - (-held * smallest // folding.writes[stream.output]))


def paced(
    network: SplitNetwork, placed: Sequence[Placed], left: Sequence[Takes], known: Known
) -> list[Placed]:
    """Return partitions with their flows and cycles, and with the FIFOs that are worth it.

    Args:
        network: Layers and streams.
        placed: The partitions.
        left: Resources that nothing else takes where each of them is.
        known: Gets the results.
    """
    ports, _ = crossing(network, placed)
    return [
        _paced(network, part, (own, room), known) for part, own, room in zip(placed, ports, left, strict=True)
    ]


def flowing(network: SplitNetwork, placed: Sequence[Placed], known: Known) -> list[Placed]:
    """Return partitions with their flows alone, which are enough to plan them and take less time."""
    ports, _ = crossing(network, placed)
    return [
        replace(part, flows=_flows(_model(part, network.streams, {}), own, known))
        for part, own in zip(placed, ports, strict=True)
    ]


def _flows(model: FinnModel, ports: Sequence[StreamPort], known: Known) -> tuple[Flow, ...]:
    key = _nameless(model, ports)
    if key not in known.flows:
        known.flows[key] = flows(model, ports)
    return known.flows[key]


def _paced(
    network: SplitNetwork, part: Placed, around: tuple[Sequence[StreamPort], Takes], known: Known
) -> Placed:
    streams, (ports, left) = network.streams, around

    def cycles(depths: Depths) -> Pace | None:
        return _followed(_model(part, streams, depths), ports, known)

    slowest = max(folding.cycles for _, folding in part.layers)
    deep = _vectors(part, streams)
    large = _words(part, streams) > _MOST_WORDS
    # What a partition as fast as its slowest layer cannot do without; mostly that is enough.
    depths: Depths = deep if large else _needed(network, part, deep, slowest, known)
    found: Pace | None = cycles(depths)
    if found is not None and slowest < WORTH * found.period and depths != deep:
        plain, better = cycles({}), cycles(deep)
        found, depths = plain, {}
        if plain is not None and better is not None and better.period < WORTH * plain.period:
            needed = _needed(network, part, deep, better.period, known)
            found, depths = _fewest(cycles, better, deep, needed)
    if found is None:  # too large to follow; a FIFO too many costs less than a wait that nobody saw
        depths = deep
    elif slowest < WORTH * found.period:
        found, depths = with_rows(part, streams, (found, depths), cycles, left)
    own = _flows(_model(part, streams, {}), ports, known)  # which do not depend on FIFOs
    return replace(part, depths=depths, takes=fifos(part, streams, depths), flows=own, pace=found)


def _words(part: Placed, streams: Sequence[SplitStream]) -> int:
    """Return the words of a frame at the inputs of all layers."""
    chosen = {layer.name: folding for layer, folding in part.layers}
    return sum(
        prod(stream.shape) // chosen[stream.consumer].reads[stream.input]
        for stream in streams
        if stream.consumer in chosen
    )


def _followed(model: FinnModel, ports: Sequence[StreamPort], known: Known) -> Pace | None:
    """Return the cycles of a model; those of one that only has other names are known."""
    key = _nameless(model, ports)
    if key not in known.paces:
        known.paces[key] = pace(model, ports)
    return known.paces[key]


def _nameless(model: FinnModel, ports: Sequence[StreamPort]) -> tuple[object, ...]:
    """Return all of a model and its ports that counts for cycles."""
    places = {
        name: (place, output)
        for place, node in enumerate(model.nodes)
        for output, name in enumerate(node.outputs)
    }
    places |= {name: (-1, place) for place, name in enumerate(model.inputs)}
    nodes = tuple(
        (node.op_type, tuple(map(places.get, node.inputs)), len(node.outputs), repr(node.attributes))
        for node in model.nodes
    )
    ends = tuple((port.name, port.folded_shape) for port in ports)
    return (nodes, tuple(places[name] for name in model.outputs), ends)


def _fewest(
    cycles: Callable[[Depths], Pace | None], better: Pace, deep: Depths, needed: Depths
) -> tuple[Pace, Depths]:
    """Leave out FIFOs that save little: all but those that are needed, or else one after the other."""
    alone = cycles(needed) if needed else None
    if alone is not None and WORTH * alone.period <= better.period:
        return alone, needed
    found, depths = better, deep
    for name in [one for one in deep if one not in needed][:_TRIED]:
        fewer = {key: depth for key, depth in depths.items() if key != name}
        without = cycles(fewer)
        if without is not None and WORTH * without.period <= better.period:
            found, depths = without, fewer
    return found, depths


def _needed(
    network: SplitNetwork, part: Placed, deep: Mapping[tuple[str, int], int], period: int, known: Known
) -> dict[tuple[str, int], int]:
    """Return the FIFOs without which a few layers take more cycles than ``period``, even on their own.

    The whole is never faster than some of its layers, so none of these can be left out. To follow a few takes
    a small part of the time.
    """
    place = {layer.name: at for at, (layer, _) in enumerate(part.layers)}
    found = {}
    for key, depth in deep.items():
        at = place[key[0]]
        few = replace(part, layers=part.layers[max(0, at - _AROUND) : at + 1])
        others = {other: value for other, value in deep.items() if other != key}
        (ports,), _ = crossing(network, [few])
        model = _model(few, network.streams, others)
        key_ = _nameless(model, ports)
        if key_ not in known.periods:
            known.periods[key_] = pace(model, ports, tails=False)
        alone = known.periods[key_]
        if alone is not None and WORTH * alone.period > period:
            found[key] = depth
    return found


def _vectors(part: Placed, streams: Sequence[SplitStream]) -> dict[tuple[str, int], int]:
    """Return the words of a vector for each input of a matrix unit that uses it more than once."""
    found: dict[tuple[str, int], int] = {}
    chosen = {layer.name: (layer, folding) for layer, folding in part.layers}
    for stream in streams:
        layer, folding = chosen.get(stream.consumer, (None, None))
        if layer is None or folding is None or layer.kind not in _KEEPS_VECTORS or stream.input:
            continue
        simd, pe = (int(folding.attributes.get(key, 1)) for key in ("SIMD", "PE"))
        vector = layer.limits.get("SIMD", 1) // simd
        if vector > _SHALLOW and pe < layer.limits.get("PE", 1):
            found[stream.consumer, stream.input] = vector
    return found


def _model(part: Placed, streams: Sequence[SplitStream], depths: Depths) -> FinnModel:
    """Return the partition as `stitch` would build it: a FIFO on every stream, converters between words."""
    draft = _Draft()
    chosen = {layer.name: (layer, folding) for layer, folding in part.layers}
    reads = {name: [""] * len(folding.reads) for name, (_, folding) in chosen.items()}
    writes = {name: [""] * len(folding.writes) for name, (_, folding) in chosen.items()}
    inputs, outputs = [], []
    for stream in streams:
        source, target = chosen.get(stream.producer), chosen.get(stream.consumer)
        if source is None and target is None:
            continue
        tensor = (source and writes[stream.producer][stream.output]) or draft.tensor()
        if source:
            writes[stream.producer][stream.output] = tensor
        else:
            inputs.append(tensor)
        behind = depth_of(*source, stream) if source else _SHALLOW
        before = depths.get((stream.consumer, stream.input), _SHALLOW)
        words = (source[1].writes[stream.output], target[1].reads[stream.input]) if source and target else ()
        if words and words[0] != words[1]:
            attributes = {"inWidth": words[0] * stream.bits, "outWidth": words[1] * stream.bits}
            tensor = draft.behind("StreamingDataWidthConverter", draft.fifo(tensor, behind), attributes)
            behind = _SHALLOW
        tensor = draft.fifo(tensor, max(behind, before))
        if target:
            reads[stream.consumer][stream.input] = tensor
        else:
            outputs.append(tensor)
    made = [
        node_of(layer, folding, reads[layer.name], [one or draft.tensor() for one in writes[layer.name]])
        for layer, folding in part.layers
    ]
    names = tuple(inputs)
    return FinnModel(Path(), (*draft.nodes, *made), names, names, tuple(outputs), {}, {}, {})
