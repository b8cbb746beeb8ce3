# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen check` and `generate --check` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from zynq_project import node_plan

from shellgen.cli import main
from shellgen.disk.output import Written, write
from shellgen.emit.whole import emit
from shellgen.loaded import Loaded
from shellgen.model import Artifact, Plan
from vivado_check.tcl.interpreter import lacking

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
    found = record_of(capsys, 0, "check", out)
    result = found.pop("results")["n0"]
    assert found.pop("not_confined_by") == lacking()
    assert found == {"ok": True, "release": "2022.2", "checked": {"n0": []}, "edited": []}
    commands, judged = result.pop("commands"), result.pop("judged")
    assert (commands > 100, 50 < judged <= commands, result.pop("cells") > 3) == (True, True, True)
    nothing = {"commands_not_modelled": 0, "cells_not_modelled": 0}
    assert result == {"result": "right", "gap": "", **nothing}


def test_a_case_for_each_node(out: Path, capsys: Said) -> None:
    path = out.parent / "junit.xml"
    said_of(capsys, 0, "check", out, "--junit", path)
    (suite,) = ElementTree.parse(path).getroot()  # noqa: S314 - a file of the test
    assert [(case.get("classname"), case.get("name"), len(case)) for case in suite] == [
        ("shellgen.check", "n0", 0)
    ]
    script = out / "n0" / "vivado" / "bd.tcl"
    script.write_text(script.read_text().replace("validate_bd_design", "create_bd_cell -vlnv x"))
    said_of(capsys, 1, "check", out, "--junit", path)
    (suite,) = ElementTree.parse(path).getroot()  # noqa: S314
    assert [(case.get("name"), case[0].tag) for case in suite] == [("n0", "failure")]


def test_a_folder_by_any_name(out: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """A partition's handling of its own bits is not judged, whatever the folder is called."""
    (partition,) = (out / "n0" / "partition").glob("part*.v")
    text = partition.read_text()
    partition.write_text(text.replace("endmodule\n", "wire [1:0] less = weights[0];\nendmodule\n"))
    monkeypatch.chdir(out.parent)
    (out.parent / "link").symlink_to("out")
    for name in (out, "out", "./out/", "../" + out.parent.name + "/out", "link"):
        found, aside = said_of(capsys, 0, "check", name)
        assert found == "n0: 0 errors, 0 findings, 0 not modelled\n", name
        assert f"note: not as generated: n0/partition/{partition.name}" in aside, "judged as it is"
    assert record_of(capsys, 0, "check", out)["edited"] == [f"n0/partition/{partition.name}"]
    assert (
        f"not as generated: n0/partition/{partition.name}" in said_of(capsys, 1, "check", out, "--strict")[0]
    )
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


def test_a_procedure_that_nobody_has_defined(out: Path, capsys: Said) -> None:
    script = out / "n0" / "vivado" / "bd.tcl"
    script.write_text(
        script.read_text().replace("shellgen::check_messages $", "shellgen::chck_messages $", 1)
    )
    text, _ = said_of(capsys, 1, "check", out)
    assert "error: shellgen::chck_messages: namespace shellgen has no such procedure [own-commands]" in text


def test_generate_checks_too(out: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan.model_validate_json((out / "plan.json").read_text())

    def written(artifacts: tuple[Artifact, ...], folder: Path, *_: object, **__: object) -> Written:
        return write(artifacts, folder, keep=True)

    monkeypatch.setattr("shellgen.loaded.loaded", lambda _: Loaded(plan, [], {}, {}))
    monkeypatch.setattr("shellgen.api.emitted", lambda _: (Artifact.text("plan.json", plan.to_json()),))
    monkeypatch.setattr("shellgen.disk.cluster_folder.write_cluster", written)
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
        "create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant:1.1 one_0\n"
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
    text, _ = said_of(capsys, 3, "check", script)
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
    text, _ = said_of(capsys, 3, "check", script)
    assert text.startswith("procs.tcl: not modelled: the script gives Vivado no command")
    script.write_text("proc make {} { create_bd_design d; create_bd_port -dir I x }\nmake\n")
    assert "no-command" not in said_of(capsys, 0, "check", script)[0]


OPENED = "create_project p p -part xc7z020clg484-1\ncreate_bd_design d\n"
THING = "create_bd_cell -type ip -vlnv nobody.org:ip:thing:1.0 thing_{}\n"
KNOWN = "create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant:1.1 one_{}\n"


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("# nothing\n", "no command that builds anything"),
        ("puts {a script of Tcl}\n", "no command that builds anything"),
        ("get_property PART [current_project]\nversion\n", "no command that builds anything"),
        # As write_bd_tcl leaves a script for another release.
        (
            "if {[version -short] ne 1999.1} {puts wrong; return 1}\n" + OPENED,
            "a.tcl:1: the file is left here by return, exit or an error, and 2 commands of the file were",
        ),
        (OPENED + "package require never\nvalidate_bd_design\n", "the script was not run to its end"),
        (OPENED + "my_things a\n" * 3, "3 commands are not modelled (my_things...), and only 2 are"),
        (OPENED + THING.format(0), "1 of 1 cells"),
        (OPENED + THING.format(0) + THING.format(1) + KNOWN.format(0), "2 of 3 cells"),
        (OPENED + THING.format(0) + KNOWN.format(0), ""),
        ("open_hw_manager\nconnect_hw_server\n", "no command that builds anything"),
    ],
)
def test_green_only_if_something_was_checked(tmp_path: Path, capsys: Said, text: str, gap: str) -> None:
    """A check that saw nothing finds nothing; exit code 3 says so, and an error counts more."""
    script = tmp_path / "a.tcl"
    script.write_text(text)
    said, _ = said_of(capsys, 3 if gap else 0, "check", script)
    assert f"a.tcl: not checked: {gap}" in said if gap else "not checked" not in said
    (result,) = record_of(capsys, 3 if gap else 0, "check", script)["results"].values()
    assert result["result"] == ("not checked" if gap else "right")
    assert gap in result["gap"]
    script.write_text(OPENED + "create_bd_cell -type ip x\n" + text)
    said_of(capsys, 1, "check", script)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cluster.toml", b'build = "build"\nversion = 1\n[[node]]\nname = "a"\nboard = "zedboard"\n'),
        ("README.md", b"# Title\n\nTakes partitions and makes boards.\n"),
        ("notes", b"Takes partitions and makes boards.\n"),
        ("odd.tcl", b"<?xml version='1.0'?>\n<a/>\n"),
        ("plan.json", b'{"a": 1}\n'),
        ("a.py", b'"""Text."""\nimport os\n'),
        ("a.v", b"module a(input b);\nendmodule\n"),
        ("empty.tcl", b""),
        ("blank.tcl", b" \n\n"),
        ("design.bit", b"\x00\x09\x0f\xf0set_property"),
    ],
)
def test_what_is_no_script(tmp_path: Path, capsys: Said, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    _, error = said_of(capsys, 2, "check", tmp_path / name)
    assert "script" in error
    assert "Give a Tcl script, or the folder" in error


def test_a_platform_without_scripts(out: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shellgen.check.run.scripts_of", lambda _: ())
    text, _ = said_of(capsys, 3, "check", out)
    assert "n0: not checked: the platform has no script that could be run" in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere",), "there is no such file or folder"),
        ((".",), "plan.json: the file is missing"),
        (("out/n0/n0_core.v",), "no Tcl script"),
        (("a.tcl", "--release", "new"), "--release: 'new' is no release of Vivado"),
        (("a.tcl", "--env", "X"), "--env X: expected NAME=VALUE"),
        (("out", "--node", "n7"), "--node: there is no node 'n7'. Choose from: n0"),
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
        "set scripts_vivado_version 2019.1\ncreate_bd_design top\ncreate_bd_port -dir I x\n"
        "if {[string first $scripts_vivado_version [version -short]] == -1} {error {another release}}\n"
    )
    script = tmp_path / "make.tcl"
    script.write_text("create_project p p -part xc7z020clg400-1\nsource bd.tcl\n")
    assert record_of(capsys, 0, "check", script)["release"] == "2019.1"
    assert record_of(capsys, 1, "check", script, "--release", "2022.2")["release"] == "2022.2"
