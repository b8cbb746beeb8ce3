# SPDX-License-Identifier: BSD-3-Clause
"""Cores that Yosys synthesises in parts: the sum is that of the whole, and the cache keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster_bench import generate_fake
from drawn_plans import drawn_cluster

from shellgen.read.output import read_plan
from tools.blocks import core_parts
from tools.blocks.core_cost import found, nodes
from tools.blocks.cost import Subject

LUTS, FLOPS = 0.10, 0.03  # errors of the sum; docs/estimate.md has those of all examples


@pytest.mark.sweep
def test_parts_cost_what_the_whole_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(core_parts, "ALONE", 150)  # so that a small core has several
    out = generate_fake(*drawn_cluster(39), tmp_path / "out")
    plan = read_plan(out)
    node = next(one for one in nodes(plan) if one.name == "n0")
    whole, parts = found(plan, node, out), found(plan, node, out, parts=True)
    assert parts.lut == pytest.approx(whole.lut, rel=LUTS)
    assert parts.ff == pytest.approx(whole.ff, rel=FLOPS)
    assert parts.bram == whole.bram
    assert len([*(tmp_path / "cache" / core_parts.CACHED).glob("*/cost.json")]) > 1

    def refused(*_: object) -> None:
        raise AssertionError("Yosys runs again")

    monkeypatch.setattr(core_parts, "_python", refused)
    assert found(plan, node, out, parts=True) == parts


def test_parts_alike_are_known_by_their_content() -> None:
    text = 'autoidx {}\nattribute \\hdlname "fifo$top.{}"\nmodule \\top.{}\n  wire width 2 input {} \\a\n'
    text += "  wire $and$a.sv:3${}\n  cell $and $and$a.sv:3${}\nend\n"
    one, two = text.format(7, "u", "u", 1, 4, 4), text.format(9, "v", "v", 2, 8, 8)
    assert core_parts._plain(one) == core_parts._plain(two)
    assert core_parts._plain(one) != core_parts._plain(one.replace("width 2", "width 3"))


@pytest.mark.sweep
def test_what_yosys_refuses_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bad.sv").write_text("module bad(; endmodule\n")
    with pytest.raises(RuntimeError, match="bad: Yosys: "):
        core_parts.in_parts(Subject("bad", (tmp_path / "bad.sv",)))


def test_a_tap_of_a_shift_register_takes_no_flops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(core_parts, "ALONE", 4)
    top = tmp_path / "top.sv"
    top.write_text(
        """module top(input c, e, input [7:0] d, input s, output [7:0] q); taps u(.*); endmodule
module taps(input c, e, input [7:0] d, input s, output [7:0] q);
    for (genvar b = 0; b < 8; b++) begin : g
        logic [2:0] chain;
        always_ff @(posedge c) if (e) chain <= {chain[1:0], d[b]};
        assign q[b] = chain[{1'b0, s}];
    end
endmodule
"""
    )
    found = core_parts.in_parts(Subject("top", (top,)))
    assert (found.lut, found.ff) == (8, 0)
