# SPDX-License-Identifier: BSD-3-Clause
"""The contract of a dock: the pins that a core may have there, checked in one place for every platform."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.errors import Problem
from shellgen.links import LINKS_FAULT
from shellgen.model import Attachment, NodePlan, Pin
from shellgen.model.attachment import Direction


@dataclass(frozen=True)
class PinRole:
    """An AXI4-Stream interface that a dock connects.

    Attributes:
        role: Name of the pin in the contract.
        direction: Seen from the core.
        bits: Width of TDATA; None: as wide as the beats of the stream that it serves.
        framed: Whether it has TKEEP and TLAST and no other sideband; False: the link decides.
        single: Whether it serves exactly one stream.
        most: Pins of this role that a node may have; None: any number.
    """

    role: str
    direction: Direction
    bits: int | None = None
    framed: bool = True
    single: bool = True
    most: int | None = None


@dataclass(frozen=True)
class Contract:
    """The roles of a dock."""

    roles: tuple[PinRole, ...]

    def problems(self, dock: str, node: NodePlan) -> list[Problem]:
        """Return every pin of a node at this dock that breaks the contract."""
        seen: Counter[str] = Counter()
        found = []
        for one in node.attachments:
            if one.dock != dock:
                continue
            for pin in one.pins:
                seen[pin.role] += 1
                text = next(self._broken(one, pin, seen[pin.role]), None)
                if text:
                    said = f"its pin {pin.name} breaks the contract of dock {dock!r}: {text}"
                    found.append(Problem(f"node {node.name}: link {one.link}", said, LINKS_FAULT))
        return found

    def _broken(self, attachment: Attachment, pin: Pin, number: int) -> Iterator[str]:
        along = [one for one in self.roles if one.direction == pin.direction]
        role = next((one for one in along if one.role == pin.role), None)
        if role is None:
            names = " or ".join(repr(one.role) for one in along) or "nothing"
            yield f"its role is {pin.role!r}, and what goes {pin.direction} is {names}"
            return
        if role.most is not None and number > role.most:
            yield f"the dock has {role.most} {pin.role}, and this is another"
        served = [end for end in attachment.ends if attachment.pin(end) == pin]
        if role.single and len(served) != 1:
            yield f"it serves {len(served)} streams, and {pin.role} serves one"
        bits = role.bits or (served[0].link_bits if served else pin.tdata_bits)
        if pin.tdata_bits != bits:
            what = pin.role if role.bits else "the beats of its stream"
            yield f"it has {pin.tdata_bits} bits, and {what} {bits}"
        plain = pin.tkeep and pin.tlast and not (pin.tid_bits or pin.tdest_bits or pin.tuser_bits)
        if role.framed and not plain:
            yield f"beside data and handshake {pin.role} has TKEEP and TLAST, and nothing else"
