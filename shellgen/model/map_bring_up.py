# SPDX-License-Identifier: BSD-3-Clause
"""``bring_up`` of ``memory_map.json`` as records: what the host does before the first frame."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.names import Line, Name


class MapBits(Frozen):
    """Some bits of a register, and what they mean."""

    mask: int
    text: Line


class MapReason(Frozen):
    """A register that tells why another one never got the value that was waited for.

    Attributes:
        place: What messages call it.
        address: Absolute address, or as of its unit.
        bits: Its parts that are not 0 when they tell something, and what each tells.
    """

    place: Line
    address: int
    bits: tuple[MapBits, ...]


class MapStep(Frozen):
    """One act of bringing the cluster up.

    Attributes:
        op: ``write`` a register; read it ``until`` the bits of the mask are those of the value; ``barrier``:
            go on when all nodes have come so far.
        node: Whose register; None for a barrier.
        unit: Block or unit that it is in; None for a barrier.
        place: What messages call it: unit and register, or unit and offset; None for a barrier.
        address: Address of the register, as of its block or unit; None for a barrier.
        value: What is written or waited for; a name stands for a value that is given when the program runs;
            None for a barrier.
        mask: Bits that are compared.
        again: Steps before it that are done again while it is waited for, a tenth of the time apart.
        reason: Register to read if the wait times out.
        text: What it is for.
    """

    op: Literal["write", "until", "barrier"]
    node: Name | None
    unit: Name | None
    place: Line | None
    address: int | None
    value: int | Name | None
    mask: int
    again: int = 0
    reason: MapReason | None = None
    text: Line


class MapBringUp(Frozen):
    """Steps of the host after the bitstreams are loaded and before the first frame.

    Attributes:
        nodes: All nodes of the cluster that have steps: a barrier waits for each of them.
        values: Names of the values that must be given.
        steps: In order; in the map of one node its own, and all barriers.
    """

    nodes: tuple[Name, ...]
    values: tuple[Name, ...]
    steps: tuple[MapStep, ...]
