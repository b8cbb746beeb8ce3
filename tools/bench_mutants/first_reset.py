# SPDX-License-Identifier: BSD-3-Clause
"""Latches of a mutant that may differ from the core's when the first reset is over.

The few cycles of that reset are unrolled, and constants that it makes go through all gates, so that of most
latches nothing is left to ask.
"""

from __future__ import annotations

import random
from pathlib import Path

from tools.bench_mutants.abc import Query, search
from tools.bench_mutants.aig import FALSE, simulate, unrolled
from tools.bench_mutants.miter import RESET_CYCLES, Miter, Ring

_LANES = 256  # executions that are simulated at once
_ROUNDS = 8  # counterexamples, after which it is given up


def unsettled(miter: Miter, ring: Ring, folder: Path, seconds: float) -> set[int] | None:
    """Return the latches, by their places in the mutant; None if that is not known in time.

    Args:
        miter: Core and mutant.
        ring: The one with all twins.
        folder: For files.
        seconds: Limit of each question.
    """
    follows = {**miter.graph.follows, **ring.follows}
    reset = miter.pins["aresetn"] >> 1
    # In one cycle more, differences are compared for the first time; the reset may have ended in it.
    cycles = [{reset: FALSE}] * RESET_CYCLES + [{}]
    flat, values = unrolled(miter.graph, follows, cycles, list(ring.apart.values()))
    asked = {place: literal for place, literal in zip(ring.apart, values, strict=True) if literal != FALSE}
    chooser = random.Random(1)
    noise = {variable: chooser.getrandbits(_LANES) for variable in flat.inputs}
    found: set[int] = set()
    for _ in range(_ROUNDS):
        (told,) = simulate(flat, {}, [noise], _LANES)
        ones = (1 << _LANES) - 1
        found |= {place for place, at in asked.items() if told[at >> 1] ^ (ones if at & 1 else 0)}
        left = flat.some(literal for place, literal in asked.items() if place not in found)
        answer = search(Query(flat, {}, left, ()), 1, seconds, folder)
        if answer.engine:
            return found
        if not answer.cycles:
            return None
        noise = dict.fromkeys(answer.cycles[0], ones)
    return None
