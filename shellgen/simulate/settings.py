# SPDX-License-Identifier: BSD-3-Clause
"""``--set``: what a run does to the clocks of the boards and to the models of the links."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from shellgen.errors import InputError, Problem, offer
from shellgen.model.bench import Bench, BenchKnob


def choose_settings(bench: Bench, asked: Sequence[str], seed: int) -> dict[str, int]:
    """Return the value of every knob of a bench, by name.

    Args:
        bench: ``bench.json``.
        asked: ``name=value``; the last one counts.
        seed: Draws what is not asked for and has no fixed default.

    Raises:
        InputError: A knob is not known, a value is no whole number or out of range.
    """
    known = {knob.name: knob for knob in bench.knobs}
    values = {name: _drawn(knob, seed) for name, knob in known.items()}
    problems: list[Problem] = []
    for text in asked:
        name, equals, value = text.partition("=")
        where = f"simulate: --set {text}"
        if name not in known:
            problems.append(Problem(where, f"there is no {name!r}", offer(name, known, "Known are")))
        elif not equals or (number := whole_number(value)) is None:
            problems.append(Problem(where, "its value is not a whole number", f"Write {name}=<number>"))
        elif not known[name].least <= number <= known[name].most:
            knob = known[name]
            problems.append(Problem(where, "out of range", f"Choose {knob.least} to {knob.most}"))
        else:
            values[name] = number
    if problems:
        raise InputError(*problems)
    return values


def inputs_of(bench: Bench, settings: dict[str, int]) -> dict[str, int]:
    """Return what the inputs of the bench's top get, by name of the port."""
    return {knob.port: settings[knob.name] for knob in bench.knobs}


def _drawn(knob: BenchKnob, seed: int) -> int:
    """Draw a default; the same seed gives the same, whatever else there is and whatever Python runs this."""
    low, high = knob.drawn
    return low + zlib.crc32(f"{seed} {knob.name}".encode()) % (high - low + 1)


def whole_number(text: str) -> int | None:
    """Return a number as Python writes it, or None."""
    try:
        return int(text, 0)
    except ValueError:
        return None
