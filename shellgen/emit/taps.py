# SPDX-License-Identifier: BSD-3-Clause
"""Where the bench watches: the pins of partitions, what hosts receive, what rests inside a core."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.emit.core import stream_net
from shellgen.model import Boundary, DirectPath, Endpoint, LinkPath, NodePlan, Plan


@dataclass(frozen=True)
class Tap:
    """A recorder (``seed`` not 0) or monitor on one stream of the bench, with its beats of one inference."""

    name: str
    net: str
    bits: int
    beats: int
    file: str
    seed: int = 0

    @property
    def module(self) -> str:
        """Module of ``sim/``."""
        return "axis_recorder" if self.seed else "axis_monitor"

    @property
    def watches(self) -> tuple[str, int]:
        """What is watched, and the index of its boundary."""
        side, _, index = self.name.removesuffix("_tap").rpartition("_")
        return side, int(index)

    @property
    def keep(self) -> str:
        """Expression for the recorder's TKEEP."""
        return f"{self.net}_tkeep"

    @property
    def last(self) -> str:
        """Expression for the recorder's TLAST."""
        return f"{self.net}_tlast"


def link_ends(
    plan: Plan, boundary: Boundary
) -> tuple[tuple[str, LinkPath] | None, tuple[str, LinkPath] | None]:
    """Return (net prefix, path) of the sending and of the receiving core, where there is one."""
    sender = next(
        ((f"{n.name}_m_axis_{p.index}", p) for n in plan.nodes for p in n.tx if p.boundary == boundary.name),
        None,
    )
    receiver = next(
        ((f"{n.name}_s_axis_{p.index}", p) for n in plan.nodes for p in n.rx if p.boundary == boundary.name),
        None,
    )
    return sender, receiver


def _pin(plan: Plan, end: Endpoint) -> str:
    node = next(n for n in plan.nodes if end.partition in n.partitions)
    return f"u_{node.name}.{stream_net(end)}"


def boundary_taps(plan: Plan) -> list[Tap]:
    """Watch the pins of every partition inside its core."""
    taps = []
    for index, boundary in enumerate(plan.boundaries):
        for side, end in (("made", boundary.producer), ("taken", boundary.consumer)):
            if end is None:
                continue
            port = plan.partition(end.partition).stream(end.port)
            assert port is not None
            name = f"{side}_{index}"
            words = port.words_per_frame * port.passes
            taps.append(Tap(name, _pin(plan, end), port.tdata_bits, words, f"{name}.bin"))
    return taps


def host_taps(plan: Plan) -> list[Tap]:
    """Record what the hosts receive, with random back-pressure."""
    taps = []
    for index, boundary in enumerate(plan.boundaries):
        sender, receiver = link_ends(plan, boundary)
        if sender and not receiver:
            path = sender[1]
            name = f"received_{index}"
            taps.append(
                Tap(name, f"hop_{index}", path.link_bits, path.beats_per_frame, f"{name}.bin", 201 + index)
            )
    return taps


def direct_paths(plan: Plan) -> list[tuple[int, NodePlan, int, DirectPath]]:
    """Return (boundary index, node, index on the node, path) of the streams that leave no core."""
    index = {boundary.name: i for i, boundary in enumerate(plan.boundaries)}
    return [(index[p.boundary], node, k, p) for node in plan.nodes for k, p in enumerate(node.direct)]


def whole_bytes(path: DirectPath) -> int:
    """Return the bits of a producer's word, filled up to whole bytes as a recorder needs them."""
    return -(-path.producer_word_bits // 8) * 8


def inner_taps(plan: Plan) -> dict[int, Tap]:
    """Watch what a direct stream's FIFO hands on, by boundary.

    No frame guard counts there, and a word too many after the last frame can rest in the converter,
    where the consumer's pins do not show it.
    """
    return {
        index: Tap(
            f"inner_{index}_tap",
            f"inner_{index}",
            whole_bytes(path),
            path.producer_words,
            f"inner_{index}.bin",
        )
        for index, _, _, path in direct_paths(plan)
    }
