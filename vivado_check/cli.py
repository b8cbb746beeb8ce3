# SPDX-License-Identifier: BSD-3-Clause
"""The command ``vivado-check``: one script, one answer, one exit code."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import __version__
from .errors import InputError, Problem, UserError, printable

PROG = "vivado-check"
INTERRUPTED, NO_READER = 130, 141
EPILOG = """verdicts: an error stops Vivado; a finding does not, and the hardware is wrong;
what is not modelled may be right or wrong.
exit codes: 0 run to the end and right, 1 an error or a finding, 2 wrong input or no script,
3 not checked: stopped early, or too little of it is modelled
"""


@dataclass(frozen=True)
class Said:
    """Answer of the command: text for people, a record for programs, an exit code."""

    text: str
    code: int
    data: Mapping[str, object] = field(default_factory=dict)
    errors: tuple[str, ...] = ()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a check of scripts, which other commands may offer, too."""
    text = "Vivado release, e.g. 2022.2 (default: the release that the script states, else 2022.2)"
    parser.add_argument("--release", default="", metavar="R", help=text)
    text = "read IP facts from a project, .hwh, component.xml, other .xml, kernels from .xo; may be repeated"
    parser.add_argument("--learn", type=Path, action="append", default=[], metavar="PATH", help=text)
    text = "target platform of a v++ configuration (default: its `platform=`)"
    parser.add_argument("--target-platform", default="", metavar="NAME", help=text)
    text = "also fail on anything not modelled or different from the plan"
    parser.add_argument("--strict", action="store_true", help=text)
    text = "environment variable of the script; may be repeated"
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help=text)
    text = "folder that the script may read (default: its own)"
    parser.add_argument("--root", type=Path, metavar="FOLDER", help=text)
    text = "write a JUnit file: one test case for each script or node"
    parser.add_argument("--junit", type=Path, metavar="FILE", help=text)
    text = "arguments of the script: the rest of the command line"
    parser.add_argument("--tclargs", nargs=argparse.REMAINDER, default=[], metavar="ARG", help=text)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    whole = argparse.ArgumentParser(
        prog=PROG,
        description="Check a Tcl script for Vivado, or a configuration of v++ --link, without either.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument(
        "script", type=Path, nargs="?", help="a Tcl script for Vivado, or a .cfg or .ini for v++ --link"
    )
    add_options(whole)
    whole.add_argument("--json", action="store_true", help="print one JSON document")
    text = "list all rules, those of installed packages among them, and exit"
    whole.add_argument("--rules", action="store_true", help=text)
    whole.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    return whole


def main(argv: Sequence[str] | None = None) -> int:
    """Check a script and print the answer; return the exit code."""
    args = parser().parse_args(argv)
    try:
        said = _rules() if args.rules else _check(args)
    except UserError as error:
        problems = tuple(str(problem) for problem in error.problems)
        said = Said("", 2, {"problems": [*problems]}, problems)
    except OSError as error:
        where, found = str(error.filename or "this machine"), error.strerror or str(error)
        problem = str(Problem(where, found, "Check the path and its permissions"))
        said = Said("", 2, {"problems": [problem]}, (problem,))
    except KeyboardInterrupt:
        said = Said("", INTERRUPTED, {"problems": ["interrupted"]}, ("interrupted",))
    return _printed(said, as_json=args.json)


def _check(args: argparse.Namespace) -> Said:
    from .apart import apart  # noqa: PLC0415 - `--help` is instant
    from .junit import junit_file  # noqa: PLC0415
    from .run import Options, check  # noqa: PLC0415
    from .text import CODES, LOOP, UNCHECKED, lines_of, record_of  # noqa: PLC0415

    if args.script is None:
        raise InputError(Problem("script", "none is named", f"Name one: {PROG} build.tcl"))
    options = Options(
        release=args.release,
        learn=tuple(args.learn),
        arguments=tuple(args.tclargs),
        environment=tuple(args.env),
        root=args.root,
        platform=args.target_platform,
    )
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    def work(_: object) -> dict[str, object]:
        checked = check(args.script, options)
        text = "\n".join(lines_of(checked, width))
        code = CODES[checked.worst(strict=args.strict)]
        return {"text": text, "data": record_of(checked, strict=args.strict), "code": code}

    named = [args.script, args.root or args.script.parent, *options.learn]
    with junit_file(args.junit, PROG, args.script.name, strict=args.strict) as junit:
        done = apart(work, named, lambda *_: None)
        junit({"stopped": done.stopped} if done.stopped else done.answer["data"])
    if done.stopped:
        text = f"the check was stopped: {done.stopped}\n  {LOOP}"
        return Said(text, UNCHECKED, {"stopped": done.stopped})
    text = str(done.answer["text"])
    if done.lacks:
        text += f"\nconfined without {' and '.join(done.lacks)}, which this system does not give"
    data = {**done.answer["data"], "not_confined_by": [*done.lacks]}
    return Said(text, int(done.answer["code"]), data)


def _rules() -> Said:
    from .plugins import load_rules  # noqa: PLC0415
    from .rules.base import all_rules  # noqa: PLC0415

    providers = load_rules()
    rules = all_rules()
    width = max(len(rule.name) for rule in rules)
    lines, data = [], []
    for rule in rules:
        place = providers.get(rule.name)
        tail = f" [{place}]" if place else ""
        lines.append(f"{rule.name:{width}}  {rule.scope:7}  {rule.source}{tail}")
        package = place.package if place else "vivado-check"
        data.append({"rule": rule.name, "scope": rule.scope, "source": rule.source, "package": package})
    return Said("\n".join(lines), 0, {"rules": data})


def _printed(said: Said, *, as_json: bool) -> int:
    """Print the answer; a name that the locale cannot show is escaped."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    text = "\n".join(map(printable, said.text.split("\n")))
    if as_json:
        text = json.dumps({"ok": said.code == 0, **said.data})
    try:
        if text:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
    except BrokenPipeError:  # `vivado-check build.tcl | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    for line in said.errors:
        sys.stderr.write(f"{PROG}: error: {line}\n")
    return said.code
