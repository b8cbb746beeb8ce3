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
    from shellgen.cli.once import Made
    from shellgen.disk.output import Written
    from shellgen.loaded import Loaded
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
    from shellgen.cli.once import once
    from shellgen.disk.output import write

    made = once("plan", [str(args.cluster)], lambda: _planned(args.cluster))
    written = write(made.files, args.out, keep=True, force=args.force)
    told = made.told
    lines = [
        f"{args.out}/plan.json: {told['size']}",
        *overwritten(written),
        *told["tensors"],
        *(f"note: {note}" for note in told["notes"]),
        *told["turns"],
        "",
        *told["fit"],
        "",
        *told["sentences"],
        "",
        f"next: shellgen generate {shell_quote(str(args.cluster))} -o {shell_quote(str(args.out))}",
    ]
    data: dict[str, Json] = {
        "cluster_id": told["cluster_id"],
        "nodes": told["nodes"],
        "notes": told["notes"],
        "fit": told["fit_records"],
        "estimate": told["estimate"],
    }
    return Answer("\n".join(lines), data)


def _planned(cluster: Path) -> Made:
    from shellgen.cli.once import Made
    from shellgen.loaded import loaded
    from shellgen.model import Artifact

    found = loaded(cluster, files=False)
    plan = found.plan
    size = f"{counted(len(plan.nodes), 'node')}, {counted(len(plan.boundaries), 'stream')}"
    return Made(_common(found) | {"size": size}, (Artifact.text("plan.json", plan.to_json()),))


def _common(found: Loaded) -> dict[str, Json]:
    """Return what `plan` and `generate` print of a plan."""
    from shellgen.cli.ending import ending
    from shellgen.cli.ports import tensor_lines, turn_table
    from shellgen.table import terminal_width

    plan, width = found.plan, terminal_width()
    rate = ending(plan, width)
    return {
        "cluster_id": plan.cluster_id,
        "nodes": [node.name for node in plan.nodes],
        "notes": found.advice,
        "tensors": tensor_lines(plan),
        "turns": turn_table(plan, width),
        "fit": rate.fit,
        "sentences": rate.sentences,
        "fit_records": rate.fit_records,
        "estimate": rate.estimate,
    }


def _generate(args: argparse.Namespace) -> Answer:
    from shellgen.cli.once import once
    from shellgen.disk.cluster_folder import write_cluster

    if args.dry_run:
        return _listed(args.cluster)
    made = once("generate", [str(args.cluster)], lambda: _generated(args.cluster))
    told = made.told
    written = write_cluster(made.files, args.out, told["name"], told["nodes"], force=args.force)
    then = f"shellgen simulate {shell_quote(str(args.out))}"
    report = str(args.out / told["report"])
    lines = [
        f"{args.out}: {counted(written.changed, 'file')} written, {written.unchanged} unchanged, "
        f"cluster {told['cluster_id']}",
        *([f"  replaced the output of another cluster, {written.replaced}"] if written.replaced else []),
        *(f"  removed {path}, which is no longer produced" for path in written.removed),
        *overwritten(written),
        f"  {told['golden']}",
        *told["tensors"],
        *(f"note: {note}" for note in told["notes"]),
        "",
        *told["ports"],
        *told["turns"],
        "",
        *told["fit"],
        "",
        *told["sentences"],
        "",
        f"report: {report}",
        f"next: {then}",
    ]
    data: dict[str, Json] = {
        "cluster_id": told["cluster_id"],
        "written": written.changed,
        "overwritten": list(written.overwritten),
        "replaced": written.replaced,
        "golden": told["golden"],
        "notes": told["notes"],
        "nodes": told["node_records"],
        "fit": told["fit_records"],
        "estimate": told["estimate"],
        "report": report,
        "next": then,
    }
    answer = Answer("\n".join(lines), data)
    return checked(answer, args.out) if args.check else answer


def _listed(cluster: Path) -> Answer:
    from shellgen.api import artifacts
    from shellgen.loaded import loaded

    found = loaded(cluster)
    paths = [artifact.path for artifact in artifacts(found.plan, found.files)]
    return Answer("\n".join(paths), {"cluster_id": found.plan.cluster_id, "files": paths})


def _generated(cluster: Path) -> Made:
    from shellgen.api import emitted
    from shellgen.cli.once import Made
    from shellgen.cli.ports import node_records, port_table
    from shellgen.loaded import loaded
    from shellgen.report import REPORT
    from shellgen.table import terminal_width

    found = loaded(cluster)
    plan, files = found.plan, emitted(found)
    told = _common(found) | {
        "name": plan.name,
        "golden": plan.golden.note if plan.golden else "",
        "ports": port_table(plan, terminal_width()),
        "node_records": [asdict(node) for node in node_records(plan)],
        "report": REPORT,
    }
    return Made(told, files)


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
