# SPDX-License-Identifier: BSD-3-Clause
"""Compares a folder with the files that this version generates from its ``plan.json``.

A manifest that agrees does not suffice: it may have been forged, or be of a version with another bench.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from shellgen.disk.manifest import sha256_of
from shellgen.emit.bench_description import golden_vectors
from shellgen.emit.whole import emit_simulated
from shellgen.errors import InputError, Problem
from shellgen.model import Plan
from shellgen.model.bench import Bench
from vivado_check.formats.data import read_json

_PLAN = "plan.json"
_RENEW = "Generate the folder again"
_OTHER = "it is not the file that this version of shellgen generates from plan.json"
# Files that a run writes into its folder, to which the memory files of the partitions are copied.
RESERVED = (
    *("options.json", "findings.json", "report.json", "report.html", "results.xml", "progress.json"),
    "simulation.log",
)


def read_plan(out: Path) -> Plan:
    """Return ``plan.json`` of a folder: what a run must show follows from it.

    Raises:
        InputError: It is not there, or not what this version writes.
    """
    path = out / _PLAN
    if not path.is_file():
        found = "the file is missing, so nobody knows what a run must show"
        raise InputError(Problem(str(path), found, _RENEW))
    return Plan.from_data(read_json(path, str(path), _RENEW, _RENEW), path)


def not_as_planned(out: Path, bench: Bench, plan: Plan) -> dict[str, str]:
    """Return the difference of each file that a simulation uses from the generated one."""
    taken = [name for name in bench.data if PurePosixPath(name).name in RESERVED]
    wrong = dict.fromkeys(taken, "the bench writes a file of this name")
    files: dict[str, bytes] = {}
    for name, sha256 in _given(plan):
        if sha256_of(out / name) == sha256:
            files[sha256] = (out / name).read_bytes()
        else:
            wrong.setdefault(name, "it is not the file of plan.json")
            files.setdefault(sha256, b"")
    try:
        generated = emit_simulated(plan, files)
    except Exception as error:  # an edited plan may break anything
        text = f"no bench can be generated from it ({type(error).__name__}: {error})"
        return {_PLAN: " ".join(text.split())} | wrong
    for artifact in generated:
        if not _same(out / artifact.path, artifact.content):
            wrong.setdefault(artifact.path, _OTHER)
    return wrong


def _given(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield path and digest of each file that is not generated: sources of partitions, golden vectors."""
    for node in plan.cores:
        for partition in node.partitions:
            for source in plan.partition(partition).sources:
                yield f"{node.name}/partition/{source.name}", source.sha256
    for index, digest in golden_vectors(plan).items():
        yield f"bench/golden_{index}.npy", digest


def _same(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content
