# SPDX-License-Identifier: BSD-3-Clause
"""Choice between the small and the fast converter from beats to words that are a part of one."""

from __future__ import annotations

from shellgen.model import Converter, End, Inner
from shellgen.plan.draft import Draft, NodeDraft

# Up to here the multiplexer of the small one has two levels, and the fast one gains little.
_LEAST_RATIO = 8
# Of a device whose file has no most_clock_hz: the slowest speed grade of 7-series has 464 MHz (DS181).
_MOST_CLOCK_HZ = 464_000_000


def is_fast(draft: Draft, node: NodeDraft, bits_in: int, bits_out: int, hz: int) -> bool:
    """Return whether axis_width_narrow_fast makes narrower words, and not axis_width.

    The small one has a multiplexer of 4:1 for each two bits of the ratio, and two levels more for what
    selects and for its output. A level with its wire is taken as half a period of the fastest clock that the
    device carries: 0.65 ns at 775 MHz. The fast one has two levels at any ratio.

    Args:
        draft: With cluster.toml, whose ``converters`` can say it.
        node: Where it is.
        bits_in: Its input.
        bits_out: Its output.
        hz: Its clock.
    """
    asked = draft.spec.node[node.entry].converters
    if bits_in % bits_out or asked == "small" or (ratio := bits_in // bits_out) < _LEAST_RATIO:
        return False
    levels = 2 + ((ratio - 1).bit_length() + 1) // 2
    most = node.board.most_clock_hz or _MOST_CLOCK_HZ
    return asked == "fast" or levels * hz > 2 * most


def with_converter(draft: Draft, node: NodeDraft, end: End) -> End:
    """Return an end with the converter that suits the clock it has there (`shellgen.emit.ends`)."""
    if end.direction == "in":
        fast = is_fast(draft, node, end.link_bits, end.word_bits, node.clocks[0].hz)
    else:
        fast = is_fast(draft, node, end.word_bits, end.link_bits, node.clocks[-1].hz)
    return end.model_copy(update={"fast": fast})


def with_converters(draft: Draft, node: NodeDraft, inner: Inner) -> Inner:
    """Return a stream inside a node with those of its converters that are fast."""
    made, taken = inner.producer_word_bits, inner.consumer_word_bits
    there: dict[Converter, tuple[int, int]] = {"width": (made, taken)}
    if inner.ring is not None:
        stored = inner.ring.port.data_bits
        there |= {"pack": (made, stored), "unpack": (stored, made)}
    hz = node.clocks[-1].hz
    fast = tuple(name for name, bits in there.items() if is_fast(draft, node, *bits, hz))
    return inner.model_copy(update={"fast": fast})
