# SPDX-License-Identifier: BSD-3-Clause
"""A module reference is what its Verilog says: attributes first, then names."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from small_design import SmallCatalogue

from vivado_check.ip.constant import value_of
from vivado_check.ip.facts import AXIMM, AXIS, CLOCK, RESET
from vivado_check.ip.header import read_head
from vivado_check.ip.module import ModuleIp
from vivado_check.ip.modules import WithModules
from vivado_check.recording import File, Project, Recording
from vivado_check.report import Origin

ATTRIBUTED = """
// module core ( is no module
module core #(
    parameter BYTES = 4, /* in a
    comment ), */ parameter [3:0] MODE = 4'd3
) (
    (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axil:m_axis, ASSOCIATED_RESET aresetn" *)
    input  wire aclk,
    (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST",
       X_INTERFACE_PARAMETER = "POLARITY ACTIVE_LOW" *)
    input  wire aresetn,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil AWADDR" *) input wire [12:0] s_axil_awaddr,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil AWVALID" *) input wire s_axil_awvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil WDATA" *) input wire [31:0] s_axil_wdata,
    (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TDATA" *)
    output wire [8*BYTES-1:0] m_axis_data,
    (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TVALID" *) output reg m_axis_valid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 m_axis TLAST" *) output m_axis_last,
    output wire [$clog2(BYTES):0] count, level
);
endmodule
"""
BY_NAME = """
module plain (ap_clk, ap_rst_n, in0_V_TDATA, in0_V_TVALID, in0_V_TREADY, flag);
  parameter WIDTH = 16;
  input ap_clk;
  input ap_rst_n;
  input [WIDTH-1:0] in0_V_TDATA;
  input in0_V_TVALID;
  output in0_V_TREADY;
  output flag;
  assign flag = in0_V_TVALID; // input x;
endmodule
"""


def module(text: str, name: str) -> ModuleIp:
    head = read_head(text, name)
    assert head is not None
    return ModuleIp(f"xilinx.com:module_ref:{name}:1.0", head)


def test_attributes_make_interfaces() -> None:
    ip = module(ATTRIBUTED, "core")
    found = ip.resolve({})
    assert found.complete
    kinds = {name: (one.vlnv, one.mode) for name, one in found.interfaces.items()}
    assert kinds == {
        "aclk": (CLOCK, "slave"),
        "aresetn": (RESET, "slave"),
        "s_axil": (AXIMM, "slave"),
        "m_axis": (AXIS, "master"),
    }
    assert found.interfaces["aclk"].params["ASSOCIATED_BUSIF"] == "s_axil:m_axis"
    assert found.interfaces["aresetn"].params["POLARITY"] == "ACTIVE_LOW"
    stream = found.interfaces["m_axis"]
    assert (stream.params["TDATA_NUM_BYTES"], stream.params["HAS_TLAST"], stream.params["HAS_TKEEP"]) == (
        *("4", "1", "0"),
    )
    memory = found.interfaces["s_axil"]
    assert (memory.params["PROTOCOL"], memory.params["DATA_WIDTH"]) == ("AXI4LITE", "32")
    assert [(block.memory, block.name, block.range) for block in found.blocks] == [("s_axil", "reg0", 0x2000)]


def test_parameters_change_widths() -> None:
    ip = module(ATTRIBUTED, "core")
    known = [ip.parameter(name, {}) for name in ("BYTES", "mode", "X")]
    assert [one.default if one else None for one in known] == ["4", "4'd3", None]
    found = ip.resolve({"bytes": "0x8"})
    assert found.ports["m_axis_data"].bits == 64
    assert found.interfaces["m_axis"].params["TDATA_NUM_BYTES"] == "8"
    assert [found.ports[name].bits for name in ("count", "level", "aclk")] == [4, 4, 1]


def test_names_make_interfaces_where_nothing_else_does() -> None:
    found = module(BY_NAME, "plain").resolve({"WIDTH": "32"})
    assert not found.complete
    assert found.interfaces["in0_V"].mode == "slave"
    assert found.interfaces["in0_V"].params["TDATA_NUM_BYTES"] == "4"
    assert found.interfaces["ap_clk"].params["ASSOCIATED_BUSIF"] == "in0_V"
    assert found.interfaces["ap_rst_n"].params["POLARITY"] == "ACTIVE_LOW"
    assert found.ports["flag"].direction == "out"


@pytest.mark.parametrize(
    "text",
    [
        ATTRIBUTED.replace("module core #(", "module core2 #("),
        "module core; endmodule",
        "",
        "module core (",
    ],
)
def test_what_is_no_module_with_ports(text: str) -> None:
    head = read_head(text, "core")
    assert head is None or not head.ports


def test_what_cannot_be_read_is_not_complete() -> None:
    for text in (
        ATTRIBUTED.replace(
            "    output wire [$clog2", "`ifdef MORE\n    input more,\n`endif\n    output wire [$clog2"
        ),
        ATTRIBUTED.replace("input  wire aresetn", "input  some_pkg::kind_t aresetn"),
    ):
        assert not module(text, "core").resolve({}).complete
    odd = module(ATTRIBUTED.replace("8*BYTES-1", "WIDE(3)"), "core").resolve({})
    assert odd.ports["m_axis_data"].bits is None
    assert "TDATA_NUM_BYTES" not in odd.interfaces["m_axis"].params


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("8 * 4 - 1", 31), ("32'h0000_0010", 16), ("'d7", 7), ("$clog2(9)", 4), ("1 << 4", 16), ("N/2", 5)),
        *(("M", None), ("2**99999999", None), ("1 << 9999999", None), ("__import__('os')", None)),
        ("(" * 300, None),
        *(("10 ** 30", None), ("1/0", None), ('"text"', None), ("", None), ("a.b", None), ("9" * 5000, None)),
    ],
)  # fmt: skip
def test_constants(text: str, value: int | None) -> None:
    assert value_of(text, {"N": 10}) == value


@pytest.mark.parametrize(
    "piece", ["(* ", "/* ", '"', "(", "[", "input ", '(* x = "', "parameter a = ", ",", "`x "]
)
def test_hostile_text_takes_no_time(piece: str) -> None:
    begun = time.process_time()
    for text in (f"module core ({piece * 20_000}", f"module core ({piece * 20_000});\nendmodule"):
        read_head(text, "core")
    assert time.process_time() - begun < 2


def test_modules_are_found_in_the_files_of_a_session(tmp_path: Path) -> None:
    (tmp_path / "a.v").write_text(BY_NAME)
    (tmp_path / "b.sv").write_text(ATTRIBUTED)
    (tmp_path / "c.vhd").write_text(ATTRIBUTED.replace("core", "other"))
    recording = Recording("2022.2", tmp_path)
    catalogue = WithModules(SmallCatalogue(), recording)
    assert catalogue.find("xilinx.com:module_ref:core:1.0", "2022.2") is None
    project = Project("p", tmp_path, "", Origin())
    for name in ("a.v", "b.sv", "c.vhd", "gone.v"):
        project.files.append(File(tmp_path / name, name, "sources_1", Origin()))
    recording.projects.append(project)
    found = catalogue.find("xilinx.com:module_ref:core:1.0", "2022.2")
    assert found is not None
    assert "m_axis" in found.resolve({}).interfaces
    assert catalogue.find("xilinx.com:module_ref:other:1.0", "2022.2") is None


def test_ports_that_hang_on_a_macro_are_not_known() -> None:
    ports = "`ifdef A\n `ifndef B\n input x,\n `endif\n input y,\n `else\n input z,\n `endif\n input aclk"
    ip = module(f"module core (\n input a,\n {ports}\n);\nendmodule\n", "core")
    found = ip.resolve({})
    assert set(found.ports) == {"a", "aclk"}
    assert not found.complete
