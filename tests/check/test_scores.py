# SPDX-License-Identifier: BSD-3-Clause
"""A sample of `make mutants` and of `make variants`: mistakes are caught, what is legal is not refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mutants.clusters import zynq
from tools.mutants.draw import scripts
from tools.mutants.judge import CAUGHT, EQUAL, LEGAL, UNREACHED, Judge
from tools.mutants.mutant import Mutant
from tools.mutants.run import score
from tools.mutants.text import Script
from tools.variants.run import judge
from tools.variants.variant import VARIANTS

pytestmark = pytest.mark.xdist_group("mutants")
GOAL, FLOOR = 0.95, 0.85  # of all; of a sample
SAMPLE, SEED = 10, 5
# One of each sort: values, nets, other cells, a hierarchy, addresses, another release, the build.
VARIANTS_TRIED = (
    "ranges with K and M",
    "-boundary_type between the ends of a bus",
    "a SmartConnect to memory",
    "a hierarchy made by hand",
    "addresses that Vivado chooses",
    "inline concatenation",
    "both runs by one command",
)


@pytest.fixture(scope="module")
def outs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {"zynq": zynq(tmp_path_factory.mktemp("scores") / "out")}


def mutant(script: Script, old: str, new: str, kind: str = "by hand") -> Mutant:
    """Return a mistake in one line."""
    (at,) = (k for k, line in enumerate(script.lines) if old in line)
    line = script.lines[at].replace(old, new)
    return Mutant("zynq", script, kind, range(at, at + 1), (line,) if line.strip() else ())


def bd(outs: dict[str, Path]) -> Script:
    return next(script for script in scripts(outs["zynq"]) if script.name == "zedboard/vivado/bd.tcl")


def test_the_ways_in_which_a_mistake_ends(outs: dict[str, Path]) -> None:
    script, judge = bd(outs), Judge(outs)
    caught = judge.judge(mutant(script, "    core_0/aclk", ""))
    assert caught.outcome == CAUGHT
    assert caught.named, caught.said
    equal = judge.judge(mutant(script, "validate_bd_design", "validate_bd_design ;"))
    assert equal.outcome == EQUAL, equal.said
    unreached = judge.judge(
        mutant(script, 'fail "expected one interface', 'exit 3 ; fail "expected one interface')
    )
    assert unreached.outcome == UNREACHED, unreached.said
    legal = judge.judge(mutant(script, "CONFIG.c_s2mm_burst_size 16", "CONFIG.c_s2mm_burst_size 32"))
    assert legal.outcome == LEGAL, legal.said
    endless = judge.judge(
        mutant(script, "validate_bd_design", "while 1 {puts [string repeat x 9999]}; validate_bd_design")
    )
    assert endless.outcome == CAUGHT, endless.said
    export = next(one for one in scripts(outs["zynq"]) if one.name == "zedboard/vivado/export.tcl")
    renamed = judge.judge(
        mutant(
            export,
            "set export_out [file join $export_here out]",
            "set export_out [file join $export_here in]",
        )
    )
    assert "plan-export" in renamed.said
    assert (outs["zynq"] / script.name).read_text() == script.text


# ---- the scores ------------------------------------------------------------------------------------------
def test_a_sample_is_caught() -> None:
    found = score(SAMPLE, SEED, clusters=("zynq_streams", "coyote_u280"))
    assert found.share >= FLOOR, "\n".join([*found.survivors(), *found.table()])


@pytest.mark.sweep
def test_all_are_caught() -> None:
    found = score()
    assert len(found.results) >= 500
    assert found.share >= GOAL, "\n".join([*found.survivors(), *found.table()])


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in VARIANTS_TRIED else [pytest.mark.sweep]) for name in VARIANTS],
)
def test_it_is_accepted(name: str) -> None:
    for result in judge([name]):
        told = [f"{one.origin}: {one.rule}: {one.where}: {one.found}" for one in result.refused]
        assert not told, (result.place, told)
