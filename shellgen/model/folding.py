# SPDX-License-Identifier: BSD-3-Clause
"""Layers of a network before it is folded and cut, with all foldings that FINN allows."""

from __future__ import annotations

from math import prod

from pydantic import NonNegativeInt, PositiveInt

from shellgen.model.base import Frozen
from shellgen.model.names import Line
from shellgen.model.usage import Usage

Attribute = int | str | tuple[int, ...] | tuple[str, ...]


class Folding(Frozen):
    """A way to fold a layer.

    Attributes:
        attributes: FINN's node attributes: ``PE``, ``SIMD``, ``ram_style``.
        cycles: Of a frame.
        takes: Resources, as far as they are known.
        reads: Elements of a word, for each stream in.
        writes: Elements of a word, for each stream out.
        avoid: Whether it is legal, and FINN's RTL is known to fail with it.
        source: Where the resources come from, if not from where those of the layer do.
    """

    attributes: dict[Line, int | str]
    cycles: PositiveInt
    takes: Usage
    reads: tuple[PositiveInt, ...]
    writes: tuple[PositiveInt, ...]
    avoid: bool = False
    source: str = ""


class SplitLayer(Frozen):
    """A layer of the network.

    Attributes:
        name: As a folding file calls it.
        kind: FINN's operator without the mark of its back end, ``MVAU``.
        rtl: Whether FINN's RTL makes it, and not shellgen's.
        attributes: FINN's node attributes, those of the folding at their smallest.
        reads: Bits of an element, for each stream in.
        writes: Bits of an element, for each stream out.
        weights: Bits of a weight or a threshold; 0 where there are none.
        constants: Number of weights or thresholds.
        limits: What each folding attribute must divide.
        foldings: All legal ones, in a fixed order.
        source: Where cycles and resources come from.
    """

    name: Line
    kind: Line
    rtl: bool
    attributes: dict[Line, Attribute]
    reads: tuple[PositiveInt, ...]
    writes: tuple[PositiveInt, ...]
    weights: NonNegativeInt
    constants: NonNegativeInt
    limits: dict[Line, int]
    foldings: tuple[Folding, ...]
    source: Line


class SplitStream(Frozen):
    """A stream between layers, or between a layer and the host.

    Attributes:
        producer: Layer; empty for the host.
        output: Number of the stream among the producer's; of the host's, that of the model's input.
        consumer: Layer; empty for the host.
        input: Number of the stream among the consumer's.
        datatype: QONNX's name of the element's type.
        bits: Of an element.
        shape: Of a frame.
        words: That its FIFO must hold, at the smallest folding.
        same: Whether both layers must take as many elements at a time: a window generator, and the layer
            that takes its windows channel by channel.
    """

    producer: str
    output: NonNegativeInt
    consumer: str
    input: NonNegativeInt
    datatype: Line
    bits: PositiveInt
    shape: tuple[PositiveInt, ...]
    words: PositiveInt = 2
    same: bool = False

    @property
    def elements(self) -> int:
        """Elements of a frame."""
        return prod(self.shape)

    @property
    def frame_bytes(self) -> int:
        """Bytes of a frame, packed without gaps."""
        return (self.elements * self.bits + 7) // 8


class SplitNetwork(Frozen):
    """All layers in network order, and the streams between them; for one Xilinx part.

    Attributes:
        part: The part that FINN chose layers for.
        layers: In network order.
        streams: In the order of their consumers.
        notes: For the user.
    """

    part: Line
    layers: tuple[SplitLayer, ...]
    streams: tuple[SplitStream, ...]
    notes: tuple[str, ...] = ()
