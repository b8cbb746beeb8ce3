# SPDX-License-Identifier: BSD-3-Clause
"""``draw``: the picture of a cluster as SVG."""

from __future__ import annotations

import argparse
from pathlib import Path

from shellgen.cli.arguments import UsageError
from shellgen.cli.command import AddCommand, Answer
from shellgen.counted import counted
from shellgen.errors import Problem


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("draw", _draw, "Draw a cluster as SVG: boards, partitions, streams and their loads.")
    sub.add_argument("cluster", type=Path, help="cluster.toml, or folder that `shellgen generate` wrote")
    sub.add_argument("-o", "--out", type=Path, help="file to write; otherwise it is printed")
    sub.add_argument("--force", action="store_true", help="overwrite the file")
    text = "colours: auto (default) follows the viewer's setting"
    sub.add_argument("--theme", choices=("auto", "light", "dark"), default="auto", help=text)
    text = "boards beside each other, at most (default 3)"
    sub.add_argument("--columns", type=int, default=3, help=text)


def _draw(args: argparse.Namespace) -> Answer:
    from shellgen import api
    from shellgen.disk.output import write_file
    from shellgen.report.draw import draw

    if args.columns < 1:
        found = f"{args.columns} boards cannot be beside each other"
        raise UsageError(Problem("draw: --columns", found, "Give 1 or more"))
    if args.out is not None and args.out.suffix.lower() not in ("", ".svg"):
        found = f"{args.out} would be SVG under the name of another format"
        remedy = "Name it .svg; a browser or rsvg-convert makes other formats of it"
        raise UsageError(Problem("draw: --out", found, remedy))
    plan = api.plan(args.cluster)
    svg = draw(plan, args.theme, args.columns)
    if args.out is None:
        return Answer(svg, {"svg": svg})
    write_file(args.out, svg, force=args.force)
    return Answer(f"{args.out}: {plan.name}, {counted(len(plan.nodes), 'board')}", {"file": str(args.out)})
