# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tools.oracle CHECKOUTS``: run the public scripts of list.toml and compare with real designs."""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

from shellgen.table import Column, table, terminal_width

from .run import Entry, Result, run

LIST = Path(__file__).with_name("list.toml")


def entries(path: Path) -> list[Entry]:
    """Return what a list names."""
    return [Entry(**entry) for entry in tomllib.loads(path.read_text())["script"]]


def _row(result: Result) -> list[str]:
    counts = (result.calls, result.errors, result.findings, result.unknown)
    wrong = sum(len(part.wrong) for part in result.parts)
    equal = sum(part.equal for part in result.parts)
    compared = f"{equal}/{equal + wrong}" if result.parts else "-"
    return [result.entry.title, *map(str, counts), compared, f"{result.seconds:.2f}", result.verdict]


def main() -> int:
    """Print a row for each script and a sum; 1 if anything differs or is refused."""
    parser = argparse.ArgumentParser(prog="python -m tools.oracle")
    parser.add_argument(
        "checkouts", type=Path, help="folder with a checkout at <owner>+<name> for each repository"
    )
    parser.add_argument("--list", type=Path, default=LIST)
    parser.add_argument("--only", default="", help="part of the names of scripts to run")
    parser.add_argument("--details", action="store_true", help="say every difference, error and finding")
    arguments = parser.parse_args()
    results = []
    for entry in entries(arguments.list):
        if arguments.only in f"{entry.repository}/{entry.script}":
            results.append(run(entry, arguments.checkouts))
            if arguments.details:
                print("\n".join([entry.title, *(f"  {line}" for line in results[-1].lines)]))
    numbers = ("calls", "errors", "findings", "unknown", "equal", "s")
    columns = [Column("script", wrap=True), *(Column(name, right=True) for name in numbers)]
    rows = [_row(result) for result in results]
    print(*table([*columns, Column("verdict", wrap=True)], rows, terminal_width()), sep="\n")
    good, failed, skipped = (
        [result for result in results if result.verdict.startswith(word)] for word in ("ok", "no", "skipped")
    )
    slowest = max((result.seconds for result in results), default=0.0)
    print(
        f"{len(good)} of {len(good) + len(failed)} scripts as they really are, {len(skipped)} skipped, "
        f"slowest {slowest:.2f} s"
    )
    for result in skipped:
        print(f"skipped: {result.entry.title}: {result.lines[0]}")
    return 1 if failed or not good else 0


if __name__ == "__main__":
    sys.exit(main())
