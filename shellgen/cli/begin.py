# SPDX-License-Identifier: BSD-3-Clause
"""Commands that begin a cluster.toml: ``init``, ``import-floorplan``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from shellgen.cli.command import AddCommand, tell


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("init", _init, "Begin a cluster.toml with everything that a FINN build tells.")
    sub.add_argument(
        "build", type=Path, help="parent ONNX, ONNX of a stitched partition, stitched_ip, or a folder of such"
    )
    sub.add_argument("-o", "--out", type=Path, help="cluster.toml to write (default: print it)")
    sub.add_argument("--force", action="store_true", help="overwrite the file")
    sub = add("import-floorplan", _import_floorplan, "Make [[node]] tables of a floorplan of FINN's.")
    sub.add_argument(
        "file", type=Path, help="floorplan.json, partitioning.yaml, or a parent ONNX with device_id"
    )
    sub.add_argument("--board", default="zedboard", help="board of every node (default zedboard)")
    sub.add_argument("-o", "--out", type=Path, help="file to write (default: print it)")
    sub.add_argument("--force", action="store_true", help="overwrite the file")


def _init(args: argparse.Namespace) -> int:
    from shellgen.emit.write import write_file
    from shellgen.init import start_cluster

    started = start_cluster(args.build, args.out.parent if args.out else Path())
    if args.out:
        write_file(args.out, started.text, force=args.force)
    problems = [str(problem) for problem in started.problems]
    if args.json:
        record = {"ok": True, "partitions": started.partitions, "gaps": started.gaps, "problems": problems}
        print(json.dumps(record | ({} if args.out else {"text": started.text})))
    elif not args.out:
        print(started.text, end="")
    else:
        print(f"{args.out}: {len(started.partitions)} partitions: {', '.join(started.partitions)}")
        todo = [f"  to fill in: {gap}" for gap in started.gaps]
        print("\n".join(todo or [f"  next: shellgen plan {args.out} -o out"]))
    for problem in problems:
        print(f"shellgen: mend first: {problem}", file=sys.stderr)
    return 0


def _import_floorplan(args: argparse.Namespace) -> int:
    from shellgen.emit.write import write_file
    from shellgen.init import import_floorplan

    text = import_floorplan(args.file, args.board)
    if args.out:
        write_file(args.out, text, force=args.force)
    tell(args, f"{args.out}: written" if args.out else text.rstrip("\n"), {"ok": True, "text": text})
    return 0
