# SPDX-License-Identifier: BSD-3-Clause
"""A stitched IP of one partition, read as the tests of memory contents do."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.errors import InputError
from shellgen.model import Network, StreamSpec
from shellgen.read import read_network


def read(ip: Path) -> Network:
    described = [
        {"port": "net.s_axis_0", "datatype": "UINT4", "shape": (1, 8), "elements_per_word": 4},
        {"port": "net.m_axis_0", "datatype": "INT13", "shape": (1, 4), "elements_per_word": 2},
    ]
    return read_network(ip, [StreamSpec.from_data(entry, "[[stream]]") for entry in described])


def placed(ip: Path, module: str) -> Path:
    """Instantiate a module in the block design."""
    (path,) = ip.rglob("finn_design.v")
    path.write_text(path.read_text().replace("endmodule", f"  {module} {module}_i ();\nendmodule"))
    return ip


def problem_of(ip: Path) -> str:
    with pytest.raises(InputError) as caught:
        read(ip)
    (problem,) = caught.value.problems
    return str(problem)
