# SPDX-License-Identifier: BSD-3-Clause
"""component.xml, wrappers and module headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from read.build_fixture import Build, write_stitched

from shellgen.errors import InputError
from shellgen.read import read_network
from shellgen.read.component import read_component
from shellgen.read.pins import Pin
from shellgen.read.verilog import Verilog
from shellgen.read.wrapper import ports_of_module


def component(tmp_path: Path) -> Path:
    return write_stitched(tmp_path / "conv", Build()) / "ip/component.xml"


def problem_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_network(path.parent.parent)
    assert len(caught.value.problems) == 1, caught.value.problems
    return str(caught.value.problems[0])


def test_ip_xact_of_2014_and_any_order_and_case(tmp_path: Path) -> None:
    path = component(tmp_path)
    text = path.read_text()
    before = read_component(path).boundary
    maps = re.findall(r"<spirit:portMap>.*?</spirit:portMap>", text, re.DOTALL)
    text = text.replace(maps[0], "@").replace(maps[1], maps[0]).replace("@", maps[1])
    text = text.replace("<spirit:name>TDATA</spirit:name>", "<spirit:name>tdata</spirit:name>")
    text = text.replace("spirit:", "ipxact:").replace(":spirit=", ":ipxact=")
    text = re.sub(
        r"(<ipxact:vector>.*?</ipxact:vector>)", r"<ipxact:vectors>\1</ipxact:vectors>", text, flags=re.DOTALL
    )
    path.write_text(text)
    after = read_component(path).boundary
    assert after.pins == before.pins
    assert after.interfaces == before.interfaces


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("</spirit:component>", "", "is not XML"),
        ("spirit:component", "spirit:design", "root is <design>"),
        ('spirit:name="axis"', 'spirit:name="video"', "no AXI4-Stream interface"),
        ("<spirit:name>TVALID</spirit:name>", "<spirit:name>TOTHER</spirit:name>", "it has no TVALID"),
        (">15</spirit:left>", ">W-1</spirit:left>", "are not numbers"),
    ],
)
def test_a_component_that_does_not_fit(tmp_path: Path, old: str, new: str, found: str) -> None:
    path = component(tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_network(path.parent.parent)
    assert found in str(caught.value.problems[0])
    assert "component.xml" in str(caught.value.problems[0])


def test_a_dma_without_onnx_is_told_by_its_pins(tmp_path: Path) -> None:
    """idma0 of a ZynqBuild: a memory port and one stream; its own files may even be lost."""
    write_stitched(tmp_path / "net/conv", Build())
    path = write_stitched(tmp_path / "net/idma0", Build()) / "ip/component.xml"
    text = path.read_text()
    for name, old, new in (("s_axilite_0", "slave", "master"), ("m_axis_0", '"axis"', '"other"')):
        bus = re.search(
            rf"<spirit:busInterface>\s*<spirit:name>{name}.*?</spirit:busInterface>", text, re.DOTALL
        )
        assert bus
        text = text.replace(bus[0], bus[0].replace(old, new))
    path.write_text(text)
    next((tmp_path / "net/idma0").rglob("memstream.v")).unlink()
    assert [partition.name for partition in read_network(tmp_path / "net").partitions] == ["conv"]


def test_two_clocks_are_refused(tmp_path: Path) -> None:
    path = component(tmp_path)
    bus = re.search(
        r"<spirit:busInterface>\s*<spirit:name>RST.*?</spirit:busInterface>", path.read_text(), re.DOTALL
    )
    assert bus
    path.write_text(
        path.read_text().replace(bus[0], bus[0].replace('"reset', '"clock').replace(">RST<", ">CLK<"))
    )
    assert "2 clock ports" in str(InputErrors(path))


class InputErrors:
    """All messages of one build."""

    def __init__(self, path: Path) -> None:
        with pytest.raises(InputError) as caught:
            read_network(path.parent.parent)
        self.text = str(caught.value)

    def __str__(self) -> str:
        return self.text


SYSTEM_VERILOG = """
package p; endpackage
module other(input x); endmodule
module top import p::*; #(
    parameter int unsigned W = 8, parameter N = W * 2, string S = "a,b)", localparam int L = $clog2(N)
) (
    input  wire logic clk, (* mark *) input logic [N-1:0][L-1:0] data,
    output logic [8'h0F:0] a, b,
    output bit valid
);
endmodule
"""


def ports(text: str, module: str = "top", *others: str) -> list[tuple[str, str, int]]:
    return [
        (pin.name, pin.direction, pin.bits)
        for pin in ports_of_module(Verilog(text, "top.sv"), module, others)
    ]


def test_system_verilog_headers() -> None:
    expected = [("clk", "in", 1), ("data", "in", 64), ("a", "out", 16), ("b", "out", 16), ("valid", "out", 1)]
    assert ports(SYSTEM_VERILOG) == expected


@pytest.mark.parametrize(
    ("width", "found"),
    [
        ("parameter bit W", "one of its parameters has no value"),
        ("parameter W = V", "the width of its port x is not constant"),
        ("parameter W = f(3)", "the width of its port x is not constant"),
    ],
)
def test_a_width_that_is_not_constant(width: str, found: str) -> None:
    with pytest.raises(InputError, match=rf"top\.sv(:1)?: module top: {found}"):
        ports(f"module top #({width}) (input logic [W:0] x); endmodule")


def test_a_module_that_is_not_there() -> None:
    for text in ("module a(input x); endmodule", "module b; endmodule", ""):
        with pytest.raises(InputError, match="no ports, or is not there"):
            ports(text, "b")


@pytest.mark.parametrize(
    ("width", "bits"),
    [
        ("W-1:0", 8),
        ("8'hFF:0", 256),
        ("0:2**3 + 10 / 4", 11),
        ("$clog2(W+1):1", 4),
        ("(1 << W) - 'd1:0", 256),
        ("W > 7 ? 2 : 5:0", 3),
        ("odd(W):0", 14),
        ("p::N-1:0", 24),
        ("`LAST:0", 6),
        ("1:0][W-1:0", 16),
    ],
)
def test_a_width_is_computed_as_the_language_says(width: str, bits: int) -> None:
    """Functions, packages of other files and macros of headers among it."""
    text = f"""`include "../rtl/widths.vh"
      module top #(W = 8, parameter string NAME = "a,b)") (input [{width}] x);
        function automatic int odd(int n); for (int i = 0; i < 5; i++) n += 1; return n; endfunction
      endmodule"""
    top = Verilog(text, "top.sv", {"widths.vh": "`define LAST 5\n"})
    (pin,) = ports_of_module(top, "top", ["package p; localparam N = 3 * 8; endpackage"])
    assert pin == Pin("x", "in", bits)


def test_a_fault_in_a_header_has_a_line_and_one_after_it_is_the_compilers() -> None:
    with pytest.raises(InputError, match=r"^top\.sv:2: module top: .*expected"):
        ports("module top (input a,\n  output [3:0 b);\nendmodule\n")
    with pytest.raises(InputError, match=r"^top\.sv:2: module top: unknown macro"):
        ports("module top (\n  input [`NOBODY:0] a);\nendmodule\n")
    assert ports("module top (input \\a.b[3] , \\c );endmodule") == [("\\a.b[3] ", "in", 1), ("c", "in", 1)]
    assert ports("module top (input a);\n  assign = ;\nendmodule\n") == [("a", "in", 1)]


def test_ports_that_are_declared_after_the_header() -> None:
    """As Vivado writes wrappers; arguments of functions are no ports, and parameters may come in between."""
    text = """module top(a, b, c, d);
      parameter W = 4; localparam L = $clog2(W * 4);
      input [W-1:0] a, b;
      function [7:0] f; input [7:0] c; f = c; endfunction
      output reg [L:0] c;
      inout d;
    endmodule"""
    rows = [("a", "in", 4), ("b", "in", 4), ("c", "out", 5), ("d", "out", 1)]
    assert ports(text) == rows
    with pytest.raises(InputError, match="the width of its port e is not constant"):
        ports(text.replace("(a,", "(e, a,"))
