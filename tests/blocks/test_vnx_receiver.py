# SPDX-License-Identifier: BSD-3-Clause
"""vnx_receiver and its parts behind a network that loses, repeats, reorders, joins and corrupts packets."""

from pathlib import Path

import pytest
from simulators import mostly_on

from tools.blocks.block_bench import SIMULATORS, block_folder, closure, mutant, run_bench

MANY = "tb_vnx_receiver_many"
# What a rule of docs/vnx.md, or of the buffer, would be without a part of it. One more passes this bench and
# fails the proof of vnx_unpack (`apart`): `found` without `row_any_q`.
MUTANTS = [
    ("vnx_match", "!ahead[BITS_SEQ-1] && over[BITS_SEQ-1]", "!ahead[BITS_SEQ-1]"),
    ("vnx_match", "have[{HIGH_W'(r), peek[SLOT_W-HIGH_W-1:0]}]", "1'b0"),
    ("vnx_match", "open     = right && empty && opens", "open     = right && opens"),
    ("vnx_match", "restart   = astray && !in_offered_q", "restart   = 1'b0"),
    # A packet of which a reset has seen a part is read as if it began there.
    ("vnx_match", "if (!aresetn)          middle_q <= 1'b0", "if (!link_aresetn)     middle_q <= 1'b0"),
    ("vnx_session", "limit_q   <= limit_q + 1'b1", "limit_q   <= limit_q"),
    # Gaps are reported only when a PROBE asks.
    ("vnx_session", "gap_q    <= stored && ", "gap_q    <= 1'b0 && "),
    ("vnx_session", "out_have_q  <= turn_ack_q ? have : '0", "out_have_q  <= turn_ack_q ? ~have : '0"),
    ("vnx_session", "open || (offered_q && !link_aresetn)", "open"),
    ("vnx_unpack", "wire               cuts = renew && !want_sof", "wire               cuts = 1'b0"),
    ("vnx_unpack", "wait_q <= zero_q ? '0 : high", "wait_q <= high"),
    ("vnx_unpack", "note_q[1:0] == {want_eof, want_sof}", "1'b1"),
]


@pytest.mark.parametrize("simulator", mostly_on("icarus"))
def test_vnx_receiver(simulator: str) -> None:
    result = run_bench("vnx_receiver", simulator)
    assert result.comparisons > 3000, result.text


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", SIMULATORS)
def test_vnx_receiver_many(simulator: str) -> None:
    """Frames about every boundary of halves, beats and packets; packets of 2 to 256 beats."""
    sources = [block_folder("vnx_receiver") / f"{MANY}.sv", *closure("vnx_receiver")]
    result = run_bench("vnx_receiver", simulator, MANY, sources=sources, seconds=3600)
    assert result.comparisons > 50_000, result.text


@pytest.mark.sweep
@pytest.mark.parametrize(("block", "old", "new"), MUTANTS)
def test_mutant_is_found(block: str, old: str, new: str, tmp_path: Path) -> None:
    copy = mutant(block, old, new, tmp_path)
    sources = [copy if file.stem == block else file for file in closure("vnx_receiver")]
    result = run_bench("vnx_receiver", "icarus", sources=sources)
    assert result.code != 0, f"{new}: the bench passes"
