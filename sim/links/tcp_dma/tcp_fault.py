# SPDX-License-Identifier: BSD-3-Clause
"""What can be wrong with a DMA transfer, and what a core shall say of it; no simulator."""

from __future__ import annotations

from dataclasses import dataclass

# Kinds of transfer_fault.sv.
CUT, FEWER, MORE, HOLE, STRETCH, HOLE_CUT, HOLE_STRETCH = range(7)


@dataclass(frozen=True)
class Fault:
    """What is wrong with a transfer, and in which beat."""

    kind: int
    at: int

    def flags(self, size: int, per_beat: int) -> set[str]:
        """Return what FLAGS shall say of a transfer of so many bytes, in beats of so many."""
        found = {
            CUT: {"SHORT"},
            HOLE_CUT: {"SHORT", "KEEP"},
            STRETCH: {"LONG"},
            HOLE_STRETCH: {"LONG", "KEEP"},
        }.get(self.kind, {"KEEP"})
        # The last bytes come without TLAST then, in a beat that is not full.
        partly = self.kind in (STRETCH, HOLE_STRETCH) and size % per_beat
        return found | {"KEEP"} if partly else found


def faults(size: int, per_beat: int) -> list[Fault]:
    """Return all that can be wrong with a transfer of so many bytes, in beats of so many."""
    inside = range(-(-size // per_beat) - 1)  # beats without TLAST
    found = [Fault(kind, at) for kind in (CUT, HOLE) for at in inside]
    found += [Fault(HOLE_CUT, at) for at in inside if at]
    found += [Fault(STRETCH, at) for at in range(3)]
    found += [Fault(HOLE_STRETCH, 0)] if inside else []
    return [*found, Fault(FEWER, 0), Fault(MORE, 0)]
