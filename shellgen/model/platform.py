# SPDX-License-Identifier: BSD-3-Clause
"""The properties that a platform gives a core: clocks, a register window, and docks for its streams."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import NonNegativeInt, PositiveInt, model_validator

from shellgen.model.axilite import REGISTER_BYTES
from shellgen.model.base import Frozen
from shellgen.model.names import Name, Word

_ADDRESSES = 1 << 64


class Clock(Frozen):
    """One clock of a core.

    Attributes:
        name: The core's port.
        reset: The port of the reset that goes with it, active low and synchronous.
        hz: What it is asked to be.
    """

    name: Name
    reset: Name
    hz: NonNegativeInt


class HostWindow(Frozen):
    """The host's access to the registers of a core.

    Attributes:
        base: Address of the core's offset 0.
        bytes: How far the host reaches from there.
        slot: The host's bytes for one 32-bit register. 8 is for hosts that make 64-bit accesses only: a
            register is the lower half of its slot.
        bus: How a program gets there: ``devmem`` by the processor's own addresses; what else a program must
            go through, the platform names.
    """

    base: NonNegativeInt
    bytes: PositiveInt
    slot: Literal[4, 8] = 4
    bus: Word

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if self.base + self.bytes > _ADDRESSES:
            raise ValueError(f"{self.bytes} bytes from {self.base:#x} end beyond 64 bits of address")
        return self

    @property
    def scale(self) -> int:
        """The host's bytes for each byte of the core's own space."""
        return self.slot // REGISTER_BYTES


class Dock(Frozen):
    """A contract of stream pins that a platform offers, by name; a link runs where its dock is.

    Attributes:
        slots: How often the platform has it; None: as often as there are streams.
        ports: Over how many physical ports these are spread evenly, such as the QSFP cages of a card; they
            are the slots of `Attachment`.
        bits: Widest TDATA.
        transfer_bytes: Longest transfer that it carries between two TLAST; None: any.
        line_bps: Bits in a second, in each direction, of the medium behind one port, which its streams share;
            None: none, or not known.
        software: A program of the platform's host is the end of the link: it moves the frames between the
            core, which it reaches by the platform's link to the host, and the medium.
        mtu: Largest IP packet of the medium, in bytes; None: any, or there are none.
    """

    slots: NonNegativeInt | None = None
    ports: PositiveInt = 1
    bits: PositiveInt
    transfer_bytes: PositiveInt | None = None
    line_bps: PositiveInt | None = None
    software: bool = False
    mtu: PositiveInt | None = None
