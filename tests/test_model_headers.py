# SPDX-License-Identifier: BSD-3-Clause
"""Headers of Verilator: read as they are by the first units, precompiled for those that follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.cache.contents import clear
from shellgen.simulate import headers
from shellgen.simulate.headers import WORTH_UNITS, included, precompiled
from shellgen.simulate.tools import find_verilator

NAMES = ("bench_memory.h", "bench_clocks.h", "verilated.h", "verilated_timing.h")
PLAIN = [word for name in NAMES for word in ("-include", name)]
FLAGS = ["-O3"]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Outputs of the compiler, which stays away."""
    made: list[Path] = []

    def compiler(_tool: object, *words: object) -> None:
        made.append(Path(str(words[-1])))
        made[-1].write_bytes(b"precompiled")

    monkeypatch.setattr(headers, "run_compiler", compiler)
    return made


def test_the_first_units_read_them(tmp_path: Path, compiled: list[Path]) -> None:
    tool = find_verilator()
    assert included(tool, FLAGS, tmp_path, WORTH_UNITS - 1) == PLAIN
    assert not compiled
    found = included(tool, FLAGS, tmp_path, 1)
    assert len(compiled) == 1
    assert found == ["-include", str(precompiled(tool, FLAGS, tmp_path))]
    assert included(tool, FLAGS, tmp_path, 1) == found
    assert len(compiled) == 1
    assert Path(found[1]).read_text().count("#include") == len(NAMES)
    assert Path(f"{found[1]}.gch").is_file()
    assert not list(tmp_path.rglob("header_units/*/count"))


def test_flags_are_counted_apart(tmp_path: Path, compiled: list[Path]) -> None:
    tool = find_verilator()
    for flag in ("-O0", "-O1", "-O2"):
        assert included(tool, [flag], tmp_path, WORTH_UNITS - 1) == PLAIN
    assert not compiled


def test_many_units_do_not_wait(tmp_path: Path, compiled: list[Path]) -> None:
    assert included(find_verilator(), FLAGS, tmp_path, WORTH_UNITS)[1] != PLAIN[1]
    assert len(compiled) == 1


def test_a_damaged_count_is_none(tmp_path: Path, compiled: list[Path]) -> None:
    tool = find_verilator()
    included(tool, FLAGS, tmp_path, WORTH_UNITS - 1)
    (count,) = tmp_path.rglob("header_units/*/count")
    count.write_text("many")
    assert included(tool, FLAGS, tmp_path, 1) == PLAIN
    assert not compiled


def test_a_cache_that_cannot_be_written(tmp_path: Path, compiled: list[Path]) -> None:
    (tmp_path / "headers").write_text("in the way")
    assert included(find_verilator(), FLAGS, tmp_path, 1) == PLAIN
    assert not compiled


def test_a_count_is_cleared_with_the_cache(tmp_path: Path, compiled: list[Path]) -> None:
    included(find_verilator(), FLAGS, tmp_path, 1)
    assert clear(tmp_path, ["models"])[0] == 1
    assert not list(tmp_path.rglob("count"))
    assert not compiled
