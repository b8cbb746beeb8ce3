# SPDX-License-Identifier: BSD-3-Clause
"""``--set``: parameters of the boards' clocks and of the link models, and values for the bring-up steps."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from shellgen.errors import InputError, Problem, offer
from shellgen.model.bench import Bench, BenchParameter

_WORD = (0, (1 << 32) - 1)  # what a register of a bring-up step holds


@dataclass(frozen=True)
class Settings:
    """Every number that a user can set for a run.

    Attributes:
        parameters: Of clocks and link models, by name.
        values: Values that bring-up steps of the links refer to, by name.
    """

    parameters: dict[str, int]
    values: dict[str, int]

    def inputs(self, bench: Bench) -> dict[str, int]:
        """Return the values of the inputs of the bench's top, by name of the port."""
        return {one.port: self.parameters[one.name] for one in bench.parameters}


def choose_settings(bench: Bench, asked: Sequence[str], seed: int) -> Settings:
    """Return all settings of a bench.

    Args:
        bench: ``bench.json``.
        asked: ``name=value``; the last one counts.
        seed: Draws parameters that are not asked for and have no fixed default.

    Raises:
        InputError: A name is not known, a value is no whole number or out of range.
    """
    parameters = {one.name: _drawn(one, seed) for one in bench.parameters}
    chosen = parameters | bench.values
    ranges = dict.fromkeys(bench.values, _WORD) | {
        one.name: (one.least, one.most) for one in bench.parameters
    }
    problems: list[Problem] = []
    for text in asked:
        name, _, value = text.partition("=")
        where = f"simulate: --set {text}"
        number = _whole_number(value)
        if name not in chosen:
            problems.append(Problem(where, f"there is no {name!r}", offer(name, chosen, "Known are")))
        elif number is None:
            problems.append(Problem(where, "its value is not a whole number", f"Write {name}=<number>"))
        elif not ranges[name][0] <= number <= ranges[name][1]:
            least, most = ranges[name]
            problems.append(Problem(where, "out of range", f"Choose {least} to {most}"))
        else:
            chosen[name] = number
    if problems:
        raise InputError(*problems)
    return Settings(
        {name: chosen[name] for name in parameters}, {name: chosen[name] for name in bench.values}
    )


def _drawn(parameter: BenchParameter, seed: int) -> int:
    """Draw a default; the same seed gives the same, whatever else there is and whatever Python runs this."""
    low, high = parameter.drawn
    return low + zlib.crc32(f"{seed} {parameter.name}".encode()) % (high - low + 1)


def _whole_number(text: str) -> int | None:
    """Return a number as Python writes it, or None."""
    try:
        return int(text, 0)
    except ValueError:
        return None
