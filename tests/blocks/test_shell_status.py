# SPDX-License-Identifier: BSD-3-Clause
"""shell_status: every register on both simulators, and the map as header and as data against the block."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tools.blocks.block_bench import IP, SIMULATORS, block_file, run_bench

MAP = json.loads((IP / "shell_status" / "registers.json").read_text())
DUMP_N_RX, DUMP_N_TX, DUMP_SINGLE = 3, 2, (1,)


def registers() -> dict[int, dict[str, Any]]:
    """Return the registers of the dumped case by offset."""
    found = {register["offset"]: register for register in MAP["registers"]}
    for stream in range(DUMP_N_RX + DUMP_N_TX):
        for register in MAP["stream_registers"]:
            found[register["offset"] + stream * MAP["stream_stride"]] = {**register, "stream": stream}
    return found


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_shell_status(simulator: str) -> None:
    result = run_bench("shell_status", simulator)
    assert result.comparisons > 400, result.text
    dump = re.findall(r"^REG (\w+) (\w+) (\w+)$", result.text, re.MULTILINE)
    words = {int(offset, 16): (int(before, 16), int(after, 16)) for offset, before, after in dump}
    assert sorted(words) == list(range(0, 4096, 4))
    known = registers()
    assert len(known) == len(MAP["registers"]) + 5 * len(MAP["stream_registers"])
    for offset, (before, after) in words.items():
        register = known.get(offset, {"name": "nothing", "access": "none"})
        check_access(register, before, after)


def check_access(register: dict[str, Any], before: int, after: int) -> None:
    name, access = register["name"], register["access"]
    if access in {"none", "w"}:
        assert (before, after) == (0, 0), register
    elif name == "CONTROL":
        assert (before, after) == (0, 4), register
    elif name == "FRAMES_PER_TRANSFER":
        assert after == (1 if register["stream"] in DUMP_SINGLE else 0xFFFF), register
    elif access == "rw":
        assert after == 0xFFFFFFFF - int(register["offset"]), register
    elif access == "r/w1c":
        assert (before, after) == ((1 << DUMP_N_RX) - 1, 0), register
    else:
        assert access == "r"
        assert before == after == register.get("value", before), register
        silent = name == "BEATS_HIGH" or (name == "FLAGS" and register["stream"] >= DUMP_N_RX)
        assert silent or before != 0, register


def test_the_header_says_the_same() -> None:
    lines = re.findall(
        r"^//   (0x[0-9A-F]{3})(?: \+ 0x(\w+)\*k)? +(\w+) +(r|w|rw|r/w1c)  ",
        block_file("shell_status").read_text(),
        re.MULTILINE,
    )
    both = [(r, "") for r in MAP["registers"]] + [(r, "20") for r in MAP["stream_registers"]]
    assert MAP["stream_stride"] == 0x20
    assert [(int(offset, 16), stride, name, access) for offset, stride, name, access in lines] == [
        (r["offset"], stride, r["name"], r["access"]) for r, stride in both
    ]
