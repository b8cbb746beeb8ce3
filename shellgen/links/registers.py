# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a bring-up by the names of registers, as registers.json of a block has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shellgen.model import Step
from shellgen.model.registers import RegisterBlock

WORD = (1 << 32) - 1


@dataclass(frozen=True)
class UnitRegisters:
    """The registers of a unit or of a claimed window, as steps.

    Attributes:
        node: Whose.
        name: Of the unit or the window.
        block: What lies there.
        counts: Parameters of the block that say how many registers it has.
    """

    node: str
    name: str
    block: RegisterBlock
    counts: Mapping[str, int]

    def offset(self, name: str, index: int = 0) -> int:
        """Return where a register lies, or number ``index`` of several alike."""
        register = self.block.register(name)
        if register.repeat is None:
            return register.offset
        return register.offset + register.repeat.skipped(self.counts) + index * register.repeat.stride

    def write(self, name: str, value: int | str, about: str, index: int = 0) -> Step:
        """Return a step that writes a register; a text is a value that the user gives."""
        at = self.offset(name, index)
        return Step(op="write", node=self.node, unit=self.name, offset=at, value=value, about=about)

    def until(  # noqa: PLR0913 - what a step of this kind has
        self,
        name: str,
        value: int,
        about: str,
        mask: int = WORD,
        *,
        index: int = 0,
        again: int = 0,
        reason: str = "",
    ) -> Step:
        """Return a step that waits for a register."""
        return Step(
            op="until",
            node=self.node,
            unit=self.name,
            offset=self.offset(name, index),
            value=value,
            mask=mask,
            again=again,
            reason=self.offset(reason) if reason else None,
            about=about,
        )

    def bit(self, name: str, field: str) -> int:
        """Return the bits of a field of a register."""
        return next(one.mask for one in self.block.register(name).fields if one.name == field)

    def low(self, name: str, field: str) -> int:
        """Return the lowest bit of a field of a register."""
        return next(one.low for one in self.block.register(name).fields if one.name == field)
