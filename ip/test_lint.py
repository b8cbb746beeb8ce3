# SPDX-License-Identifier: BSD-3-Clause
"""Every block is clean in three tools at many parameter sets, and each refuses illegal parameters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ip.block_bench import closure
from ip.lint_sets import ILLEGAL, LEGAL, Parameters
from shellgen.resources import rtl_blocks
from shellgen.simulate.tools import find_icarus, find_verilator

SETS = [(block, parameters) for block, sets in LEGAL.items() for parameters in sets]


def run(*command: str | Path) -> tuple[int, str]:
    environment = find_verilator().environment() if "verilator" in str(command[0]) else None
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    return result.returncode, result.stdout + result.stderr


def verilator(block: str, parameters: Parameters) -> tuple[int, str]:
    """Lint with every warning an error."""
    options = [f"-G{name}={value}" for name, value in parameters.items()]
    tool = find_verilator().binary
    return run(tool, "--lint-only", "-Wall", "--timing", "--top-module", block, *options, *closure(block))


def icarus(block: str, parameters: Parameters) -> tuple[int, str]:
    """Elaborate."""
    options = [f"-P{block}.{name}={value}" for name, value in parameters.items()]
    tool = find_icarus().compiler
    return run(tool, "-g2012", "-Wall", "-t", "null", "-s", block, *options, *closure(block))


def yosys(block: str, parameters: Parameters) -> tuple[int, str]:
    """Synthesise to gates of Yosys's own: no latch, no undriven or doubly driven net, no missing module."""
    changes = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    script = (
        f"read_verilog -sv {' '.join(map(str, closure(block)))}; hierarchy -check -top {block} {changes}; "
        "proc; check -assert; select -assert-none t:$dlatch t:$adlatch t:$sr"
    )
    # In a process of its own: Yosys ends the process on an error.
    program = "import sys; from pyosys import libyosys as y; y.run_pass(sys.argv[1], y.Design())"
    return run(sys.executable, "-c", program, script)


@pytest.mark.parametrize("tool", [verilator, icarus])
def test_no_warnings(tool: object) -> None:
    bad = {}
    for block, parameters in SETS:
        code, text = tool(block, parameters)  # type: ignore[operator]
        # Icarus 11 tells that it is not as lazy as the standard allows; the result is the same.
        said = [line for line in text.splitlines() if "constant selects in always_*" not in line]
        said = [line for line in said if not line.startswith("- V")]
        if code or said:
            bad[f"{block} {parameters}"] = said[:3]
    assert not bad


def test_yosys_accepts() -> None:
    bad = {}
    for block, parameters in SETS:
        if (
            block == "axis_checker" or parameters.get("IN_W", 0) == 2047
        ):  # not hardware; as 2048 to 2047, slow
            continue
        code, text = yosys(block, parameters)
        if code or "Warning" in text:
            bad[f"{block} {parameters}"] = text[-600:]
    assert not bad


@pytest.mark.parametrize("tool", [verilator, icarus, yosys])
def test_illegal_parameters_are_refused(tool: object) -> None:
    for block, parameters, rule in ILLEGAL:
        code, text = tool(block, parameters)  # type: ignore[operator]
        assert code != 0, (block, parameters)
        assert rule in text, (block, parameters, text[:600])


def test_every_block_is_here() -> None:
    blocks = set(rtl_blocks())
    assert blocks == set(LEGAL)
    refused = {block for block, _, _ in ILLEGAL}
    assert refused == blocks - {"axis_checker"}
