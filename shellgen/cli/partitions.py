# SPDX-License-Identifier: BSD-3-Clause
"""Commands that make partitions: ``stitch``, ``reference``."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import AddCommand, Answer
from shellgen.counted import counted
from shellgen.quote import shell_quote
from shellgen.table import Column, table, terminal_width

if TYPE_CHECKING:
    from shellgen.stitch import FoldableLayer


def add_commands(add: AddCommand) -> None:
    """Add the commands of this file."""
    sub = add("stitch", _stitch, "Build stitched partitions of a QONNX model with FINN, without Vivado.")
    sub.add_argument("model", type=Path, help="QONNX export, streamlined QONNX, or FINN's partitioned parent")
    sub.add_argument("config", type=Path, nargs="?", help="folding and cuts (JSON), or FINN's folding file")
    sub.add_argument("-o", "--out", type=Path, default=Path("build"), help="build folder (default build)")
    sub.add_argument("--layers", action="store_true", help="only list the layer names for a folding file")
    sub.add_argument("--vectors", type=Path, help=".npy of inputs to compute golden vectors for")
    sub.add_argument("--part", nargs="+", help="Xilinx part, or one per partition")
    sub.add_argument("--clk-ns", type=float, help="clock period")
    sub.add_argument(
        "--cut-before", nargs="+", metavar="LAYER", help="layers at which a new partition starts"
    )
    sub = add("reference", _reference, "Build partitions of a QONNX model in plain Verilog, without FINN.")
    sub.add_argument("model", type=Path, help="QONNX model")
    sub.add_argument("config", type=Path, help="folding and cuts (JSON)")
    sub.add_argument("-o", "--out", type=Path, required=True, help="build folder")
    sub.add_argument("--vectors", type=Path, help=".npy of inputs to compute golden vectors for")


def _stitch(args: argparse.Namespace) -> Answer:
    from shellgen.stitch import list_layers, stitch_model

    notes: list[str] = []
    if args.layers:
        layers = list_layers(args.model, say=notes.append)
        lines = [*_layer_table(layers), *(f"note: {note}" for note in notes)]
        return Answer("\n".join(lines), {"layers": [asdict(layer) for layer in layers], "notes": notes})
    options = {"part": args.part, "clk_ns": args.clk_ns, "cut_before": args.cut_before}
    given = {name: value for name, value in options.items() if value is not None}
    parts = stitch_model(args.model, args.config, args.out, args.vectors, given=given, say=notes.append)
    return _built(args.out, parts, notes, _next(args.config, args.out), golden=args.vectors is not None)


def _next(config: Path | None, out: Path) -> str:
    """Return the next command: a split has written cluster.toml already, with its boards."""
    from shellgen.split.files import CLUSTER, SPLIT

    cluster = config.with_name(CLUSTER) if config is not None and config.name == SPLIT else None
    if cluster is not None and cluster.is_file():
        return f"shellgen generate {shell_quote(str(cluster))} -o {shell_quote(str(out.with_name('out')))}"
    return f"shellgen init {shell_quote(str(out))} -o cluster.toml"


def _layer_table(layers: list[FoldableLayer]) -> list[str]:
    rows = [
        (
            layer.name,
            "x".join(map(str, layer.shape)),
            ", ".join(f"{key} divides {limit}" for key, limit in layer.limits.items()),
        )
        for layer in layers
    ]
    columns = (Column("layer", wrap=True), Column("shape", wrap=True), Column("folding", wrap=True))
    return table(columns, rows, terminal_width())


def _reference(args: argparse.Namespace) -> Answer:
    from shellgen.reference import reference_model

    parts = reference_model(args.model, args.config, args.out, args.vectors)
    return _built(args.out, parts, [], _next(None, args.out), golden=args.vectors is not None)


def _built(out: Path, parts: list[str], notes: list[str], then: str, *, golden: bool) -> Answer:
    vectors = f"vectors: {out}/input*.npy and output*.npy; name them in [verify] of cluster.toml"
    lines = [
        f"{out}: {counted(len(parts), 'partition')}: {', '.join(parts)}",
        *(f"note: {note}" for note in notes),
        *([vectors] if golden else []),
        f"next: {then}",
    ]
    return Answer("\n".join(lines), {"partitions": parts, "notes": notes})
