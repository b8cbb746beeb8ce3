# SPDX-License-Identifier: BSD-3-Clause
"""A design below its top, as slang elaborates it (`vivado_check.syntax.elaborate`)."""

from __future__ import annotations

import pytest

from vivado_check.syntax import Memory, elaborate

LEAF = "module leaf (input wire a, input wire [3:0] b, output wire [3:0] q);\nassign q = b;\nendmodule\n"


def design(body: str, *macros: str) -> tuple[dict[str, str], tuple[Memory, ...]]:
    """Return findings, ``code line: text``, and memories of a module whose body begins on line 2."""
    text = f"module top (input wire c, output wire [3:0] y);\n{body}\nendmodule\n"
    made = elaborate([("top.v", text), ("leaf.v", LEAF)], {}, "top", macros)
    assert "top" in made.modules
    return {f"{one.file}:{one.line} {one.code}": one.text for one in made.findings}, made.memories


def test_a_design_without_faults() -> None:
    assert design("wire [3:0] n;\nleaf u0 (.a(c), .b(4'd1), .q(n));\nassign y = n;") == ({}, ())


def test_what_no_fpga_can_build() -> None:
    found, _ = design(
        "wire [3:0] n, dead;\n"
        "leaf u0 (.a(c), .b(dead), .q(n));\n"
        "assign n[2] = c;\n"
        "leaf u1 (.b(4'd0), .q(y));\n"
        "wire [3:0] half;\n"
        "assign half[1:0] = {n[0], c};\n"
        "leaf u2 (.a(c), .b(half), .q(), .nope(c));\n"
        "lost u3 (.x(y));"
    )
    assert found["top.v:2 MultipleNetDrivers"] == "net 'n' has two drivers at bit 2"
    assert found["top.v:2 UndrivenNet"] == "net 'dead' is never driven"
    assert found["top.v:5 UnconnectedInputPort"] == "input port 'a' has no connection"
    assert found["top.v:6 PartlyDrivenNet"] == "net 'half' has no driver at bit 2"
    assert found["top.v:8 PortDoesNotExist"] == "port 'nope' does not exist in 'leaf'"
    assert found["top.v:9 UnknownModule"] == "unknown module 'lost'"


SWITCHED = """module slave (input wire awvalid, output logic awready, enable);
assign awready = awvalid, enable = awvalid;
endmodule
module axi #(parameter ON = 0) (input wire awvalid, d, output logic awready, q);
logic enable;
if (ON) slave s (.awvalid(awvalid), .awready(awready), .enable(enable));
else assign enable = 0;
assign q = d && enable;
endmodule
module layer #(parameter ON = 0) (input wire awvalid, d, output wire awready, q);
axi #(.ON(ON)) u (.awvalid(awvalid), .d(d), .awready(awready), .q(q));
endmodule
"""


@pytest.mark.parametrize(
    ("on", "ports", "expected"),
    [
        (0, ".awready()", []),  # a feature that is switched off, as FINN's runtime_writeable_weights
        (0, ".awready(), .awvalid(none)", []),
        (0, ".awready(y[2])", ["UndrivenPort"]),
        (0, ".awready(r), .awvalid(r)", []),  # a loop that nothing hangs on
        (1, ".awready()", ["UnconnectedInputPort"]),
        (1, ".awready(), .awvalid(none)", ["UndrivenNet"]),
        (1, ".awready(r), .awvalid(c)", []),
    ],
)
def test_what_no_output_hangs_on_needs_no_driver(on: int, ports: str, expected: list[str]) -> None:
    body = f"wire none, r;\nlayer #(.ON({on})) l (.d(c), .q(y[0]), {ports});\nassign y[1] = c, y[3] = c;"
    text = f"module top (input wire c, output wire [3:0] y);\n{body}\nendmodule\n"
    made = elaborate([("top.v", text), ("axi.v", SWITCHED)], {}, "top", ())
    undriven = {"UndrivenNet", "UndrivenPort", "UnassignedVariable", "UnconnectedInputPort"}
    assert sorted(one.code for one in made.findings if one.code in undriven and not one.idle) == expected


def test_a_net_at_a_module_of_unknown_ports_may_have_a_driver() -> None:
    found, _ = design("wire [3:0] n;\nLUT6 u0 (.O(n[0]));\nassign n[1] = c;\nassign y = n;")
    assert list(found) == ["top.v:3 UnknownModule"]


def test_memories_are_those_that_are_there() -> None:
    """By instance, with the words that they have; a name may be computed."""
    body = (
        "genvar i;\n"
        "generate for (i = 0; i < 2; i = i + 1) begin : g\n"
        "    reg [7:0] mem [0:3];\n"
        '    initial $readmemh($sformatf("part_%0d.dat", i), mem);\n'
        "end endgenerate\n"
        "reg [1:0] two [0:1];\n"
        'initial if (1 == 2) $readmemb("never.dat", two); else $readmemb("two.dat", two);\n'
        "`ifdef SYNTHESIS\n"
        'reg [2:0] board [0:1]; initial $readmemh("board.dat", board);\n'
        "`endif\n"
        "// synthesis translate_off\n"
        'reg [2:0] bench [0:1]; initial $readmemh("bench.dat", bench);\n'
        "// synthesis translate_on\n"
        "assign y = {g[0].mem[c], g[1].mem[c], two[c]};"
    )
    _, board = design(body, "SYNTHESIS")
    assert [(one.name, one.memory, one.words, one.bits, one.base) for one in board] == [
        ("part_0.dat", "top.g[0].mem", 4, 8, 16),
        ("part_1.dat", "top.g[1].mem", 4, 8, 16),
        ("two.dat", "top.two", 2, 2, 2),
        ("board.dat", "top.board", 2, 3, 16),
    ]
    _, bench = design(body, "VERILATOR")
    assert [one.name for one in bench] == ["part_0.dat", "part_1.dat", "two.dat", "bench.dat"]
    assert bench[0].file == "top.v"
    assert bench[0].line == 5


def test_a_name_that_only_a_run_tells() -> None:
    _, memories = design("reg [8*8:1] s;\nreg [7:0] m [0:1];\ninitial $readmemh(s, m);\nassign y = m[c];")
    assert [one.name for one in memories] == [""]


def test_a_top_that_is_not_there() -> None:
    assert elaborate([("leaf.v", LEAF)], {}, "top", ()).modules == ()


@pytest.mark.sweep
def test_a_design_may_take_more_memory_than_a_text() -> None:
    """Wide partitions of FINN take more than 1 GiB, the bound of a text; this one takes 1.2."""
    leaf = "module leaf #(parameter I = 0) (input wire [63:0] a, output wire [63:0] b);"
    leaf += " assign b = a + 64'(I); endmodule"
    top = "module top; wire [63:0] w [0:270000]; for (genvar i = 0; i < 270000; i++)"
    top += " leaf #(.I(i)) u (.a(w[i]), .b(w[i + 1])); endmodule"
    assert elaborate([("top.sv", f"{leaf}\n{top}\n")], {}, "top", (), judge=False).memories == ()
