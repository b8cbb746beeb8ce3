# SPDX-License-Identifier: BSD-3-Clause
"""A layer as a chain of our blocks: which, with what parameters, and what runs between them."""

from __future__ import annotations

from dataclasses import dataclass, field


class Unavailable(Exception):  # noqa: N818 - it carries the reason; `refusal` and `make_rtl` turn it into words
    """The blocks cannot do this: the reason, and what the user can do instead."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason, self.remedy = reason, remedy
        super().__init__(reason)


@dataclass(frozen=True)
class Stage:
    """One block between streams.

    Attributes:
        block: Module of ``ip/``.
        parameters: Verilog text or numbers by name.
        inputs: Streams at ``s_axis``, the first in the lowest bits.
        outputs: Streams at ``m_axis``.
        open: Outputs that nobody reads, and their bits.
    """

    block: str
    parameters: dict[str, int | str]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    open: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Chain:
    """All stages of a layer.

    Attributes:
        stages: In any order.
        bits: Bits of a beat by stream, those of the layer's own ports without padding among them.
    """

    stages: tuple[Stage, ...]
    bits: dict[str, int] = field(default_factory=dict)


def packed(values: tuple[int, ...], bits: int) -> str:
    """Write numbers as one Verilog literal, the first in the lowest bits, in two's complement."""
    word = 0
    for index, value in enumerate(values):
        assert -(1 << (bits - 1)) <= value < 1 << bits, f"{value} needs more than {bits} bits"
        word |= (value & ((1 << bits) - 1)) << (index * bits)
    return f"{len(values) * bits}'h{word:x}"
