# SPDX-License-Identifier: BSD-3-Clause
"""``registers.json`` as records: the one definition of what a block's registers are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shellgen.model.axilite import REGISTER_BYTES
from shellgen.model.base import Frozen
from shellgen.model.names import RDL_WORDS, Line, Name

REGISTER_BITS = 8 * REGISTER_BYTES

# What the bus may do:
#   r      read
#   w      write; reads 0
#   rw     both
#   r/w1c  read; writing 1 clears a bit
#   rc     read, which clears
#   w1     writing 1 acts once; reads 0
#   r/w1   writing 1 starts something; reads 1 until that is over
Access = Literal["r", "w", "rw", "r/w1c", "rc", "w1", "r/w1"]
# What the block itself does with the bits, in the words of SystemRDL: nothing, read, write, both.
Hardware = Literal["na", "r", "w", "rw"]
_HARDWARE: dict[str, Hardware] = {
    "r": "w",
    "w": "r",
    "rw": "r",
    "r/w1c": "rw",
    "rc": "w",
    "w1": "r",
    "r/w1": "rw",
}

Offset = Annotated[int, Field(ge=0, lt=1 << 32)]
Bits = Annotated[int, Field(ge=1, le=REGISTER_BITS)]
Value = Annotated[int, Field(ge=0, lt=1 << REGISTER_BITS)]


class RegisterField(Frozen):
    """Some bits of a register.

    Attributes:
        name: Unique within the register.
        low: Its lowest bit.
        width: Bits.
        access: What the bus may do.
        reset: After reset; None if it is not defined or the hardware's.
        hw: What the block does with it; as follows from ``access`` if left out.
        sticky: Once set by the block it stays until it is cleared.
        text: Meaning.
    """

    name: Name
    low: Annotated[int, Field(ge=0, lt=REGISTER_BITS)]
    width: Bits = 1
    access: Access
    reset: Value | None = None
    hw: Hardware | None = None
    sticky: bool = False
    text: Line

    @property
    def hardware(self) -> Hardware:
        """Hardware access to the bits, for SystemRDL."""
        return self.hw or _HARDWARE[self.access]

    @property
    def mask(self) -> int:
        """The bits, in their place."""
        return ((1 << self.width) - 1) << self.low

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.low + self.width > REGISTER_BITS:
            raise ValueError(
                f"field {self.name}: bits {self.low} to {self.low + self.width - 1} of {REGISTER_BITS}"
            )
        _check_reset(f"field {self.name}", self.reset, self.width)
        return self


class Repeat(Frozen):
    """A register that a block has several times.

    Attributes:
        stride: Bytes from one to the next.
        count: Parameters of the block whose sum is what the registers are for.
        per: How many of those share a register. There is always one register at least.
        most: Registers that the block may have at most.
        behind: Parameters whose sum is how many strides after its offset the first one lies: arrays that
            follow one another without gaps.
    """

    stride: Annotated[int, Field(ge=REGISTER_BYTES, le=1 << 16)]
    count: Annotated[tuple[Name, ...], Field(min_length=1, max_length=16)]
    per: Annotated[int, Field(ge=1, le=1 << 16)] = 1
    most: Annotated[int, Field(ge=1, le=1 << 16)]
    behind: Annotated[tuple[Name, ...], Field(max_length=16)] = ()

    def registers(self, parameters: Mapping[str, int]) -> int:
        """Return how many registers a block with these parameters has."""
        return max(1, -(-sum(parameters[name] for name in self.count) // self.per))

    def skipped(self, parameters: Mapping[str, int]) -> int:
        """Return the bytes from the register's offset to the first of them."""
        return self.stride * sum(parameters[name] for name in self.behind)


class Register(Frozen):
    """One register, or the first of several that are alike.

    Attributes:
        name: As in the block's header.
        offset: Bytes from the block's base, a multiple of 4.
        width: Bits that it has, from bit 0; those above read 0.
        access: What the bus may do; where fields differ, what holds for the whole.
        value: What it always reads, where that is fixed.
        reset: After reset; None if it is not defined or the hardware's.
        hw: What the block does with it; as follows from ``access`` if left out.
        sticky: A bit that the block has set stays until it is cleared.
        repeat: How often there is one.
        fields: Its parts, ascending; none if it is one number.
        text: Meaning.
    """

    name: Name
    offset: Offset
    width: Bits = REGISTER_BITS
    access: Access
    value: Value | None = None
    reset: Value | None = None
    hw: Hardware | None = None
    sticky: bool = False
    repeat: Repeat | None = None
    fields: tuple[RegisterField, ...] = ()
    text: Line

    @property
    def hardware(self) -> Hardware:
        """Hardware access to the bits, for SystemRDL."""
        return "na" if self.value is not None else self.hw or _HARDWARE[self.access]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        where = f"register {self.name}"
        if self.offset % REGISTER_BYTES:
            raise ValueError(f"{where}: offset {self.offset:#x} is not a multiple of {REGISTER_BYTES}")
        if self.repeat and self.repeat.stride % REGISTER_BYTES:
            raise ValueError(f"{where}: its stride is not a multiple of {REGISTER_BYTES}")
        if self.value is not None and (self.access != "r" or self.reset is not None):
            raise ValueError(f'{where}: a fixed value goes with access "r" and without reset')
        _check_reset(where, self.value, self.width)
        _check_reset(where, self.reset, self.width)
        free = 0
        for field in self.fields:
            if field.low < free or field.low + field.width > self.width:
                raise ValueError(
                    f"{where}: field {field.name} overlaps the one before or leaves the register"
                )
            free = field.low + field.width
        _check_names(where, [field.name for field in self.fields])
        return self


class RegisterBlock(Frozen):
    """The whole file.

    Attributes:
        schema_version: Name and version of this format; a reader refuses another.
        block: Module.
        address_bits: Of its AXI-Lite port; None where a parameter of the block decides.
        registers: Ascending by offset.
    """

    schema_version: Literal["shellgen-registers-1"]
    block: Name
    address_bits: Annotated[int, Field(ge=2, le=32)] | None = None
    registers: Annotated[tuple[Register, ...], Field(min_length=1, max_length=4096)]

    def register(self, name: str) -> Register:
        """Return the register of this name, which must exist."""
        return next(register for register in self.registers if register.name == name)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameters of the block that say how many registers it has, sorted."""
        repeats = [register.repeat for register in self.registers if register.repeat]
        return tuple(sorted({name for repeat in repeats for name in (*repeat.count, *repeat.behind)}))

    @model_validator(mode="after")
    def _disjoint(self) -> Self:
        _check_names(f"block {self.block}", [register.name for register in self.registers])
        taken: dict[int, str] = {}
        # Where arrays follow one another, where they lie is a matter of the parameters.
        fixed = [one for one in self.registers if not (one.repeat and one.repeat.behind)]
        for register in fixed:
            for index in range(register.repeat.most if register.repeat else 1):
                at = register.offset + index * (register.repeat.stride if register.repeat else 0)
                if self.address_bits and at >> self.address_bits:
                    raise ValueError(
                        f"register {register.name}: {at:#x} needs more than {self.address_bits} address bits"
                    )
                if at in taken:
                    raise ValueError(f"registers {taken[at]} and {register.name} are both at {at:#x}")
                taken[at] = register.name
        offsets = [register.offset for register in self.registers]
        if offsets != sorted(offsets):
            raise ValueError("the registers are not ascending by offset")
        return self


def _check_reset(where: str, value: int | None, width: int) -> None:
    if value is not None and value >> width:
        raise ValueError(f"{where}: {value:#x} has more than its {width} bits")


def _check_names(where: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{where}: the name {twice[0]} appears twice")
    words = sorted(RDL_WORDS.intersection(names))
    if words:
        raise ValueError(f"{where}: the name {words[0]} is a word of SystemRDL")
