# SPDX-License-Identifier: BSD-3-Clause
"""Every command of the tool and of files, with words that nobody expects: an answer, or an error of Tcl."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from vivado_check.record.commands import ToolError
from vivado_check.record.session import Session, all_commands
from vivado_check.recording import Recording
from vivado_check.report import Origin
from vivado_check.tcl.files import FileCommands
from vivado_check.tcl.memory import QuotaError
from vivado_check.tcl.sandbox import OutsideError, Sandbox
from vivado_check.tcl.trace import StopError

# What a command may end with; the interpreter makes errors of Tcl of them, or ends the script.
TOLD = (ToolError, OutsideError, QuotaError, StopError, OSError)
ODD = (
    *(
        "",
        " ",
        "{",
        "}",
        "{a b} {",
        '"',
        "\\",
        "a\\",
        "\0",
        "\n",
        "\ud800",
        "\xe9",
        "*",
        "?",
        "[",
        "a[b",
        "/",
        "//",
    ),
    *(
        "..",
        "../..",
        "/etc/passwd",
        "/proc/self/mem",
        "~",
        "~root",
        ".",
        "-",
        "--",
        "-1",
        "0",
        "1e999",
        "0x",
        "1.5",
    ),
    *(
        "-quiet",
        "-force",
        "-of_objects",
        "-filter",
        "NAME =~ (",
        "((((",
        "!",
        "A == ",
        "-regexp",
        "(a+)+b",
        "a(",
    ),
    *("x" * 300, "a/" * 120, "a:b:c:d", "xilinx.com:ip:axi_dma:7.1", ":::", "CONFIG.", "CONFIG.A {", "a 1 b"),
    *(
        "design_1",
        "/cell",
        "cell/M_AXIS",
        "cell/aclk",
        "p",
        "synth_1",
        "impl_1",
        "sources_1",
        "constrs_1",
        "7",
    ),
    *(
        "xc7z020clg484-1",
        "axi_dma",
        "-type",
        "ip",
        "-vlnv",
        "-name",
        "-dir",
        "I",
        "-from",
        "left",
        "-dict",
        "-range",
    ),
)
FILE_COMMANDS = ("cd", "pwd", "glob", "open", "source", "forbidden")
OPTIONS = (
    *(
        "atime",
        "attributes",
        "copy",
        "delete",
        "executable",
        "exists",
        "isdirectory",
        "isfile",
        "link",
        "lstat",
    ),
    *("mkdir", "mtime", "normalize", "owned", "readable", "readlink", "rename", "size", "stat", "system"),
    *("tempfile", "type", "volumes", "writable", "nothing"),
)


def opened(folder: Path, box: Sandbox) -> Session:
    """Return a session with a project and a design that has a cell, so that commands get somewhere."""
    session = Session(Recording("2022.2", folder), box)
    for command, *words in (
        ("create_project", "-part", "xc7z020clg484-1", "p", str(folder / "p")),
        ("create_bd_design", "design_1"),
        ("create_bd_cell", "-type", "ip", "-vlnv", "xilinx.com:ip:axi_dma:7.1", "cell"),
    ):
        session.call(command, words, Origin())
    return session


def _of_files(files: FileCommands) -> Callable[[str, list[str], Origin], str]:
    def call(command: str, words: list[str], _: Origin) -> str:
        return files.call("file", [command, *words]) if command in OPTIONS else files.call(command, words)

    return call


def try_all(folder: Path, seed: int, rounds: int) -> int:
    """Call every command with 0 to 6 odd words and return how many calls there were."""
    draw = random.Random(seed)
    count = 0
    for _ in range(rounds):
        with Sandbox(folder) as box:
            session = opened(folder, box)
            files = FileCommands(session)
            calls: list[tuple[Callable[[str, list[str], Origin], str], str, int]]
            calls = [(session.call, name, 7) for name in sorted(all_commands())]
            calls += [(_of_files(files), name, 4) for name in (*FILE_COMMANDS, *OPTIONS)]
            for call, command, most in calls:
                for number in range(most):
                    words = [draw.choice(ODD) for _ in range(number)]
                    count += 1
                    try:
                        with contextlib.suppress(*TOLD):
                            call(command, words, Origin("a.tcl", 1))
                    except Exception as error:
                        raise AssertionError(f"{command} {words!r}") from error
            files.handles.close_all()
    return count


def test_every_command_takes_any_words(tmp_path: Path) -> None:
    (tmp_path / "a.v").write_text("module a; endmodule\n")
    assert try_all(tmp_path, seed=1, rounds=1) > 7 * len(all_commands())


@pytest.mark.sweep
def test_every_command_takes_any_words_often(tmp_path: Path) -> None:
    try_all(tmp_path, seed=2, rounds=100)
