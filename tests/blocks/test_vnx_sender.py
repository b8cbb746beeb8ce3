# SPDX-License-Identifier: BSD-3-Clause
"""vnx_sender against a receiver and a network that loses, doubles, turns round and spoils packets."""

from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import SIMULATORS, block_folder, closure, mutant, run_bench

MANY = "tb_vnx_sender_many"
# What a rule of docs/vnx.md would be without a part of it. One more passes this bench and fails the proof of
# vnx_window: the bit of a slot in `acked` is not cleared when a new packet is sent from it.
MUTANTS = [
    ("vnx_window", "if (start) last_turn[start_slot]", "if (start && !again_q) last_turn[start_slot]"),
    ("vnx_window", "lost_tries_q == SENT_AGAIN", "1'b0"),
    ("vnx_window", "lost_tries_q == SENT_AGAIN", "1'b1"),
    ("vnx_window", "front_q ? base_had_q", "front_q ? 1'b0"),
    ("vnx_window", "good && reply_have_q[s]", "1'b0"),
    ("vnx_window", "since_q[30:0] > 31'(REORDER)", "since_q[30:0] != '0"),
    ("vnx_window", "again_q ? !good && !start : gone && !good", "1'b0"),
    ("vnx_window", "turn_q <= turn_q + 32'(REORDER + 1);", "turn_q <= turn_q + 1'b1;"),
    ("vnx_window", ": patience_q) - TIMER_W'(2)", ": TIMER_W'(TIMEOUT_CYCLES)) - TIMER_W'(2)"),
    ("vnx_emit", "b_turn_q    <= a_turn_q", "b_turn_q    <= b_turn_q + 32'(a_control_q)"),
]


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


@pytest.mark.sweep
@pytest.mark.parametrize(("block", "old", "new"), MUTANTS)
def test_mutant_is_found(block: str, old: str, new: str, tmp_path: Path) -> None:
    copy = mutant(block, old, new, tmp_path)
    sources = [copy if file.stem == block else file for file in closure("vnx_sender")]
    result = run_bench("vnx_sender", "icarus", sources=sources)
    assert result.code != 0, f"{new}: the bench passes"
