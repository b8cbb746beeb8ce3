# SPDX-License-Identifier: BSD-3-Clause
"""The command that checks scripts against a model of Vivado: ``check``."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import FAILED, PASSED, UNCHECKED, AddCommand, Answer, counted

if TYPE_CHECKING:
    from shellgen.check.run import Checked
    from shellgen.model.base import Json
    from vivado_check.report import Message

_EPILOG = """verdicts: an error stops Vivado; a finding does not, and the hardware is wrong;
what differs from the plan works, but is not what was generated; what is not modelled may be anything.
exit codes: 0 run to the end and right, 1 an error or a finding, 2 wrong input or no script,
3 not checked: stopped early, or too little of it is modelled
"""


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("check", _check, "Find what Vivado would find, and what it would not, without Vivado.")
    sub.epilog, sub.formatter_class = _EPILOG, argparse.RawDescriptionHelpFormatter
    sub.add_argument(
        "path", type=Path, help="folder that `shellgen generate` wrote, or any Tcl script for Vivado"
    )
    text = "Vivado release, e.g. 2022.2 (default: the release that the script states, else 2022.2)"
    sub.add_argument("--release", default="", metavar="R", help=text)
    text = "read IP facts from this project, .hwh, component.xml or other .xml; may be repeated"
    sub.add_argument("--learn", type=Path, action="append", default=[], metavar="PATH", help=text)
    sub.add_argument(
        "--strict", action="store_true", help="also fail on anything not modelled or different from the plan"
    )
    sub.add_argument(
        "--node", action="append", default=[], metavar="NODE", help="check this node only; may be repeated"
    )
    text = "environment variable of the script; may be repeated"
    sub.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help=text)
    text = "folder that the script may read (default: its own)"
    sub.add_argument("--root", type=Path, metavar="FOLDER", help=text)
    sub.add_argument(
        "--hdl", action="store_true", help="also lint the HDL with Verilator, which takes longer"
    )
    text = "arguments of the script: the rest of the command line"
    sub.add_argument("--tclargs", nargs=argparse.REMAINDER, default=[], metavar="ARG", help=text)


def _check(args: argparse.Namespace) -> Answer:
    from shellgen.check.run import Options, check
    from shellgen.cli.confined import confined
    from shellgen.table import terminal_width

    options = Options(
        release=args.release,
        learn=tuple(args.learn),
        nodes=tuple(dict.fromkeys(args.node)),
        arguments=tuple(args.tclargs),
        environment=tuple(args.env),
        root=args.root,
        hdl=args.hdl,
    )
    width = terminal_width()
    named = [args.path, args.root or args.path.parent, *options.learn]
    if args.path.is_dir():
        named = [args.path, *options.learn]
    return confined(
        lambda: check_answer(check(args.path, options), strict=args.strict, width=width),
        named,
        nodes_of(args.path),
    )


def nodes_of(path: Path) -> int:
    """Return the approximate number of nodes in a path, by its folders."""
    return sum(1 for entry in path.iterdir() if entry.is_dir()) if path.is_dir() else 1


def check_answer(checked: Checked, *, strict: bool, width: int | None) -> Answer:
    """Return the result of a check as text and as a record."""
    from vivado_check.coverage import Result

    lines = []
    for message in checked.messages:
        lines += message_lines(message, width)
    lines += _sums(checked)
    codes = {Result.RIGHT: PASSED, Result.WRONG: FAILED, Result.UNCHECKED: UNCHECKED}
    code = codes[checked.worst(strict=strict)]
    return Answer("\n".join(lines), check_record(checked, strict=strict), code)


def message_lines(message: Message, width: int | None) -> list[str]:
    """Return a message: location and actual value, then expected value and remedy."""
    from shellgen.table import wrapped

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
        counts = Counter(message.verdict.value for message in report.messages)
        told = [counted(counts["error"], "error"), counted(counts["finding"], "finding")]
        if differing := counts["differs from the plan"]:
            told.append(f"{differing} {'differs' if differing == 1 else 'differ'} from the plan")
        told.append(f"{counts['not modelled']} not modelled")
        lines.append(f"{name}: {', '.join(told)}")
        if gap := checked.coverages[name].gap:
            lines.append(f"{name}: not checked: {gap}")
    return lines


def check_record(checked: Checked, *, strict: bool) -> dict[str, Json]:
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
