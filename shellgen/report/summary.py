# SPDX-License-Identifier: BSD-3-Clause
"""A run as Markdown, for the summary that a CI service shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from shellgen.errors import printable
from shellgen.model.bench_report import RunReport
from shellgen.report import REPORT
from shellgen.report.ran import Ran, ran
from shellgen.report.tables import Table

_MARKUP = re.compile(r"([\\`*_\[\]|~#])")


def summary(reports: Sequence[RunReport], out: Path, problem: str = "") -> str:
    """Return the summary of a command.

    Args:
        reports: One for each simulator that came to an end.
        out: Folder that was simulated.
        problem: What ended the command otherwise.
    """
    lines: list[str] = []
    for report in reports:
        lines += _run(ran(report), f"{out}/bench/run_{report.simulator}/{REPORT}")
    if problem:
        lines += ["## shellgen: no result", "", marked(problem), ""]
    return "\n".join(lines) + "\n"


def marked(text: str) -> str:
    """Return text that Markdown shows as it is, in one line."""
    plain = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKUP.sub(r"\\\1", " ".join(plain.split()))


def _run(found: Ran, page: str) -> Iterator[str]:
    yield from (f"## shellgen: {marked(found.verdict)}", "")
    for text in (found.rate, *found.wrong):
        if text:
            yield from (marked(text), "")
    for table in found.tables:
        yield from _table(table)
    if found.unseen:
        yield from ("### What the comparisons could not see", "")
        yield from (f"- {marked(text)}" for text in found.unseen)
        yield ""
    for about, command in found.commands:
        yield from (f"{marked(about)}:", "", *_fenced(command), "")
    yield from ("<details><summary>Output</summary>", "", *_fenced(found.text), "", "</details>", "")
    yield from (f"Report: {marked(page)}", "")


def _table(table: Table) -> Iterator[str]:
    yield from (f"### {table.title}", "")
    yield f"| {' | '.join(name for name, _ in table.columns)} |"
    yield f"|{'|'.join('---:' if right else '---' for _, right in table.columns)}|"
    for row in table.rows:
        yield f"| {' | '.join(map(marked, row.cells))} |"
    yield ""


def _fenced(text: str) -> list[str]:
    """Return a block of code whose fence the text cannot close."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *map(printable, text.split("\n")), fence]
