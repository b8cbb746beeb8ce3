# SPDX-License-Identifier: BSD-3-Clause
"""Waits between layers, by kind: room for words that come in, and the words that each word out needs.

A layer takes words while it has room for them, and hands one out when the words that it needs are in and the
next layer takes it. Room, pipelines and order are those of FINN's RTL (finn-rtllib of finn-plus 1.6) and of
the reference partitions (sim/reference); a layer of another kind has two words of room on each side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod

import numpy as np

from shellgen.read.finn_onnx import Node
from shellgen.read.needs import Need
from shellgen.read.recurrence import After, Counts, Sequence
from shellgen.read.rigid import Rigid

_LEAST_FIFO = 5  # words that the shallowest FIFO of FINN has room for
_SLICE = 2  # words of a register slice
_READ, _READS = 6, 3  # cycles from an address of a shuffle's memory to its word, and words that are under way
_TURN = 4  # cycles from the last word of a matrix that is kept to the first that is read


@dataclass(eq=False)
class Waits:
    """The events of a partition as they are found, layer by layer.

    Attributes:
        sequences: Words at streams, and steps of layers.
        streams: Number of the sequence of each tensor.
    """

    sequences: list[Sequence] = field(default_factory=list)
    streams: dict[str, int] = field(default_factory=dict)

    def stream(self, tensor: str, words: int) -> int:
        """Return the sequence of a tensor: at most a word in each cycle."""
        if tensor not in self.streams:
            self.streams[tensor] = self.steps(np.ones(words, dtype=np.int64))
        return self.streams[tensor]

    def steps(self, gaps: Counts) -> int:
        """Add a sequence."""
        self.sequences.append(Sequence(gaps))
        return len(self.sequences) - 1

    def after(self, number: int, of: int, counts: Counts, delay: int) -> None:
        """Let the events of one sequence wait for those of another."""
        self.sequences[number].after.append(After(of, np.maximum.accumulate(counts), delay))

    def size(self, number: int) -> int:
        """Return the number of events in a frame."""
        return len(self.sequences[number])


@dataclass(frozen=True)
class Ends:
    """A layer between its streams.

    Attributes:
        node: The layer.
        need: Its need curve.
        into: Sequences of its inputs.
        out: Sequences of its outputs.
    """

    node: Node
    need: Need
    into: tuple[int, ...]
    out: tuple[int, ...]


def wait(waits: Waits, ends: Ends) -> None:
    """Add the waits of a layer."""
    module = ends.node.text("gen_top_module") or ""
    found = _REFERENCE.get(module) or _OWN.get(ends.node.op_type) or _FINN.get(ends.node.op, _other)
    found(waits, ends)


def timed(node: Node) -> bool:
    """Return whether the words of a layer are timed as those of its RTL, so that it needs no formula."""
    module = node.text("gen_top_module") or ""
    rtl = node.op_type.endswith("_rtl") and node.op in _FINN
    return module in _REFERENCE or node.op_type in _OWN or rtl


def _up(waits: Waits, number: int) -> Counts:
    return np.arange(1, waits.size(number) + 1, dtype=np.int64)


def _pipe(waits: Waits, ends: Ends, latency: int, room: int) -> None:
    """A word out for each word in, and so many words of room between the two."""
    for out in ends.out:
        for into in ends.into:
            counts = _up(waits, out)
            waits.after(out, into, counts, latency)
            waits.after(into, out, counts - room, 1)


def _other(waits: Waits, ends: Ends) -> None:
    """Two words of room on either side of what the need curve tells."""
    need = ends.need
    for out in ends.out:
        for into in ends.into:
            waits.after(out, into, need.need, 2)
            # Before word i comes in, the words out are gone that need none of the last two before it.
            past = np.searchsorted(need.need, np.arange(need.words) - _SLICE, "right")
            waits.after(into, out, past - _SLICE, 1)


def _taken(waits: Waits, ends: Ends) -> None:
    """A word comes in when the first word out that needs it is next, but for those in register slices."""
    (out,) = ends.out
    for index, into in enumerate(ends.into):
        need = ends.need.at(index)
        waits.after(out, into, need, 2)
        first = np.searchsorted(need, np.arange(1, waits.size(into) + 1), "left")
        waits.after(into, out, first - _SLICE, 1)


def _split(waits: Waits, ends: Ends) -> None:
    """The words behind a register slice leave in order, so an output that stalls holds up the others."""
    (into,) = ends.into
    needs = [ends.need.at(0, place) for place in range(len(ends.out))]
    came = _up(waits, into)
    for out, need in zip(ends.out, needs, strict=True):
        waits.after(out, into, need, 1)
        waits.after(into, out, np.searchsorted(need, came - _SLICE, "right"), 1)
        for other, its in zip(ends.out, needs, strict=True):
            if other != out:
                waits.after(out, other, np.searchsorted(its, need, "left"), 1)


def _fifo(waits: Waits, ends: Ends) -> None:
    _pipe(waits, ends, 2, max(_LEAST_FIFO, ends.node.integer("depth", 2) or 2))


def _thresholds(waits: Waits, ends: Ends) -> None:
    """A stage for each bit of the count, two if it is deep, and a queue that takes what is under way."""
    stages = (ends.node.integer("numSteps", 1) or 1).bit_length()
    if ends.node.integer("deep_pipeline", 1):
        stages *= 2
    _pipe(waits, ends, stages + 2, stages + 3)


def _reference_thresholds(waits: Waits, ends: Ends) -> None:
    """Words that come in are the steps of a pipeline of two stages."""
    (into,), (out,) = ends.into, ends.out
    _rigid(waits, (into, into), out, np.arange(waits.size(out), dtype=np.int64), 2)


def _rigid(waits: Waits, enter: tuple[int, int], out: int, last: Counts, stages: int) -> None:
    """A pipeline whose stages stall together while the register slice behind it is full.

    Args:
        waits: Gets the events.
        enter: The words that come in, and the steps, which may be the same.
        out: The words that go out.
        last: For each of these, the step that completes it.
        stages: Of the pipeline.
    """
    leave = waits.steps(np.ones(len(last), dtype=np.int64))
    rigid = Rigid(enter[1], leave, last, stages)
    for number in {*enter, leave}:
        waits.sequences[number].rigid = rigid
    waits.after(leave, enter[1], last + 1, stages)
    waits.after(leave, out, _up(waits, leave) - _SLICE, 1)
    waits.after(out, leave, _up(waits, out), 1)


def _reference_width(waits: Waits, ends: Ends) -> None:
    _convert(waits, ends, 1)


def _width(waits: Waits, ends: Ends) -> None:
    _convert(waits, ends, 1)


def _convert(waits: Waits, ends: Ends, latency: int) -> None:
    """A word comes in while no more than a word of the output is held."""
    (into,), (out,) = ends.into, ends.out
    words, made = waits.size(into), waits.size(out)
    waits.after(out, into, ends.need.need, latency)
    come = np.arange(words, dtype=np.int64)
    waits.after(into, out, -(-come * made // words) - 1, 1)


def _padding(waits: Waits, ends: Ends) -> None:
    """A word waits in a register until its place comes up; the words around the image need none."""
    (into,), (out,) = ends.into, ends.out
    waits.after(out, into, ends.need.need, 1)
    place = np.searchsorted(ends.need.need, np.arange(ends.need.words) + 1, "left")
    before = np.append(0, place[:-1])  # words out before that which has the word before
    waits.after(into, out, before, 1)


def _shuffle(waits: Waits, ends: Ends) -> None:
    """Two matrices: one is read while the next is written, three words in the six cycles of a read."""
    (into,), (out,) = ends.into, ends.out
    size = waits.size(out)
    read = waits.steps(np.where(np.arange(size) % _READS == 0, _READ - _READS + 1, 1))
    waits.after(read, into, ends.need.need, 1)
    waits.after(out, read, _up(waits, out), _READ + 1)
    waits.after(read, out, _up(waits, out) - _READ, 1)
    waits.after(into, out, ends.need.need - 2 * int(ends.need.need[0]), 1)


def _matrix(waits: Waits, ends: Ends) -> None:
    """Input words of a vector are kept for all folds, and those of the next come in during the last fold.

    A second operand is kept like that of a shuffle: one matrix is used while the next is written.
    """
    simd = ends.node.integer("SIMD", 1) or 1
    core = 3 + simd.bit_length() + (simd == 1)
    vector, folds = _folds(ends)
    room = 1 << max(1, (vector - 1).bit_length())
    _product(waits, ends, folds, issue=2 if folds > 1 else 0, room=room, latency=core + 2, queue=(2, core))


def _reference_matrix(waits: Waits, ends: Ends) -> None:
    """A vector comes in during the first fold, and the next one after the last: a step in each cycle.

    So are shellgen's own matrix units, too.
    """
    into, (out,) = ends.into[0], ends.out
    vector, folds = _folds(ends)
    vectors, size = ends.need.words // vector, vector * folds
    steps = waits.steps(np.ones(vectors * size, dtype=np.int64))
    base = np.arange(vectors, dtype=np.int64)[:, None]
    takes = np.minimum(np.arange(1, size + 1), vector)
    waits.after(steps, into, (base * vector + takes[None, :]).reshape(-1), 0)
    waits.after(into, steps, (base * size + np.arange(vector)[None, :]).reshape(-1), 1)
    done = (base * size + (np.arange(1, folds + 1) * vector - 1)[None, :]).reshape(-1)
    _rigid(waits, (into, steps), out, done, 3)


def _folds(ends: Ends) -> tuple[int, int]:
    """Return the input words of a vector, and how often they are used."""
    vector = ends.need.gap
    return vector, max(1, len(ends.need.need) * vector // ends.need.words)


def _product(  # noqa: PLR0913 - the numbers of a pipeline
    waits: Waits, ends: Ends, folds: int, *, issue: int, room: int, latency: int, queue: tuple[int, int]
) -> None:
    """Steps of a matrix product: those of the first fold take words, those of the last give room again.

    Args:
        waits: Gets the events.
        ends: The layer.
        folds: How often a vector is used.
        issue: Cycles from a word at the input to its step.
        room: Input words that are kept.
        latency: Cycles from the last step of a fold to the output.
        queue: Words out that may wait, and steps that go on then.
    """
    into, (out,) = ends.into[0], ends.out
    vector = ends.need.gap
    vectors = ends.need.words // vector
    first = np.ones(vector, dtype=np.int64)
    middle = np.full(max(0, folds - 2), vector, dtype=np.int64)
    gaps = [first, middle, first] if folds > 1 else [first]
    once = np.concatenate(gaps)
    steps = waits.steps(np.tile(once, vectors))
    size = len(once)
    base = np.arange(vectors)[:, None] * size
    if ends.need.inputs:
        _second_operand(waits, ends, steps, size)
    # Each step waits for the input word of its place in the first fold.
    takes = np.concatenate([np.arange(1, vector + 1), np.full(size - vector, vector)])
    waits.after(steps, into, (np.arange(vectors)[:, None] * vector + takes[None, :]).reshape(-1), issue)
    if folds > 1:
        freed = (base + np.arange(size - vector, size)[None, :]).reshape(-1) + 1
        earlier = np.arange(len(freed)) - room
        # Room comes with the step that uses a word for the last time; words of the frame before have gone.
        frames = np.where(earlier < 0, (len(freed) - 1 - earlier) // len(freed), 0)
        counts = freed[earlier + frames * len(freed)] - frames * size * vectors
        waits.after(into, steps, counts, 0)
    else:
        before = (base + np.arange(vector)[None, :]).reshape(-1)
        waits.after(into, steps, before, 1)
    ends_at = (
        np.concatenate([[vector], vector + np.arange(1, len(middle) + 1), [size]]) if folds > 1 else [size]
    )
    done = (base + np.array(ends_at)[None, :]).reshape(-1)
    waits.after(out, steps, done, latency)
    # A full queue holds the steps: the last of a fold waits for the words before it to leave.
    places, under_way = queue
    places += under_way // vector
    held = np.searchsorted(done, np.arange(1, size * vectors + 1), "left") - places + 1
    starts = np.ones(size * vectors, dtype=np.int64)
    starts[done - 1] = 0
    held = held - starts  # only the last step of a fold waits
    waits.after(steps, out, held, 1 + max(0, vector - under_way))


def _second_operand(waits: Waits, ends: Ends, steps: int, size: int) -> None:
    """A matrix is used when all of it is in, and overwritten when the last step with it is over."""
    second, folds = ends.into[1], _folds(ends)[1]
    (needs,) = ends.need.inputs
    matrix = int(needs[0])
    waits.after(steps, second, np.repeat(needs[::folds], size), _TURN)
    each = size * int(np.count_nonzero(needs == matrix)) // folds
    place = np.arange(waits.size(second), dtype=np.int64) // matrix
    waits.after(second, steps, (place - 1) * each, 1)


def _window(waits: Waits, ends: Ends) -> None:
    """A ring of image rows: a word is overwritten when no window needs it, frames do not overlap."""
    node, need = ends.node, ends.need
    names = ("IFMDim", "OFMDim", "ConvKernelDim", "Stride", "Dilation")
    size, out_size, kernel, stride, dilation = (node.integers(name) or (1, 1) for name in names)
    (into,), (out,) = ends.into, ends.out
    folds = need.words // prod(size)
    waits.after(into, out, np.zeros(need.words, dtype=np.int64), 1)
    starts = np.arange(out_size[0])[:, None] * stride[0] * size[1] + np.arange(out_size[1]) * stride[1]
    starts = starts.reshape(-1, 1) * folds
    columns = np.arange(kernel[1]) * dilation[1]
    rows = np.arange(kernel[0]) * dilation[0] * size[1]
    pixels = (rows[:, None] + columns[None, :]).reshape(-1) * folds
    channels = np.arange(folds)
    if node.integer("parallel_window") or prod(kernel) == 1:
        _whole_window(waits, ends, (starts + pixels[-1] + channels).reshape(-1))
        return
    depthwise = node.integer("depthwise") and folds > 1
    inside = channels[:, None] + pixels if depthwise else pixels[:, None] + channels
    address = (starts + inside.reshape(-1)).reshape(-1)
    # Fetches: each waits for its word, and for the word before to leave.
    fetch = waits.steps(np.ones(len(address), dtype=np.int64))
    waits.after(fetch, into, np.maximum.accumulate(address + 1), 1)
    waits.after(fetch, out, np.arange(len(address), dtype=np.int64), 0)
    waits.after(out, fetch, _up(waits, out), 1)
    least = int(pixels[-1]) + folds
    ring = least + max(0, (stride[1] - 1) - prod(kernel)) * folds
    ring += max(0, (stride[0] - 1) * size[1] - prod(kernel)) * folds
    # Behind each fetch, words before that which it fetches next, and before the next window, are not needed.
    group = len(pixels) if depthwise else len(pixels) * folds
    first = address[::group]
    following = np.repeat(np.append(first[1:], first[-1] + least - 1), group)
    kept = np.minimum(following, np.append(address[1:], need.words))
    kept[-1] = need.words
    old = np.arange(need.words) - ring  # the word that is overwritten
    past = np.searchsorted(np.maximum.accumulate(kept), old, "right") + 1
    waits.after(into, fetch, np.where(old < 0, 0, np.minimum(past, len(address))), 1)


def _whole_window(waits: Waits, ends: Ends, last: Counts) -> None:
    """Registers shift with each word; a word that completes a window stays until that is out."""
    (into,), (out,) = ends.into, ends.out
    waits.after(out, into, last + 1, 1)
    waits.after(into, out, np.searchsorted(last, np.arange(ends.need.words), "left"), 0)


_FINN: dict[str, Callable[[Waits, Ends], None]] = {
    "StreamingFIFO": _fifo,
    "Thresholding": _thresholds,
    "StreamingDataWidthConverter": _width,
    "FMPadding": _padding,
    "InnerShuffle": _shuffle,
    "MVAU": _matrix,
    "ConvolutionInputGenerator": _window,
}
# Layers that shellgen has in RTL (ip/layers), where FINN has them in HLS only: no ending in their type.
_OWN: dict[str, Callable[[Waits, Ends], None]] = {
    "MVAU": _reference_matrix,
    "StreamingConcat": _taken,
    "StreamingSplit": _split,
    "UpsampleNearestNeighbour": _taken,
}
_REFERENCE: dict[str, Callable[[Waits, Ends], None]] = {
    "ref_mvau": _reference_matrix,
    "ref_mvau_external": _reference_matrix,
    "ref_thresholding": _reference_thresholds,
    "ref_width": _reference_width,
}
