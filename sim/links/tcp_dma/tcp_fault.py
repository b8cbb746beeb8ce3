# SPDX-License-Identifier: BSD-3-Clause
"""Faults of a DMA transfer, and the flags that a core must set for each; no simulator."""

from __future__ import annotations

from dataclasses import dataclass

# Kinds of transfer_fault.sv.
CUT, FEWER, MORE, HOLE, STRETCH, HOLE_CUT, HOLE_STRETCH = range(7)


@dataclass(frozen=True)
class Fault:
    """A fault of a transfer, and its beat."""

    kind: int
    at: int

    def flags(self, size: int, per_beat: int) -> set[str]:
        """Return the expected FLAGS for a transfer of ``size`` bytes, ``per_beat`` in each beat."""
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
    """Return all faults of a transfer of ``size`` bytes, ``per_beat`` in each beat."""
    inside = range(-(-size // per_beat) - 1)  # beats without TLAST
    found = [Fault(kind, at) for kind in (CUT, HOLE) for at in inside]
    found += [Fault(HOLE_CUT, at) for at in inside if at]
    found += [Fault(STRETCH, at) for at in range(3)]
    found += [Fault(HOLE_STRETCH, 0)] if inside else []
    return [*found, Fault(FEWER, 0), Fault(MORE, 0)]
