# SPDX-License-Identifier: BSD-3-Clause
"""Completion by Tab in a real bash, and the scripts of the other shells."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bad_input import System, copy_system

from shellgen.cli import main
from shellgen.cli.entry import parser

COMMANDS = sorted(next(a.choices for a in parser()._actions if isinstance(a.choices, dict)))


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    return copy_system(tmp_path)


COMPLETED = [
    ("sim", {"simulate"}),
    ("simulate --simul", {"--simulator"}),
    ("simulate out --simulator ", {"verilator", "icarus", "both"}),
    ("list b", {"boards"}),
    ("generate cl", {"cluster.toml"}),
    ("generate cluster.toml -o ou", {"out", "output.npy"}),
    ("help st", {"stitch", "status", "stop"}),
    ("completion z", {"zsh"}),
    ("split m.onnx --boards pynq", {"pynq-z1", "pynq-z2"}),
    ("import-floorplan f.json --board zc", {"zc706", "zcu104"}),
    ("init build --platform v", {"vitis"}),
    ("check out --node ", {"zed0", "zed1"}),
    ("build out --node zed1", {"zed1"}),
]


def test_a_real_bash_completes(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    (at.root / "done.bash").write_text(capsys.readouterr().out)
    lines = [
        "source ./done.bash",
        "set -- $(complete -p shellgen)",
        "while [ $1 != -F ]; do shift; done",
        "f=$2",
    ]
    for typed, _ in COMPLETED:
        lines += [
            f"COMP_LINE='shellgen {typed}'",
            "COMP_WORDS=($COMP_LINE)",
            'case "$COMP_LINE" in *" ") COMP_WORDS+=("");; esac',
            "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))",
            "COMPREPLY=()",
            '$f shellgen "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"',
            'echo "${COMPREPLY[@]}"',
        ]
    command = ["bash", "--norc", "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    offered = [set(line.split()) for line in done.stdout.splitlines()]
    assert offered == [words for _, words in COMPLETED]


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_the_other_shells_get_all_commands(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    for command in COMMANDS:
        assert command in said
