# SPDX-License-Identifier: BSD-3-Clause
"""The command that runs the vendor builds: ``build``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.build.queues import QUEUES
from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer, with_page

if TYPE_CHECKING:
    from shellgen.build.outcome import Report
    from shellgen.model.base import Json

_EPILOG = """Finished stages are kept: after an error, run it again and it continues there.
exit codes: 0 every node is built, 1 a build failed,
  2 wrong input or a program is missing
"""
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("build", _build, "Run the vendor tools for all nodes of a generated folder, several at once.")
    sub.epilog, sub.formatter_class = _EPILOG, argparse.RawDescriptionHelpFormatter
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    text = "build this node only; may be repeated"
    sub.add_argument("--node", action="append", default=[], metavar="NODE", help=text)
    text = "parallel stages (default: one per four cores); with --queue, jobs of the queue"
    sub.add_argument("--jobs", type=_count, metavar="N", help=text)
    text = (
        "GiB that all may take (default: what is free at the start); with --on or --queue, that a node takes"
    )
    sub.add_argument("--memory", type=_positive, metavar="GIB", help=text)
    text = "setting of this machine, e.g. VNX=~/vnx; an unknown name prints the list"
    sub.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=text)
    text = "time limit of a stage in seconds, or 90m, 6h (default: no limit)"
    sub.add_argument("--timeout", type=_seconds, metavar="TIME", help=text)
    away = sub.add_mutually_exclusive_group()
    text = "build on the workers of this Dask scheduler, e.g. tcp://head:8786"
    away.add_argument("--on", default="", metavar="ADDRESS", help=text)
    text = "build on workers that this kind of batch queue starts, as configured in Dask"
    away.add_argument("--queue", default="", choices=QUEUES, help=text)
    sub.add_argument("--again", action="store_true", help="rebuild finished stages")


def _build(args: argparse.Namespace) -> Answer:
    from shellgen.build.run import BuildOptions, build

    options = BuildOptions(
        nodes=tuple(dict.fromkeys(args.node)),
        jobs=args.jobs,
        memory=args.memory,
        values=tuple(args.set),
        timeout=args.timeout,
        again=args.again,
        on=args.on,
        queue=args.queue,
    )
    report = build(args.out, options)
    answer = Answer(_text(report, args.out), _record(report), PASSED if report.passed else FAILED)
    return with_page(answer, args.out)


def _text(report: Report, out: Path) -> str:
    from shellgen.build.told import elapsed
    from shellgen.table import Column, table, terminal_width, wrapped

    rows: list[tuple[str, ...]] = []
    for node in report.nodes:
        for index, ran in enumerate(node.ran):
            never = ran.result == "waiting"
            cells = (
                ("", "", "")
                if never
                else (elapsed(ran.seconds), str(ran.counts.warnings), str(ran.counts.critical))
            )
            rows.append(
                (node.name if index == 0 else "", ran.stage, _RESULTS.get(ran.result, ran.result), *cells)
            )
    columns = (
        Column("node"),
        Column("stage"),
        Column("result"),
        Column("time", right=True),
        Column("warnings", right=True),
        Column("critical", right=True),
    )
    lines = [f"note: {note}" for note in report.notes]
    width = terminal_width()
    lines += table(columns, rows, width)
    for node in report.nodes:
        if failure := node.failure:
            lines += ["", f"{node.name}: {failure.stage} failed: {failure.how}"]
            said = wrapped(failure.said, width - 2) if width else [failure.said]
            lines += [f"  {line}" for line in said if line]
            lines.append(f"  {out / failure.log}:{failure.line}")
            lines += [f"  {failure.remedy}."] if failure.remedy else []
    made = [f"{out / name}" for node in report.nodes for name in node.products]
    return "\n".join([*lines, *([""] if made else []), *made])


_RESULTS = {"before": "done before", "waiting": "not begun"}


def _record(report: Report) -> dict[str, Json]:
    nodes: list[Json] = []
    for node in report.nodes:
        stages: list[Json] = [
            {
                "stage": ran.stage,
                "result": ran.result,
                "seconds": round(ran.seconds, 1),
                "warnings": ran.counts.warnings,
                "critical": ran.counts.critical,
                "memory": ran.memory,
            }
            for ran in node.ran
        ]
        failure = vars(node.failure) if node.failure else None
        nodes.append(
            {"node": node.name, "stages": stages, "products": list(node.products), "failure": failure}
        )
    return {"nodes": nodes, "notes": list(report.notes)}


def _count(word: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", word):
        raise argparse.ArgumentTypeError(f"got {word!r}; expected a number from 1")
    return int(word)


def _positive(word: str) -> float:
    if not re.fullmatch(r"\d{1,6}(\.\d+)?", word) or not float(word):
        raise argparse.ArgumentTypeError(f"got {word!r}; expected a number above 0")
    return float(word)


def _seconds(word: str) -> float:
    found = re.fullmatch(r"(\d{1,7}(?:\.\d+)?)([smh]?)", word)
    if not found or not float(found[1]):
        raise argparse.ArgumentTypeError(f"got {word!r}; expected a time such as 900, 90m or 6h")
    return float(found[1]) * _SECONDS[found[2]]
