# SPDX-License-Identifier: BSD-3-Clause
"""Scripts and patterns that would keep a checker busy for minutes: answered, or stopped with a reason."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest
from script_escapes import attempt, scene

from shellgen.cli import main
from shellgen.cli.command import UNCHECKED
from vivado_check.record.commands import ToolError
from vivado_check.record.session import Session
from vivado_check.recording import Recording
from vivado_check.tcl import memory
from vivado_check.tcl.interpreter import run_script
from vivado_check.tcl.lines import Limits
from vivado_check.tcl.regexp import matching
from vivado_check.tcl.sandbox import Sandbox
from vivado_check.tcl.wildcard import glob_pattern, names_pattern

OPENED = "create_project -part xc7z020clg484-1 p p\ncreate_bd_design d\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("while 1 {create_project -part xc7z020clg484-1 p[incr i] p$i}", "50 files"),
        ("set x [string repeat a 900000]\nwhile 1 {catch {get_files $x}}", "4 MB to commands"),
        ("while 1 {set f [open own.txt]; read $f}", "too many open files"),
    ],
)
def test_what_grows_without_end(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "MOST_FILES", 50)
    made = scene(tmp_path)
    session, outcome = attempt(made, OPENED + text)
    told = f"{outcome.error} {[one.found for one in session.recording.messages]}"
    assert said in told


def test_patterns_with_many_stars() -> None:
    name, began = "a" * 2000, time.process_time()
    assert not names_pattern("*a" * 30 + "*b").fullmatch(name)
    assert names_pattern("*a" * 30 + "*").fullmatch(name)
    assert not glob_pattern("*[ab]" * 30 + "*\\*").fullmatch(name)
    with pytest.raises(ToolError, match="64 KB"):
        names_pattern("*a" * 50_000)
    assert not names_pattern("*/" * 5 + "*a" * 20 + "b", levels=False).fullmatch("x/" * 5 + name)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*", "", True),
        ("a*", "a/b", True),
        ("?", "/", True),
        ("[a-c]x", "bx", True),
        ("[c-a]x", "dx", False),
        ("[]x", "x", False),
        ("\\*", "*", True),
        ("\\*", "a", False),
        ("*b*d", "abcd", True),
        ("*b*d", "abcde", False),
    ],
)
def test_tcl_s_patterns(pattern: str, name: str, fits: bool) -> None:
    assert glob_pattern(pattern).fullmatch(name) is fits


def test_a_star_that_stops_at_a_level() -> None:
    one = names_pattern("/*/A*", nocase=True, levels=False)
    assert one.fullmatch("/x/abc")
    assert not one.fullmatch("/x/y/abc")


def test_regular_expressions_are_tcl_s() -> None:
    names = ["/aaa", "aaa", "b", "a(b"]
    assert matching("(a+)+b", ["a" * 3000], nocase=False) == []
    assert matching("A+", names, nocase=True) == ["aaa"]
    assert matching(r"\y\w+\y", names, nocase=False) == ["aaa", "b"]
    assert matching("***=a(b", names, nocase=False) == ["a(b"]
    with pytest.raises(Exception, match="parentheses"):
        matching("a(", names, nocase=False)


def test_a_script_of_empty_lines(tmp_path: Path) -> None:
    script = tmp_path / "a.tcl"
    script.write_text("\n" * 300_000)
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert main(["check", str(script)]) in (UNCHECKED, 2)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.ru_utime - began.ru_utime < 30


def test_a_script_in_all(tmp_path: Path) -> None:
    """The time that the answers take counts, too."""
    script = tmp_path / "a.tcl"
    script.write_text("while 1 {get_projects}\n")
    with Sandbox(tmp_path) as box:
        session = Session(Recording("2022.2", tmp_path), box)
        outcome = run_script(script, session, limits=Limits(seconds=20, whole=0.3))
    assert outcome.stopped
    assert "0.3 s" in outcome.error
