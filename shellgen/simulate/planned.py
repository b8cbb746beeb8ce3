# SPDX-License-Identifier: BSD-3-Clause
"""Whether a bench is that of the plan beside it, and of this package, whatever the manifest says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from shellgen.disk.manifest import sha256_of
from shellgen.errors import InputError, Problem
from shellgen.model import Plan
from shellgen.model.bench import Bench
from shellgen.model.own_frames import OwnFrames, most_beats, own_frames
from shellgen.resources import rtl_file, sim_file
from vivado_check.formats.data import read_json

_RENEW = "Generate the folder again"
_OTHER = "it is not the file that this version of shellgen generates"
# What the simulator's side writes below its folder beside the memories of the partitions.
RESERVED = ("options.json", "findings.json", "report.json", "results.xml", "progress.json", "simulation.log")


def not_of_this_version(out: Path, names: Iterable[str]) -> dict[str, str]:
    """Return what is wrong with files that the package has itself: the bench in Python, models and blocks.

    Args:
        out: Output folder.
        names: Generated files that are there.
    """
    copies = ((name, _original(PurePosixPath(name))) for name in names)
    return {
        name: _OTHER
        for name, own in copies
        if own and own.is_file() and sha256_of(own) != sha256_of(out / name)
    }


def read_plan(out: Path) -> Plan:
    """Return ``plan.json`` of a folder: what a run must show follows from it.

    Raises:
        InputError: It is not there, or not what this version writes.
    """
    path = out / "plan.json"
    if not path.is_file():
        found = "the file is missing, so nobody knows what a run must show"
        raise InputError(Problem(str(path), found, _RENEW))
    return Plan.from_data(read_json(path, str(path), _RENEW, _RENEW), path)


def not_as_planned(out: Path, bench: Bench, plan: Plan) -> dict[str, str]:
    """Return what is wrong with files that ``plan.json`` speaks of: ``bench.json`` and golden vectors."""
    golden = plan.golden
    vectors = {one.boundary: one.sha256 for one in golden.vectors} if golden else {}
    planned = (
        plan.cluster_id,
        [node.name for node in plan.nodes],
        [boundary.name for boundary in plan.boundaries],
        bool(golden and golden.asked),
        set(vectors),
        own_frames(plan, most_beats(plan)),
    )
    described = (
        bench.cluster_id,
        [node.name for node in bench.nodes],
        [boundary.name for boundary in bench.boundaries],
        bench.golden_asked,
        {boundary.name for boundary in bench.boundaries if boundary.golden},
        OwnFrames(bench.own_frames, bench.own_least),
    )
    wrong = {} if planned == described else {"bench/bench.json": "it is not the bench of plan.json"}
    for boundary in bench.boundaries:
        name = f"bench/{boundary.golden}"
        if boundary.golden and sha256_of(out / name) != vectors.get(boundary.name):
            wrong[name] = "its vectors are not those of plan.json"
    taken = [name for name in bench.data if PurePosixPath(name).name in RESERVED]
    return wrong | dict.fromkeys(taken, "the bench writes a file of this name")


def _original(path: PurePosixPath) -> Path | None:
    """Return the package's own file that an emitted one is a copy of."""
    if path.parent == PurePosixPath("bench") and path.suffix == ".py":
        return sim_file(path.name)
    if path.parent == PurePosixPath("bench/sim"):
        return sim_file(path.name)
    if path.parent.name == "rtl" and path.suffix == ".sv":
        return rtl_file(path.stem)
    return None
