# SPDX-License-Identifier: BSD-3-Clause
"""Commands that run the bench: ``simulate``, ``demo``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer, ended
from shellgen.errors import InputError, StatedError, one
from shellgen.table import terminal_width

if TYPE_CHECKING:
    from shellgen.estimate.bench import Compared
    from shellgen.model.base import Json
    from shellgen.model.bench_report import RunReport

SIMULATORS: tuple[Literal["verilator", "icarus"], ...] = ("verilator", "icarus")


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    _add_simulate(add("simulate", _simulate, "Build and run the bench of a generated folder."))
    sub = add("demo", _demo, "Build a built-in example on Zynq boards or Alveo cards and prove it.")
    networks = ("digits", "residual", "out-of-order", "replicas", "branches", "loop", "transformer", "mixed")
    text = f"digits (default), {', '.join(networks[1:-1])} or {networks[-1]}"
    sub.add_argument("--example", choices=networks, default="digits", metavar="NAME", help=text)
    sub.add_argument(
        "--boards",
        type=int,
        choices=(2, 3, 6),
        help="boards of the digits: 2 (default), 3 or 6; every other example has a number of its own",
    )
    text = "boards of the digits: zynq is 2 or 6 ZedBoards, vitis is 3 U280 cards over a lossy network, "
    text += "coyote is 2 U55C cards with ACCL between them"
    sub.add_argument("--platform", default="", metavar="KIND", help=text)
    sub.add_argument("--simulator", choices=SIMULATORS, default="verilator")
    sub.add_argument("--reference", action="store_true", help="plain Verilog partitions instead of FINN's")
    sub.add_argument("-o", "--out", type=Path, required=True, help="working folder")


def _add_simulate(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    sub.add_argument("--simulator", choices=(*SIMULATORS, "both"), default="verilator")
    text = "frames to send, at least 2; one more follows (default: all golden ones, fewer if long)"
    sub.add_argument("--frames", type=int, help=text)
    sub.add_argument("--stall", type=int, default=64, help="stall rate of the ports, in 1/256")
    sub.add_argument(
        "--seed", type=int, default=1, help="seed of the random generators for stalls and frames"
    )
    text = "cycles without movement that count as stuck (default: a multiple of the first frame's)"
    sub.add_argument("--idle-limit", type=int, help=text)
    sub.add_argument("--timeout", type=float, help="time limit in seconds (default: no limit)")
    text = "memory test: words to write and read back (default sample: some of large memories)"
    sub.add_argument("--walk", choices=("none", "sample", "full"), default="sample", help=text)
    sub.add_argument(
        "--no-walk", action="store_const", dest="walk", const="none", help="the same as --walk none"
    )
    sub.add_argument("--weights", type=Path, help="folder of `shellgen weights`, loaded as on the board")
    text = "also reset this board in mid-frame, by CONTROL and by its pin"
    sub.add_argument("--reset-node", default="", metavar="NODE", help=text)
    text = "leave out the turns of this replica, for as many frames as asked for (default: a few, for one "
    text += "replica of each stage)"
    sub.add_argument("--absent", default="", metavar="NODE", help=text)
    text = "parameter of a board's clock or of a link model, e.g. zed0.ppm=40, or a value of bring-up steps "
    text += "(default: 1, 2, 3 ... in the order of the map); an unknown name prints the list"
    sub.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=text)
    sub.add_argument(
        "--xpm", type=Path, help="<Vivado>/data/ip/xpm: Vivado's macros instead of shellgen's models"
    )
    text = "dump waves: window (around the fault), all, or START:END in cycles (--waves alone: window)"
    sub.add_argument("--waves", nargs="?", const="window", default="", metavar="SPAN", help=text)
    text = "fst or vcd (default: fst if its libraries are installed)"
    sub.add_argument("--wave-format", choices=("fst", "vcd"), help=text)
    text = "simulate although generated files were edited; the verdict names them"
    sub.add_argument("--edited", action="store_true", help=text)
    text = "Markdown summary to write, as for $GITHUB_STEP_SUMMARY, even if the run is aborted"
    sub.add_argument("--summary", type=Path, metavar="FILE", help=text)
    text = "JUnit file to write: one test case per boundary and proof, even if the run is aborted"
    sub.add_argument("--junit", type=Path, metavar="FILE", help=text)
    sub.add_argument("--labels", type=Path, help=".npy of class labels: report the accuracy")


def _simulate(args: argparse.Namespace) -> Answer:
    from shellgen.report.write import Summary, write_ran
    from shellgen.simulate.cluster import SimulateOptions, simulate
    from shellgen.simulate.journal import Journal
    from shellgen.simulate.report import format_report

    options = SimulateOptions(
        frames=args.frames,
        stall=args.stall,
        seed=args.seed,
        idle_limit=args.idle_limit,
        timeout=args.timeout,
        walk=args.walk,
        weights=str(args.weights.resolve()) if args.weights else "",
        settings=tuple(args.set),
        reset_node=args.reset_node,
        absent=args.absent,
        xpm=str(args.xpm.resolve()) if args.xpm else "",
        waves=args.waves,
        wave_format=args.wave_format,
        edited=args.edited,
    )
    simulators = [name for name in SIMULATORS if args.simulator in (name, "both")]
    journal = Journal(args.junit, args.out, simulators)
    summary = Summary(args.summary, args.out, args.junit)
    found: dict[str, RunReport] = {}
    pages: list[str] = []
    stopped: Answer | None = None
    try:
        for simulator in simulators:
            with journal.run(simulator) as keep:
                know = partial(_know, found, simulator, keep)
                know(simulate(args.out, simulator, options, args.labels, told=know))
                pages.append(str(write_ran(args.out, found[simulator])))
    except (StatedError, OSError, KeyboardInterrupt) as error:
        summary.close(tuple(found.values()), str(error) or "it was interrupted")
        if not found:
            raise
        stopped = ended(error)  # earlier results, such as a verdict without waves, are still reported
    else:
        summary.close(tuple(found.values()))
    reports = list(found.values())
    text = "\n\n".join(format_report(report, terminal_width()) for report in reports)
    beside = estimated(args.out, reports[-1])
    text += f"\n{beside.sentence()}" if beside else ""
    text = "\n".join([text, *(f"report: {page}" for page in pages)])
    passed = all(report.passed for report in reports)
    documents = [report.document() for report in reports]
    both: dict[str, Json] = {"passed": passed and not stopped, "reports": documents}
    data = both if len(simulators) > 1 else documents[0]
    data = data | {"estimate": beside.record()} if beside else data
    if stopped:
        return replace(stopped, text=text, data={**data, **stopped.data})
    return Answer(text, data, PASSED if passed else FAILED)


def estimated(out: Path, report: RunReport) -> Compared | None:
    """Return the estimate of the run at full rate, if there was one and nothing was wrong."""
    from shellgen.estimate.bench import compared
    from shellgen.read.output import read_plan

    run = report.full_rate
    if not report.passed or run is None or not run.cycles or not run.timed:
        return None
    return compared(read_plan(out), report)


def _know(
    found: dict[str, RunReport], simulator: str, keep: Callable[[RunReport], None], report: RunReport
) -> None:
    """Record a verdict, which later errors of the waves do not change."""
    found[simulator] = report
    keep(report)


def _demo(args: argparse.Namespace) -> Answer:
    from shellgen.demo import FIXED_BOARDS, demo, demo_folder, digit_boards
    from shellgen.simulate.report import format_report

    notes: list[str] = []
    there = digit_boards(args.platform)
    boards = args.boards or next(iter(there), 0)
    if boards not in there or (args.platform and args.example != "digits"):
        counts = " or ".join(map(str, there)) or "no number of"
        found = f"there is no such example for platform {args.platform}"
        raise one(InputError, "demo", found, f"There are the digits on {counts} boards of it")
    fixed = FIXED_BOARDS.get(args.example, args.boards)
    if args.boards not in (None, fixed):
        found = f"the example {args.example} is on {fixed} boards, not {args.boards}"
        raise one(InputError, "demo: --boards", found, "Leave it out")
    if args.simulator == "icarus" and not args.reference:
        found = "Icarus cannot parse the RTL that FINN writes"
        remedy = "Leave it out, or add --reference: partitions of our own (digits only)"
        raise one(InputError, "demo: --simulator icarus", found, remedy)
    report = demo(
        args.out,
        boards,
        args.simulator,
        args.reference,
        notes.append,
        example=args.example,
        platform=args.platform,
    )
    beside = estimated(demo_folder(args.out, boards, args.example, args.platform), report)
    *said, page = notes  # the report is the last that a demo says, and the last line
    lines = [
        *said,
        "",
        format_report(report, terminal_width()),
        *([beside.sentence()] if beside else []),
        page,
    ]
    data = report.document() | {"notes": notes} | ({"estimate": beside.record()} if beside else {})
    return Answer("\n".join(lines), data, PASSED if report.passed else FAILED)
