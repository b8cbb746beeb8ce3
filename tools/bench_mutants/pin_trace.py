# SPDX-License-Identifier: BSD-3-Clause
"""An execution that tells a mutant from its core, as its pins see it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tools.bench_mutants.aig import simulate
from tools.bench_mutants.miter import Miter, Ring


def pin_trace(miter: Miter, ring: Ring, cycles: Sequence[frozenset[int]]) -> str:
    """Return what happens at the pins, cycle by cycle, and how they differ in the last one.

    Args:
        miter: Core and mutant.
        ring: The one with all twins.
        cycles: Inputs that are high, as variables.
    """
    follows = {**miter.graph.follows, **ring.follows}
    lines = []
    values: list[int] = []
    for number, values in enumerate(simulate(miter.graph, follows, [dict.fromkeys(c, 1) for c in cycles], 1)):
        if _bit(values, miter.pins["aresetn"]):
            shown = [_channel(miter, values, one.name, one.kind) for one in miter.channels]
            lines.append(f"{number}: {', '.join(filter(None, shown)) or 'nothing'}")
        else:
            lines.append(f"{number}: aresetn is low")
    told = []
    for name, literal in ring.pins.items():
        if _bit(values, literal):
            gold = _bit(values, miter.pins[name])
            told.append(f"{name} is {gold}, of the mutant {1 - gold}")
    return f"{'; '.join(told[:4])} | {' | '.join(lines)}"


def _channel(miter: Miter, values: list[int], prefix: str, kind: str) -> str:
    """Say what a channel offers; empty if VALID is low."""
    channel = next(one for one in miter.channels if (one.name, one.kind) == (prefix, kind))
    if not _bit(values, miter.pins[channel.pins["valid"][0]]):
        return ""
    ready = _bit(values, miter.pins[channel.pins["ready"][0]])
    payload = []
    for signal, pins in channel.pins.items():
        if signal not in ("valid", "ready"):
            number = sum(_bit(values, miter.pins[pin]) << _place(pin) for pin in pins)
            payload.append(f"{signal}={number:x}")
    return f"{prefix}{kind}({' '.join(payload)}){'' if ready else ' waits'}"


def _place(pin: str) -> int:
    found = re.search(r"\[(\d+)\]$", pin)
    return int(found[1]) if found else 0


def _bit(values: list[int], literal: int) -> int:
    return values[literal >> 1] & 1 ^ (literal & 1)
