# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen check` and `generate --check` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from zynq_project import node_plan

from shellgen.cli import main
from shellgen.emit import emit
from shellgen.emit.write import write
from shellgen.model import Plan

Said = pytest.CaptureFixture[str]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An output folder of one board."""
    plan, network = node_plan("zedboard", "1rx_1tx")
    write(emit(plan, network.files), tmp_path / "out")
    return tmp_path / "out"


def said_of(capsys: Said, code: int, *words: object) -> tuple[str, str]:
    assert main([*map(str, words)]) == code
    found = capsys.readouterr()
    return found.out, found.err


def record_of(capsys: Said, code: int, *words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said_of(capsys, code, *words, "--json")[0])
    return found


def test_what_is_generated_is_right(out: Path, capsys: Said) -> None:
    text, _ = said_of(capsys, 0, "check", out, "--strict")
    assert text == "n0: 0 errors, 0 findings, 0 not modelled\n"
    assert record_of(capsys, 0, "check", out) == {"ok": True, "release": "2022.2", "checked": {"n0": []}}


def test_a_folder_by_any_name(out: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a partition does with its own bits is its own affair, whatever the folder is called."""
    (partition,) = (out / "n0" / "partition").glob("part*.v")
    text = partition.read_text()
    partition.write_text(text.replace("endmodule\n", "wire [1:0] less = weights[0];\nendmodule\n"))
    monkeypatch.chdir(out.parent)
    (out.parent / "link").symlink_to("out")
    for name in (out, "out", "./out/", "../" + out.parent.name + "/out", "link"):
        assert said_of(capsys, 0, "check", name)[0] == "n0: 0 errors, 0 findings, 0 not modelled\n", name
    (out / "n0" / "n0_core.v").write_text(
        (out / "n0" / "n0_core.v").read_text().replace(".aclk(", ".alck(", 1)
    )
    assert "n0/n0_core.v" in said_of(capsys, 1, "check", "out")[0]


def test_a_mistake_is_told_with_its_line(out: Path, capsys: Said) -> None:
    script = out / "n0" / "vivado" / "bd.tcl"
    before = script.read_text()
    script.write_text(before.replace("    core_0/aresetn\n", "", 1))
    text, _ = said_of(capsys, 1, "check", out)
    assert "core_0/aresetn" in text
    (message, *_) = record_of(capsys, 1, "check", out)["checked"]["n0"]
    assert set(message) == {
        *("rule", "verdict", "file", "line", "where", "found", "expected", "remedy", "vivado"),
    }
    assert message["file"] == "n0/vivado/bd.tcl"
    assert message["line"] > 0


def test_generate_checks_too(out: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan.model_validate_json((out / "plan.json").read_text())

    def written(cluster: Path, folder: Path, note: object) -> tuple[Plan, Any]:  # noqa: ARG001
        return plan, write((), folder, keep=True)

    monkeypatch.setattr("shellgen.api.generate", written)
    text, _ = said_of(capsys, 0, "generate", "cluster.toml", "-o", out, "--check")
    assert text.endswith("\n\nn0: 0 errors, 0 findings, 0 not modelled\n")
    script = out / "n0" / "vivado" / "build.tcl"
    script.write_text(script.read_text().replace("wait_on_run", "wait_on_rum"))
    found = record_of(capsys, 1, "generate", "cluster.toml", "-o", out, "--check")
    assert "unknown-command" in {message["rule"] for message in found["check"]["checked"]["n0"]}


def test_a_script_of_anyones(tmp_path: Path, capsys: Said) -> None:
    script = tmp_path / "design.tcl"
    script.write_text(
        "set scripts_vivado_version 2023.1\n"
        "if {[version -short] ne $scripts_vivado_version || $argv ne {a -b}} { exit 3 }\n"
        "if {$env(SITE) ne {here}} { exit 3 }\n"
        "create_project p p -part xc7z020clg484-1\ncreate_bd_design d\n"
        "create_bd_cell -type ip -vlnv nobody.org:ip:thing:1.0 thing_0\n"
    )
    words = ("check", script, "--env", "SITE=here", "--tclargs", "a", "-b")
    text, _ = said_of(capsys, 0, *words)
    assert text.endswith("design.tcl: 0 errors, 0 findings, 1 not modelled\n")
    assert "design.tcl:6: not modelled: /thing_0" in text
    said_of(capsys, 1, "check", "--strict", *words[1:])
    text, _ = said_of(capsys, 1, "check", script, "--env", "SITE=there")
    assert "the script ended with exit code 3" in text
    assert said_of(capsys, 1, "check", "--release", "2022.2", *words[1:])


def test_a_script_that_reads_beside_its_folder(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bd").mkdir()
    (tmp_path / "bd/d.tcl").write_text("create_bd_design d\ncreate_bd_cell -type hier h\n")
    script = tmp_path / "scripts/build.tcl"
    script.write_text("source [file dirname [info script]]/../bd/d.tcl\nsave_bd_design\n")
    text, _ = said_of(capsys, 1, "check", script)
    assert "with --root" in text
    text, _ = said_of(capsys, 0, "check", script, "--root", tmp_path)
    assert text.endswith("build.tcl: 0 errors, 0 findings, 0 not modelled\n")
    script.write_text("source bd/d.tcl\n")  # as it is run from the folder above
    monkeypatch.chdir(tmp_path)
    said_of(capsys, 1, "check", "scripts/build.tcl")
    said_of(capsys, 0, "check", "scripts/build.tcl", "--root", ".")


def test_a_script_that_does_nothing(tmp_path: Path, capsys: Said) -> None:
    script = tmp_path / "procs.tcl"
    script.write_text("proc make {} { create_bd_design d }\n")
    text, _ = said_of(capsys, 0, "check", script)
    assert text.startswith("procs.tcl: not modelled: the script gives Vivado no command")
    script.write_text("proc make {} { create_bd_design d }\nmake\n")
    assert "no-command" not in said_of(capsys, 0, "check", script)[0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere",), "there is no such file or folder"),
        ((".",), "plan.json: the file is missing"),
        (("a.tcl", "--release", "new"), "--release: 'new' is no release of Vivado"),
        (("a.tcl", "--env", "X"), "--env X: expected NAME=VALUE"),
        (("out", "--node", "n7"), "--node: there is no node 'n7'. Choose from n0"),
        (("a.tcl", "--learn", "nowhere"), "nowhere"),
        (("a.tcl", "--root", "out"), "--root out: a.tcl is not in that folder"),
        (("a.tcl", "--root", "a.tcl"), "--root a.tcl: it is no folder"),
    ],
)
def test_wrong_input(
    out: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    (out.parent / "a.tcl").write_text("puts here\n")
    monkeypatch.chdir(out.parent)
    _, error = said_of(capsys, 2, "check", *words)
    assert told in error
    assert len(error.splitlines()) <= 2  # progress, if any, and the error


def test_the_release_that_a_sourced_script_states_counts(tmp_path: Path, capsys: Said) -> None:
    (tmp_path / "bd.tcl").write_text(
        "set scripts_vivado_version 2019.1\ncreate_bd_design top\n"
        "if {[string first $scripts_vivado_version [version -short]] == -1} {error {another release}}\n"
    )
    script = tmp_path / "make.tcl"
    script.write_text("create_project p p -part xc7z020clg400-1\nsource bd.tcl\n")
    assert record_of(capsys, 0, "check", script)["release"] == "2019.1"
    assert record_of(capsys, 1, "check", script, "--release", "2022.2")["release"] == "2022.2"
