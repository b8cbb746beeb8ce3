# SPDX-License-Identifier: BSD-3-Clause
"""From arguments to an exit code."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence

from shellgen import __version__
from shellgen.cli import begin, keep, make, partitions, prove, show
from shellgen.cli.command import Notes, fail
from shellgen.errors import Problem, ShellgenError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when everything asked for happened, 2 on bad input, 1 when a simulation failed."""
    args = _parser().parse_args(argv)
    notes, log = Notes(logging.WARNING), logging.getLogger("shellgen")
    log.addHandler(notes)
    command: Callable[[argparse.Namespace], int] = args.command
    try:
        return command(args)
    except ShellgenError as error:
        fail(args, error.problems)
        return 2
    except BrokenPipeError:  # `shellgen map out | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:  # whatever the machine refuses: a full disk, a folder without permission
        where = str(error.filename or "this machine")
        fail(args, [Problem(where, error.strerror or str(error), "Check the path and its permissions")])
        return 2
    except KeyboardInterrupt:
        return 130
    finally:
        log.removeHandler(notes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shellgen", description="Board shells for FINN networks that are spread over several FPGAs."
    )
    parser.add_argument("--version", action="version", version=f"shellgen {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON record instead of text")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, function: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text, parents=[common])
        sub.set_defaults(command=function)
        return sub

    for group in (begin, make, prove, show, partitions, keep):
        group.add_commands(add)
    return parser
