# SPDX-License-Identifier: BSD-3-Clause
"""The JUnit file of `vivado-check`: a case that passed, failed, was not checked, or could not be read."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from vivado_check.cli import main
from vivado_check.junit import junit_file

PROJECT = "create_project one one -part xc7z020clg400-1\n"
CELL = "create_bd_design top\ncreate_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant:1.1 one\n"


def case_of(path: Path) -> tuple[ElementTree.Element, dict[str, str]]:
    """Return the only case of a file, and the sums, which both levels have alike."""
    root = ElementTree.parse(path).getroot()  # noqa: S314 - a file of the test
    (suite,) = root
    (case,) = suite
    sums = {key: root.attrib[key] for key in ("tests", "failures", "errors", "skipped")}
    assert sums == {key: suite.attrib[key] for key in sums}
    return case, sums


@pytest.mark.parametrize(
    ("text", "words", "code", "element", "said"),
    [
        (PROJECT + CELL, (), 0, "", ""),
        (f"{PROJECT}{CELL}nobodys_command\n", (), 0, "system-out", "a.tcl:4: not modelled: nobodys_command"),
        (f"{PROJECT}{CELL}nobodys_command\n", ("--strict",), 1, "failure", "a.tcl:4: not modelled:"),
        (f"{PROJECT}{CELL}connect_bd_net one/out\n", (), 1, "failure", "a.tcl:4: error: "),
        (f"{PROJECT}exec make\n", (), 3, "skipped", "not checked: the script was not run to its end"),
        ("", (), 2, "error", "the file is empty"),
        (f"{PROJECT}{CELL}error \u001b]x\n", (), 1, "failure", "error: "),
    ],
)
def test_a_case(
    text: str, words: tuple[str, ...], code: int, element: str, said: str, tmp_path: Path
) -> None:
    script, path = tmp_path / "a.tcl", tmp_path / "new" / "junit.xml"
    script.write_text(text)
    assert main([str(script), "--junit", str(path), *words]) == code
    case, sums = case_of(path)
    assert (case.get("name"), case.get("classname")) == ("a.tcl", "vivado-check.check")
    assert [child.tag for child in case] == ([element] if element else [])
    if element:
        assert said in (case[0].text or "")
    if element in ("failure", "error", "skipped"):
        assert said in case[0].get("message", "")
    keys = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    assert sums == {"tests": "1", **{key: str(int(one == element)) for key, one in keys.items()}}
    assert [entry.name for entry in path.parent.iterdir()] == ["junit.xml"]


def test_a_check_that_is_killed_leaves_an_error(tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    with pytest.raises(KeyboardInterrupt), junit_file(path, "p", "a.tcl", strict=False):
        raise KeyboardInterrupt
    case, sums = case_of(path)
    assert (case[0].tag, sums["errors"]) == ("error", "1")
    with junit_file(path, "p", "a.tcl", strict=False) as junit:
        junit({"stopped": "it took more than 4 GB"})
    case, sums = case_of(path)
    assert (case[0].tag, sums["skipped"]) == ("skipped", "1")


@pytest.mark.parametrize("where", ["file/junit.xml", "folder", "/"])
def test_a_place_where_no_file_can_be(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(PROJECT + CELL)
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    assert main([str(script), "--junit", str(tmp_path / where)]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert "--junit: the file cannot be written" in found.err
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.tcl", "file", "folder"]
