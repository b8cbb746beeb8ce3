# SPDX-License-Identifier: BSD-3-Clause
"""Commands that decide and write: ``plan``, ``generate``, ``weights``."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.command import AddCommand, tell


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("plan", _plan, "Decide the system and write plan.json only.")
    _add_cluster(sub)
    sub = add("generate", _generate, "Plan, and write cores, board projects, memory maps and the bench.")
    _add_cluster(sub)
    sub.add_argument("--dry-run", action="store_true", help="list the files, write nothing")
    sub = add("weights", _weights, "Write the weights of a build as the board's loader takes them.")
    sub.add_argument("cluster", type=Path, help="cluster.toml; its build may have been retrained")
    sub.add_argument("-o", "--out", type=Path, required=True, help="output folder")


def _add_cluster(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("cluster", type=Path, help="cluster.toml")
    sub.add_argument("-o", "--out", type=Path, required=True, help="output folder")


def _plan(args: argparse.Namespace) -> int:
    from shellgen.api import advice, load
    from shellgen.emit.write import write
    from shellgen.model import Artifact

    plan, network, _ = load(args.cluster)
    write((Artifact.text("plan.json", plan.to_json()),), args.out, keep=True)
    notes = advice(plan, network)
    lines = [f"{args.out}/plan.json: {len(plan.nodes)} nodes, {len(plan.boundaries)} streams"]
    lines.extend(f"note: {note}" for note in notes)
    names = [node.name for node in plan.nodes]
    tell(args, "\n".join(lines), {"ok": True, "build_id": plan.build_id, "nodes": names, "notes": notes})
    return 0


def _generate(args: argparse.Namespace) -> int:
    from shellgen.api import generate, load
    from shellgen.emit import emit

    if args.dry_run:
        plan, _, files = load(args.cluster)
        paths = [artifact.path for artifact in emit(plan, files)]
        tell(args, "\n".join(paths), {"ok": True, "build_id": plan.build_id, "files": paths})
        return 0
    notes: list[str] = []
    plan, written = generate(args.cluster, args.out, notes.append)
    lines = [
        f"{args.out}: {written.changed} files written, {written.unchanged} unchanged, build {plan.build_id}"
    ]
    lines.extend(f"  removed {path}, which is produced no longer" for path in written.removed)
    golden = plan.golden.note if plan.golden else ""
    lines.append(f"  {golden}")
    lines.extend(f"note: {note}" for note in notes)
    data = {
        "ok": True,
        "build_id": plan.build_id,
        "written": written.changed,
        "golden": golden,
        "notes": notes,
    }
    tell(args, "\n".join(lines), data)
    return 0


def _weights(args: argparse.Namespace) -> int:
    from shellgen.api import weights

    count, silent = weights(args.cluster, args.out)
    lines = [f"{args.out}: {count} memories"]
    lines += [f"not told by the build: {name}" for name in silent]
    tell(args, "\n".join(lines), {"ok": not silent, "memories": count, "not_told": silent})
    return 1 if silent else 0
