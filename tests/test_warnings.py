# SPDX-License-Identifier: BSD-3-Clause
"""Warnings about our code stop a build; those about a partition never do, whatever the rule."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shellgen.errors import SimulationError
from shellgen.simulate.findings import read_findings
from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.stubs import stubs
from shellgen.simulate.tools import find_verilator

PORTS = "(input wire clk, input wire rst, input wire [3:0] a, output reg [3:0] q)"
# What FINN's, HLS's and Vivado's Verilog has, one rule each; all of it is legal and all of it synthesises.
BODIES = {
    "COMBDLY": "always @* if (rst) q <= 4'd0; else q <= a ^ {4{clk}};",
    "INITIALDLY": "initial q <= 4'd1; always @(posedge clk) if (rst) q <= a;",
    "LATCH": "always @* if (rst) q = a ^ {4{clk}};",
    "CASEINCOMPLETE": "always @(posedge clk) case (a[1:0]) 2'd0: q <= a; 2'd1: q <= {4{rst}}; endcase",
    "SELRANGE": "always @(posedge clk) q <= {a[5:3], rst};",
    "WIDTHTRUNC": "always @(posedge clk) q <= {a, rst};",
    "UNUSEDSIGNAL": "wire nobody = a[0]; always @(posedge clk) q <= a ^ {4{rst}};",
    "BLKSEQ": "always @(posedge clk) q = a ^ {4{rst}};",
    "UNOPTFLAT": "wire s, t; assign s = rst ? t : a[0]; assign t = a[1] ? s : a[2];"
    " always @(posedge clk) q <= {a[3:1], t};",
    "ENUMVALUE": "typedef enum logic [3:0] {A, B} e_t; e_t s; always @* s = a;"
    " always @(posedge clk) q <= s ^ {4{rst}};",
}
TOP = f"""module top {PORTS};
    part u_part (.clk(clk), .rst(rst), .a(a), .q(q));
endmodule
"""


def verilate(folder: Path, foreign: dict[str, str], ours: dict[str, str], edited: Sequence[str] = ()) -> None:
    paths = {}
    for name, text in {**foreign, **ours}.items():
        paths[name] = folder / f"{name}.sv"
        paths[name].write_text(text)
    work = Path(tempfile.mkdtemp(dir=folder))
    design = Design(
        "top",
        tuple(paths.values()),
        frozenset(paths[name] for name in foreign),
        options=(),
        control=(),
        edited=frozenset(paths[name] for name in edited),
    )
    translate(find_verilator(), design, work)
    assert (work / "Vmodel.cpp").is_file()


@pytest.mark.parametrize("rule", BODIES)
def test_a_partition_may_have_it_and_we_may_not(rule: str, tmp_path: Path) -> None:
    part = f"module part {PORTS};\n{BODIES[rule]}\nendmodule\n"
    top = TOP.replace("output reg", "output wire")
    verilate(tmp_path, {"part": part}, {"top": top})
    with pytest.raises(SimulationError, match=rf"(Warning|Error)-{rule}: .*part\.sv:2"):
        verilate(tmp_path, {}, {"part": part, "top": top})


@pytest.mark.parametrize("beside", [False, True])
def test_a_warning_of_an_edited_file_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, beside: bool
) -> None:
    """With a partition, or all by itself."""
    part = f"module part {PORTS};\nalways @(posedge clk) q <= a ^ {{4{{rst}}}};\nendmodule\n"
    top = TOP.replace("output reg", "output wire").replace("endmodule", "    wire nobody = clk;\nendmodule")
    foreign, ours = ({"part": part}, {"top": top}) if beside else ({}, {"part": part, "top": top})
    with pytest.raises(SimulationError, match="UNUSEDSIGNAL"):
        verilate(tmp_path, foreign, ours)
    caplog.clear()
    verilate(tmp_path, foreign, ours, edited=["top"])
    (line,) = (message for message in caplog.messages if "nobody" in message)
    assert line.startswith("%Warning-UNUSEDSIGNAL: ")
    assert "\n" not in line


ASYNC = "always @(posedge clk or negedge rst) if (!rst) q <= 4'd0; else q <= a;"
SYNC = "always @(posedge clk) r <= (a[0] || !rst) ? 4'd0 : r + 4'd1;"


def test_a_warning_about_the_whole_design_is_laid_at_the_right_door(tmp_path: Path) -> None:
    """The reset of a top is reported there, although only the partition below uses it asynchronously."""
    part = f"module part {PORTS};\n{ASYNC}\nendmodule\n"
    ports = "(input wire clk, input wire rst, input wire [3:0] a, output wire [3:0] q, output reg [3:0] r)"
    top = f"module top {ports};\n{SYNC}\npart u_part (.clk, .rst, .a, .q);\nendmodule\n"
    with pytest.raises(SimulationError, match=r"SYNCASYNCNET: .*top\.sv:1"):
        verilate(tmp_path, {}, {"part": part, "top": top})
    verilate(tmp_path, {"part": part}, {"top": top})
    ours = top.replace("part u_part", f"reg [3:0] x;\n{ASYNC.replace('q <=', 'x <=')}\npart u_part")
    ours = ours.replace(".a,", ".a(x),")
    with pytest.raises(SimulationError, match=r"SYNCASYNCNET: .*top\.sv:1"):
        verilate(tmp_path, {"part": part}, {"top": ours})


@pytest.mark.parametrize(
    ("pins", "rule"),
    [
        (".clk, .rst, .a(a[2:0]), .q", "WIDTHEXPAND"),
        (".clk, .rst, .q", "PINMISSING"),
        (".clk, .rst, .a, .q, .zz(a)", "PINNOTFOUND"),
    ],
)
@pytest.mark.parametrize("style", ["ansi", "1995"])
def test_how_we_connect_a_partition_is_ours(pins: str, rule: str, style: str, tmp_path: Path) -> None:
    part = f"module part {PORTS};\nalways @* q <= a ^ {{4{{clk & rst}}}};\nendmodule\n"
    if style == "1995":
        declared = "; ".join(PORTS.strip("()").split(", ")) + ";"
        part = part.replace(PORTS, "(clk, rst, a, q)").replace("always", f"{declared}\nalways")
    top = f"module top {PORTS.replace('output reg', 'output wire')};\npart u_part ({pins});\nendmodule\n"
    with pytest.raises(SimulationError, match=rf"-{rule}: .*top\.sv:2"):
        verilate(tmp_path, {"part": part}, {"top": top})


@pytest.mark.parametrize("body", ["absent u_x (.a(a));", "sub u_x (.nope(a));", "assign q = ;"])
def test_true_errors_of_a_partition_stay(body: str, tmp_path: Path) -> None:
    part = f"module sub(input wire a); endmodule\nmodule part {PORTS};\n{body}\nendmodule\n"
    with pytest.raises(SimulationError) as caught:
        verilate(tmp_path, {"part": part}, {"top": TOP.replace("output reg", "output wire")})
    (problem,) = caught.value.problems
    assert problem.where == f"{tmp_path / 'part.sv'}:3"


def test_a_report_that_cannot_be_read_loses_nothing(tmp_path: Path) -> None:
    """The lines that Verilator prints are enough then."""
    said = "%Warning-LATCH: /a b/x.sv:3:5: Latch\n%Error: /y.v:4:1: syntax error\n%Error: Exiting\n"
    (tmp_path / "half").write_text('{"runs": [')
    for report in (tmp_path / "half", tmp_path / "none"):
        one, other = read_findings(report, said)
        assert (one.rule, one.is_error, one.path, one.line) == ("LATCH", False, Path("/a b/x.sv"), 3)
        assert (other.rule, other.is_error, other.path, other.line) == ("", True, Path("/y.v"), 4)


def test_an_error_is_shown_without_the_warnings_before_it(tmp_path: Path) -> None:
    part = f"module part {PORTS};\n{BODIES['COMBDLY']}\nabsent u_x ();\nendmodule\n"
    with pytest.raises(SimulationError) as caught:
        verilate(tmp_path, {}, {"part": part, "top": TOP.replace("output reg", "output wire")})
    assert "absent" in str(caught.value)
    assert "COMBDLY" not in str(caught.value)


@pytest.mark.sweep
def test_more_sources_than_a_command_line_holds_in_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "a+b c" / "#1 (\u00fc)" / ("long" * 50)
    folder.mkdir(parents=True)
    parts = {f"p{number}": f"module p{number}; endmodule\n" for number in range(1300)}
    table = ", ".join(["4'd5"] * 60_000)  # HLS writes a ROM in one line
    parts["part"] = f"module part {PORTS};\nreg [3:0] t[0:59999];\ninitial t = '{{{table}}};\n"
    parts["part"] += "always @(posedge clk) q <= t[{12'd0, a}] ^ {4{rst}};\nendmodule\n"
    verilate(folder, parts, {"top": TOP.replace("output reg", "output wire")})
    wasteful = TOP.replace("output reg", "output wire").replace("part u", "wire n = a[0];\npart u")
    with pytest.raises(SimulationError, match=r"UNUSEDSIGNAL.*top\.sv:2"):
        verilate(folder, parts, {"top": wasteful})


def test_a_verilator_that_was_killed_says_so(tmp_path: Path) -> None:
    tool = find_verilator()
    killed = tmp_path / "verilator_bin"
    killed.write_text("#!/bin/sh\nkill -KILL $$\n")
    killed.chmod(0o755)
    design = Design("top", (tmp_path / "top.sv",), frozenset(), (), ())
    with pytest.raises(SimulationError, match=r"SIGKILL. Memory ran out"):
        translate(replace(tool, binary=killed), design, tmp_path)
    killed.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(SimulationError, match=r"it ended with 3 and no message"):
        translate(replace(tool, binary=killed), design, tmp_path)


def test_stubs_keep_what_an_instantiation_needs(tmp_path: Path) -> None:
    one, user = tmp_path / "one.v", tmp_path / "user.v"
    one.write_text(
        '(* x = "module fake (a);\n endmodule" *)\n'
        'module a #(parameter N = 3, parameter F = "x;y") (input [N-1:0] i /* ; */, output o);\n'
        "  assign o = ^i;\nendmodule\n"
        "module b (i, o); parameter N = 2; input [N-1:0] i; output o; wire o = ^i; endmodule\n"
        "module unused (input z); endmodule\n"
    )
    user.write_text("a u_a (); b u_b (); // unused_\n")
    text = "\n".join(stubs([one], [user]).values())
    assert "assign" not in text
    assert "fake" not in text
    assert "unused" not in text
    assert 'parameter F = "x;y"' in text
    assert "module b (i, o);\nparameter N = 2;\ninput [N-1:0] i;\noutput o;\nendmodule" in text
