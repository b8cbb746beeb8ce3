# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen build` with stubs of the vendor tools: commands, kept results, messages."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bad_input import MESSAGE, PROGRESS
from build_site import ROOT, STAND_INS, Site, site
from test_coyote_files import MET
from test_coyote_files import made as coyote_make

from shellgen.build.engine import Limits, run_here
from shellgen.cli import main
from shellgen.platforms import platform_registry
from shellgen.read.output import read_plan

ALL = ["card0 vivado", "vnx", "card0 v++", "card1 vivado", "card1 v++"]
Said = pytest.CaptureFixture[str]


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    def made(kind: str = "vitis", count: int = 2) -> Site:
        found = site(tmp_path, kind, count)
        for name, value in found.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("shellgen.build.engine._TICK", 0.01)
        monkeypatch.chdir(tmp_path)
        return found

    return made


def run(*words: str, code: int = 0) -> None:
    """Build on a machine that is large enough."""
    assert main(["build", "out", "--memory", "100", *words]) == code


def record(capsys: Said, *words: str, code: int = 0) -> dict[str, Any]:
    """Build with --json: one line, one record."""
    capsys.readouterr()
    run(*words, "--json", code=code)
    (line,) = capsys.readouterr().out.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def names(calls: list[str]) -> list[str]:
    """Return the calls with VNx's kernels as one word."""
    return list(dict.fromkeys("vnx" if call.startswith("vnx") else call for call in calls))


# --- what runs, and what is kept ----------------------------------------------------------------------------
def test_all_cards_are_built_once(at: Callable[..., Site], capsys: Said) -> None:
    here = at()
    run("--jobs", "2")  # the stub of VNx fails where two work at once in one clone
    assert sorted(names(here.calls)) == sorted(ALL)
    said = capsys.readouterr()
    assert "out/card1/vitis/build/card1.xclbin" in said.out.splitlines()
    assert "card1 link: done in 0:0" in said.err
    assert list(here.state()["stages"]) == ["kernel", "vnx", "link"]
    text = (here.out / "card0/build.json").read_text()
    assert str(here.root) not in text, "it moves with the folder"
    assert "shellgen: card0 link: make VNX=" in (here.out / "card0/build.log").read_text()
    run()
    assert here.calls == [], "nothing has changed"
    assert "done before" in capsys.readouterr().out


def test_what_has_changed_is_built_again_and_nothing_else(at: Callable[..., Site], capsys: Said) -> None:
    here = at()
    run()
    assert here.calls
    folder = here.out / "card0"
    with (folder / "vitis/link.cfg").open("a") as cfg:
        cfg.write("# mine\n")
    found = record(capsys)
    assert found["notes"] == ["out/card0/vitis/link.cfg is not as it was generated; it is built as it is"]
    assert names(here.calls) == ["card0 v++"], "the kernel does not depend on it"
    (folder / "vitis/build/card0.xclbin").write_text("half")
    run()
    assert here.calls == [], "make finds nothing to do"
    (folder / "vitis/build/card0.xclbin").unlink()
    run()
    assert names(here.calls) == ["card0 v++"]
    with (folder / "card0_core.v").open("a") as core:
        core.write("\n")
    run()
    assert names(here.calls) == ["card0 vivado", "card0 v++"]
    run("--again", "--node", "card1", "--set", "JOBS=9")
    assert names(here.calls) == ["card1 vivado", "card1 v++"]
    run()
    assert here.calls == [], "how many jobs there were changes nothing"


@pytest.mark.sweep
def test_a_folder_goes_on_where_it_is_moved_to(at: Callable[..., Site]) -> None:
    here = at()
    here.told("card1", "v++", "exit 1")
    run(code=1)
    assert here.calls
    (here.root / "a moved").mkdir()
    shutil.copytree(here.out, here.root / "a moved/out \u00e9")
    shutil.copytree(here.root / "vnx", here.root / "other_vnx")
    here.untold("card1", "v++")
    (here.root / "linked").symlink_to(here.root / "a moved/out \u00e9")
    argv = ["build", "linked", "--set", "VNX=other_vnx", "--memory", "100"]
    assert main(argv) == 1, "v++ takes no space in a path"
    shutil.move(here.root / "a moved/out \u00e9", here.root / "elsewhere")
    assert main(["build", "elsewhere", *argv[2:]]) == 0
    assert names(here.calls) == ["card1 v++"]


def test_a_stage_that_fails_ends_its_own_node_only(at: Callable[..., Site], capsys: Said) -> None:
    here = at()
    here.told(
        "card0",
        "v++",
        """
echo "CRITICAL WARNING: [Synth 8-9873] overwriting previous definition"
echo "ERROR: [Synth 8-439] module 'widget' not found" >> $run/runme.log
echo "ERROR: [VPL 60-773] In '$PWD/vivado.log', caught Tcl error: see the run log file"
echo "ERROR: [v++ 60-703] Failed to finish linking"
exit 1
""",
    )
    found = record(capsys, code=1)
    assert [node["products"] for node in found["nodes"]] == [[], ["card1/vitis/build/card1.xclbin"]]
    failure = found["nodes"][0]["failure"]
    assert failure["said"] == "ERROR: [Synth 8-439] module 'widget' not found"
    assert failure["log"].endswith("impl_1/runme.log")
    line = (here.out / failure["log"]).read_text().splitlines()[failure["line"] - 1]
    assert line == failure["said"]
    assert [stage["result"] for stage in found["nodes"][0]["stages"]] == ["done", "done", "failed"]
    assert found["nodes"][0]["stages"][2]["critical"] == 1
    assert here.calls
    here.untold("card0", "v++")
    run()
    assert names(here.calls) == ["card0 v++"], "it goes on where it stopped"
    assert "caught Tcl error" in (here.out / "card0/build.1.log").read_text(), "the log of the run before"
    assert "caught Tcl error" not in (here.out / "card0/build.log").read_text()
    said = capsys.readouterr().out
    assert "failed" not in said
    assert said.count("done before") == 4, "VNx's kernels lie elsewhere, so make looks for them"


def test_zedboards_are_built_at_the_same_time(at: Callable[..., Site], capsys: Said) -> None:
    here = at("zynq", 2)
    wait = 'touch "$STAND_IN/$node.here"; until [ -e "$STAND_IN/%s.here" ]; do sleep 0.02; done'
    here.told("card0", "vivado", wait % "card1")
    here.told("card1", "vivado", wait % "card0")
    found = record(capsys, "--jobs", "2", "--timeout", "20m")
    assert [node["stages"][0]["warnings"] for node in found["nodes"]] == [1, 1]
    assert [node["stages"][0]["critical"] for node in found["nodes"]] == [1, 1]
    assert found["nodes"][0]["products"][0] == "card0/vivado/out/card0.bit"
    assert sorted(here.calls) == ["card0 vivado", "card1 vivado"]


def test_memory_limits_what_runs_at_once(at: Callable[..., Site], monkeypatch: pytest.MonkeyPatch) -> None:
    here = at("zynq", 2)
    monkeypatch.setattr("shellgen.build.engine._WEIGH", 0.05)
    busy = 'mkdir "$STAND_IN/busy" || exit 1; sleep 0.3; rmdir "$STAND_IN/busy"'
    here.told("card0", "vivado", busy)
    here.told("card1", "vivado", busy)
    assert main(["build", "out", "--jobs", "2", "--memory", "8"]) == 0, "5 GiB each"
    assert 0 < here.state()["peaks"]["vivado"] < 1 << 28, "measured"
    shutil.rmtree(here.out / "card1/vivado/out")
    here.told("card1", "vivado", "")
    assert main(["build", "out", "--memory", "1"]) == 0, "what it took before counts"


def test_a_stage_that_broke_off_tells_no_memory(
    at: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = at("zynq", 1)
    monkeypatch.setattr("shellgen.build.engine._WEIGH", 0.05)
    here.told("card0", "vivado", "sleep 0.3; exit 1")
    assert main(["build", "out"]) == 1
    assert not (here.out / "card0/build.json").exists(), "nothing is done, and the guess stands"


# --- what is refused ----------------------------------------------------------------------------------------
def refused(capsys: Said, *words: str) -> list[str]:
    capsys.readouterr()
    assert main(["build", "out", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    lines = PROGRESS.sub("", said.err).splitlines()
    assert all(MESSAGE.match(line) for line in lines), lines
    return lines


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--node", "card7"], "Did you mean card1? Choose from: card0, card1."),
        (["--set", "VNX=vnx", "--set", "VNK=x"], "no build has a setting 'VNK'. Did you mean VNX (clone of"),
        (["--set", "VNX"], "expected NAME=VALUE"),
        (["--set", "VNX=vnx", "--set", "JOBS=many"], "no whole number from 1 (runs that v++ makes at once)"),
        (["--set", "VNX=vnx", "--set", "JOBS=0"], "--set JOBS=0: it is no whole number from 1"),
        (["--set", "VNX=gone"], "there is no folder "),
        ([], "VNX is not set. Add --set VNX=<clone of"),
        (["--set", "VNX=vnx", "--memory", "20"], "29 GiB of memory; the limit is 20 GiB"),
        (["--memory", "0"], "expected a number above 0"),
        (["--jobs", "none"], "expected a number from 1"),
        (["--timeout", "soon"], "expected a time such as 900, 90m or 6h"),
    ],
)
def test_a_wrong_word(
    words: list[str], told: str, at: Callable[..., Site], capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = at()
    monkeypatch.delenv("VNX")
    assert any(told in line for line in refused(capsys, *words))
    assert here.calls == []


def test_missing_programs_are_told_before_anything_starts(
    at: Callable[..., Site], capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = at()
    some = tmp_path / "some"
    shutil.copytree(STAND_INS, some)
    (some / "v++").unlink()
    monkeypatch.setenv("PATH", f"{some}:/usr/bin:/bin")
    (line,) = refused(capsys, "--set", "VNX=vnx", "--memory", "100")
    assert line.startswith("shellgen: error: build: card0, card1: there is no v++ on PATH.")
    assert here.calls == []
    assert not (here.out / "card0/build.log").exists()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda out: (out / "plan.json").unlink(), "plan.json: the file is missing"),
        (lambda out: (out / "plan.json").write_text("{}"), "schema_version: it is missing"),
        (lambda out: (out / "manifest.json").write_text("[]"), "it is not a manifest of shellgen"),
        (lambda out: (out / "card0/vitis/link.cfg").unlink(), "the generated file is missing"),
        (lambda out: (out / "card1/card1_core.v").write_text("// other\n"), "it was not made from this plan"),
        (lambda out: (out / "card1/build.json").write_text("{"), "Remove that file, and the node is built"),
        (lambda out: (out / "card1/build.json").write_text('{"stages": {"link": 1}}'), "Remove that file"),
    ],
)
def test_a_damaged_folder(
    damage: Callable[[Path], object], told: str, at: Callable[..., Site], capsys: Said
) -> None:
    here = at()
    damage(here.out)
    assert any(told in line for line in refused(capsys, "--set", "VNX=vnx", "--memory", "100"))
    assert here.calls == []


def test_a_platform_that_does_not_say_how_it_is_built(
    at: Callable[..., Site], capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    at()
    monkeypatch.setattr("shellgen.platforms.vitis.platform.vitis_stages", lambda _: ())
    (line,) = refused(capsys)
    assert "their platforms do not say how" in line


# --- what goes wrong on a machine ---------------------------------------------------------------------------
def test_a_tool_that_hangs_and_one_that_asks(
    at: Callable[..., Site], capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = at("zynq", 2)
    monkeypatch.setattr("shellgen.build.tool.GRACE", 0.2)
    here.told(
        "card1", "vivado", 'echo "Continue? [y/n]"; read answer || { echo "ERROR: [A 1-1] nobody"; exit 3; }'
    )
    failure = record(capsys, "--jobs", "2", code=1)["nodes"][1]["failure"]
    assert (failure["how"], failure["said"]) == ("exit code 3", "ERROR: [A 1-1] nobody")
    for card in ("card0", "card1"):
        here.told(card, "vivado", "(trap '' TERM; sleep 3600) & sleep 3600")
    # A time in which no tool can end, however slow the machine is.
    for node in record(capsys, "--jobs", "2", "--timeout", "0.4s", "--again", code=1)["nodes"]:
        assert node["failure"]["how"] == "it was still running after 0.4 s and was ended"
        assert "--timeout" in node["failure"]["remedy"]
    assert here.alive() == []


@pytest.mark.parametrize(
    ("text", "how", "said", "remedy"),
    [
        ("kill -9 $$", "Killed", "", "run out of memory"),
        ("rm -r out; exit 0", "it ended well, but there is no vivado/out/card0.bit", "", ""),
        (
            "echo \"ERROR: [Common 17-345] A valid license was not found for feature 'Synthesis'\"; exit 1",
            "exit code 1",
            "A valid license was not found",
            "licence",
        ),
        (
            'echo "$0: line 3: cannot create temp file: No space left on device"; exit 1',
            "exit code 1",
            "No space left",
            "Make room",
        ),
    ],
)
def test_what_has_nothing_to_do_with_the_design(
    text: str, how: str, said: str, remedy: str, at: Callable[..., Site], capsys: Said
) -> None:
    here = at("zynq", 1)
    here.told("card0", "vivado", f"{text}\n")
    failure = record(capsys, code=1)["nodes"][0]["failure"]
    assert failure["how"] == how
    assert said in failure["said"]
    assert remedy in failure["remedy"]
    assert bool(remedy) == bool(failure["remedy"])
    assert main(["build", "out"]) == 1
    assert how in capsys.readouterr().out


def test_a_disk_that_is_full_for_us(
    at: Callable[..., Site], capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    at("zynq", 2)

    def full(folder: Path, state: object) -> None:  # noqa: ARG001 - as the real one
        raise OSError(28, "No space left on device", str(folder / "build.json"))

    monkeypatch.setattr("shellgen.build.node.write_state", full)
    found = record(capsys, code=1)
    assert {node["failure"]["said"] for node in found["nodes"]} == {"build.json: No space left on device"}
    assert {node["failure"]["remedy"] for node in found["nodes"]} == {"Make room on that disk"}


@pytest.mark.sweep
def test_a_card_under_coyote(
    at: Callable[..., Site], capsys: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With stubs of the tools that the Makefile of that platform starts."""
    here = at("coyote", 1)
    tools, log = tmp_path / "bin", tmp_path / "log"
    coyote_make(here.out / "card0/coyote", tmp_path, "help")
    for name, value in {"LOG": str(log), "SAID": "fine", "TIMING": MET, "BIT": "cyt_top.bit"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    found = record(capsys, "--set", "COYOTE=cyt")
    assert [stage["result"] for stage in found["nodes"][0]["stages"]] == ["done"] * 5
    assert all((here.out / name).stat().st_size for name in found["nodes"][0]["products"])
    log.write_text("")
    assert main(["build", "out", "--set", "COYOTE=cyt"]) == 0
    assert log.read_text() == "", "nothing has changed"


@pytest.mark.parametrize("kind", ["zynq", "vitis", "coyote"])
def test_stages_and_settings_are_on_the_page(kind: str, at: Callable[..., Site]) -> None:
    node = read_plan(at(kind, 1).out).nodes[0]
    stages = platform_registry()[kind].stages(node)
    page = (ROOT / "docs/build.md").read_text()
    row, *_ = [line for line in page.splitlines() if line.startswith(f"| `{kind}`")]
    for name in {name for stage in stages for name in (stage.name, *(one.name for one in stage.settings))}:
        assert f"`{name}`" in row


def test_nothing_to_run_ends_at_once() -> None:
    run_here([], Limits(1, 1), lambda _: None)
