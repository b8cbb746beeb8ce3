# SPDX-License-Identifier: BSD-3-Clause
"""Command ``make``: from a network and boards to a proven cluster; unchanged steps are not repeated."""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer
from shellgen.cli.prove import estimated
from shellgen.cli.split import add_boards, cluster_name, split_of, split_sentences, split_table
from shellgen.progress import part
from shellgen.table import terminal_width

if TYPE_CHECKING:
    from shellgen.model.base import Json
    from shellgen.resumed import Steps
    from shellgen.simulate.tools import Simulator

_WHERE = "make"
_GENERATED = "generated"
_WEIGHTS = "weights"
_SIMULATOR: Simulator = "verilator"  # Icarus cannot parse the RTL that FINN writes


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("make", _make, "Split, stitch, generate, simulate and report, in one go.")
    sub.add_argument("model", type=Path, help="QONNX export, streamlined QONNX, or FINN's partitioned parent")
    add_boards(sub)
    sub.add_argument("-o", "--out", type=Path, required=True, help="working folder of all steps")
    text = ".npy of inputs of the model: golden vectors for the simulation"
    sub.add_argument("--vectors", type=Path, help=text)
    sub.add_argument("--frames", type=int, help="frames to send, at least 2")
    sub.add_argument("--force", action="store_true", help="overwrite generated files that were edited")


def _make(args: argparse.Namespace) -> Answer:
    from shellgen.disk.in_use import in_use
    from shellgen.disk.locks import private_folder

    # The folder is only made once boards and model are known to be right; so its lock is not in it.
    name = hashlib.sha256(str(args.out.resolve()).encode()).hexdigest()[:16]
    with in_use(args.out, private_folder() / f"make-{name}.lock"):
        return _made(args)


def _made(args: argparse.Namespace) -> Answer:
    from shellgen.api import generate, weights
    from shellgen.disk.output import write
    from shellgen.resumed import Steps, origin, proved
    from shellgen.simulate.ahead import compiled_ahead
    from shellgen.simulate.options import SimulateOptions
    from shellgen.simulate.report import format_report
    from shellgen.split import BUILD, CLUSTER, SPLIT, in_ultra, split_files, split_record
    from shellgen.stitch import build_files, is_whole, stitch_model
    from vivado_check.formats.files import file_bytes

    notes: list[str] = []
    _check_frames(args)
    with part("split", 1, 4):
        found = split_of(args, _WHERE, notes.append)
    files = split_files(found, args.model.name, cluster_name(args.model), vectors=args.vectors is not None)
    write(files, args.out, keep=True, force=args.force)
    with compiled_ahead(_SIMULATOR):
        steps = Steps.of(args.out)
        record = split_record(found, args.model.name)
        inputs = [args.model, *([args.vectors] if args.vectors else [])]
        digest = origin([json.dumps(record["stitch"])], inputs)
        build = args.out / BUILD
        # The digest tells nothing of children and weights in files of their own.
        known = is_whole(file_bytes(args.model))
        if not known or not steps.is_done("stitch", digest):
            with part("stitch", 2, 4):
                ours = steps.has_begun("stitch")
                steps.begin("stitch")
                config = args.out / SPLIT
                made = stitch_model(args.model, config, build, args.vectors, say=notes.append, ours=ours)
            steps.complete("stitch", digest, build_files(build, made))
        generated = args.out / _GENERATED
        with part("generate", 3, 4):
            plan, _ = generate(args.out / CLUSTER, generated, notes.append, force=args.force)
        packed = ""  # UltraRAM starts with zeros, so that results are only right with loaded weights
        if in_ultra(found):
            weights(args.out / CLUSTER, args.out / _WEIGHTS, force=args.force)
            packed = str((args.out / _WEIGHTS).resolve())
        with part("simulate", 4, 4):
            options = SimulateOptions(frames=args.frames, weights=packed)
            report, page = proved(
                steps, "simulate", generated, _SIMULATOR, options, [digest, plan.cluster_id]
            )
    beside = estimated(generated, report)
    lines = [
        *split_table(found, terminal_width()),
        "",
        *(f"note: {note}" for note in dict.fromkeys(notes)),
        *split_sentences(found),
        "",
        format_report(report, terminal_width()),
        *([beside.sentence()] if beside else []),
        *_reused(steps),
        f"report: {page}",
    ]
    data: dict[str, Json] = {
        "split": record,
        "reused": steps.reused,
        "notes": list(dict.fromkeys(notes)),
        "report": report.document(),
        **({"estimate": beside.record()} if beside else {}),
    }
    return Answer("\n".join(lines), data, PASSED if report.passed else FAILED)


def _reused(steps: Steps) -> list[str]:
    """Tell which steps did not run, and whose results stand for theirs."""
    here = [step for step in steps.reused if step not in steps.shared]
    lines = [f"unchanged since the last run: {', '.join(here)}"] if here else []
    if steps.shared:
        what = ", ".join(steps.shared)
        lines.append(f"unchanged since a run in another folder, which passed: {what}")
    return lines or ["every step ran"]


def _check_frames(args: argparse.Namespace) -> None:
    from shellgen.errors import InputError, one

    if args.frames is not None and args.frames < 2:
        raise one(InputError, f"{_WHERE}: --frames", f"got {args.frames}", "Give at least 2")
