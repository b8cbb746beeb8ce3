# SPDX-License-Identifier: BSD-3-Clause
"""Need curves of a partition by its steps, for the depths of FIFOs around it.

A step is a word of a tensor through which every way from an input to an output goes: behind all joins and in
front of all forks. Through it the inputs wait for one another, and so do the outputs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shellgen.model import StreamPort
from shellgen.model.curve import MOST_CURVE_WORDS, Curve
from shellgen.model.flow import Course
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.flow import layer_needs, passed_on, tensors_of, words_of
from shellgen.read.needs import Need, Words
from shellgen.read.port_fifos import port_fifos

_Layer = tuple[tuple[str, ...], tuple[str, ...], Need]
_HLS = ("_hls", "_Batch")


def course(model: FinnModel, ports: Sequence[StreamPort]) -> Course | None:
    """Return the need curves of a partition; None unless all its layers are RTL of known kinds.

    The pipeline of a layer in HLS may hold back results until more words come, which no curve tells.
    """
    if any(node.op_type.endswith(_HLS) or node.domain.endswith(".hls") for node in model.nodes):
        return None
    tensors = tensors_of(model, ports)
    words = {name: words_of(port) for name, port in tensors.items()}
    if not words or any(not 0 < count <= MOST_CURVE_WORDS for count in words.values()):
        return None
    layers = layer_needs(model, words)
    into = [name for name, port in tensors.items() if port.direction == "in"]
    out = [name for name, port in tensors.items() if port.direction == "out"]
    middle = _middle(layers, into, out)
    steps = words.get(middle, 0) or next(
        (len(need.at(0, made.index(middle))) for _, made, need in layers if middle in made), 0
    )
    if not 0 < steps <= MOST_CURVE_WORDS:
        return None
    takes = {tensors[name].name: _through(layers, name, words[name], middle, steps) for name in into}
    gives = {tensors[name].name: _through(layers, middle, steps, name, words[name]) for name in out}
    known = [{port: one for port, one in side.items() if one} for side in (takes, gives)]
    if known != [takes, gives]:
        return None
    held = port_fifos(model, words)
    holds = {tensors[name].name: count for name, count in held.items() if name in tensors}
    return Course(steps=steps, takes=takes, gives=gives, holds=holds)  # type: ignore[arg-type]


def _middle(layers: Sequence[_Layer], into: Sequence[str], out: Sequence[str]) -> str:
    """Return the tensor of the steps; empty, if there is none.

    Of the tensors through which all ways go, the first is behind the joins, the last in front of the forks.
    """
    names = [*into, *(name for _, made, _ in layers for name in made)]
    cuts = [name for name in names if not _joined(layers, into, out, name)]
    if not cuts or not set(out) <= _reached(layers, into, ""):
        return ""
    if len(into) > 1 and len(out) > 1 and cuts[0] != cuts[-1]:
        return ""
    return cuts[0] if len(into) > 1 else cuts[-1]


def _joined(layers: Sequence[_Layer], into: Sequence[str], out: Sequence[str], without: str) -> bool:
    """Return whether an input reaches an output without a tensor."""
    return bool(_reached(layers, into, without) & set(out))


def _reached(layers: Sequence[_Layer], into: Sequence[str], without: str) -> set[str]:
    found = set(into) - {without}
    for source, made, _ in layers:
        if found.intersection(source):
            found |= set(made) - {without}
    return found


def _through(layers: Sequence[_Layer], source: str, words: int, target: str, count: int) -> Curve | None:
    """Return the words of one tensor that each of so many words of another needs."""
    needs: dict[str, Words] = {source: np.arange(1, words + 1)}
    for names, made, need in layers:
        if source not in made:
            needs |= passed_on(needs, names, made, need)
    curve = needs.get(target)
    return None if curve is None or len(curve) != count else _curve(curve)


def _curve(need: Words) -> Curve | None:
    """Return a need curve as runs of equal rises."""
    rises = np.diff(need, prepend=0)
    starts = np.flatnonzero(np.diff(rises, prepend=rises[0] - 1))
    lengths = np.diff(starts, append=len(rises))
    return Curve.of(list(zip(rises[starts].tolist(), lengths.tolist(), strict=True)))
