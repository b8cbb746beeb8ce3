# SPDX-License-Identifier: BSD-3-Clause
"""Values that only a user knows, such as an address in his network, for the steps before the first frame."""

from __future__ import annotations

from shellgen.errors import InputError, Problem, offer
from shellgen.model.bench import Bench
from shellgen.simulate.settings import whole_number

MOST = (1 << 32) - 1


def choose_values(bench: Bench, asked: tuple[str, ...]) -> dict[str, int]:
    """Return a value for each name: what is asked for, or what the bench has for it.

    Raises:
        InputError: A text is not ``NAME=VALUE``, nothing has that name, or the value has more than 32 bits.
    """
    chosen = dict(bench.values)
    problems = []
    for text in asked:
        name, _, value = text.partition("=")
        where = f"simulate: --value {text}"
        number = whole_number(value)
        if number is None or not 0 <= number <= MOST:
            problems.append(Problem(where, f"{value!r} is not a number of 32 bits", "Give NAME=VALUE"))
        elif name not in chosen:
            remedy = offer(name, bench.values, "What can be given")
            problems.append(Problem(where, f"no link needs {name!r}", remedy))
        else:
            chosen[name] = number
    if problems:
        raise InputError(*problems)
    return chosen
