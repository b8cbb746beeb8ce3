# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen.read.moved`: facts after an edit of strings are those that slang reads from the edited text."""

from __future__ import annotations

from random import Random

import pytest

from shellgen.read.moved import moved
from shellgen.read.verilog import Spot, Verilog
from vivado_check.syntax import Facts, read_facts

TEXT = """`define NAME "macro.dat"
package sizes; localparam WIDTH = 8; endpackage
module top #(parameter INIT = "first.dat", parameter N = 4) (input clk);
  import sizes::*;
  rom #(.FILE("/dead/rom.dat"), .N(3), .TEXT("plain")) u_rom (.clk(clk));
`ifdef SYNTHESIS
  rom #(.FILE("synth.dat"), .N(N)) u_more (.clk(clk));
`else
  rom #(.FILE("sim.dat"), .N(N)) u_more (.clk(clk));
`endif
  rom #(.FILE({"glued_", "twice.dat"}), .N(5)) u_glued (.clk(clk));
  initial $readmemh(`NAME, memory);
endmodule : top
module rom #(parameter FILE = "", parameter N = 1, parameter TEXT = "") (input clk);
  reg [7:0] memory [0:N-1];
  initial $readmemh(FILE, memory);
endmodule
"""
TWINS = """module pair;
  rom #(.FILE("one.dat"), .N(3)) u_a ();
  rom #(.FILE("one.dat"), .N(3)) u_b ();
endmodule
"""
NEW = ("a", "", "a_name/that_is/much_longer.than_all-others.dat")


def after(text: str, edits: dict[int, str]) -> tuple[Facts | None, Facts]:
    """Return the facts that follow and those that are read; edits by index of the string."""
    verilog = Verilog(text)
    made = [(verilog.literals[at], new) for at, new in edits.items()]
    edited = verilog.edited([(Spot(one.start, one.end), f'"{new}"') for one, new in made])
    return moved(verilog.facts, made), read_facts(edited, {}, "")


def test_facts_follow() -> None:
    count = len(Verilog(TEXT).literals)
    assert count > 8
    for seed in range(20):
        rng = Random(seed)
        edits = {at: rng.choice(NEW) for at in range(count) if rng.random() < 0.5}
        found, read = after(TEXT, edits)
        assert found == read, seed


def test_equal_lists() -> None:
    """Facts do not tell two equal lists apart."""
    assert after(TWINS, {0: "new.dat"})[0] is None
    found, read = after(TWINS, {0: "new.dat", 1: "new.dat"})
    assert found == read
    assert after(TWINS, {0: "new.dat", 1: "other.dat"})[0] is None


@pytest.mark.parametrize("new", ['"; endmodule', "\\", "`NAME", "two words"])
def test_other_characters(new: str) -> None:
    assert after(TEXT, {0: new})[0] is None


def test_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    verilog = Verilog(TEXT.replace("top", "not_parsed_again"))
    edited = verilog.with_strings([(verilog.literals[1], "some.dat")])
    monkeypatch.setattr("shellgen.read.verilog.read_facts", lambda *_: pytest.fail("parsed again"))
    assert Verilog(edited).defined == verilog.defined
    assert Verilog(edited).words_in("rom").code == verilog.words_in("rom").code
