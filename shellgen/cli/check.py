# SPDX-License-Identifier: BSD-3-Clause
"""The command that checks scripts against a model of Vivado: ``check``."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import FAILED, AddCommand, Answer, with_page
from vivado_check.cli import add_options

if TYPE_CHECKING:
    from shellgen.check.run import Checked

_EPILOG = """verdicts:
  error         Vivado stops
  finding       Vivado continues, and the hardware is wrong
  differs       works, but is not what was generated
  not modelled  nothing is known
exit codes: 0 run to the end and right, 1 an error or a finding,
  2 wrong input or no script,
  3 not checked: stopped early, or too little of it is modelled
"""


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("check", _check, "Find what Vivado would find, and what it would not, without Vivado.")
    sub.epilog, sub.formatter_class = _EPILOG, argparse.RawDescriptionHelpFormatter
    sub.add_argument(
        "path",
        type=Path,
        help="folder that `shellgen generate` wrote, any Tcl script for Vivado, or a .cfg for v++ --link",
    )
    add_options(sub)
    sub.add_argument(
        "--node", action="append", default=[], metavar="NODE", help="check this node only; may be repeated"
    )
    sub.add_argument(
        "--hdl", action="store_true", help="also lint the HDL with Verilator, which takes longer"
    )


def _check(args: argparse.Namespace) -> Answer:
    from shellgen.check.run import Options, check
    from shellgen.cli.confined import confined
    from shellgen.table import terminal_width
    from vivado_check.junit import junit_file

    options = Options(
        release=args.release,
        learn=tuple(args.learn),
        nodes=tuple(dict.fromkeys(args.node)),
        arguments=tuple(args.tclargs),
        environment=tuple(args.env),
        root=args.root,
        platform=args.target_platform,
        hdl=args.hdl,
    )
    width = terminal_width()
    named = [args.path, args.root or args.path.parent, *options.learn]
    if args.path.is_dir():
        named = [args.path, *options.learn]
    with junit_file(args.junit, "shellgen", args.path.name, strict=args.strict) as junit:
        answer = confined(
            lambda: _with_edits(
                check_answer(check(args.path, options), strict=args.strict, width=width),
                args.path,
                strict=args.strict,
            ),
            named,
            nodes_of(args.path),
        )
        junit(answer.data)
    return with_page(answer, args.path)


def _with_edits(answer: Answer, path: Path, *, strict: bool) -> Answer:
    """Name the files that differ from what was generated: they are judged as they are.

    No rule reads a program, or a node's copy of the memory map, so with ``strict`` an edit is a failure.
    """
    from shellgen.disk.manifest import MANIFEST
    from shellgen.simulate.as_generated import differing_files, said_of_edited

    edited = [*differing_files(path)] if (path / MANIFEST).is_file() else []
    answer = replace(answer, data={**answer.data, "edited": [*edited]})
    if not edited:
        return answer
    said = said_of_edited(edited)
    if not strict:
        return replace(answer, asides=(*answer.asides, f"shellgen: note: {said}"))
    return replace(answer, text=f"{answer.text}\n{said}", code=answer.code or FAILED)


def nodes_of(path: Path) -> int:
    """Return the approximate number of nodes in a path, by its folders."""
    return sum(1 for entry in path.iterdir() if entry.is_dir()) if path.is_dir() else 1


def check_answer(checked: Checked, *, strict: bool, width: int | None) -> Answer:
    """Return the result of a check as text and as a record."""
    from shellgen.table import wrapped
    from vivado_check.text import CODES, lines_of, record_of

    text = "\n".join(lines_of(checked, width, wrapped))
    return Answer(text, record_of(checked, strict=strict), CODES[checked.worst(strict=strict)])
