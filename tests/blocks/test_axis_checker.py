# SPDX-License-Identifier: BSD-3-Clause
"""axis_checker: silent on a lawful stream, fatal on every breach, with the place in the message."""

import pytest

from tools.blocks.block_bench import SIMULATORS, run_bench

BREACHES = {
    1: "tvalid fell without a transfer",
    2: "tdata changed while tvalid waited for tready",
    3: "tvalid or tready is X",
    4: "tvalid or tready is X",
    5: "tdata is X while tvalid",
    6: "aresetn is X",
    7: "tvalid fell without a transfer",
    8: "tdata is X while tvalid",
}

# X exists only where there are four states.
CASES = [("icarus", fault) for fault in BREACHES] + [("verilator", fault) for fault in (1, 2, 7)]


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_lawful_stream(simulator: str) -> None:
    result = run_bench("axis_checker", simulator)
    assert result.comparisons > 200, result.text


@pytest.mark.parametrize(("simulator", "fault"), CASES)
def test_breach_is_fatal(simulator: str, fault: int) -> None:
    result = run_bench("axis_checker", simulator, plusargs=[f"fault={fault}"])
    assert result.code != 0
    assert result.comparisons == 0
    assert f"bench: {BREACHES[fault]}" in result.text
    assert "tb_axis_checker.u_check" in result.text
