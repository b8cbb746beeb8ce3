# SPDX-License-Identifier: BSD-3-Clause
"""From arguments to an exit code, with exactly one printed answer."""

from __future__ import annotations

import argparse
import atexit
import gc
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from typing import NoReturn

from shellgen.cli.arguments import PROG, Parser, Shown, Version, add_common, asks_for_json, parse
from shellgen.cli.colour import coloured, shows_colour
from shellgen.cli.command import NO_READER, Answer, Terminated, ended, failure, internal
from shellgen.cli.display import showing
from shellgen.cli.warned import Warnings
from shellgen.errors import Problem, StatedError, printable
from shellgen.process.keeper import ASKED_TO_END
from shellgen.progress import step

_DESCRIPTION = "Board shells for FINN networks that are spread over several FPGAs."
_EPILOG = """from a FINN build to a proven cluster:
  shellgen init <build> -o cluster.toml
  shellgen generate cluster.toml -o out
  shellgen simulate out
  shellgen check out
  shellgen build out

`shellgen COMMAND --help` shows the options of a command.
exit codes: 0 success, 1 a simulation or a build failed or a check found
  something, 2 wrong input, 3 too little was checked for a pass,
  70 an internal error: please report it
"""

# Commands by the module that adds them, in the order of the help. To import all takes 10 ms.
_MODULES = {
    "begin": ("init", "import-floorplan"),
    "split": ("split",),
    "all_steps": ("make",),
    "make": ("plan", "generate", "weights"),
    "estimate": ("estimate",),
    "draw": ("draw",),
    "prove": ("simulate", "demo"),
    "rehearse": ("rehearse",),
    "run": ("run", "status"),
    "orders": ("drain", "stop", "program", "serve"),
    "install": ("install",),
    "host": ("host",),
    "waves": ("waves",),
    "check": ("check",),
    "build": ("build",),
    "show": ("map", "list"),
    "partitions": ("stitch", "reference"),
    "schema": ("schema",),
    "keep": ("cache",),
    "completion": ("completion", "help"),
}
_OF_ALL = "completion"  # its commands are about all of them
# Commands that make a plan, and what follows from it, and end.
_BRIEF = {"draw", "estimate", "generate", "init", "list", "map", "plan", "weights"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return 0 if everything requested was done, 2 on bad input, 1 if a run failed."""
    _open_standard_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    as_json = asks_for_json(words)
    warnings = Warnings()
    heeded = signal.getsignal(signal.SIGINT)
    with _ends_when_asked(), warnings:
        try:
            answer = _answer(words, as_json, last=argv is None)
        except Exception as error:  # an internal error; Python prints the place
            traceback.print_exc()
            said = f"{type(error).__name__}: {error}. Please report it, with the lines above and the input."
            answer = internal([said])
    code = _print(warnings.added_to(answer), as_json)
    if argv is not None and signal.getsignal(signal.SIGINT) != heeded:  # the caller goes on
        signal.signal(signal.SIGINT, heeded)
    if argv is None and threading.active_count() == 1 and not sys.getprofile():
        _end(code)
    return code


def _end(code: int) -> NoReturn:
    """End the process at once: to take each of its objects apart would take a tenth of a short command."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _open_standard_streams() -> None:
    """Open those that the caller has closed: or else a lock or a log gets their number, and all output."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.fstat(number)
                continue
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def _answer(words: Sequence[str], as_json: bool, *, last: bool) -> Answer:
    try:
        args = parse(parser(words, styled=not as_json and shows_colour(sys.stdout)), words)
        with showing(sys.stderr, quiet=args.quiet, as_json=as_json):
            step("starting")  # the imports of a command take time on a slow disk
            with _uncollected(last=last) if args.brief else nullcontext():
                answer: Answer = args.command(args)
    except Shown as asked:
        return Answer(asked.text, {asked.name: asked.text}, styled=True)
    except KeyboardInterrupt as error:
        # A second one would end the answer, or Python's own end.
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return ended(error)
    except (StatedError, OSError) as error:
        return ended(error)
    return answer


def _print(answer: Answer, as_json: bool) -> int:
    """Print the answer; characters that the locale cannot encode are escaped."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    text = answer.record() if as_json else answer.text.rstrip("\n")
    if not as_json and not answer.styled:
        text = "\n".join(map(printable, text.split("\n")))
        text = coloured(text) if shows_colour(sys.stdout) else text
    try:
        if text:
            print(text, flush=True)
    except BrokenPipeError:  # `shellgen map out | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except OSError as error:  # a full disk behind `> report.txt`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        found = f"cannot be written ({error.strerror})"
        answer = failure([Problem("standard output", found, "Check where the output goes")])
    with suppress(OSError):  # `2>&1 | head -1`: the exit code reports it as well
        for line in answer.asides:
            print(line, file=sys.stderr, flush=True)
    return answer.code


@contextmanager
def _uncollected(*, last: bool) -> Iterator[None]:
    """Collect no cycles: a plan has none, and looking for them takes a tenth of the time of a large one.

    Args:
        last: Python ends next, which looks for cycles once more, in all that is not frozen.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if last:
            gc.freeze()
        elif was:
            gc.enable()


@contextmanager
def _ends_when_asked() -> Iterator[None]:
    if (
        threading.current_thread() is not threading.main_thread()
    ):  # handlers can only be set in the main thread
        yield
        return

    def end(*_: object) -> None:
        raise Terminated

    # A caller may forward signals that it ignores or blocks. Without SIGCHLD all programs seem to succeed.
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD, *ASKED_TO_END))
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:  # nohup
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def parser(words: Sequence[str] = (), *, styled: bool = False) -> Parser:
    """Return the parser of a command line.

    Args:
        words: The command line; empty: all of them, so that all commands are known.
        styled: With help in colour.
    """
    whole = Parser(
        styled=styled,
        prog=PROG,
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action=Version, nargs=0, help="show the version and exit")
    add_common(whole, default=False)
    commands = whole.add_subparsers(metavar="COMMAND", title="commands")

    def add(name: str, function: Callable[[argparse.Namespace], Answer], text: str) -> Parser:
        sub: Parser = commands.add_parser(name, help=text, description=text, styled=styled)
        # Suppressed if absent: an option before the command must not be overwritten.
        add_common(sub, default=argparse.SUPPRESS)
        sub.set_defaults(command=function, parser=sub, whole=whole, brief=name in _BRIEF)
        return sub

    for module in _modules(words):
        import_module(f"shellgen.cli.{module}").add_commands(add)
    return whole


def _modules(words: Sequence[str]) -> Sequence[str]:
    """Return the module of the command that a command line names, or all if it names none that is known."""
    named = next((word for word in words if word not in {"--json", "--quiet"}), "")
    of = [module for module, commands in _MODULES.items() if named in commands and module != _OF_ALL]
    return of or tuple(_MODULES)
