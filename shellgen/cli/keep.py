# SPDX-License-Identifier: BSD-3-Clause
"""The command for the cache: ``cache``."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from shellgen.cache import KINDS
from shellgen.cli.command import AddCommand, Answer
from shellgen.counted import counted
from shellgen.progress import step
from shellgen.table import Column, table, terminal_width

UNITS = ("B", "kB", "MB", "GB", "TB")


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("cache", _cache, "Show or clear the cache: simulation models, reports and FINN.")
    text = "show (default), or remove everything"
    sub.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help=text)
    text = "clear only these: simulation models, reports of runs, plans, or the FINN environment"
    sub.add_argument("--only", choices=KINDS, help=text)
    sub.add_argument(
        "--idle-days", type=_days, default=0, help="clear only entries not used for this number of days"
    )


def _days(text: str) -> float:
    days = float(text)
    if not 0 <= days < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of days")
    return days


def _cache(args: argparse.Namespace) -> Answer:
    from shellgen.cache import clear, contents, default_cache_dir

    folder = default_cache_dir()
    kinds = (args.only,) if args.only else KINDS
    if args.action == "clear":
        step("clearing", str(folder))
        count, size = clear(folder, kinds, args.idle_days)
        text = f"{folder}: {counted(count, 'entry', 'entries')} removed, {_size(size)}"
        return Answer(text, {"folder": str(folder), "removed": count, "bytes": size})
    step("measuring", str(folder))
    kept = [item for item in contents(folder) if item.kind in kinds]
    columns = [Column("folder"), Column("entries", right=True), Column("size", right=True)]
    columns += [Column("last used"), Column("holds", wrap=True)]
    rows = [(item.folder, item.entries, _size(item.bytes), _used(item.idle_days), item.what) for item in kept]
    lines = table(columns, rows, terminal_width())
    lines = lines if kept else ["nothing yet"]
    total = _size(sum(item.bytes for item in kept))
    text = "\n".join([f"{folder}: {total} (set SHELLGEN_CACHE to move it)", *lines])
    return Answer(text, {"folder": str(folder), "contents": [asdict(item) for item in kept]})


def _size(count: float) -> str:
    for unit in UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} {UNITS[-1]}"


def _used(days: float | None) -> str:
    if days is None:
        return "never"
    return "today" if days < 1 else f"{days:.0f} d ago"
