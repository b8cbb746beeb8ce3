# SPDX-License-Identifier: BSD-3-Clause
"""A check as people and programs read it: lines, and a record for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap

from .coverage import Result
from .report import Message, Verdict
from .run import Checked

PASSED, FAILED, WRONG_INPUT, UNCHECKED = 0, 1, 2, 3
CODES = {Result.RIGHT: PASSED, Result.WRONG: FAILED, Result.UNCHECKED: UNCHECKED}
LOOP = "Look for an endless loop or unbounded data in the files."
# What a JSON document may hold.
Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
# Breaks a text into lines of at most so many characters.
Wrap = Callable[[str, int], list[str]]


def at_words(text: str, width: int) -> list[str]:
    """Break a text at its spaces; a name that is too long gets a line of its own."""
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def lines_of(checked: Checked, width: int | None, wrapped: Wrap = at_words) -> list[str]:
    """Return what a check found: its messages, then a line of sums for each script.

    Args:
        checked: The check.
        width: Characters of a line; None: as many as it takes.
        wrapped: Breaks lines.
    """
    lines = [line for message in checked.messages for line in message_lines(message, width, wrapped)]
    return [*lines, *_sums(checked)]


def message_lines(message: Message, width: int | None, wrapped: Wrap = at_words) -> list[str]:
    """Return a message: location and actual value, then expected value and remedy."""
    names = ", ".join(name for name in (message.vivado, message.rule) if name)
    where = f"{message.where}: " if message.where else ""
    at = f"{message.origin}: " if message.origin.file else ""
    first = f"{at}{message.verdict.value}: {where}{message.found} [{names}]"
    expected = f"expected {message.expected}" if message.expected else ""
    remedy = _inside(message.remedy) if expected else message.remedy
    advice = "; ".join(part for part in (expected, remedy) if part)
    lines = []
    for text in (first, f"{advice}." if advice else ""):
        lines += (wrapped(text, width - 2) if width else [text]) if text else []
    return [lines[0], *(f"  {line}" for line in lines[1:])]


def _inside(sentence: str) -> str:
    """Return a sentence as continued after a semicolon; names keep their case."""
    word = sentence.partition(" ")[0]
    return sentence[:1].lower() + sentence[1:] if word[:1].isupper() and word[1:].islower() else sentence


def _sums(checked: Checked) -> list[str]:
    lines = []
    for name, report in checked.reports.items():
        counts = Counter(message.verdict for message in report.messages)
        told = [_counted(counts[Verdict.ERROR], "error"), _counted(counts[Verdict.FINDING], "finding")]
        if differing := counts[Verdict.DIFFERS]:
            told.append(f"{differing} {'differs' if differing == 1 else 'differ'} from the plan")
        told.append(f"{counts[Verdict.NOT_MODELLED]} not modelled")
        lines.append(f"{name}: {', '.join(told)}")
        if gap := checked.coverages[name].gap:
            lines.append(f"{name}: not checked: {gap}")
    return lines


def _counted(count: int, one: str) -> str:
    return f"{count} {one if count == 1 else f'{one}s'}"


def record_of(checked: Checked, *, strict: bool) -> dict[str, Json]:
    """Return the record of a check: the result and all messages, by node or by script."""
    found: dict[str, Json] = {}
    results: dict[str, Json] = {}
    for name, report in checked.reports.items():
        found[name] = [_message_record(message) for message in report.messages]
        coverage = checked.coverages[name]
        results[name] = {
            "result": checked.result(name, strict=strict).value,
            "gap": coverage.gap,
            "commands": coverage.commands,
            "judged": coverage.judged,
            "commands_not_modelled": len(coverage.unknown),
            "cells": coverage.cells,
            "cells_not_modelled": coverage.unknown_cells,
        }
    return {"release": checked.release, "results": results, "checked": found}


def _message_record(message: Message) -> dict[str, Json]:
    return {
        "rule": message.rule,
        "verdict": message.verdict.value,
        "file": message.origin.file,
        "line": message.origin.line,
        "where": message.where,
        "found": message.found,
        "expected": message.expected,
        "remedy": message.remedy,
        "vivado": message.vivado,
    }
