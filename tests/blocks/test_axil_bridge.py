# SPDX-License-Identifier: BSD-3-Clause
"""axil_bridge: four geometries, random accesses, faults and slow far sides, on both simulators."""

import json
import re

import pytest

from tools.blocks.block_bench import SIMULATORS, block_file, run_bench


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_axil_bridge(simulator: str) -> None:
    result = run_bench("axil_bridge", simulator)
    assert result.comparisons > 6_000, result.text


def test_registers_as_data_are_those_of_the_header() -> None:
    source = block_file("axil_bridge")
    rows = re.findall(r"^//   0x([0-9A-F]{2})    (\w+) +(r/w1c|rw|r) ", source.read_text(), re.MULTILINE)
    data = json.loads((source.parent / "registers.json").read_text())["registers"]
    assert [(int(offset, 16), name, access) for offset, name, access in rows] == [
        (entry["offset"], entry["name"], entry["access"]) for entry in data
    ]
    assert len(rows) == 8
