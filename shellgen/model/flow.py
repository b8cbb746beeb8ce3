# SPDX-License-Identifier: BSD-3-Clause
"""Flow of frames through a partition: from one port to another, and from frame to frame."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from shellgen.model.base import Frozen
from shellgen.model.curve import Curve
from shellgen.model.names import Name


class Flow(Frozen):
    """Words and cycles between an input and an output of a partition, by its need curves.

    Attributes:
        source: Port of the input.
        target: Port of the output.
        words: Words of a frame at the input.
        need_first: Words of the input that the first output word needs.
        first: Cycles until the first output word, if every input brings a word in each cycle.
        last: Cycles until the last output word, likewise.
        tail: Cycles from the last input word to the last output word, if all others came long before.
        known: Every layer between them is of a known kind; else a frame is assumed to be needed whole.
    """

    source: Name
    target: Name
    words: PositiveInt
    need_first: NonNegativeInt
    first: NonNegativeInt
    last: NonNegativeInt
    tail: NonNegativeInt
    known: bool = True


class Course(Frozen):
    """Need curves of a partition by its steps: the words of the stream between its joins and its forks.

    Attributes:
        steps: Steps of a frame.
        takes: By input, the words that each step needs.
        gives: By output, the steps that each of its words needs.
        holds: By port, the words that FINN's FIFOs there hold for certain, between port and steps.
    """

    steps: PositiveInt
    takes: dict[Name, Curve]
    gives: dict[Name, Curve]
    holds: dict[Name, PositiveInt] = Field(default_factory=dict)


class Pace(Frozen):
    """Cycles of a partition whose layers wait for one another.

    All words of the input are there, all of the output are taken, and the first frame comes long after a
    reset.

    Attributes:
        period: From frame to frame, once they follow one another.
        last: From the first word of the first frame to its last word out.
        first: By output, from the first word of the first frame to its first word there.
        tail: By input, from its last word to the last word out, if all others came long before.
        source: ``words`` between its layers, FINN's ``rtlsim`` of the partition, or ``bench`` of the cluster.
    """

    period: PositiveInt
    last: PositiveInt
    first: dict[Name, NonNegativeInt] = Field(default_factory=dict)
    tail: dict[Name, NonNegativeInt] = Field(default_factory=dict)
    source: Literal["words", "rtlsim", "bench"] = "words"
