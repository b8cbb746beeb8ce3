# SPDX-License-Identifier: BSD-3-Clause
"""Flow of a frame through a partition: need curves of its layers composed, and the cycles that follow.

A word leaves a layer when the words that it needs are in and the word before it is out; so the time of each
word at each tensor is a running maximum, and layers overlap within the frame as in hardware.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shellgen.model import StreamPort
from shellgen.model.flow import Flow, Pace
from shellgen.read.coarse import coarse
from shellgen.read.contract import contracted
from shellgen.read.external import stream_inputs
from shellgen.read.finn_onnx import FinnModel, Node
from shellgen.read.needs import MOST_WORDS, Need, Words, need_of
from shellgen.read.recurrence import Recurrence
from shellgen.read.recurrence import Sequence as Events
from shellgen.read.stalls import Ends, Waits, wait

Cycles = NDArray[np.float64]
# From the last word that a layer needs to its output, in cycles: registers of the RTL, about alike in all.
_REGISTERS = {"MVAU": 8, "VVAU": 8, "StreamingFIFO": 2, "StreamingDataWidthConverter": 1}
_OTHER = 3
_MOST_EVENTS = (
    300_000  # of a frame; more take longer than three seconds, and are followed in parts of a frame
)
_MOST_IN_PARTS = 20_000_000  # beyond that, memory runs out
_PARTS = 1568  # of a frame: so many that waits of rows are seen (docs/split.md has the errors)
_FRAMES = (3, 8)  # until the time from frame to frame is the same; and at most, or all in parts


@dataclass(frozen=True)
class _Layer:
    node: Node
    need: Need
    source: tuple[str, ...]
    latency: int


def need_curves(model: FinnModel, words: Mapping[str, int]) -> dict[tuple[str, str], Words]:
    """Return for each input and output tensor how many input words each output word needs.

    Args:
        model: A partition.
        words: Words of a frame at each input and output that carries data.
    """
    layers = _layers(model, words)
    found: dict[tuple[str, str], Words] = {}
    for source in (name for name in stream_inputs(model) if name in words):
        needs: dict[str, Words] = {source: np.arange(1, words[source] + 1)}
        for layer in layers:
            needs |= passed_on(needs, layer.source, layer.node.outputs, layer.need)
        found |= {(source, name): needs[name] for name in model.outputs if name in needs}
    return found


def passed_on(
    needs: Mapping[str, Words], source: Sequence[str], made: Sequence[str], need: Need
) -> dict[str, Words]:
    """Return the need of the outputs of a layer at what its inputs need; empty if that is not known."""
    known = [(index, np.append(0, needs[name])) for index, name in enumerate(source) if name in needs]
    return {
        name: np.maximum.reduce([past[need.at(index, place)] for index, past in known])
        for place, name in enumerate(made if known else ())
    }


def layer_needs(
    model: FinnModel, words: Mapping[str, int]
) -> list[tuple[tuple[str, ...], tuple[str, ...], Need]]:
    """Return inputs, outputs and need of every layer; empty, if one of them is of an unknown kind."""
    layers = _layers(model, words)
    known = len(layers) == len(model.nodes) and all(layer.need.known for layer in layers)
    return [(layer.source, layer.node.outputs, layer.need) for layer in layers] if known else []


def flows(model: FinnModel, ports: Sequence[StreamPort]) -> tuple[Flow, ...]:
    """Return the flow from each input of data to each output, as far as the layers are known."""
    tensors = tensors_of(model, ports)
    words = {name: words_of(port) for name, port in tensors.items()}
    if not words or any(not 0 < count <= MOST_WORDS for count in words.values()):
        return ()
    layers = _layers(model, words)
    known = len(layers) == len(model.nodes) and all(layer.need.known for layer in layers)
    sources = [name for name in stream_inputs(model) if name in words]
    together = _times(layers, {name: np.arange(1.0, words[name] + 1) for name in sources})
    curves = need_curves(model, words)
    found = []
    for source in sources:
        late = {name: np.full(words[name], -np.inf) for name in sources}
        late[source][-1] = 0.0
        tails = _times(layers, late)
        for target in model.outputs:
            curve = curves.get((source, target))
            if curve is None or target not in words or len(curve) != words[target]:
                continue
            flow = Flow(
                source=tensors[source].name,
                target=tensors[target].name,
                words=words[source],
                need_first=int(curve[0]),
                first=_whole(together[target][0]),
                last=_whole(together[target][-1]),
                tail=_whole(tails[target][-1]),
                known=known,
            )
            found.append(flow)
    return tuple(found)


def pace(model: FinnModel, ports: Sequence[StreamPort], *, tails: bool = True) -> Pace | None:
    """Return the cycles from frame to frame by the words of all layers, each of which must be known.

    Without ``tails``, which take a fourth of the time, `Pace.tail` is empty.
    """
    tensors = tensors_of(model, ports)
    words = {name: words_of(port) for name, port in tensors.items()}
    if not words or any(not 0 < count <= MOST_WORDS for count in words.values()):
        return None
    layers = _layers(model, words)
    known = len(layers) == len(model.nodes) and all(layer.need.known for layer in layers)
    if not known or sum(len(layer.need.need) for layer in layers) > _MOST_IN_PARTS:
        return None
    waits = Waits()
    for name in (name for name in stream_inputs(model) if name in words):
        waits.stream(name, words[name])
    for layer in layers:
        into = tuple(waits.streams[name] for name in layer.source)
        out = tuple(
            waits.stream(name, len(layer.need.at(0, place))) for place, name in enumerate(layer.node.outputs)
        )
        wait(waits, Ends(layer.node, layer.need, into, out))
    sequences, place, least = waits.sequences, list(range(len(waits.sequences))), _FRAMES[0]
    if sum(map(len, sequences)) > _MOST_EVENTS:
        parts = coarse(sequences, _PARTS)
        sequences, place, least = parts.sequences, parts.place, _FRAMES[1]
    outputs = {tensors[name].name: place[waits.streams[name]] for name in model.outputs if name in tensors}
    inputs = {
        tensors[name].name: place[waits.streams[name]] for name in stream_inputs(model) if name in words
    }
    if len(sequences) == len(waits.sequences):
        rest = contracted(sequences, {*outputs.values(), *inputs.values()})
        sequences = rest.sequences
        outputs = {name: rest.place[number] for name, number in outputs.items()}
        inputs = {name: rest.place[number] for name, number in inputs.items()}
    if not outputs or sum(map(len, sequences)) > _MOST_EVENTS:
        return None
    ends = tuple(outputs.values()), tuple(inputs.values()) if tails else None
    key = _digest(sequences, (least, *ends))
    if key not in _PACES:
        _PACES[key] = _timed(sequences, least, *ends)
    found = _PACES[key]
    if found is None:
        return None
    first = {name: found.first[number] for name, number in outputs.items()}
    tail = {name: found.tail[number] for name, number in inputs.items()} if tails else {}
    return Pace(period=found.period, last=found.last, first=first, tail=tail)


@dataclass(frozen=True)
class _Times:
    """A `Pace` by numbers of sequences: partitions with equal layers have one, whatever their streams are."""

    period: int
    last: int
    first: dict[int, int]
    tail: dict[int, int]


# What has been timed, by a digest of the sequences.
_PACES: dict[bytes, _Times | None] = {}


def _digest(sequences: Sequence[Events], asked: tuple[object, ...]) -> bytes:
    """Return a digest of all that times follow from."""
    found = hashlib.sha256(repr((asked, len(sequences))).encode())
    for one in sequences:
        numbers = [one.gaps, *(after.counts for after in one.after)]
        told: list[object] = [(after.of, after.delay) for after in one.after]
        if one.rigid:
            told.append((one.rigid.steps, one.rigid.leave, one.rigid.stages))
            numbers.append(one.rigid.last)
        found.update(repr((told, [len(some) for some in numbers])).encode())
        for some in numbers:
            found.update(np.asarray(some, np.int64).tobytes())
    return found.digest()


def _timed(
    sequences: list[Events], least: int, outputs: Collection[int], inputs: Collection[int] | None
) -> _Times | None:
    """Return the times of sequences; where ``inputs`` is None, none of late words."""
    found = _pace(Recurrence(sequences, _FRAMES[1]), outputs, least)
    if found is None or inputs is None:
        return found
    late = {number: _tail(sequences, number, outputs) for number in inputs}
    first, last = _begun(sequences, inputs, outputs)
    return replace(found, tail=late, first=first, last=last)


def _pace(recurrence: Recurrence, outputs: Collection[int], least: int) -> _Times | None:
    """Run frame after frame, so many at least, until two follow at the same distance."""
    periods: list[int] = []
    for frames in range(1, _FRAMES[1] + 1):
        if not recurrence.run(frames):
            return None  # a FIFO that is too short, or a layer that was taken for another
        done = [max(recurrence.time(number, frame, -1) for number in outputs) for frame in range(frames)]
        periods = [int(two - one) for one, two in itertools.pairwise(done)]
        if frames >= least and len(set(periods[-2:])) == 1:
            break
    first = {number: recurrence.time(number, 0, 0) for number in outputs}
    return _Times(max(1, round(np.mean(periods[-2:]))), done[0] + 1, first, {})


def _begun(
    sequences: Sequence[Events], inputs: Collection[int], outputs: Collection[int]
) -> tuple[dict[int, int], int]:
    """Return the cycles from the first words in to those out, and to the last word out.

    A network has no frames for long behind a reset, so words that wait for nothing, as the first rows of a
    padding, are made before.
    """
    late = _longest(sequences)
    delayed = list(sequences)
    for number in inputs:
        gaps = sequences[number].gaps.copy()
        gaps[0] = late
        delayed[number] = replace(sequences[number], gaps=gaps)
    found = Recurrence(delayed, 1)
    found.run(1)
    start = min((found.time(number, 0, 0) for number in inputs), default=0)
    first = {number: max(0, found.time(number, 0, 0) - start) for number in outputs}
    return first, max(found.time(number, 0, -1) for number in outputs) - start + 1


def _longest(sequences: Sequence[Events]) -> int:
    """Return cycles in which a frame passes, whatever waits for what."""
    return int(sum(np.sum(one.gaps) + sum(after.delay for after in one.after) for one in sequences)) + 1


def _tail(sequences: Sequence[Events], last: int, outputs: Collection[int]) -> int:
    """Return the cycles from the last word of an input to the last word out, if that word alone is late."""
    late = _longest(sequences)
    gaps = sequences[last].gaps.copy()
    gaps[-1] = late if len(gaps) > 1 else gaps[-1]
    delayed = [replace(one, gaps=gaps) if number == last else one for number, one in enumerate(sequences)]
    found = Recurrence(delayed, 1)
    found.run(1)
    # The last word out may not need the last words in, as behind a window with a stride.
    return max(0, *(found.time(number, 0, -1) - found.time(last, 0, -1) for number in outputs))


def _whole(cycles: float) -> int:
    """Return cycles; 0 where a word waits for nothing."""
    return int(cycles) if np.isfinite(cycles) and cycles > 0 else 0


def tensors_of(model: FinnModel, ports: Sequence[StreamPort]) -> dict[str, StreamPort]:
    """Return the port of each tensor that carries data."""
    sides = ((stream_inputs(model), "in"), (model.outputs, "out"))
    found: dict[str, StreamPort] = {}
    for names, direction in sides:
        own = [port for port in ports if port.direction == direction]
        found |= {name: port for name, port in zip(names, own, strict=False) if port.role == "data"}
    return found


def words_of(port: StreamPort) -> int:
    """Return the words of a frame; 0 if the folding is not known."""
    shape = port.folded_shape
    return int(np.prod(shape[:-1])) if shape else 0


def _layers(model: FinnModel, words: Mapping[str, int]) -> list[_Layer]:
    """Return the layers that lie behind the inputs, each after those that it reads."""
    count = {name: words[name] for name in stream_inputs(model) if name in words}
    found: list[_Layer] = []
    waiting = list(model.nodes)
    while waiting:
        ready = [node for node in waiting if any(name in count for name in node.inputs)]
        made = {name for node in waiting for name in node.outputs}
        ready = [node for node in ready if not made & set(node.inputs)]
        if not ready:
            break
        for node in ready:
            waiting.remove(node)
            source = tuple(name for name in node.inputs if name in count)
            need = need_of(node, [count[name] for name in source])
            if need is None and all(count[name] == count[source[0]] for name in source):
                need = _whole_frame(model, node, count[source[0]], words)
            if need is None:
                return found
            found.append(_Layer(node, need, source, _REGISTERS.get(node.op, _OTHER)))
            count |= {name: len(need.at(0, place)) for place, name in enumerate(node.outputs)}
    return found


def _whole_frame(model: FinnModel, node: Node, into: int, words: Mapping[str, int]) -> Need | None:
    """Return the curve of a layer of which only the words of its output are known."""
    made = [words[name] for name in node.outputs if name in words]
    readers = [other for name in node.outputs for other in model.nodes if name in other.inputs]
    folded = [shape for one in (node, *readers) if (shape := one.integers("folded_shape"))]
    count = made[0] if made else int(np.prod(folded[0][:-1])) if folded else 0
    if not 0 < count <= MOST_WORDS:
        return None
    return Need(into, np.full(count, into), 1, known=False)


def _times(layers: Sequence[_Layer], given: Mapping[str, Cycles]) -> dict[str, Cycles]:
    """Return the cycle of each word of each tensor; a word that needs none is there before the frame."""
    found = dict(given)
    for layer in layers:
        # As the first words of a padding.
        for place, made in enumerate(layer.node.outputs):
            needs = [layer.need.at(at, place) for at in range(len(layer.source))]
            came = [
                np.append(-np.inf, found[name])[need] for name, need in zip(layer.source, needs, strict=True)
            ]
            ready = np.maximum.reduce(came)
            steps = layer.need.gap * np.arange(len(ready), dtype=np.float64)
            found[made] = np.maximum.accumulate(ready - steps) + steps + layer.latency
    return found
