# SPDX-License-Identifier: BSD-3-Clause
"""component.xml, wrappers and module headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from read.build_fixture import Build, put, write_stitched

from shellgen.errors import InputError
from shellgen.read import read_network
from shellgen.read.ansi import constant, read_header
from shellgen.read.component import read_component
from shellgen.read.pins import Pin
from shellgen.read.wrapper import _by_pyverilog, _parser, read_ports


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
        (">15</spirit:left>", ">W-1</spirit:left>", "are no numbers"),
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


def test_system_verilog_headers() -> None:
    """pyverilog does not read them; see `shellgen.read.wrapper`."""
    expected = [("clk", "in", 1), ("data", "in", 64), ("a", "out", 16), ("b", "out", 16), ("valid", "out", 1)]
    expected = [Pin(*row) for row in expected]
    source = SYSTEM_VERILOG.replace("module top import p::*; #(", "module top #(")
    assert list(read_ports(source, "top", "top.sv")) == expected
    assert list(read_ports(SYSTEM_VERILOG, "top", "top.sv")) == expected


def test_a_width_that_is_not_constant() -> None:
    with pytest.raises(InputError, match=r"\[|not constant"):
        read_ports("module top #(parameter bit W) (input logic [W:0] x); endmodule", "top", "top.sv")


def test_a_module_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no ports, or is not there"):
        read_ports("module a(input x); endmodule", "b", "top.v")
    assert read_header("module a; endmodule", "a") == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("W-1", 7),
        ("8'hFF", 255),
        ("2**3 + 10 / 4", 10),
        ("$clog2(W+1)", 4),
        ("(1 << W) - 'd1", 255),
        ("-W % 3", 1),
    ],
)
def test_constant_expressions(text: str, value: int) -> None:
    assert constant(text, {"W": 8}) == value


@pytest.mark.parametrize("text", ["W ? 1 : 2", "V", "f(3)", '"a"', "1 / 0", ""])
def test_expressions_that_are_not_constant(text: str) -> None:
    with pytest.raises(ValueError, match="not constant"):
        constant(text, {"W": 8})


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLY writes its tables where it stands, unless told otherwise."""
    monkeypatch.chdir(tmp_path)
    _parser.cache_clear()
    text = "module top(x);\n  input [3:0] x;\nendmodule\n"
    put(tmp_path / "top.v", text)
    assert _by_pyverilog(text, "top") == (Pin("x", "in", 4),) == read_ports(text, "top", "top.v")
    assert [path.name for path in tmp_path.iterdir()] == ["top.v"]


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
    assert read_header(text, "top") == tuple(Pin(*row) for row in rows)
    with pytest.raises(ValueError, match="port e is not declared"):
        read_header(text.replace("(a,", "(e, a,"), "top")
