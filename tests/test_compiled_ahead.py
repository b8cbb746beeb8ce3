# SPDX-License-Identifier: BSD-3-Clause
"""Verilator's runtime is compiled while FINN works; the end of a command ends that as well."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from waiting import PATIENCE
from warm_cache import warm_cache

from shellgen.errors import Problem, ToolMissingError
from shellgen.process.kept import run_kept
from shellgen.resources import data_dir
from shellgen.simulate import ModelSpec, ahead, build_model
from shellgen.simulate.ahead import compiled_ahead

MODULES = Path(__file__).with_name("simulate_modules")


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)


@pytest.mark.usefixtures("two_cores")
def test_the_end_of_the_block_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    began, codes = threading.Event(), []

    def compile_slowly() -> None:
        began.set()
        codes.append(run_kept(["sleep", str(10 * PATIENCE)])[0])

    monkeypatch.setattr(ahead, "_compile", compile_slowly)
    start = time.monotonic()
    with compiled_ahead("verilator"):
        assert began.wait(PATIENCE)
    assert time.monotonic() - start < PATIENCE
    assert codes
    assert codes[0] != 0


@pytest.mark.usefixtures("two_cores")
def test_a_missing_tool_is_for_the_run_to_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ToolMissingError(Problem("verilator", "it is not installed", "Install it"))

    monkeypatch.setattr(ahead, "find_verilator", missing)
    with compiled_ahead("verilator"):
        pass


@pytest.mark.usefixtures("two_cores")
def test_finn_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """On two cores FINN would wait for two compilers."""
    said: list[str] = []

    def ask() -> None:
        said.append(run_kept(["nice"])[1])
        raise OSError

    monkeypatch.setattr(ahead, "find_verilator", ask)
    with compiled_ahead("verilator"):
        for thread in threading.enumerate():
            if thread.name == "runtime":
                thread.join()
    usual = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert int(said[0]) == min(usual + 5, 19)
    assert int(run_kept(["nice"])[1]) == usual


@pytest.mark.parametrize(("simulator", "cores"), [("icarus", 2), ("verilator", 1)])
def test_nothing_is_compiled(simulator: str, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr(ahead, "_compile", lambda: pytest.fail("nobody needs it"))
    with compiled_ahead(simulator):  # type: ignore[arg-type]
        assert not [thread for thread in threading.enumerate() if thread.name == "runtime"]


@pytest.mark.sweep
@pytest.mark.usefixtures("two_cores")
def test_a_model_takes_what_was_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = warm_cache(tmp_path / "cache")
    monkeypatch.setenv("SHELLGEN_CACHE", str(cache))
    with compiled_ahead("verilator"):
        for thread in threading.enumerate():
            if thread.name == "runtime":
                thread.join()
    there = sorted(path.name for path in (cache / "headers").iterdir() if path.is_dir())
    assert len(there) == 3
    build_model(
        ModelSpec([data_dir("sim") / "bench_clock.sv", MODULES / "small_top.sv"], "small_top"),
        "verilator",
        cache,
    )
    assert sorted(path.name for path in (cache / "headers").iterdir() if path.is_dir()) == there
