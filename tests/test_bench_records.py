# SPDX-License-Identifier: BSD-3-Clause
"""The bench runs without the package: what one writes and the other reads must have the same fields."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from cluster_bench import generate_fake
from fake_network import chain, one_each, partition
from pydantic import BaseModel
from sim_module import sim_module

from shellgen.model import bench as package
from shellgen.model import bench_verdict
from shellgen.simulate.options import RunOptions, RunVectors, SimulateOptions

records = sim_module("bench_records")
verdicts = sim_module("bench_verdict")
PARTIAL = {records.Bench, records.Options}  # what else the package writes is not for the bench


def plain(kind: Any) -> Any:
    """A type without bounds and grammars."""
    if get_origin(kind) is Annotated:
        return plain(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return type(get_args(kind)[0])
    return kind


def differences(mine: Any, theirs: Any, where: str) -> list[str]:
    """Return the places where a type of the bench differs from the package's."""
    mine, theirs = plain(mine), plain(theirs)
    if is_dataclass(mine):
        known = get_type_hints(theirs, include_extras=True)
        hints = get_type_hints(mine)
        names = {one.name for one in fields(mine)}
        unread = set(getattr(theirs, "model_fields", names)) - names if mine not in PARTIAL else set()
        found = [f"{where}.{name}: not in the bench" for name in sorted(unread)]
        for name in sorted(names):
            if name not in known:
                found.append(f"{where}.{name}: not in the package")
            else:
                found += differences(hints[name], known[name], f"{where}.{name}")
        return found
    mine_of, theirs_of = get_args(mine), get_args(theirs)
    if mine_of or theirs_of:
        kinds = {UnionType: Union}
        alike = [kinds.get(get_origin(one), get_origin(one)) for one in (mine, theirs)]
        if alike[0] != alike[1] or len(mine_of) != len(theirs_of):
            return [f"{where}: {mine} against {theirs}"]
        pairs = zip(mine_of, theirs_of, strict=True)
        return [found for a, b in pairs for found in differences(a, b, where)]
    return [] if mine == theirs else [f"{where}: {mine} against {theirs}"]


def test_the_bench_reads_what_the_package_writes() -> None:
    assert differences(records.Bench, package.Bench, "bench") == []
    assert differences(records.Golden, RunVectors, "golden") == []


def test_the_package_reads_what_the_bench_finds() -> None:
    for name in ("Difference", "Sight"):
        assert differences(getattr(verdicts, name), getattr(bench_verdict, name), name) == []
    found = verdicts.Verdict("golden", 8, 1, difference=verdicts.Difference(0, (1,), 1, 2, 3, 2, 3))
    written = json.dumps(found.record())
    read = bench_verdict.Verdict.model_validate_json(written)
    assert json.loads(read.model_dump_json()) == json.loads(written)
    assert {one.name for one in fields(found)} | {"passed"} == {*bench_verdict.Verdict.model_fields}


def test_the_comparison_sees_what_differs() -> None:
    class Tap(BaseModel):
        name: int
        place: str
        more: str

    found = differences(records.Tap, Tap, "tap")
    assert found[0] == "tap.more: not in the bench"
    assert "tap.beats: not in the package" in found
    assert "tap.name: <class 'str'> against <class 'int'>" in found


def test_options_and_descriptions_are_read_back(tmp_path: Path) -> None:
    golden = RunVectors(folder="bench", files=(), frames=3, note="", of_build=True)
    written = RunOptions(SimulateOptions(frames=3), golden, {"n0_ppm": 3}, {}).record()
    path = tmp_path / "options.json"
    path.write_text(json.dumps(written))
    read = records.read_record(records.Options, path)
    assert (read.frames, read.walk, read.inject.kind, read.golden.frames) == (3, "sample", 0, 3)
    assert read.inputs == {"n0_ppm": 3}
    assert {one.name for one in fields(read)} <= set(written)
    network = chain(partition("a"), partition("b"))
    out = generate_fake(network, one_each(network), tmp_path / "out")
    file = out / "bench" / "bench.json"
    bench = records.read_record(records.Bench, file)
    whole = package.Bench.from_data(json.loads(file.read_text()), file)
    mine = json.loads(json.dumps([asdict(one) for one in bench.boundaries]))
    assert mine == [json.loads(one.model_dump_json()) for one in whole.boundaries]
