# SPDX-License-Identifier: BSD-3-Clause
"""Command ``make``: from a network and boards to a proven cluster; unchanged steps are not repeated."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shellgen.cli.command import FAILED, PASSED, AddCommand, Answer
from shellgen.cli.prove import SIMULATORS, estimated
from shellgen.cli.split import add_boards, cluster_name, split_of, split_sentences, split_table
from shellgen.progress import part
from shellgen.table import terminal_width

if TYPE_CHECKING:
    from shellgen.model.base import Json
    from shellgen.model.bench_report import RunReport

_WHERE = "make"
_STATE, _GENERATED = "make.json", "generated"
_WEIGHTS = "weights"


def add_commands(add: AddCommand) -> None:
    """Add the command of this file."""
    sub = add("make", _make, "Split, stitch, generate, simulate and report, in one go.")
    sub.add_argument("model", type=Path, help="QONNX export, streamlined QONNX, or FINN's partitioned parent")
    add_boards(sub)
    sub.add_argument("-o", "--out", type=Path, required=True, help="working folder of all steps")
    text = ".npy of inputs of the model: golden vectors for the simulation"
    sub.add_argument("--vectors", type=Path, help=text)
    sub.add_argument("--simulator", choices=SIMULATORS, default="verilator")
    sub.add_argument("--frames", type=int, help="frames to send, at least 2")
    sub.add_argument("--force", action="store_true", help="overwrite generated files that were edited")


@dataclass
class _Steps:
    """Digests of the inputs of the steps that were completed, in the working folder.

    Attributes:
        path: Their file.
        done: Digest by step.
        reused: Steps whose inputs have not changed.
    """

    path: Path
    done: dict[str, str] = field(default_factory=dict)
    reused: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, out: Path) -> _Steps:
        """Read what earlier runs completed; a damaged file counts as none."""
        from shellgen.errors import InputError
        from vivado_check.formats.data import read_json

        path = out / _STATE
        try:
            found = read_json(path, str(path), "") if path.is_file() else {}
        except InputError:
            found = {}
        known = found if isinstance(found, dict) else {}
        return cls(path, {key: value for key, value in known.items() if isinstance(value, str)})

    def is_done(self, step: str, digest: str, *there: Path) -> bool:
        """Tell whether a step was completed with the same inputs, and its results are there."""
        if self.done.get(step) != digest or not all(path.exists() for path in there):
            return False
        self.reused.append(step)
        return True

    def complete(self, step: str, digest: str) -> None:
        """Record a step at once, so that a later one that fails does not cost it."""
        from shellgen.disk.files import write_whole

        self.done[step] = digest
        write_whole(self.path, (json.dumps(self.done, indent=1, sort_keys=True) + "\n").encode())


def _make(args: argparse.Namespace) -> Answer:
    from shellgen.api import generate, weights
    from shellgen.disk.output import write
    from shellgen.simulate.report import format_report
    from shellgen.split import BUILD, CLUSTER, SPLIT, in_ultra, split_files, split_record
    from shellgen.stitch import PARENT, is_whole, stitch_model
    from vivado_check.formats.files import file_bytes

    notes: list[str] = []
    _check_frames(args)
    with part("split", 1, 4):
        found = split_of(args, _WHERE, notes.append)
    files = split_files(found, args.model.name, cluster_name(args.model), vectors=args.vectors is not None)
    write(files, args.out, keep=True, force=args.force)
    steps = _Steps.of(args.out)
    record = split_record(found, args.model.name)
    inputs = [args.model, *([args.vectors] if args.vectors else [])]
    digest = _digest([json.dumps(record["stitch"])], inputs)
    build = args.out / BUILD
    # The digest tells nothing of children and weights in files of their own.
    known = is_whole(file_bytes(args.model))
    if not known or not steps.is_done("stitch", digest, build / PARENT):
        with part("stitch", 2, 4):
            stitch_model(args.model, args.out / SPLIT, build, args.vectors, say=notes.append)
        steps.complete("stitch", digest)
    generated = args.out / _GENERATED
    with part("generate", 3, 4):
        plan, _ = generate(args.out / CLUSTER, generated, notes.append, force=args.force)
    packed = ""  # UltraRAM starts with zeros, so that results are only right with weights that are loaded
    if in_ultra(found):
        weights(args.out / CLUSTER, args.out / _WEIGHTS, force=args.force)
        packed = str((args.out / _WEIGHTS).resolve())
    with part("simulate", 4, 4):
        inputs = [generated / "manifest.json"]
        report = _simulated(args, steps, generated, _digest([digest, plan.cluster_id], inputs), packed)
    beside = estimated(generated, report)
    lines = [
        *split_table(found, terminal_width()),
        "",
        *(f"note: {note}" for note in dict.fromkeys(notes)),
        *split_sentences(found),
        "",
        format_report(report, terminal_width()),
        *([beside.sentence()] if beside else []),
        f"unchanged since the last run: {', '.join(steps.reused)}" if steps.reused else "every step ran",
        f"report: {_page(generated, args.simulator)}",
    ]
    data: dict[str, Json] = {
        "split": record,
        "reused": steps.reused,
        "notes": list(dict.fromkeys(notes)),
        "report": report.document(),
        **({"estimate": beside.record()} if beside else {}),
    }
    return Answer("\n".join(lines), data, PASSED if report.passed else FAILED)


def _check_frames(args: argparse.Namespace) -> None:
    from shellgen.errors import InputError, one

    if args.frames is not None and args.frames < 2:
        raise one(InputError, f"{_WHERE}: --frames", f"got {args.frames}", "Give at least 2")


def _simulated(
    args: argparse.Namespace, steps: _Steps, generated: Path, digest: str, packed: str
) -> RunReport:
    """Simulate, or read the report of a run that had the same files and passed."""
    from shellgen.errors import InputError
    from shellgen.model.bench_report import RunReport
    from shellgen.report.write import write_ran
    from shellgen.simulate.cluster import SimulateOptions, simulate
    from vivado_check.formats.data import read_json

    own = _digest([digest, args.simulator, str(args.frames)], [])
    kept = _page(generated, args.simulator).with_name("report.json")
    if steps.is_done("simulate", own, kept):
        try:
            told = RunReport.from_data(read_json(kept, str(kept), ""), kept)
        except InputError:
            steps.reused.remove("simulate")
        else:
            if told.passed:
                return told
            steps.reused.remove("simulate")
    report = simulate(generated, args.simulator, SimulateOptions(frames=args.frames, weights=packed))
    write_ran(generated, report)
    if report.passed:
        steps.complete("simulate", own)
    return report


def _page(generated: Path, simulator: str) -> Path:
    from shellgen.report.page import REPORT

    return generated / "bench" / f"run_{simulator}" / REPORT


def _digest(texts: Sequence[str], files: Sequence[Path]) -> str:
    from shellgen import __version__
    from vivado_check.formats.files import file_bytes

    state = hashlib.sha256(__version__.encode())
    content: list[Any] = [*(text.encode() for text in texts), *(file_bytes(path) for path in files)]
    for chunk in content:
        state.update(len(chunk).to_bytes(8, "little") + chunk)
    return state.hexdigest()
