# SPDX-License-Identifier: BSD-3-Clause
"""Count what was caught, class by class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from .harmless import Entry
from .judge import CAUGHT, EQUAL, LEGAL, SURVIVED, UNREACHED, Result


@dataclass(frozen=True)
class Score:
    """Results, with what is known of those that survived."""

    results: tuple[Result, ...]
    entries: tuple[Entry, ...]

    def entry(self, result: Result) -> Entry | None:
        """Return what the list says of a mutant that survived."""
        return next((one for one in self.entries if one.fits(result.mutant)), None)

    def of(self, result: Result) -> str:
        """Return ``caught``, ``legal``, ``equal``, ``unreached``, ``harmless`` or ``missed``."""
        if result.outcome != SURVIVED:
            return result.outcome
        entry = self.entry(result)
        return "harmless" if entry and not entry.harmful else "missed"

    @property
    def share(self) -> float:
        """Return how many of the harmful ones were caught, 0 to 1."""
        counts = Counter(map(self.of, self.results))
        harmful = counts[CAUGHT] + counts["missed"]
        return counts[CAUGHT] / harmful if harmful else 1.0

    def legal(self) -> list[str]:
        """Return what differs from the plan and is no mistake, with what is said of it."""
        return [f"legal: {one.mutant.told}\n    {one.said}" for one in self.results if one.outcome == LEGAL]

    def table(self) -> list[str]:
        """Return a line for each class, and their sum."""
        rows: dict[str, Counter[str]] = defaultdict(Counter)
        for result in self.results:
            for row in (result.mutant.kind, "all"):
                rows[row][self.of(result)] += 1
                rows[row]["named"] += result.named
        lines = [f"{'':16} drawn caught named missed legal  harmless equal unreached  of the harmful"]
        for name, counts in rows.items():
            if name != "all":
                lines.append(_row(name, counts))
        return [*lines, _row("all", rows["all"])]

    def survivors(self) -> list[str]:
        """Return what was missed, with the reason where one is listed."""
        lines = []
        for result in self.results:
            if self.of(result) == "missed":
                entry = self.entry(result)
                lines += [f"missed: {result.mutant.name}", f"    {result.mutant.told}"]
                lines += [f"    {entry.reason}"] if entry else []
                lines += [f"    noted only: {result.said}"] if result.noted else []
        return lines


def _row(name: str, counts: Counter[str]) -> str:
    drawn = sum(counts[outcome] for outcome in (CAUGHT, "missed", "harmless", LEGAL, EQUAL, UNREACHED))
    harmful = counts[CAUGHT] + counts["missed"]
    share = f"{counts[CAUGHT] / harmful:7.1%}" if harmful else "      -"
    return (
        f"{name:16} {drawn:5} {counts[CAUGHT]:6} {counts['named']:5} {counts['missed']:6}"
        f" {counts[LEGAL]:5} {counts['harmless']:9}"
        f" {counts[EQUAL]:5} {counts[UNREACHED]:9}  {share}"
    )


def unused(entries: Iterable[Entry], results: Iterable[Result]) -> list[Entry]:
    """Return entries of the list that nothing fits any more."""
    found = tuple(results)
    return [entry for entry in entries if not any(entry.fits(result.mutant) for result in found)]
