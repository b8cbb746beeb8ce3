# SPDX-License-Identifier: BSD-3-Clause
"""Scripts drawn at random from commands, paths and encodings: none changes or reads what is not its own."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from script_escapes import attempt, escapes, scene

COUNT, LONG = 20, 3600
COMMANDS = (
    *("open", "source", "exec", "file copy", "file rename", "file delete", "file delete -force"),
    *("file mkdir", "file link", "file exists", "file stat", "file attributes", "file readlink"),
    *("file size", "glob", "cd", "glob -directory", "load", "socket", "read_xdc", "add_files"),
    *("import_files", "read_verilog", "create_project", "create_bd_design", "write_bd_tcl"),
    *("write_checkpoint", "open_project", "open_bd_design", "unknown", "eval", "encoding system"),
    *("encoding convertfrom", "fconfigure", "interp create", "interp eval", "interp expose"),
    *("interp hide", "interp invokehidden", "package require", "auto_load", "namespace eval"),
    *("rename", "trace add", "apply", "uplevel", "subst", "after", "update", "chan create"),
    *("chan push", "zlib gunzip", "clock format 0", "ipx::package_project -root_dir"),
    *("set_property ip_repo_paths", "generate_target all", "make_wrapper -files"),
)
PATHS = (
    *("{out}/secret.tcl", "{out}/secret", "{home}/.bashrc", "{out}/made", "/etc/passwd"),
    *("/proc/self/mem", "link", "linked/.bashrc", "../secret.tcl", "~/.bashrc", "far", "fd/3"),
    *("pipe", "own.txt", "new.txt", "sub", ".", "/", "/dev/fd/0", "loop", "sub/../../secret.tcl"),
    *("|cat {out}/secret.tcl", "//etc//passwd", "/var/lib/x", "script.tcl"),
)
WORDS = (
    *("r", "w", "a+", "r+", "rb", "RDWR", "{WRONLY CREAT}", "\\u0057RONLY", "-force", "--"),
    *("-nonewline", "-encoding", "dingbats", "unicode", "symbol", "cp932", "{}", "{ }", "$m"),
    *("[pwd]", "[info script]", "\\0", "\\ud800", "\\xff", "-types", "d", "*", "{*,.*}"),
    *("[array get env]", "-permissions", "0777", "-symbolic", "-hard", "stdout", "stdin"),
)
CHANGES = ("\\", "{", "}", '"', "[", "]", "$", ";", "\n", "|", " ", "\xe9", "\udcff", "\0", "::", "/..")


def drawn(draw: random.Random, corpus: list[str]) -> str:
    """Return a script: commands with odd words, some of them mutated, or an attempt that is."""
    lines = [f"encoding system {draw.choice(('dingbats', 'unicode', 'shiftjis', 'symbol'))}"] * draw.choice(
        (0, 0, 1)
    )
    for _ in range(draw.randrange(1, 8)):
        words = [draw.choice(COMMANDS), draw.choice(PATHS)]
        words += [draw.choice((*PATHS, *WORDS)) for _ in range(draw.randrange(4))]
        lines.append(f"catch {{{' '.join(words)}}} m; puts $m; catch {{puts [read $m]; puts $m x; close $m}}")
    text = "\n".join(lines) if draw.random() < 0.7 else draw.choice(corpus)
    for _ in range(draw.randrange(4)):
        at = draw.randrange(len(text) + 1)
        change = draw.choice(CHANGES)
        text = text[:at] + change + text[at + draw.randrange(3) :]
    return text


def fuzz(folder: Path, seed: int, count: int = 0, seconds: float = 0.0) -> None:
    """Try so many scripts, and go on for some seconds."""
    made = scene(folder)
    draw = random.Random(seed)
    corpus = list(escapes().values())
    until = time.monotonic() + seconds
    while count > 0 or time.monotonic() < until:
        text = drawn(draw, corpus).replace("{home}", str(folder / "home")).replace("{out}", str(folder))
        attempt(made, text)
        count -= 1


def test_some(tmp_path: Path) -> None:
    fuzz(tmp_path, seed=1, count=COUNT)


@pytest.mark.sweep
def test_for_an_hour(tmp_path: Path) -> None:
    fuzz(tmp_path, seed=2, seconds=LONG)
