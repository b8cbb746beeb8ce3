# SPDX-License-Identifier: BSD-3-Clause
"""The width converters at every ratio from 1 to 64, as `shellgen check` reads them: slang, Verilator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import gcd

import pytest

from shellgen.simulate.tools import find_verilator
from tools.blocks.block_bench import block_file, closure, run_tool
from tools.blocks.lint_sets import Parameters, width
from vivado_check.hdl import BOARD
from vivado_check.rules.hdl import STYLE
from vivado_check.syntax import elaborate

FAMILY = {
    *("axis_width", "axis_width_framed", "axis_width_narrow", "axis_width_narrow_fast"),
    *("axis_width_down", "axis_width_down_keep", "axis_width_up_integer", "axis_width_up_rational"),
}
NEVER, BY_LAST, BY_KEEP = range(3)
Set = tuple[str, Parameters]


def converters(ratio: int, unit: int) -> Iterator[Set]:
    """Yield the converters between a unit and so many of them."""
    wide = ratio * unit
    for beats in ((0, 0), (1, ratio), (2, max(2, 2 * ratio - 1))):
        for cut in range(2):
            yield "axis_width", {**width(wide, unit, *beats), "SLICE": cut}
            yield "axis_width", {**width(unit, wide, *beats[::-1]), "SLICE": cut}
        if ratio > 1:
            ends: Parameters = {"IN_BEATS": beats[0], "OUT_BEATS": beats[1]}
            yield "axis_width_narrow_fast", {"IN_W": wide, "OUT_W": unit, **ends}
    for cut in range(2):
        if unit % 8 == 0:
            yield "axis_width_framed", {"IN_W": wide, "OUT_W": unit, "SLICE": cut}
            yield "axis_width_framed", {"IN_W": unit, "OUT_W": wide, "SLICE": cut}
        if ratio > 1:
            yield "axis_width_narrow", {"IN_W": wide, "OUT_W": unit, "SLICE": cut}


def engines(ratio: int) -> Iterator[Set]:
    """Yield the engines of ratios whose larger part is this one, with all ends of frames."""
    parts = [part for part in sorted({1, 2, 3, 5, ratio - 1}) if 0 < part < ratio and gcd(part, ratio) == 1]
    for part in parts:
        yield "axis_width_down_keep", {"IN_UNITS": ratio, "OUT_UNITS": part, "EARLY": int(part == 1)}
        for end in (NEVER, BY_LAST, BY_KEEP):
            units: Parameters = {"IN_UNITS": ratio, "OUT_UNITS": part, "FRAME_END": end}
            for cut in range(2):
                yield "axis_width_down", {**units, "SLICE": cut, "END": part - 1}
            if part == 1:
                yield "axis_width_up_integer", {"BEAT_W": 9, "RATIO": ratio, "FRAME_END": end, "KEEP_BIT": 8}
                continue
            more = {"UNIT_W": 9, "IN_UNITS": part, "OUT_UNITS": ratio, "FRAME_END": end, "KEEP_BIT": 8}
            yield "axis_width_up_rational", more
            if end == BY_LAST:
                yield "axis_width_up_rational", {**more, "FLUSH": 1, "ZERO": 1}


def sets(ratio: int) -> list[Set]:
    """Return all sets of one ratio."""
    return [*(one for unit in (1, 8, 24) for one in converters(ratio, unit)), *engines(ratio)]


def slang(block: str, parameters: Parameters) -> list[str]:
    """Return the findings of `check` in a file of ``ip/``."""
    text = block_file(block).read_text()
    for name, value in parameters.items():
        text, count = re.subn(rf"(parameter \w+ {name} *= )[^,\n]+", rf"\g<1>{value}", text, count=1)
        assert count, (block, name)
    files = [(path.name, text if path.stem == block else path.read_text()) for path in closure(block)]
    made = elaborate(files, {}, block, BOARD)
    assert block in made.modules
    told = [one for one in made.findings if one.code not in STYLE]
    return [one.text for one in told if not (one.code.startswith("Unused") and "unused" in one.text)]


def verilator(block: str, parameters: Parameters) -> list[str]:
    """Return the warnings of Verilator."""
    options = [f"-G{name}={value}" for name, value in parameters.items()]
    files = closure(block)
    code, text = run_tool(
        find_verilator().binary, "--lint-only", "-Wall", "--top-module", block, *options, *files
    )
    return [] if code == 0 and "%" not in text else [text[-600:]]


def bad(tool: Callable[[str, Parameters], list[str]], ratios: range | tuple[int, ...]) -> dict[str, str]:
    """Return the sets that a tool finds something in, and what it is."""
    told = {f"{block} {given}": tool(block, given) for ratio in ratios for block, given in sets(ratio)}
    assert {name.split()[0] for name in told} == FAMILY
    return {name: found[0] for name, found in told.items() if found}


def test_no_findings_at_a_ratio() -> None:
    assert not bad(slang, (12,))


@pytest.mark.sweep
@pytest.mark.parametrize("tool", [slang, verilator])
def test_no_findings_at_any_ratio(tool: Callable[[str, Parameters], list[str]]) -> None:
    assert not bad(tool, range(1, 65))
