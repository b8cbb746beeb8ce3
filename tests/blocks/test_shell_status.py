# SPDX-License-Identifier: BSD-3-Clause
"""shell_status: every register on both simulators, against registers.json."""

from __future__ import annotations

import re

import pytest
from simulators import mostly_on

from shellgen.model.registers import Register
from shellgen.registers import block_registers
from tools.blocks.block_bench import run_bench

BLOCK = block_registers("shell_status")
DUMP_N_RX, DUMP_N_TX, DUMP_SINGLE = 3, 2, (1,)


def registers() -> dict[int, tuple[Register, int]]:
    """Return the registers of the dumped case, and which of several alike each is, by offset."""
    found = {}
    for register in BLOCK.registers:
        repeat = register.repeat
        count = repeat.registers({"N_RX": DUMP_N_RX, "N_TX": DUMP_N_TX}) if repeat else 1
        for index in range(count):
            found[register.offset + index * (repeat.stride if repeat else 0)] = (register, index)
    return found


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_shell_status(simulator: str) -> None:
    result = run_bench("shell_status", simulator)
    assert result.comparisons > 6_000, result.text
    dump = re.findall(r"^REG (\w+) (\w+) (\w+)$", result.text, re.MULTILINE)
    words = {int(offset, 16): (int(before, 16), int(after, 16)) for offset, before, after in dump}
    assert sorted(words) == list(range(0, 4096, 4))
    known = registers()
    assert len(known) == 8 + 8 * (DUMP_N_RX + DUMP_N_TX)
    for offset, (before, after) in words.items():
        if offset in known:
            check_access(*known[offset], before, after)
        else:
            assert (before, after) == (0, 0), hex(offset)


def check_access(register: Register, index: int, before: int, after: int) -> None:
    """Check what the case read at first, and what after it had written the complement of the offset."""
    name, access = register.name, register.access
    at = register.offset + index * (register.repeat.stride if register.repeat else 0)
    assert before >> register.width == after >> register.width == 0, register
    if name == "CONTROL":
        assert (before, after) == (0, 4), register
    elif name == "FRAMES_PER_TRANSFER":
        assert after == (1 if index in DUMP_SINGLE else 0xFFFF), register
    elif access == "rw":
        assert after == 0xFFFFFFFF - at, register
    elif access == "r/w1c":
        assert (before, after) == ((1 << DUMP_N_RX) - 1, 0), register
    else:
        assert access == "r"
        assert before == after, register
        assert register.value in {None, before}, register
        # No stream of this case has marks, which tb_shell_status compares with a model in other cases.
        silent = name in {"BEATS_HIGH", "FIRST_MARKED", "LAST_MARKED"} or (
            name == "FLAGS" and index >= DUMP_N_RX
        )
        assert silent or before != 0, register
