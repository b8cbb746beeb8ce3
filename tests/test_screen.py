# SPDX-License-Identifier: BSD-3-Clause
"""Output on a terminal, a pipe and a program while a command runs, when it ends, and when it is killed."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bad_input import PROGRESS, System, copy_system

from shellgen.cli import main
from shellgen.cli.arguments import parse
from shellgen.cli.entry import parser
from shellgen.progress import Tally, each, listening, part, step

ROOT = Path(__file__).parents[1]
COMMANDS = sorted(next(a.choices for a in parser()._actions if isinstance(a.choices, dict)))


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    return copy_system(tmp_path)


# --- steps --------------------------------------------------------------------------------------------------
def test_steps_reach_the_listener_and_threads_are_counted() -> None:
    said: list[tuple[str, str]] = []
    step("nobody", "listens")
    with listening(lambda *told: said.append(told)):
        assert list(each("reading", ["a", "b"])) == ["a", "b"]
        tally = Tally("C++")
        tally.expect(2)
        tally.finish()
    step("nobody", "listens")
    assert said == [("reading", "1 of 2"), ("reading", "2 of 2"), ("C++", "0 of 2"), ("C++", "1 of 2")]


@pytest.mark.parametrize(
    ("argv", "phases"),
    [
        (["generate", "-o", "x"], "reading,reading partition,planning,golden frames,emitting board,writing"),
        (["weights", "-o", "w"], "reading,reading partition,planning,packing the weights of board,writing"),
    ],
)
def test_commands_say_what_they_do(at: System, argv: list[str], phases: str) -> None:
    said: list[str] = []
    with listening(lambda phase, _: said.append(phase)):
        assert main([argv[0], str(at.root / "cluster.toml"), *argv[1:], "--quiet"]) == 0
    for phase in phases.split(","):
        assert phase in said


# --- terminal and pipe --------------------------------------------------------------------------------------
# A command that works for a while, a tenth of a second a step, and what it has imported in the end. Its clock
# goes on when the display has looked: how fast the machine is does not matter.
SLOW = """
import signal, sys, threading, time, types
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
from shellgen.cli import display
from shellgen.progress import step
now, looks = [0.0], [0]
display.time = types.SimpleNamespace(monotonic=lambda: now[0])
display._TICK = 0.01
def counted(look):
    def counts(*words):
        look(*words)
        looks[0] += 1
    return counts
for kind in (display.Plain, display.Live):
    kind.look = counted(kind.look)
with display.showing(sys.stderr, quiet={quiet}, as_json={as_json}):
    for unit in range({steps}):
        step("C++", f"{{unit}} of 5, x\\x1b[31m")
        now[0], begun = (unit + 1) / 10, looks[0]
        while looks[0] < begun + 2 and any(one.name == "progress" for one in threading.enumerate()):
            time.sleep(0.005)
print("rich" in sys.modules)
"""
FOREVER = 1 << 40


def slow(steps: int = 12, quiet: bool = False, as_json: bool = False) -> list[str]:
    return [sys.executable, "-c", SLOW.format(steps=steps, quiet=quiet, as_json=as_json)]


def on_terminal(
    command: list[str], ended: Callable[[int], object] | None = None, when: str = "C++", **env: str
) -> tuple[int, str, str]:
    """Run with a terminal as stderr; return exit code, stdout, and all that the terminal got.

    Args:
        command: What to run.
        ended: Called with its process once the terminal has got `when`.
        when: That.
        env: Further variables.
    """
    ours, theirs = pty.openpty()
    env = {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], **env}
    env |= {"HOME": os.environ["HOME"]}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=env) as process:
        os.close(theirs)
        got = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # what Linux says at the end
                break
            if not piece:
                break
            got += piece
            if ended and when.encode() in got:
                ended(process.pid)
                ended = None  # once: a second one would meet the command while it puts things away
        assert process.stdout
        said = process.stdout.read()
    os.close(ours)
    return process.returncode, said, got.decode()


def test_a_terminal_has_a_live_line_that_goes_away() -> None:
    code, said, drawn = on_terminal(slow())
    assert (code, said) == (0, "True\n")
    assert "C++ 3 of 5" in drawn or "C++ 6 of 5" in drawn
    assert "x\\x1b[31m" in drawn
    assert "\x1b[31m" not in drawn
    assert drawn.count("\n") == 1, "one line, drawn again and again"
    assert drawn.endswith("\n\r\x1b[1A\x1b[2K"), repr(drawn[-40:])
    assert "\x1b[?25" not in drawn, "a cursor that is never hidden need not be brought back"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_ended_command_leaves_the_cursor(how: signal.Signals) -> None:
    code, _, drawn = on_terminal(slow(FOREVER), lambda pid: os.kill(pid, how))
    assert code != 0
    assert "\x1b[?25" not in drawn
    if how == signal.SIGINT:
        assert "\x1b[2K" in drawn.partition("Traceback")[0][-12:]


@pytest.mark.parametrize("env", [{"TERM": "dumb"}, {"CI": "1"}])
def test_a_terminal_that_is_a_log_gets_plain_lines(env: dict[str, str]) -> None:
    code, said, drawn = on_terminal(slow(), None, **env)
    assert (code, said) == (0, "False\n")
    assert "\x1b" not in drawn
    assert drawn.startswith("[ 1.")
    assert drawn.count("\n") == 1


def test_a_short_command_draws_nothing() -> None:
    assert on_terminal(slow(2)) == (0, "False\n", "")


@pytest.mark.parametrize(
    ("command", "lines"),
    [(slow(), 1), (slow(quiet=True), 0), (slow(as_json=True), 0), (slow(5), 0)],
)
def test_a_pipe_gets_a_plain_line_now_and_then(command: list[str], lines: int) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "False\n"
    assert len(done.stderr.splitlines()) == lines
    assert all(line.startswith("[ 1.") and "C++" in line for line in done.stderr.splitlines())


# --- where the answer goes ----------------------------------------------------------------------------------
def run(*argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "shellgen", *argv]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **env})


def test_a_locale_that_cannot_show_a_name(tmp_path: Path) -> None:
    done = run("cache", SHELLGEN_CACHE=str(tmp_path / "\u00fcber"), PYTHONIOENCODING="ascii")
    assert (done.returncode, PROGRESS.sub("", done.stderr)) == (0, "")
    assert "\\xfcber" in done.stdout


def test_an_answer_that_cannot_be_written_is_an_error() -> None:
    command = [sys.executable, "-m", "shellgen", "list", "boards"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "shellgen: error: standard output: cannot be written (No space left" in done.stderr


def test_bare_shellgen_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    bare = capsys.readouterr().out
    assert main(["help"]) == 0
    assert capsys.readouterr().out == bare
    assert all(f"    {command} " in bare or f"    {command}\n" in bare for command in COMMANDS)
    assert max(map(len, bare.splitlines())) <= 80
    assert main(["help", "map"]) == 0
    assert "usage: shellgen map" in capsys.readouterr().out


@pytest.mark.parametrize("as_json", [False, True])
def test_help_is_coloured_on_a_terminal_only(
    as_json: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same words with and without colour, brackets included; no colour in a document."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    commands = [*([command, "--help"] for command in COMMANDS), ["help", "import-floorplan"]]
    more = ["--json"] if as_json else []
    for words in commands:
        assert main([*more, *words]) == 0
        plain = capsys.readouterr().out
        with monkeypatch.context() as patch:
            patch.setattr(sys.stdout, "isatty", lambda: True)
            assert main([*more, *words]) == 0
        shown = capsys.readouterr().out
        assert "\x1b" not in plain
        assert ("\x1b[" in shown) != as_json
        found = re.sub(r"\x1b\[[0-9;]*m", "", shown)
        assert {word.strip(",") for word in found.split()} == {word.strip(",") for word in plain.split()}
        assert max(map(len, found.splitlines())) <= 80 or as_json
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["help"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_progress_names_the_part_of_the_whole() -> None:
    said: list[str] = []
    with listening(lambda phase, detail: said.append(f"{phase} {detail}".rstrip())):
        with part("split", 1, 2):
            step("FINN", "1 of 3")
        with part("simulate", 2, 2):
            tally = Tally("C++")
            tally.expect(5)
        step("writing")
    with part("split", 1, 2):
        step("nobody listens")
    assert said == ["split (1 of 2): FINN 1 of 3", "simulate (2 of 2): C++ 0 of 5", "writing"]


@pytest.mark.usefixtures("at")
def test_nobody_reads_stderr() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "shellgen", "generate", "nothing.toml", "-o", "x", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=write, text=True, check=False)
    os.close(write)
    assert done.returncode in (2, 120)  # Python's own 120: it could not flush stderr at the end
    assert json.loads(done.stdout)["ok"] is False


@pytest.mark.parametrize("words", [["--quiet", "--json", "map", "x"], ["map", "x", "--json", "--quiet"]])
def test_common_options_stand_anywhere(words: list[str]) -> None:
    args = parse(parser(), words)
    assert (args.quiet, args.json, args.out) == (True, True, Path("x"))
