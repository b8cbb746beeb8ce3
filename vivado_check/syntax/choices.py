# SPDX-License-Identifier: BSD-3-Clause
"""Macros that select the branches of ``ifdef``, so that a few passes show them all.

A syntax tree has one branch of each choice. Vivado (SYNTHESIS), Verilator (VERILATOR) and Icarus each take
another, and what is renamed or looked for must be so in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_PASSES = 16  # more than any design needs; each costs the time of one more file


class Step(NamedTuple):
    """A directive that chooses code or that changes what is chosen.

    Attributes:
        at: Offset.
        what: ``ifdef``, ``ifndef``, ``elsif``, ``else``, ``endif``, ``define`` or ``undef``.
        name: Macro; empty if there is none, or more than a name.
    """

    at: int
    what: str
    name: str = ""


@dataclass
class _Group:
    """An ``ifdef`` with its other branches, while they are passed through.

    Attributes:
        around: Whether what stands around it is code.
        done: Whether a branch was taken.
        open: Whether the present branch is code.
        needs: Macros that must be defined or not for the present branch, those around it included.
    """

    around: bool
    needs: dict[str, bool]
    done: bool = False
    open: bool = False
    refused: dict[str, bool] = field(default_factory=dict)


def passes(steps: Sequence[Step], outside: frozenset[str] = frozenset()) -> Iterator[frozenset[str]]:
    """Yield sets of macros, beginning with none; together they show every branch that some set can show.

    Args:
        steps: Directives of a text, in order.
        outside: Macros that its headers define.
    """
    if not any(step.what in {"ifdef", "ifndef"} for step in steps):
        yield frozenset()
        return
    seen: set[int] = set()
    macros: frozenset[str] | None = frozenset()
    for _ in range(_PASSES):
        if macros is None:
            return
        yield macros
        shown, needs = _walk(steps, macros | outside)
        seen |= shown
        macros = _next(steps, outside, seen, needs)


def _next(
    steps: Sequence[Step], outside: frozenset[str], seen: set[int], needs: dict[int, dict[str, bool]]
) -> frozenset[str] | None:
    """Choose macros that show something new: as much as possible at once, else one branch."""
    together: dict[str, bool] = {}
    alone = []
    for at, wanted in needs.items():
        if at in seen:
            continue
        alone.append(frozenset(name for name, value in wanted.items() if value))
        if all(together.get(name, value) == value for name, value in wanted.items()):
            together |= wanted
    for macros in (frozenset(name for name, value in together.items() if value), *alone[:_PASSES]):
        if _walk(steps, macros | outside)[0] - seen:
            return macros
    return None


def _walk(steps: Sequence[Step], macros: frozenset[str]) -> tuple[set[int], dict[int, dict[str, bool]]]:
    """Return the offsets of the branches that are code under these macros, and what each branch needs."""
    known = set(macros)
    shown: set[int] = set()
    needs: dict[int, dict[str, bool]] = {}
    groups: list[_Group] = []
    for step in steps:
        code = not groups or groups[-1].open
        if step.what in {"define", "undef"}:
            if code:
                (known.add if step.what == "define" else known.discard)(step.name)
            continue
        if step.what in {"ifdef", "ifndef"}:
            groups.append(_Group(code, groups[-1].needs if groups else {}))
        elif not groups:
            continue
        group = groups[-1]
        if step.what == "endif":
            groups.pop()
            continue
        wanted = step.what != "ifndef"
        holds = step.what == "else" or (step.name in known) == wanted
        group.open = group.around and not group.done and holds
        group.done = group.done or holds
        above = groups[-2].needs if len(groups) > 1 else {}
        own = {} if step.what == "else" or not step.name else {step.name: wanted}
        group.needs = {**above, **group.refused, **own}
        group.refused |= {name: not value for name, value in own.items()}
        needs[step.at] = group.needs
        if group.open:
            shown.add(step.at)
    return shown, needs


def inside(steps: Sequence[Step], start: int) -> list[tuple[int, int]]:
    """Return the outermost places after an offset that a choice decides about; the last may lack its end."""
    found: list[tuple[int, int]] = []
    depth, begin = 0, 0
    for step in steps:
        if step.at < start:
            continue
        if step.what in {"ifdef", "ifndef"}:
            begin = begin if depth else step.at
            depth += 1
        elif step.what == "endif" and depth:
            depth -= 1
            if not depth:
                found.append((begin, step.at))
    return found
