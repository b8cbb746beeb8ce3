# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node as `rehearse` compiles it: unit by unit, each once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from shellgen.errors import Problem, SimulationError
from shellgen.rehearse import node_program
from shellgen.resources import data_dir
from shellgen.simulate.tools import Verilator, find_verilator


def test_what_was_compiled_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption costs the units under way, another source its own unit."""
    shutil.copytree(data_dir("host") / "node", tmp_path / "node")
    monkeypatch.setattr(node_program, "data_dir", lambda _: tmp_path)
    compiled: list[str] = []
    fails = "linux_board.cpp"

    def compile_(_: Verilator, *words: str | Path) -> None:
        if "-c" in words:
            text = Path(words[words.index("-c") + 1]).read_text()
            if fails and fails in text:
                raise SimulationError(Problem("g++", "it was interrupted", "Start again"))
            compiled.append(text)
        Path(words[words.index("-o") + 1]).write_text("made")

    monkeypatch.setattr(node_program, "run_compiler", compile_)
    tool, cache = find_verilator(), tmp_path / "cache"
    with pytest.raises(SimulationError):
        node_program.node_program(tool, cache)
    before, fails = set(compiled), ""
    program = node_program.node_program(tool, cache)
    assert program.read_text() == "made"
    units = node_program.NodeSources(tmp_path / "node").units
    assert len(compiled) == len(set(compiled)) == len(units) > len(before)
    source = tmp_path / "node" / "crc32c.cpp"
    source.write_text(source.read_text() + "\n")
    assert node_program.node_program(tool, cache) != program
    assert len(compiled) == len(units) + 1
