# SPDX-License-Identifier: BSD-3-Clause
"""``run`` and ``status``: frames through a cluster whose servers run, and the state of these servers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer
from shellgen.errors import InputError, one

MOST_PATIENCE = 86_400.0  # seconds


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("run", _run, "Run frames through a cluster of boards that run shellgen-node.")
    add_cluster(sub)
    text = "frames to send; with several inputs once for each, as TENSOR=FILE"
    sub.add_argument("--input", action="append", required=True, metavar="NPY", help=text)
    text = "results to write; with several outputs as TENSOR=FILE"
    sub.add_argument("--output", action="append", default=[], metavar="NPY", help=text)
    sub.add_argument("--force", action="store_true", help="overwrite files of --output")
    text = "results that are expected; with several outputs as TENSOR=FILE"
    sub.add_argument("--golden", action="append", default=[], metavar="NPY", help=text)
    sub.add_argument("--labels", type=Path, metavar="NPY", help="class labels: report the accuracy")
    text = "files have whole numbers at the boundaries, not values of the model"
    sub.add_argument("--raw", action="store_true", help=text)
    text = "load these bitstreams before: folder with NODE.bit or NODE.bin"
    sub.add_argument("--bitstreams", type=Path, metavar="DIR", help=text)
    text = "load these weights before: folder that `shellgen weights` wrote"
    sub.add_argument("--weights", type=Path, metavar="DIR", help=text)
    text = "seconds that a node may be away (default 30)"
    sub.add_argument("--patience", type=seconds, default=30.0, metavar="S", help=text)

    add_cluster(add("status", _status, "Ask the servers of a cluster for their state."))


def add_cluster(sub: argparse.ArgumentParser) -> None:
    """Add what names a cluster whose servers run."""
    sub.add_argument("out", type=Path, help="folder that `shellgen generate` wrote")
    text = "hosts.toml: address of each node"
    sub.add_argument("--hosts", type=Path, required=True, metavar="FILE", help=text)


def add_nodes_of_cluster(sub: argparse.ArgumentParser) -> None:
    """Add what names a cluster, and some of its nodes if not all are meant."""
    add_cluster(sub)
    sub.add_argument(
        "--node", action="append", default=[], metavar="NAME", help="only this node; may be repeated"
    )


def _status(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse.status import cluster_status

    found = cluster_status(args.out, args.hosts)
    return Answer(found.text(), found.document(), PASSED if found.passed else FAILED)


def seconds(text: str) -> float:
    """Return seconds of an option."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 < found <= MOST_PATIENCE:
        raise argparse.ArgumentTypeError(f"got {text!r}; give seconds up to {MOST_PATIENCE:g}")
    return found


def _files(option: str, given: Sequence[str]) -> dict[str, Path]:
    """Return files by name; the name is empty where only a file is given."""
    found: dict[str, Path] = {}
    for text in given:
        name, equals, path = text.rpartition("=") if not Path(text).exists() else ("", "", text)
        if not path:
            raise one(InputError, f"run: {option}", f"{text!r} names no file", "Write NAME=FILE, or FILE")
        if name in found:
            raise one(
                InputError, f"run: {option}", f"{text} names the same stream again", "Give each one once"
            )
        found[name if equals else ""] = Path(path)
    return found


def _run(args: argparse.Namespace) -> Answer:
    from shellgen.rehearse.live import LiveOptions, run_live

    options = LiveOptions(
        hosts=args.hosts,
        inputs=_files("--input", args.input),
        output=_files("--output", args.output),
        golden=_files("--golden", args.golden),
        labels=args.labels,
        patience=args.patience,
        raw=args.raw,
        bitstreams=args.bitstreams,
        weights=args.weights,
        force=args.force,
    )
    found = run_live(args.out, options)
    return Answer(found.text(), found.document(), PASSED if found.passed else FAILED)
