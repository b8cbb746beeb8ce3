# SPDX-License-Identifier: BSD-3-Clause
"""Every block is clean in three tools at many parameter sets, and each refuses illegal parameters."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from shellgen.resources import rtl_blocks
from shellgen.simulate.tools import find_icarus, find_verilator
from tools.blocks.block_bench import closure, run_tool
from tools.blocks.lint_refused import ILLEGAL
from tools.blocks.lint_sets import LEGAL, Parameters
from tools.blocks.verdicts import kept

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


def run_yosys(sets: Sequence[tuple[str, Parameters]]) -> list[tuple[int, str]]:
    """Return exit code, and output if there is anything to say, of each set: kept, or of one process."""
    missing: list[str] = []
    made: dict[str, tuple[int, str]] = {}

    def outcome(block: str, parameters: Parameters) -> tuple[int, str]:
        script = yosys_script(block, parameters)

        def run() -> tuple[int, str]:
            if script not in made:
                missing.append(script)
                raise LookupError
            return made[script]

        label, parts = f"yosys {block}", [f"{name}={value}" for name, value in parameters.items()]
        return kept(label, ["pyosys"], parts, [*closure(block), Path(__file__)], run)

    for each in sets:
        with contextlib.suppress(LookupError):
            outcome(*each)
    made |= zip(missing, run_scripts(missing), strict=True)
    return [outcome(*each) for each in sets]


def run_scripts(scripts: Sequence[str]) -> list[tuple[int, str]]:
    """Run each script in a child of one process that has loaded Yosys."""
    if not scripts:
        return []
    # Yosys ends its process on an error, and to load it takes longer than the work.
    program = (
        "import os, sys; from pyosys import libyosys as y\n"
        "for script in sys.stdin.read().splitlines():\n"
        "    child = os.fork()\n"
        "    if not child: y.run_pass(script, y.Design()); sys.stdout.flush(); os._exit(0)\n"
        f"    print('\\n{NEXT}', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input="\n".join(scripts),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    told = re.split(rf"\n{NEXT} (-?\d+)\n", ran.stdout)
    found = [(int(code), text) for text, code in zip(told[::2], told[1::2], strict=False)]
    return [(code, text[-2000:] if code or "Warning" in text else "") for code, text in found]


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


def accepted(sets: Sequence[tuple[str, Parameters]]) -> None:
    """Fail for all that Yosys refuses or warns of."""
    told = run_yosys(sets)
    assert len(told) == len(sets)
    bad = {
        f"{block} {parameters}": text[-600:]
        for (block, parameters), (code, text) in zip(sets, told, strict=True)
        if code or "Warning" in text
    }
    assert not bad


def takes_long(block: str, parameters: Parameters) -> bool:
    """Whether Yosys takes seconds: for parities of many bits, thousands of registers, wide multiplexers."""
    most = max((bits for bits in parameters.values() if isinstance(bits, int)), default=0)
    return block in PARITIES or (block, most) in LONG


# Of axis_width, 2047 bits are as 2048 to 2047; with more it takes minutes.
YOSYS_SETS = [s for s in SETS if s[0] != "axis_checker" and s[1].get("IN_W", 0) != 2047]
PARITIES = ("crc32c", "vnx_check", "vnx_seal")
LONG = {("shell_status", 120), ("axis_width", 512), ("axis_width_up_rational", 300)}


def test_yosys_accepts() -> None:
    todo = [each for each in YOSYS_SETS if not takes_long(*each)]
    assert len(todo) > 200
    accepted(todo)


@pytest.mark.sweep
def test_yosys_accepts_what_takes_long() -> None:
    todo = [each for each in YOSYS_SETS if takes_long(*each)]
    assert {block for block, _ in todo} >= {"crc32c", "shell_status", "axis_width"}
    accepted(todo)


def refused(tool: Callable[..., Any], illegal: Sequence[tuple[str, Parameters, str]]) -> None:
    """Fail for what is not refused by its rule."""
    sets = [(block, parameters) for block, parameters, _ in illegal]
    told = tool(sets) if tool is run_yosys else [tool(*each) for each in sets]
    for (block, parameters, rule), (code, text) in zip(illegal, told, strict=True):
        assert code != 0, (block, parameters)
        assert rule in text, (block, parameters, text[:600])


@pytest.mark.parametrize("tool", [verilator, icarus, run_yosys])
def test_illegal_parameters_are_refused(tool: Callable[..., Any]) -> None:
    refused(tool, [each for each in ILLEGAL if tool is not run_yosys or each[0] not in PARITIES])


@pytest.mark.sweep
def test_illegal_parameters_of_parities_are_refused_by_yosys() -> None:
    refused(run_yosys, [each for each in ILLEGAL if each[0] in PARITIES])


def test_every_block_is_here() -> None:
    blocks = set(rtl_blocks())
    assert blocks == set(LEGAL)
    refused = {block for block, _, _ in ILLEGAL}
    bare = {"axis_checker", "axis_swallow", "vnx_port", "vnx_receiver_status", "vnx_sender_status"}
    assert refused == blocks - bare, "they have no parameters"
