# SPDX-License-Identifier: BSD-3-Clause
"""Registers and converters on the way of a stream through a core: they delay a frame, and hold up none.

The lag of a place is the time from the first beat at the stage before to the first one behind it, and the
same for the last. What a beat is made of counts, too: a converter waits for all words of a wide beat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shellgen import latencies
from shellgen.links import Link, link_registry
from shellgen.model import Attachment, End, Inner, NodePlan, Partition
from shellgen.model.flow import Flow

BENCH_START = 2  # cycles of the bench's hosts until their first beat: they open a file, and fetch it


@dataclass(frozen=True)
class Lag:
    """Seconds between two stages of a stream.

    Attributes:
        lead: From first beat to first beat.
        tail: From last beat to last beat.
    """

    lead: float = 0.0
    tail: float = 0.0

    def __add__(self, other: Lag) -> Lag:
        return Lag(self.lead + other.lead, self.tail + other.tail)


NONE = Lag()


def leaving(node: NodePlan, end: End, gap: float) -> Lag:
    """Return the lag from the words of a partition to the beats at the pin of a core.

    Args:
        node: The board.
        end: A stream out of it.
        gap: Seconds from word to word.
    """
    converter = latencies.width(end.word_bits, end.link_bits, end.fast)
    seconds = converter / node.compute.hz + _inside(node, end)
    before = -(-end.link_bits // end.word_bits) - 1  # words of the first beat before its last one
    rest = _rest(end.words_per_frame, end.word_bits, end.beats_per_frame, end.link_bits)
    return Lag(seconds + min(before, end.words_per_frame - 1) * gap, seconds + rest / node.clock_hz)


def entering(node: NodePlan, end: End) -> Lag:
    """Return the lag from the beats at the pin of a core to the words of a partition."""
    hz = node.compute.hz
    seconds = latencies.width(end.link_bits, end.word_bits, end.fast) / hz + _inside(node, end)
    before = -(-end.word_bits // end.link_bits) - 1  # beats of the first word before its last one
    return Lag(seconds + before / node.clock_hz, seconds + burst(end) / hz)


def burst(at: End | Inner) -> int:
    """Return the words that a partition gets at once with the last beat or word of a frame, beside one."""
    if isinstance(at, Inner):
        return _rest(at.producer_words, at.producer_word_bits, at.consumer_words, at.consumer_word_bits)
    return _rest(at.beats_per_frame, at.link_bits, at.words_per_frame, at.word_bits)


def _rest(taken: int, bits: int, made: int, made_bits: int) -> int:
    """Return what is left to be made after the last of so many words, beside one."""
    return max(0, made - (taken - 1) * bits // made_bits - 1)


def between(node: NodePlan, inner: Inner, gap: float) -> Lag:
    """Return the lag of a stream inside a board: its FIFO and its converter."""
    bits, made = inner.producer_word_bits, inner.consumer_word_bits
    cycles = _fifo(node, inner) + latencies.width(bits, made, "width" in inner.fast)
    hz = node.compute.hz
    return Lag(cycles / hz + early(inner) * gap, (cycles + burst(inner)) / hz)


def early(inner: Inner) -> int:
    """Return the producer's words that the consumer's first word needs before its last one."""
    return min(-(-inner.consumer_word_bits // inner.producer_word_bits), inner.producer_words) - 1


def _fifo(node: NodePlan, inner: Inner) -> int:
    """Return the cycles of the FIFO of a stream inside a board, past the memory if it is there."""
    if inner.ring is None:
        return latencies.FIFO
    bits, beat = inner.producer_word_bits, inner.ring.port.data_bits
    cycles = latencies.width(bits, beat, "pack" in inner.fast) + latencies.DDR_FIFO
    cycles += latencies.width(beat, bits, "unpack" in inner.fast)
    return cycles + (2 * latencies.CROSSING if node.apart else 0)


def dealt(node: NodePlan, kinds: Sequence[str]) -> Lag:
    """Return the lag of deals or gathers, each with the stream that joins it to a partition."""
    once = latencies.FIFO + latencies.width(1, 1)
    cycles = sum(once + (latencies.GATHER if kind == "gather" else latencies.REGISTER) for kind in kinds)
    return Lag(cycles / node.compute.hz, cycles / node.compute.hz)


def _inside(node: NodePlan, end: End) -> float:
    """Return the seconds of framers, FIFO and change of clock between a pin and the words."""
    link, attachment = link_of(node, end)
    cycles = link.latency(attachment, end)
    cycles += latencies.FIFO if end.depth_beats else 0
    crossing = 0.0
    if node.apart:
        crossing = latencies.CROSSING / (node.compute.hz if end.direction == "in" else node.clock_hz)
    return cycles / node.clock_hz + crossing


def link_of(node: NodePlan, end: End) -> tuple[Link, Attachment]:
    """Return the link of an end, and where it is attached."""
    attachment = next(one for one in node.attachments if one.serves(end))
    return link_registry()[attachment.link], attachment


def flows_of(partition: Partition) -> tuple[Flow, ...]:
    """Return the flows of a partition; those of a junction that shellgen generates follow from its block."""
    if partition.flows or partition.junction is None:
        return partition.flows
    late = _junction(partition)
    found = []
    for into in partition.inputs:
        words = into.words_per_frame
        for out in partition.outputs:
            last = max(words, out.words_per_frame) + late - 1
            flow = Flow(
                source=into.name,
                target=out.name,
                words=words,
                need_first=1,
                first=late,
                last=last,
                tail=late,
            )
            found.append(flow)
    return tuple(found)


def _junction(partition: Partition) -> int:
    if partition.junction == "sum":
        return latencies.add(len(partition.inputs))
    return latencies.GATHER if partition.junction in ("concat", "gather") else latencies.REGISTER
