# SPDX-License-Identifier: BSD-3-Clause
"""Signals of buses: each port of a module has the role that its wire has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from recorded_node import HERE, Node

from vivado_check.design import Setting
from vivado_check.recording import Package, Part

AXIMM = "xilinx.com:interface:aximm:1.0"


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_what_we_write_is_right(node: Node) -> None:
    assert node.judged("bus-role") == []
    node.packages.append(Package("package", "n0", HERE, top="n0_core"))
    assert node.judged("bus-role") == []


# Role of a port of the core, another that it might be given, the port that is named, in anybody's module.
MISTAKES = {
    "another's name": ("s_axil RRESP", "s_axil RUSER", "s_axil_rresp", True),
    "a strobe that is an ID": ("s_axil WSTRB", "s_axil WID", "s_axil_wstrb", True),
    "a response that is a user signal": ("s_axil BVALID", "s_axil BUSER", "s_axil_bvalid", True),
    "there is no such signal": ("s_axil RDATA", "s_axil RDAT", "s_axil_rdata", True),
    "twice": ("s_axil RREADY", "s_axil RVALID", "s_axil_rready", True),
    "of another interface": ("m_axis_0 TLAST", "s_axis_0 TLAST", "m_axis_0_tlast", True),
    "as TUSER": ("m_axis_0 TKEEP", "m_axis_0 TUSER", "m_axis_0_tkeep", False),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_role_that_is_wrong(case: str, node: Node) -> None:
    old, new, port, anyones = MISTAKES[case]
    node.edit("n0_core.v", rf'{old}"', f'{new}"')
    found = node.judged("bus-role")
    assert f"n0_core/{port}" in {one.where for one in found}
    line = next(one.origin.line for one in found if one.where.endswith(port))
    assert port in node.file("n0_core.v").path.read_text().splitlines()[line - 1]
    assert bool(node.judged("bus-role", plan=False)) == anyones


@pytest.mark.parametrize(
    ("bus", "one", "other"),
    [
        ("s_axil", "RDATA", "WDATA"),
        ("s_axil", "AWVALID", "AWREADY"),
        ("s_axil", "ARADDR", "RRESP"),
        ("s_axil", "WSTRB", "WVALID"),
        ("s_axil", "ARPROT", "ARVALID"),
        ("s_axil", "ARREADY", "AWREADY"),  # one width, one direction
        ("m_axis_0", "TLAST", "TVALID"),
    ],
)
def test_two_that_change_places(bus: str, one: str, other: str, node: Node) -> None:
    path = node.file("n0_core.v").path
    swap = {one: other, other: one}
    text = re.sub(rf"{bus} ({one}|{other})\"", lambda found: f'{bus} {swap[found[1]]}"', path.read_text())
    path.write_text(text)
    named = {found.where for found in node.judged("bus-role", plan=False)}
    assert {f"n0_core/{bus}_{name.lower()}" for name in (one, other)} & named


def test_a_signal_that_is_missing(node: Node) -> None:
    node.edit("n0_core.v", r'\(\* X_INTERFACE_INFO = "\S+ s_axil BVALID" \*\)', "")
    (message,) = node.judged("bus-role", plan=False)
    assert message.found == "s_axil has no BVALID"


def test_what_others_may_do(node: Node) -> None:
    """A reader without a writer, a monitor, ports that their names say nothing of."""
    path = node.file("n0_core.v").path
    path.write_text(
        f"""module n0_core (
  (* X_INTERFACE_INFO = "{AXIMM} m ARADDR" *) output wire [31:0] a,
  (* X_INTERFACE_INFO = "{AXIMM} m ARLEN" *) output wire [7:0] arlen,
  (* X_INTERFACE_INFO = "{AXIMM} m ARVALID" *) output wire b,
  (* X_INTERFACE_INFO = "{AXIMM} m ARREADY" *) input wire c,
  (* X_INTERFACE_INFO = "{AXIMM} m RDATA" *) input wire [63:0] d,
  (* X_INTERFACE_INFO = "{AXIMM} m RVALID" *)
  input wire e,
  (* X_INTERFACE_INFO = "{AXIMM} m RREADY" *) output wire f,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 w TVALID", X_INTERFACE_MODE = "monitor" *)
  input wire g,
  (* X_INTERFACE_INFO = "xilinx.com:interface:axis:1.0 w TREADY" *) input wire h,
  (* X_INTERFACE_INFO = "xilinx.com:interface:bram:1.0 r EN" *) output wire i
);
endmodule
"""
    )
    assert node.judged("bus-role", plan=False) == []


@pytest.mark.parametrize(("port", "told"), [("s_axil_rdata", False), ("s_axil_wdata", True)])
def test_a_port_map_of_a_package(port: str, told: bool, node: Node) -> None:
    interface = Part("bus_interface", "s_axil", HERE)
    interface.properties["abstraction_type_vlnv"] = Setting("xilinx.com:interface:aximm_rtl:1.0", HERE)
    interface.properties["interface_mode"] = Setting("slave", HERE)
    roles = ("ARADDR", "ARVALID", "ARREADY", "RDATA", "RRESP", "RVALID", "RREADY")
    for role in roles:
        name = port if role == "RDATA" else f"s_axil_{role.lower()}"
        interface.parts.append(Part("port_map", role, HERE, False, {"physical_name": Setting(name, HERE)}))
    node.packages.append(Package("package", "n0", HERE, top="n0_core", parts=[interface]))
    assert bool(node.judged("bus-role", plan=False)) == told
