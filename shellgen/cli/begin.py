# SPDX-License-Identifier: BSD-3-Clause
"""Commands that create a cluster.toml: ``init``, ``import-floorplan``."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.command import AddCommand, Answer
from shellgen.counted import counted
from shellgen.quote import shell_quote


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("init", _init, "Write a first cluster.toml from a FINN build.")
    sub.add_argument(
        "build",
        type=Path,
        help="parent ONNX, ONNX of a stitched partition, stitched_ip, or a folder of these",
    )
    sub.add_argument("-o", "--out", type=Path, help="cluster.toml to write (default: print it)")
    sub.add_argument("--force", action="store_true", help="overwrite the file")
    sub.add_argument("--platform", default="", metavar="KIND", help="choose only boards of this platform")
    sub.add_argument(
        "--run", metavar="FOLDER", help="folder of the build to take, if it holds several runs of a network"
    )
    sub = add("import-floorplan", _import_floorplan, "Convert a FINN floorplan to [[node]] tables.")
    sub.add_argument(
        "file", type=Path, help="floorplan.json, partitioning.yaml, or a parent ONNX with device_id"
    )
    sub.add_argument("--board", default="zedboard", help="board of every node (default zedboard)")
    sub.add_argument("-o", "--out", type=Path, help="file to write (default: print it)")
    sub.add_argument("--force", action="store_true", help="overwrite the file")


def _init(args: argparse.Namespace) -> Answer:
    from shellgen.disk.output import write_file
    from shellgen.init import start_cluster
    from shellgen.read.runs import run_of

    build = run_of(args.build, args.run) if args.run else args.build
    started = start_cluster(build, args.out.parent if args.out else Path(), args.platform)
    text = started.text
    if args.out:
        write_file(args.out, text, force=args.force)
        lines = [
            f"{args.out}: {counted(len(started.partitions), 'partition')}: {', '.join(started.partitions)}"
        ]
        todo = [f"  to fill in: {gap}" for gap in started.gaps]
        lines += todo or [f"next: shellgen plan {shell_quote(str(args.out))} -o out"]
        text = "\n".join(lines)
    problems = [str(problem) for problem in started.problems]
    data = {"partitions": started.partitions, "gaps": started.gaps, "problems": problems}
    asides = tuple(f"shellgen: fix first: {problem}" for problem in problems)
    return Answer(text, data | ({} if args.out else {"text": started.text}), asides=asides)


def _import_floorplan(args: argparse.Namespace) -> Answer:
    from shellgen.disk.output import write_file
    from shellgen.init import import_floorplan

    text = import_floorplan(args.file, args.board)
    if args.out:
        write_file(args.out, text, force=args.force)
    return Answer(f"{args.out}: written" if args.out else text, {"text": text})
