# SPDX-License-Identifier: BSD-3-Clause
"""Resolution of the compared words of a run, in sentences: `sim/bench_sight.py` measures it."""

from __future__ import annotations

from collections.abc import Iterator

from shellgen.model.bench_findings import Findings
from shellgen.model.bench_verdict import Proof, Sight

_NAMED = 3  # boundaries in a text


def sights(found: Findings) -> Iterator[tuple[Proof, str, Sight]]:
    """Yield proof, name and sight of each comparison once: of the first run that measured it."""
    seen = set()
    for run in found.runs.values():
        for verdict in run.verdicts:
            measured = verdict.sight if verdict.proof in ("boundary", "golden") else None
            if measured and verdict.name not in seen:
                seen.add(verdict.name)
                yield verdict.proof, verdict.name, measured


def gaps(sight: Sight) -> str:
    """Say which swaps a comparison would miss, or return an empty text."""
    if sight.value is not None:
        return "any swap would go unseen: all values are the same"
    texts = []
    if hidden := sight.still + sight.alike:
        texts.append(f"{hidden} of {sight.bits} bits of a word ({_why(sight.still, sight.alike)})")
    if same := sight.words_alike:
        texts.append(f"{same} of {sight.words} words of a frame (always equal to another word)")
    if sight.frames > 1 and sight.frames_apart == 1:
        texts.append(f"frames (all {sight.frames} are the same)")
    if not texts:
        return ""
    *others, last = texts
    return f"a swap would go unseen among {', '.join(others)}{' or ' if others else ''}{last}"


def _why(still: int, alike: int) -> str:
    """Say why bits do not show a swap; one that is alike is never alone."""
    never = "never changes" if still == 1 else "never change"
    if still and alike:
        return f"{still} {never}, {alike} always equal to another bit"
    return never if still else "always equal to another bit"


def sight_lines(findings: Findings) -> list[str]:
    """Return what comparisons cannot see, of few boundaries, and how many golden outputs differ."""
    found = list(sights(findings))
    boundaries = [(name, sight) for proof, name, sight in found if proof == "boundary" and gaps(sight)]
    named = sorted(boundaries, key=lambda one: -_hidden(one[1]))[:_NAMED]
    lines = [f"boundary {name}: {gaps(sight)}" for name, sight in boundaries if (name, sight) in named]
    if more := len(boundaries) - len(named):
        lines.append(f"{more} more boundar{'y' if more == 1 else 'ies'} with gaps: `sight` in report.json")
    return lines + [_of_golden(name, sight) for proof, name, sight in found if proof == "golden"]


def _hidden(sight: Sight) -> float:
    """Return the share of bits or words that a comparison cannot see."""
    if sight.value is not None:
        return 1
    bits = (sight.still + sight.alike) / sight.bits
    return float(max(bits, sight.words_alike / sight.words))


def _of_golden(name: str, sight: Sight) -> str:
    count, text = sight.frames_apart, gaps(sight)
    if count == 1:
        return f"{name} compares one output only" + (f"; {text}" if text else "")
    return f"{name} compares {count} different outputs" + (f"; {text}" if text else "")


def gaps_of(found: Findings, name: str) -> str:
    """Return what the comparison of this name cannot see, or an empty text."""
    return next((gaps(sight) for _, known, sight in sights(found) if known == name), "")
