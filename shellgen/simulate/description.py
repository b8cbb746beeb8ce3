# SPDX-License-Identifier: BSD-3-Clause
"""``bench.json`` read back: the folder may have been copied, edited by hand or made by somebody else."""

from __future__ import annotations

from pathlib import Path

from shellgen.disk.manifest import MANIFEST, not_generated
from shellgen.errors import InputError, Problem
from shellgen.model import Plan
from shellgen.model.bench import Bench
from shellgen.simulate.as_generated import added_files, differing_files, refuse_edited, refuse_unused
from shellgen.simulate.planned import not_as_planned, read_plan
from vivado_check.formats.data import read_json

_RENEW = "Generate the folder again"


def read_generated(out: Path, edited: bool) -> tuple[Bench, Plan, list[str]]:
    """Return ``bench.json`` and ``plan.json`` of a folder, and the files that are not as they were generated.

    Args:
        out: Output folder.
        edited: There may be such files.

    Raises:
        InputError: As of `read_bench` and `read_plan`; there are such files; an edit would take no part.
    """
    wrong = differing_files(out) if (out / MANIFEST).is_file() else {}
    if not edited:
        refuse_edited(out, wrong)
    bench = read_bench(out)
    if not (out / MANIFEST).is_file():
        wrong = differing_files(out)
    plan = read_plan(out)
    for path, text in {**added_files(out, bench), **not_as_planned(out, bench, plan)}.items():
        wrong.setdefault(path, text)
    if not edited:
        refuse_edited(out, wrong)
    refuse_unused(out, bench, sorted(wrong))
    return bench, plan, sorted(wrong)


def read_bench(out: Path) -> Bench:
    """Return ``bench/bench.json`` of a generated folder, with every file that it names there.

    Raises:
        InputError: The file is missing, is not what `shellgen generate` writes, or names files that are not
            in the folder.
    """
    path = out / "bench" / "bench.json"
    if not path.is_file():
        raise InputError(not_generated(out, path))
    data = read_json(path, str(path), _RENEW, _RENEW)
    try:
        bench = Bench.from_data(data, path)
    except InputError as error:
        # One line: when another version wrote the folder, each newer field is missing.
        first, *others = error.problems
        more = f" (the first of {len(others) + 1} that do not fit)" if others else ""
        found = f"{first.found}{more}: the folder is of another version of shellgen, or was edited"
        raise InputError(Problem(first.where, found, _RENEW)) from None
    weights = [boundary.weights for boundary in bench.boundaries if boundary.weights]
    sources = (*bench.sources.ours, *bench.sources.partition, *bench.sources.vendor)
    needed = [out / name for name in (*sources, *bench.data, *weights)]
    gone = [Problem(str(p), "the file is missing", _RENEW) for p in needed if not p.is_file()]
    if gone:
        raise InputError(*gone)
    return bench
