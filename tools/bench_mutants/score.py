# SPDX-License-Identifier: BSD-3-Clause
"""The score: of the mutants that build and are no equivalents, how many the bench finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from shellgen.table import Column, table, terminal_width
from tools.bench_mutants.known import Known, reason
from tools.bench_mutants.trial import Verdict

GOAL = 0.98
# Of the shares, the first is of the run with which a user begins, the last of all that can be asked for.
_COUNTS = ("mutants", "caught", "ended", "hung", "survived", "equivalent", "at once", "score")
_COLUMNS = (Column("links"), *(Column(title, right=True) for title in _COUNTS))


def passed(verdicts: Mapping[str, Sequence[Verdict]], known: tuple[Known, ...], goal: float = GOAL) -> bool:
    """Return whether every kind of link reaches the goal, and every run came to a verdict."""
    return all(share(those, known) >= goal for those in verdicts.values()) and not any(
        verdict.fate == "hung" for those in verdicts.values() for verdict in those
    )


def share(verdicts: Sequence[Verdict], known: tuple[Known, ...]) -> float:
    """Return the share of mutants that the bench finds; a run without a verdict finds nothing."""
    found = sum(verdict.fate in ("caught", "ended") for verdict in verdicts)
    missed = len(lost(verdicts, known))
    return found / (found + missed) if found + missed else 0.0


def lost(verdicts: Sequence[Verdict], known: tuple[Known, ...]) -> list[Verdict]:
    """Return the mutants that were not found and should have been."""
    return [
        verdict
        for verdict in verdicts
        if verdict.fate == "hung" or (verdict.fate == "survived" and not why(verdict, known))
    ]


def why(verdict: Verdict, known: tuple[Known, ...]) -> str:
    """Return why a survivor is no mistake, or an empty string."""
    return verdict.said if verdict.proved else reason(verdict.mutant, known)


def format_score(verdicts: Mapping[str, Sequence[Verdict]], known: tuple[Known, ...]) -> str:
    """Return a line for each kind of link, and then all that was not found, equivalents with their reason."""
    rows = []
    for name, those in verdicts.items():
        fates = Counter(verdict.fate for verdict in those)
        same = sum(verdict.fate == "survived" and bool(why(verdict, known)) for verdict in those)
        plain = sum(verdict.plain and verdict.fate in ("caught", "ended") for verdict in those)
        built = len(those) - fates["refused"]
        counts = fates["caught"], fates["ended"], fates["hung"], fates["survived"] - same, same
        at_once = plain / (built - same or 1)
        rows.append((name, built, *counts, f"{at_once:.1%}", f"{share(those, known):.1%}"))
    lines = table(_COLUMNS, rows, terminal_width())
    for name, those in verdicts.items():
        for verdict in those:
            if verdict.fate in ("hung", "survived"):
                told = why(verdict, known)
                fate = "equivalent" if told and verdict.fate == "survived" else verdict.fate
                lines.append(f"{name}: {fate}: {verdict.mutant.name}{f': {told}' if told else ''}")
    return "\n".join(lines)
