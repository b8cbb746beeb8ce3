# SPDX-License-Identifier: BSD-3-Clause
"""Cycle counts from which the bench derives its time limits (``sim/bench_budget.py``)."""

from __future__ import annotations

from shellgen.emit.crossing import near_timeout
from shellgen.emit.taps import link_ends
from shellgen.model import Boundary, NodePlan, Plan

# A bus answers within the time limit of its tree; a longer wait means that the bus hangs. The rest is margin:
# for the tree's own cycles and for delayed slaves.
ANSWERS = 4
LEAST_ANSWER = 50_000


def link_beats(plan: Plan, boundary: Boundary) -> int:
    """Return the beats of a frame at the narrowest point of its link; 0 inside a node."""
    return max(
        (end.beats_per_frame for found in link_ends(plan, boundary) if found for end in found[1:]), default=0
    )


def link_bytes(plan: Plan, boundary: Boundary) -> int:
    """Return the bytes of a beat at the receiving core; 0 if no core receives from a link."""
    _, receiver = link_ends(plan, boundary)
    return receiver[1].link_bits // 8 if receiver else 0


def answer_cycles(node: NodePlan) -> int:
    """Return the cycles of a node's clock in which its core answers any access."""
    return max(LEAST_ANSWER, ANSWERS * near_timeout(node))
