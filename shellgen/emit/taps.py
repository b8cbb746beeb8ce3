# SPDX-License-Identifier: BSD-3-Clause
"""Observation points of the bench: pins of partitions, inputs of hosts, FIFO outputs inside a core."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.emit.ends import stream_net
from shellgen.emit.host_end import host_clock_nodes
from shellgen.emit.tags import meets
from shellgen.model import Boundary, End, Endpoint, Inner, NodePlan, Plan, StreamPort
from shellgen.model.bench import Side


@dataclass(frozen=True)
class Tap:
    """A sink (``seed`` not 0) or monitor on one stream of the bench, with its beats of an epoch.

    A monitor looks at the lowest ``word`` bits of a word; at all if that is 0.
    """

    side: Side
    boundary: int
    net: str
    bits: int
    beats: int
    clock: str
    seed: int = 0
    word: int = 0

    @property
    def name(self) -> str:
        """Name in the bench, distinct from the names of nets."""
        return f"{self.side}_{self.boundary}" + ("_tap" if self.side == "inner" else "")

    @property
    def file(self) -> str:
        """Name of the file that it writes."""
        return f"{self.side}_{self.boundary}.bin"

    @property
    def module(self) -> str:
        """Module of ``sim/``."""
        return "axis_sink" if self.seed else "axis_monitor"


@dataclass(frozen=True)
class Repeats:
    """Repetitions of a source: one frame repeatedly (``cyclic``) or not, and the total number."""

    cyclic: bool
    frames: str

    @classmethod
    def of(cls, sent: Boundary) -> Repeats:
        """Return it for a stream of the host."""
        frames = f"frames * 32'd{sent.per_epoch}" if sent.per_epoch > 1 else "frames"
        return cls(sent.carries_weights, frames)


def link_ends(plan: Plan, boundary: Boundary) -> tuple[tuple[str, End] | None, tuple[str, End] | None]:
    """Return (net prefix, path) of the sending and of the receiving core, where there is one."""
    sender, receiver = (_at_pin(plan.end(boundary, way)) for way in ("out", "in"))
    return sender, receiver


def _at_pin(found: tuple[NodePlan, End] | None) -> tuple[str, End] | None:
    return found and (f"{found[0].name}_{found[0].pin(found[1]).name}", found[1])


def node_clock(node: str) -> str:
    """Return the net of a node's clock in the bench."""
    return f"aclk_{node}"


def inner_clock(node: NodePlan) -> str:
    """Return the net of the clock of a node's partitions in the bench."""
    return f"compute_aclk_{node.name}" if node.apart else node_clock(node.name)


def boundary_taps(plan: Plan) -> list[Tap]:
    """Monitor the pins of every partition inside its core."""
    taps, nodes = [], {name: node for node in reversed(plan.nodes) for name in node.partitions}
    for index, boundary in enumerate(plan.boundaries):
        sides: tuple[tuple[Side, Endpoint | None], ...]
        sides = (("made", boundary.producer), ("taken", boundary.consumer))
        for side, end in sides:
            if end is None:
                continue
            port = plan.partition(end.partition).stream(end.port)
            assert port is not None
            words = port.words_per_frame * boundary.per_epoch
            node = nodes[end.partition]
            inside = end.model_copy(update={"partition": plan.inside(node, end.partition)})
            # Where streams meet, those of the link are watched, before what matches them.
            raw = side == "taken" and meets(plan, plan.partition(end.partition))
            net = f"u_{node.name}.{stream_net(inside) if raw else _pins(inside, port)}"
            word = padded_word(port) if side == "made" else 0
            taps.append(Tap(side, index, net, port.tdata_bits, words, inner_clock(node), word=word))
    return taps


def padded_word(port: StreamPort) -> int:
    """Return the bits of a word that a partition hands out, if padding is above it, which may be anything."""
    return port.payload_bits if port.payload_bits < port.tdata_bits else 0


def _pins(end: Endpoint, port: StreamPort) -> str:
    """Return the prefix of a partition's pins in its core, or of the nets there if the pins are renamed."""
    usual = all(name == f"{port.name}_{signal.lower()}" for signal, name in port.ports.items())
    return f"u_{end.partition}.{end.port}" if usual else stream_net(end)


def host_taps(plan: Plan) -> list[Tap]:
    """Record what the hosts receive, with random back-pressure."""
    taps, clocks = [], host_clock_nodes(plan)
    for index, boundary in enumerate(plan.boundaries):
        sender, receiver = link_ends(plan, boundary)
        if sender and not receiver:
            path = sender[1]
            bits, beats = path.link_bits, path.beats_per_frame * boundary.per_epoch
            clock = node_clock(clocks[boundary.name])
            taps.append(Tap("received", index, f"hop_{index}", bits, beats, clock, seed=201 + index))
    return taps


def direct_paths(plan: Plan) -> list[tuple[int, NodePlan, int, Inner]]:
    """Return (boundary index, node, index on the node, path) of the streams inside a core."""
    index = {boundary.name: i for i, boundary in enumerate(plan.boundaries)}
    return [(index[p.boundary], node, k, p) for node in plan.nodes for k, p in enumerate(node.inner)]


def whole_bytes(path: Inner) -> int:
    """Return the bits of a producer's word, padded to whole bytes for a sink."""
    return -(-path.producer_word_bits // 8) * 8


def inner_taps(plan: Plan) -> dict[int, Tap]:
    """Monitor the output of each direct stream's FIFO, by boundary.

    No frame counter is there, and an excess word after the last frame can stay in the converter, where the
    consumer's pins do not show it.
    """
    return {
        index: Tap(
            "inner",
            index,
            f"inner_{index}",
            whole_bytes(path),
            path.producer_words * plan.boundaries[index].per_epoch,
            inner_clock(node),
        )
        for index, node, _, path in direct_paths(plan)
    }
