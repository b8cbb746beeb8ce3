# SPDX-License-Identifier: BSD-3-Clause
"""Coyote v1: its user logic in models of Coyote, and ACCL's block design in `shellgen check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from coyote_v1_project import IN, OUT, Site, cards, elaborate, engine, forgotten, site, site_of, slang
from coyote_v1_sim import two_cards
from fake_network import chain, partition, plan_of, spec
from zynq_project import write_project

from shellgen.plan.advice import advice

pytestmark = pytest.mark.xdist_group("coyote")

NO_HOST: dict[str, Any] = {"attached": (engine((*OUT, *IN)),)}
SHAPES: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "plain": ((), {"rx": 3, "tx": 1}),
    "sends": (OUT, {"rx": 1, "tx": 0}),
    "takes": (IN, {"rx": 0, "tx": 2, "board": "u250"}),
    "middle": ((*OUT, *IN), NO_HOST),
    "tcp": ((*OUT, *IN), {"coyote": {"network": "tcp"}}),
}


@pytest.fixture
def both(tmp_path: Path) -> Site:
    """A card whose core sends and receives, over RDMA, and has a host."""
    return site(tmp_path, (*OUT, *IN))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_port_is_there_and_every_interface_driven(shape: str, tmp_path: Path) -> None:
    pins, more = SHAPES[shape]
    found = site(tmp_path, pins, **more)
    ran = found.project()
    assert (ran.code, ran.error) == (0, ""), ran.printed
    assert elaborate(found, tmp_path) == []
    assert slang(found, tmp_path) == []
    assert forgotten(found.logic.read_text()) == []


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (".s_axis_krnl_tlast(", ".s_axis_kernel_tlast(", "s_axis_kernel_tlast"),
        (".s_axil_awaddr(axi_ctrl.awaddr[15:0])", ".s_axil_awaddr(axi_ctrl.awaddr[11:0])", "WIDTHEXPAND"),
        ("{3'd0, bpss_rd_done.data}", "bpss_rd_done.data", "WIDTHEXPAND"),
        ("    .s_axis_rdma_wr_req_tvalid(rdma_0_wr_req.valid),\n", "", "PINMISSING"),
    ],
)
def test_a_mistake_is_seen(both: Site, old: str, new: str, told: str, tmp_path: Path) -> None:
    body = both.folder / "hw/user_logic.svh"
    assert old in body.read_text()
    body.write_text(body.read_text().replace(old, new))
    assert both.project().code == 0
    assert told in "".join(elaborate(both, tmp_path))


def test_what_nobody_drives_is_seen(both: Site) -> None:
    assert both.project().code == 0
    text = both.logic.read_text()
    assert forgotten(text) == []
    for line, missing in (
        ("assign rdma_0_ack.ready = 1'b1;\n", "rdma_0_ack.ready"),
        ("assign host_1_src.tid = '0;\n", "host_1_src.tid"),
    ):
        assert line in text
        assert forgotten(text.replace(line, "")) == [missing]


def test_cards_in_a_chain(tmp_path: Path) -> None:
    """The pins and windows of the link are those that ACCL has."""
    plan, _ = cards(3)
    for node in plan.nodes:
        found = site_of(plan, node, tmp_path)
        assert found.project().code == 0
        assert elaborate(found, tmp_path) == []
        assert forgotten(found.logic.read_text()) == []


@pytest.mark.sweep
def test_two_cards_that_run(tmp_path: Path) -> None:
    """Frames cross from host to host, and the host reaches the registers of the engine and of hostctrl."""
    plan, network = cards(2, ("UINT8", 16, 640))
    write_project(plan, network, tmp_path / "out")
    said = two_cards(plan, tmp_path / "out", tmp_path, frames=20, beats=10)
    assert said.startswith("20 frames equal, registers 00c0ffee 00005eed\n"), said


# ---- the block design -----------------------------------------------------------------------------------
@pytest.mark.parametrize("network", ["rdma", "tcp"])
def test_the_block_design(network: str, tmp_path: Path) -> None:
    found = site(tmp_path, (*OUT, *IN), coyote={"network": network})
    ran = found.project()
    assert (ran.code, ran.error) == (0, "")
    assert not [one for one in found.vivado.said() if one.where.startswith("/")]
    design = found.vivado.block
    assert [(entry.space, entry.segment, entry.offset, entry.size) for entry in design.placed] == [
        ("S00_AXI", "ccl_offload_0/s_axi_control/reg0", 0x0000, 0x2000),
        ("S00_AXI", "hostctrl_0/s_axi_control/Reg", 0x2000, 0x2000),
    ]
    # The host controller comes first, the core second; what a kernel sends does not come back to it.
    for one, other in {
        "hostctrl_0/cmd": "client_arbiter_0/cmd_clients_0",
        "s_axis_command": "client_arbiter_0/cmd_clients_1",
        "m_axis_status": "client_arbiter_0/ack_clients_1",
        "client_arbiter_0/cmd_cclo": "ccl_offload_0/s_axis_call_req",
        "s_axis_krnl": "ccl_offload_0/s_axis_krnl",
        "m_axis_krnl": "ccl_offload_0/m_axis_krnl",
        "to_memory_0/M00_AXIS": "m_axis_card_0",
        "to_memory_0/M01_AXIS": "m_axis_host_0",
    }.items():
        assert design.peer(one) == other
    top = design.design.cells["/"]
    configs = [one.config for one in top.interfaces.values()]
    configs += [pin.config for pin in top.pins.values() if pin.type == "clk"]
    assert {config["FREQ_HZ"].value for config in configs} == {"250000000"}
    own = [name for name in design.cells if "ACCL" in design.cells[name].vlnv]
    assert {design.driver(f"{name}/ap_clk") for name in own} == {"aclk"}
    assert {design.driver(f"{name}/ap_rst_n") for name in own} == {"aresetn"}
    left = {f"{cell}/{name}" for cell in own for name in design.interfaces(cell)} - set(design.connected)
    # Nobody writes into this card's memory over TCP.
    assert left == (
        {f"cyt_dma_adapter_0/rdma_{way}_req" for way in ("rd", "wr")} if network == "tcp" else set()
    )


@pytest.mark.parametrize(
    ("board", "options", "told"),
    [("u280", {}, True), ("u55c", {}, False), ("u280", {"network": "tcp"}, False)],
)
def test_what_is_reported_of_rdma(board: str, options: dict[str, str], told: bool) -> None:
    more = {"options": {"coyote": options}} if options else {}
    nodes = [
        {"name": f"n{k}", "board": board, "platform": "coyote", "partitions": [k], **more} for k in range(2)
    ]
    plan = plan_of(chain(partition("p0"), partition("p1")), spec(nodes))
    notes = [note for note in advice(plan) if "issues/120" in note]
    assert [note.split(":")[0] for note in notes] == (["node n0", "node n1"] if told else [])
