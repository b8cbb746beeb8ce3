# SPDX-License-Identifier: BSD-3-Clause
"""Commands that plan and write: ``plan``, ``generate``, ``weights``."""

from __future__ import annotations

import argparse
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer
from shellgen.counted import counted
from shellgen.quote import shell_quote

if TYPE_CHECKING:
    from shellgen.disk.output import Written
    from shellgen.model.base import Json


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("plan", _plan, "Decide the system and write plan.json only.")
    _add_cluster(sub)
    sub = add("generate", _generate, "Plan, and write cores, board projects, memory maps and the bench.")
    _add_cluster(sub)
    sub.add_argument("--dry-run", action="store_true", help="list the files, write nothing")
    text = "check the written files, like `shellgen check`"
    sub.add_argument("--check", action="store_true", help=text)
    sub = add("weights", _weights, "Pack the weights of a build for the loader on the board.")
    sub.add_argument("cluster", type=Path, help="cluster.toml; its build may have been retrained")
    sub.add_argument("-o", "--out", type=Path, required=True, help="output folder")
    _add_force(sub)


def _add_cluster(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("cluster", type=Path, help="cluster.toml")
    sub.add_argument("-o", "--out", type=Path, required=True, help="output folder")
    _add_force(sub)


def _add_force(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--force", action="store_true", help="overwrite generated files that were edited")


def _plan(args: argparse.Namespace) -> Answer:
    from shellgen.cli.ending import ending
    from shellgen.cli.ports import tensor_lines, turn_table
    from shellgen.disk.output import write
    from shellgen.loaded import loaded
    from shellgen.model import Artifact
    from shellgen.table import terminal_width

    found = loaded(args.cluster, files=False)
    plan, notes = found.plan, found.advice
    written = write((Artifact.text("plan.json", plan.to_json()),), args.out, keep=True, force=args.force)
    lines = [
        f"{args.out}/plan.json: {counted(len(plan.nodes), 'node')}, {counted(len(plan.boundaries), 'stream')}"
    ]
    lines += overwritten(written)
    lines += tensor_lines(plan)
    lines.extend(f"note: {note}" for note in notes)
    rate = ending(plan, terminal_width())
    lines += turn_table(plan, terminal_width())
    lines += ["", *rate.fit, "", *rate.sentences, ""]
    lines.append(f"next: shellgen generate {shell_quote(str(args.cluster))} -o {shell_quote(str(args.out))}")
    names = [node.name for node in plan.nodes]
    data: dict[str, Json] = {
        "cluster_id": plan.cluster_id,
        "nodes": names,
        "notes": notes,
        "fit": rate.fit_records,
        "estimate": rate.estimate,
    }
    return Answer("\n".join(lines), data)


def _generate(args: argparse.Namespace) -> Answer:
    from shellgen.api import artifacts, generate
    from shellgen.cli.ending import ending
    from shellgen.cli.ports import node_records, port_table, tensor_lines, turn_table
    from shellgen.loaded import loaded
    from shellgen.report import REPORT
    from shellgen.table import terminal_width

    if args.dry_run:
        found = loaded(args.cluster)
        paths = [artifact.path for artifact in artifacts(found.plan, found.files)]
        return Answer("\n".join(paths), {"cluster_id": found.plan.cluster_id, "files": paths})
    notes: list[str] = []
    plan, written = generate(args.cluster, args.out, notes.append, force=args.force)
    golden = plan.golden.note if plan.golden else ""
    rate = ending(plan, terminal_width())
    then = f"shellgen simulate {shell_quote(str(args.out))}"
    lines = [
        f"{args.out}: {counted(written.changed, 'file')} written, {written.unchanged} unchanged, "
        f"cluster {plan.cluster_id}",
        *([f"  replaced the output of another cluster, {written.replaced}"] if written.replaced else []),
        *(f"  removed {path}, which is no longer produced" for path in written.removed),
        *overwritten(written),
        f"  {golden}",
        *tensor_lines(plan),
        *(f"note: {note}" for note in notes),
        "",
        *port_table(plan, terminal_width()),
        *turn_table(plan, terminal_width()),
        "",
        *rate.fit,
        "",
        *rate.sentences,
        "",
        f"report: {args.out / REPORT}",
        f"next: {then}",
    ]
    data: dict[str, Json] = {
        "cluster_id": plan.cluster_id,
        "written": written.changed,
        "overwritten": list(written.overwritten),
        "replaced": written.replaced,
        "golden": golden,
        "notes": notes,
        "nodes": [asdict(node) for node in node_records(plan)],
        "fit": rate.fit_records,
        "estimate": rate.estimate,
        "report": str(args.out / REPORT),
        "next": then,
    }
    answer = Answer("\n".join(lines), data)
    return checked(answer, args.out) if args.check else answer


def overwritten(written: Written) -> list[str]:
    """Name the edited files that were overwritten."""
    return [f"  overwrote {path}, which had been edited" for path in written.overwritten]


def checked(answer: Answer, out: Path) -> Answer:
    """Return the answer with the result of a check of the folder; only problems are listed."""
    from shellgen.check.run import Options, check
    from shellgen.cli.check import check_answer, nodes_of
    from shellgen.cli.confined import confined
    from shellgen.table import terminal_width

    width = terminal_width()
    found = confined(
        lambda: check_answer(check(out, Options()), strict=False, width=width), [out], nodes_of(out)
    )
    return replace(
        answer,
        text=f"{answer.text}\n\n{found.text}",
        data={**answer.data, "check": found.data},
        code=found.code,
    )


def _weights(args: argparse.Namespace) -> Answer:
    from shellgen.api import weights

    count, silent = weights(args.cluster, args.out, force=args.force)
    none = "" if count else ": no layer of this build keeps weights where the host can write them"
    lines = [f"{args.out}: {counted(count, 'memory', 'memories')}{none}"]
    lines += [f"unknown, since not in the build: {name}" for name in silent]
    data: dict[str, Json] = {"memories": count, "not_told": silent}
    return Answer("\n".join(lines), data, FAILED if silent else PASSED)
