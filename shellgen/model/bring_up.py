# SPDX-License-Identifier: BSD-3-Clause
"""Bring-up steps of the host, after the bitstreams are loaded and before the first frame."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from shellgen.model.base import Frozen
from shellgen.model.names import Line, Name

WORD = (1 << 32) - 1


class Step(Frozen):
    """One act of bringing a cluster up; they are done in order.

    Attributes:
        op: ``write`` a register; read it ``until`` the bits of the mask are those of the value; ``barrier``:
            go on when all nodes have come so far.
        node: Whose; None for a barrier, which is everyone's.
        unit: Address window of the node: a claim's, or ``status``, or a unit beside the core; empty for a
            barrier.
        offset: Of the register from the start of the window, where registers lie 4 bytes apart.
        value: What is written or waited for; a name stands for a value that only the user knows.
        mask: Bits that are compared.
        again: While it is waited for, as many steps before this one are done again, a tenth of the time
            apart: for what may get lost on its way. All of them are writes of this node.
        reason: Offset of a register of the unit with the reason if the wait times out.
        about: What it is for, in a few words.
    """

    op: Literal["write", "until", "barrier"]
    node: Name | None = None
    unit: Name | Literal[""] = ""
    offset: NonNegativeInt = 0
    value: int | Name = 0
    mask: int = Field(default=WORD, ge=0, le=WORD)
    again: NonNegativeInt = 0
    reason: NonNegativeInt | None = None
    about: Line = ""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.op == "barrier") != (self.node is None) or (self.op == "barrier") != (not self.unit):
            raise ValueError("a barrier has neither node nor unit, any other step has both")
        if self.op != "until" and (self.again or self.reason is not None):
            raise ValueError("only what is waited for is tried again, or has a reason")
        if self.offset % 4 or (self.reason or 0) % 4:
            raise ValueError("registers lie at multiples of 4")
        if isinstance(self.value, int) and not 0 <= self.value <= WORD:
            raise ValueError("values have 32 bits")
        return self
