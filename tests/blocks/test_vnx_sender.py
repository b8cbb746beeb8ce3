# SPDX-License-Identifier: BSD-3-Clause
"""vnx_sender against a receiver and a network that loses, doubles, turns round and spoils packets."""

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import SIMULATORS, block_folder, closure, run_bench

MANY = "tb_vnx_sender_many"


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_vnx_sender(simulator: str) -> None:
    result = run_bench("vnx_sender", simulator)
    assert result.comparisons > 6500, result.text


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_vnx_sender_many(simulator: str) -> None:
    """Frames of 1 byte to many packets, about each boundary of halves and beats; packets of 2 to 256."""
    sources = [block_folder("vnx_sender") / f"{MANY}.sv", *closure("vnx_sender")]
    result = run_bench("vnx_sender", simulator, MANY, sources=sources)
    assert result.comparisons > 60000, result.text
