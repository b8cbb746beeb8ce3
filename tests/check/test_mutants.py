# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes that `make mutants` draws from generated scripts, and the comparison of two recordings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shellgen.platforms import platform_registry
from shellgen.read.output import read_plan
from tools.mutants.clusters import CLUSTERS
from tools.mutants.draw import draw, scripts
from tools.mutants.essence import essence
from tools.mutants.harmless import entries
from tools.mutants.judge import CAUGHT, EQUAL, LEGAL, SURVIVED, Result
from tools.mutants.mutant import Mutant
from tools.mutants.operators import OPERATORS
from tools.mutants.score import Score
from tools.mutants.text import Script
from vivado_check.recording import Call, Recording
from vivado_check.report import Origin

pytestmark = pytest.mark.xdist_group("mutants")


@pytest.fixture(scope="module")
def outs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("mutants")
    return {name: make(folder / name) for name, make in CLUSTERS.items()}


# ---- what is drawn --------------------------------------------------------------------------------------
def test_all_boards_platforms_and_versions_are_there(outs: dict[str, Path]) -> None:
    found = {
        (node.platform, node.board.name, node.options.get("version"))
        for out in outs.values()
        for node in read_plan(out).nodes
    }
    boards = {path.stem for path in (Path(__file__).parents[2] / "boards").glob("*.toml")}
    assert {board for _, board, _ in found} == boards
    assert {platform for platform, _, _ in found} == set(platform_registry())
    assert len({script.name.split("/", 1)[1] for out in outs.values() for script in scripts(out)}) > 20


def test_mistakes_are_single_and_those_of_their_seed(outs: dict[str, Path]) -> None:
    some = {name: outs[name] for name in ("vitis", "zynq_streams")}
    drawn = draw(some, 100, 5)
    assert [one.name for one in drawn] == [one.name for one in draw(some, 100, 5)]
    assert len({one.name for one in drawn}) == 100
    assert {one.kind for one in drawn} == set(OPERATORS)
    for one in drawn:
        before, after = one.script.text, one.text
        assert before != after
        lines = after.split("\n")
        kept = len(one.script.lines) - one.lines.stop
        assert lines[: one.lines.start] == list(one.script.lines[: one.lines.start])
        assert lines[len(lines) - kept :] == list(one.script.lines[one.lines.stop :])


@pytest.mark.parametrize(
    ("kind", "text", "mistakes"),
    [
        ("dropped line", "alpha {\n  a\n}\nbeta", {"beta", "alpha {\n}\nbeta", "alpha {\n  a\n}"}),
        ("order", "alpha\nbeta", {"beta\nalpha"}),
        ("order", "  alpha\nbeta", set()),
        ("polarity", "x true", {"x false"}),
        ("width", "WIDTH 8", {"WIDTH 16", "WIDTH 4", "WIDTH 9", "WIDTH 7"}),
        ("crossed", "bus a/x b/y\nbus c/u d/v", {"bus c/x", "bus a/x d/y"}),
        ("index", "wire a/In00 b_1", {"wire a/In01 b_1", "wire a/In00 b_2", "wire a/In00 b_0"}),
        ("file", "read x.sv", {"read y.sv", "read x.v"}),
        ("misspelt", "# alpha beta", set()),
        ("misspelt", 'puts "alpha"', set()),
    ],
)
def test_a_class_of_mistakes(kind: str, text: str, mistakes: set[str]) -> None:
    script = Script("n/vivado/x.tcl", text)
    made = {script.replaced(lines, new) for lines, new in OPERATORS[kind](script)}
    if kind == "crossed":
        assert made == {"bus c/u b/y\nbus a/x d/v", "bus a/x d/v\nbus c/u b/y"}
    else:
        assert made == mistakes


# ---- what is the same -----------------------------------------------------------------------------------
def recorded(*calls: tuple[str, ...]) -> Recording:
    found = Recording("2022.2", Path())
    found.calls += [Call(command, tuple(words), Origin("x", k)) for k, (command, *words) in enumerate(calls)]
    return found


def test_the_order_of_two_connections_is_of_no_consequence_that_of_a_validation_is() -> None:
    one, two, done = ("connect_bd_net", "a", "b"), ("connect_bd_net", "c", "d"), ("validate_bd_design",)
    assert essence(recorded(one, two, done)) == essence(recorded(two, one, done))
    assert essence(recorded(one, two, done)) == essence(recorded(two, ("get_bd_pins", "a"), one, done))
    assert essence(recorded(one, two, done)) != essence(recorded(one, done, two))
    assert essence(recorded(one, two, done)) != essence(recorded(one, done))


def test_every_entry_of_the_list_has_a_reason() -> None:
    for entry in entries():
        assert len(entry.reason) > 20, entry
        assert entry.was or entry.kind, entry
        assert re.compile(entry.was)
        assert re.compile(entry.now)


def test_a_score_counts_what_was_missed_and_not_what_changes_nothing() -> None:
    script = Script("n/vivado/build.tcl", "set jobs 2\nrun\n")
    harmless = Mutant("zynq", script, "value", range(1), ("set jobs 3",))
    missed = Mutant("zynq", script, "dropped line", range(1, 2), ())
    results = (
        Result(missed, CAUGHT, named=True),
        Result(missed, CAUGHT),
        Result(missed, SURVIVED),
        Result(harmless, SURVIVED),
        Result(harmless, EQUAL),
        Result(missed, LEGAL, said="differs"),
    )
    found = Score(results, entries())
    assert found.share == 2 / 3
    assert found.survivors()[0] == f"missed: {missed.name}"
    assert found.table()[-1].split() == ["all", "6", "2", "1", "1", "1", "1", "1", "0", "66.7%"]
    assert found.legal() == [f"legal: {missed.told}\n    differs"]
    assert Score((), ()).share == 1.0
