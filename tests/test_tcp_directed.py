# SPDX-License-Identifier: BSD-3-Clause
"""Transfers of wrong length: the required flags of each, and cores with faults."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from cluster_bench import MIXED, run

from shellgen.resources import sim_file

sys.path.insert(0, str(sim_file("tcp_fault.py").parent))
from tcp_fault import CUT, FEWER, HOLE, HOLE_CUT, HOLE_STRETCH, MORE, STRETCH, Fault, faults


def test_what_is_told_of_each_fault() -> None:
    """A last beat that is not full has bytes that are missing if TLAST does not come with it."""
    told = {fault.kind: fault.flags(9, 4) for fault in faults(9, 4)}
    assert told == {
        CUT: {"SHORT"},
        FEWER: {"KEEP"},
        MORE: {"KEEP"},
        HOLE: {"KEEP"},
        STRETCH: {"LONG", "KEEP"},
        HOLE_CUT: {"SHORT", "KEEP"},
        HOLE_STRETCH: {"LONG", "KEEP"},
    }
    assert Fault(STRETCH, 0).flags(8, 4) == {"LONG"}
    assert {fault.at for fault in faults(9, 4) if fault.kind == CUT} == {0, 1}
    assert {fault.kind for fault in faults(4, 4)} == {FEWER, MORE, STRETCH}


@pytest.mark.sweep
def test_a_receiver_that_gets_it_wrong_is_seen(tmp_path: Path) -> None:
    """Zeros that come with the next transfer only; too little is discarded; a hole is missed."""
    out = MIXED.generate(tmp_path)
    report = run(out, "verilator", walk="full", frames=24, full_rate=False)
    assert report["passed"], report["problem"]
    assert all(one["wrong"] for one in report["directed_tests"]["tcp_dma"])
    for old, new, said in (
        ("(!need || ended_q || s_axis_tvalid)", "(!need || s_axis_tvalid)", "FRAMES is"),
        ("swallow_q <= !(s_fire && s_axis_tlast);", "swallow_q <= !s_fire;", "directed_tests"),
        ("s_axis_tkeep != KEEP_ALL)", "s_axis_tkeep == '0)", "FLAGS of"),
    ):
        wrong = tmp_path / "wrong"
        shutil.copytree(out, wrong, ignore=shutil.ignore_patterns("run_verilator*", "run_icarus*"))
        for path in wrong.rglob("axis_frame_rx.sv"):
            text = path.read_text()
            assert text.count(old) == 1
            path.write_text(text.replace(old, new))
        report = run(wrong, "verilator", walk="full", frames=24, full_rate=False)
        assert not report["passed"]
        assert said in report["problem"]
        shutil.rmtree(wrong)
