# SPDX-License-Identifier: BSD-3-Clause
"""FIFOs with room for rows of an image, in front of layers that stop others at the end of a row or a frame.

A window generator takes rows, then none while it hands out windows, and no word of the next frame before the
last window has gone; with a stride it takes one row more quickly than the next. A layer at the limit before
it, or behind it, cannot make up for that, unless a FIFO takes what comes in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from shellgen import costs
from shellgen.model import Pace, Usage
from shellgen.model.folding import Folding, SplitLayer, SplitStream
from shellgen.split.placed import Placed
from shellgen.split.task import RESOURCES, Takes, within

Depths = Mapping[tuple[str, int], int]
Cycles = Callable[[Depths], Pace | None]

WORTH = 0.99  # of the cycles; FIFOs that save less are not worth their memory
_BYTE = 8  # FINN pads words to bytes
_LEAST = 32  # words; a shallower FIFO takes as many LUTs
_STEPS = 4  # between depths that are tried
_IMAGE = 4  # dimensions: frames, rows, columns, channels
_WINDOWS = "ConvolutionInputGenerator"
# Longer periods that do, if there is no room for the FIFOs of the shortest.
_SLOWER = (1.0, 1.02, 1.05, 1.1, 1.2)


@dataclass(frozen=True)
class _Place:
    """A stream whose FIFO may be deep.

    Attributes:
        key: Layer and input.
        bits: Of a word.
        most: Words that are enough.
    """

    key: tuple[str, int]
    bits: int
    most: int


def with_rows(
    part: Placed, streams: Sequence[SplitStream], found: tuple[Pace, Depths], cycles: Cycles, left: Takes
) -> tuple[Pace, Depths]:
    """Return a shorter period with deeper FIFOs, and the FIFOs; what was found, if there is none.

    Args:
        part: Layers with their foldings.
        streams: Of the network.
        found: Period and FIFOs that are there already.
        cycles: Gives the period with some FIFOs.
        left: Resources for all FIFOs.
    """
    pace, depths = found
    places = sorted(_places(part, streams), key=lambda one: (-one.bits * one.most, one.key))
    places = [one for one in places if one.most > depths.get(one.key, 0)]
    best = cycles(_deeper(depths, {one: one.most for one in places}))
    if not places or best is None or best.period >= WORTH * pace.period:
        return found
    for slower in _SLOWER:
        target = best.period * slower / WORTH
        if target >= WORTH * pace.period:
            break
        fewer = _fewest(places, depths, cycles, target)
        if within(_figures(fifos(part, streams, fewer)), left):
            shorter = cycles(fewer)
            return (shorter, fewer) if shorter else found
    return found


def fifos(part: Placed, streams: Sequence[SplitStream], depths: Depths) -> Usage:
    """Return what deep FIFOs take, besides those that the layers have anyway."""
    total = Usage()
    chosen = {layer.name: folding for layer, folding in part.layers}
    for stream in streams:
        depth = depths.get((stream.consumer, stream.input))
        if depth:
            total += costs.finn_fifo(_bits(chosen[stream.consumer], stream), depth)
    return total.model_copy(update={"ff": 0})


def _figures(usage: Usage) -> Takes:
    return tuple(getattr(usage, name) for name in RESOURCES)


def _bits(folding: Folding, stream: SplitStream) -> int:
    return -(-folding.reads[stream.input] * stream.bits // _BYTE) * _BYTE


def _places(part: Placed, streams: Sequence[SplitStream]) -> Iterator[_Place]:
    """Return the streams in front of window generators, or of their padding, and of matrix units."""
    chosen = {layer.name: (layer, folding) for layer, folding in part.layers}
    heights = [_height(layer) for layer, _ in part.layers if layer.kind == _WINDOWS]
    for stream in streams:
        target, source = chosen.get(stream.consumer), chosen.get(stream.producer)
        if target is None or source is None or stream.input or len(stream.shape) != _IMAGE:
            continue
        padded = target[0].kind == _WINDOWS and source[0].kind == "FMPadding"
        if target[0].kind not in ("FMPadding", _WINDOWS, "MVAU") or padded or not heights:
            continue
        lanes = target[1].reads[stream.input]
        rows = min(stream.shape[1], max(heights))
        words = rows * prod(stream.shape[2:]) // lanes
        yield _Place((stream.consumer, stream.input), _bits(target[1], stream), _whole(words))


def _height(layer: SplitLayer) -> int:
    """Return the rows of a window, and those by which it moves on."""
    kernel, dilation, stride = (_first(layer, name) for name in ("ConvKernelDim", "Dilation", "Stride"))
    return (kernel - 1) * dilation + 1 + stride


def _first(layer: SplitLayer, name: str) -> int:
    value = layer.attributes.get(name, (1,))
    return int(value[0]) if isinstance(value, Sequence) and not isinstance(value, str) else 1


def _whole(words: int) -> int:
    """Return a depth that fills its memory."""
    return max(_LEAST, 1 << (words - 1).bit_length())


def _deeper(depths: Depths, more: Mapping[_Place, int]) -> dict[tuple[str, int], int]:
    return {**depths, **{one.key: depth for one, depth in more.items() if depth > depths.get(one.key, 0)}}


def _fewest(places: Sequence[_Place], depths: Depths, cycles: Cycles, target: float) -> Depths:
    """Return FIFOs that keep a period: the largest is left out, or made smaller, first."""
    kept = {one: one.most for one in places}

    def enough(tried: Mapping[_Place, int]) -> bool:
        pace = cycles(_deeper(depths, tried))
        return pace is not None and pace.period <= target

    for one in places:
        without = {other: depth for other, depth in kept.items() if other != one}
        if enough(without):
            kept = without
    for one in places:
        while one in kept and kept[one] > _LEAST:
            smaller = {**kept, one: max(_LEAST, kept[one] // _STEPS)}
            if not enough(smaller):
                break
            kept = smaller
    return _deeper(depths, kept)
