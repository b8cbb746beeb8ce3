# SPDX-License-Identifier: BSD-3-Clause
"""Scripts run in a real Tcl, and what they ask of the tool comes with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivado_check.confine import start
from vivado_check.errors import ToolMissingError
from vivado_check.record.commands import ToolError
from vivado_check.report import Message, Origin, Verdict
from vivado_check.tcl.interpreter import Outcome, run_script
from vivado_check.tcl.lines import Limits
from vivado_check.tcl.sandbox import Sandbox


class Tool:
    """Answers with the words of the call, and refuses ``refuse``."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.folder = ""
        self.calls: list[tuple[str, tuple[str, ...], int]] = []
        self.notes: list[Message] = []
        self.given = {"HOME": "/user"}
        self.doubts: set[Origin] = set()
        self.empty = False

    def names(self) -> list[str]:
        return ["ask", "refuse", "ns::ask"]

    def environment(self) -> dict[str, str]:
        return self.given

    def call(self, command: str, words: list[str], origin: Origin) -> str:
        self.calls.append((command, tuple(words), origin.line))
        if command == "refuse":
            raise ToolError("no", where="here", vivado="X 1-2")
        return "-".join(words)

    def newer(self, command: str, words: list[str], origin: Origin) -> None:
        self.calls.append((f"newer {command}", tuple(words), origin.line))

    def note(self, message: Message) -> None:
        self.notes.append(message)

    def print(self, text: str) -> None:
        pass


def run(folder: Path, text: str, *arguments: str, limits: Limits | None = None) -> tuple[Tool, Outcome]:
    script = folder / "script.tcl"
    script.write_text(text)
    with Sandbox(folder) as sandbox:
        tool = Tool(sandbox)
        return tool, run_script(script, tool, *arguments, limits=limits)


LINES = """\
ask one
proc inner {a} {
    ask two [ask nested \\
        $a]
    uplevel 1 {
        ask three
    }
    eval "ask four"
}
foreach x {1} {
    inner $x
}
namespace eval ns {
    ask five
}
"""


def test_every_call_has_the_innermost_line_of_a_script(tmp_path: Path) -> None:
    """A body that is handed to uplevel counts as the line of uplevel, since Tcl keeps no more."""
    tool, outcome = run(tmp_path, LINES)
    assert outcome.code == 0
    lines = {words[0]: line for _, words, line in tool.calls}
    assert lines == {"one": 1, "nested": 3, "two": 3, "three": 5, "four": 8, "five": 14}
    assert tool.calls[-1][0] == "ns::ask"


def test_words_cross_as_they_are(tmp_path: Path) -> None:
    odd = 'a\\ {b} "c" \\[d\\] \\$e \\u00e9 \\n ;'
    tool, outcome = run(tmp_path, f'puts [ask "{odd.replace(chr(34), chr(92) + chr(34))}" {{}} [list x y]]\n')
    assert tool.calls == [("ask", ('a {b} "c" [d] $e \u00e9 \n ;', "", "x y"), 1)]
    assert outcome.printed == ['a {b} "c" [d] $e \u00e9 \n ;--x y']


def test_arguments_exit_code_and_environment(tmp_path: Path) -> None:
    text = "puts $argv\nputs $argc\nputs $env(HOME)\nputs [file tail [info script]]\nexit 3\nputs no\n"
    _, outcome = run(tmp_path, text, "a b", "-c")
    assert (outcome.code, outcome.printed) == (3, ["{a b} -c", "2", "/user", "script.tcl"])


def test_a_refusal_is_an_error_that_a_script_may_catch(tmp_path: Path) -> None:
    tool, outcome = run(tmp_path, "catch {refuse} said\nputs $said\n")
    assert outcome.printed == ["ERROR: [X 1-2] no"]
    assert outcome.code == 0
    assert not tool.notes
    tool, outcome = run(tmp_path, "\nproc p {} {\n refuse\n}\np\n")
    assert outcome.code == 1
    assert tool.notes == [
        Message("refused", Verdict.ERROR, Origin("script.tcl", 3), "here", "no", "", "", "X 1-2")
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("set a 1\nputs $b\n", 2, 'can\'t read "b": no such variable'),
        ("proc f {} {\n\n    g 1 2\n}\nproc g {a} {\n}\nf\n", 3, "wrong # args"),
        ("proc f {x} {\n    set y [ask $x\n}\nf 1\n", 2, "missing close-bracket"),
        ("if {1} {\n", 1, "missing close-brace"),
    ],
)
def test_errors_of_tcl_have_their_line(text: str, line: int, said: str, tmp_path: Path) -> None:
    tool, outcome = run(tmp_path, text)
    assert outcome.code == 1
    (note,) = tool.notes
    assert note.origin == Origin("script.tcl", line)
    assert said in note.found


def test_an_error_in_a_script_that_another_sources(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "procs.tcl").write_text("proc bad {} {\n    set x 1\n    set $oh\n}\nreturn 7\n")
    tool, _ = run(tmp_path, "puts [source lib/procs.tcl]\n\nbad\n")
    assert tool.notes[0].origin == Origin("lib/procs.tcl", 3)


def test_commands_of_a_later_tcl_are_noted_and_work(tmp_path: Path) -> None:
    tried = "try {\n return [lmap x {1 2} {incr x}]\n } finally {ask}\n"
    text = f"puts [info commands lmap]\nproc f {{}} {{\n{tried}}}\nputs [f]\n"
    tool, outcome = run(tmp_path, text)
    assert outcome.printed == ["", "2 3"]
    assert [call[0] for call in tool.calls] == ["newer try", "newer lmap", "ask"]


def test_a_variable_of_the_environment_that_is_not_given(tmp_path: Path) -> None:
    tool, _ = run(tmp_path, "puts $::env(BOARD)\n")
    assert "env(BOARD)" in tool.notes[0].found
    assert "--env" in tool.notes[0].remedy


def test_without_tclsh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start.stop()
    without = "import confine.tcl_library\nconfine.tcl_library._places = lambda: iter(())\nfrom confine.host"
    monkeypatch.setattr(start, "_START", start._START.replace("from confine.host", without))
    with pytest.raises(ToolMissingError, match="apt-get install tcl"):
        run(tmp_path, "ask")


def test_an_error_of_the_scripts_own_has_the_line_of_its_cause(tmp_path: Path) -> None:
    text = "proc fail {text} {\n    error $text\n}\nproc need {x} {\n    if {!$x} {fail no}\n}\n\nneed 0\n"
    tool, _ = run(tmp_path, text)
    assert (tool.notes[0].origin.line, tool.notes[0].found) == (8, "no")


def test_programs_that_only_touch_files_are_done_in_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old/a").write_text("a")
    (tmp_path / "b").write_text("b")
    text = """exec rm -rf old none
exec mkdir -p new/deep
exec cp -f b new/deep
puts [file exists old],[file exists new/deep/b]
exec mkdir -p -m 700 odd
"""
    tool, outcome = run(tmp_path, text)
    assert outcome.printed == ["0,1"]
    assert (tmp_path / "old/a").is_file()
    assert not (tmp_path / "new").exists()
    assert [(note.rule, note.origin.line) for note in tool.notes] == [("sandbox", 5)]
