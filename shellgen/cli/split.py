# SPDX-License-Identifier: BSD-3-Clause
"""Command ``split``: folding, cuts and cluster.toml for the boards on the desk."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import AddCommand, Answer
from shellgen.counted import counted
from shellgen.quote import shell_quote
from shellgen.table import Column, table, terminal_width

if TYPE_CHECKING:
    from shellgen.split import Split

GOALS = ("fps", "occupancy", "least-traffic")
_WHERE = "split"


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("split", _split, "Choose folding, cuts and boards of a network; write cluster.toml.")
    sub.add_argument("model", type=Path, help="QONNX export, streamlined QONNX, or FINN's partitioned parent")
    add_boards(sub)
    sub.add_argument("-o", "--out", type=Path, default=Path("split"), help="output folder (default split)")
    sub.add_argument("--force", action="store_true", help="overwrite files that were edited")


def add_boards(sub: argparse.ArgumentParser) -> None:
    """Add the options that say what is on the desk, and what for."""
    text = "boards, as in 'zedboard*2' pynq-z1"
    sub.add_argument("--boards", nargs="+", action="extend", default=[], metavar="BOARD*N", help=text)
    text = "most frames/s (default), fullest boards, or fewest bytes between boards"
    sub.add_argument("--goal", choices=GOALS, default="fps", help=text)
    text = "frames/s that are enough: the fewest boards, then the fewest resources"
    sub.add_argument("--fps", type=float, metavar="F", help=text)
    sub.add_argument("--folding", type=Path, metavar="FILE", help="keep this folding (JSON) and only cut")
    text = "boards that may take frames of the same layers in turn, at most (default 16)"
    sub.add_argument("--replicas", type=int, default=16, metavar="N", help=text)
    text = "share that stays free, as in lut=0.3,bram=0.2 or zedboard:lut=0.4"
    sub.add_argument("--reserve", nargs="+", action="extend", default=[], metavar="SHARES", help=text)
    text = "post_synth_resources.json of a build: what its layers take (JSON)"
    sub.add_argument("--measured", type=Path, metavar="FILE", help=text)


def _split(args: argparse.Namespace) -> Answer:
    from shellgen.disk.output import write
    from shellgen.split import BUILD, SPLIT, split_files, split_record

    notes: list[str] = []
    found = split_of(args, _WHERE, notes.append)
    files = split_files(found, args.model.name, cluster_name(args.model))
    write(files, args.out, keep=True, force=args.force)
    lines = [
        *split_table(found, terminal_width()),
        "",
        *(f"note: {note}" for note in notes),
        *split_sentences(found),
        "",
        f"{args.out}: {', '.join(file.path for file in files)}",
        f"next: {_next(args.model, args.out / SPLIT, args.out / BUILD)}",
    ]
    return Answer("\n".join(lines), {**split_record(found, args.model.name), "notes": notes})


def split_of(args: argparse.Namespace, where: str, say: Callable[[str], None]) -> Split:
    """Return the split that the command line asks for.

    Raises:
        ShellgenError: A wrong option, a model that cannot be built, boards that are not enough.
    """
    from shellgen.api import SplitOptions
    from shellgen.splitting import split_model

    options = SplitOptions(
        args.goal, args.fps, args.folding, args.reserve, where, args.replicas, args.measured
    )
    boards = [name for given in args.boards for name in given.split() or [given]]  # 'zedboard*2 pynq-z1'
    return split_model(args.model, boards, options, say)


def cluster_name(model: Path) -> str:
    """Return a name for the cluster."""
    from shellgen.init.text import cluster_name as named

    return named(model.stem)


def split_sentences(found: Split) -> list[str]:
    """Return the sentences on the limit."""
    from shellgen.split import sentences

    return sentences(found)


def split_table(found: Split, width: int | None = None) -> list[str]:
    """Return the table of boards."""
    from shellgen.split import rows
    from shellgen.split.task import WORDS

    shown = [name for name in WORDS if any(row.shares[name] is not None for row in rows(found))]
    columns = (
        Column("node", wrap=True),
        Column("board", wrap=True),
        Column("layers", wrap=True),
        Column("cycles", right=True),
        Column("frames/s", right=True),
        *(Column(WORDS[name], right=True) for name in shown),
        Column("sends bytes", right=True),
    )
    cells = []
    for row in rows(found):
        layers = row.first if row.count == 1 else f"{row.first} to {row.last} ({counted(row.count, 'layer')})"
        board = row.board if row.replicas == 1 else f"{row.board}*{row.replicas}"
        board += f" {row.region}" if row.region else ""
        shares = [f"{100 * (row.shares[name] or 0):.0f} %" for name in shown]
        cells.append(
            (row.node, board, layers, f"{row.cycles:,}", f"{row.fps:,.1f}", *shares, f"{row.sends:,}")
        )
    return table(columns, cells, width)


def _next(model: Path, config: Path, out: Path) -> str:
    words = [shell_quote(str(path)) for path in (model, config, out)]
    return f"shellgen stitch {words[0]} {words[1]} -o {words[2]}"
