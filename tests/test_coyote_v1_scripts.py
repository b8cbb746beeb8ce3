# SPDX-License-Identifier: BSD-3-Clause
"""Coyote v1: project.tcl again, on another Coyote, or without its files; and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from coyote_project import vfpga
from coyote_v1_project import IN, OUT, Site, beats, card, elaborate, engine, forgotten, site, words

from shellgen.errors import InputError, PlanError
from shellgen.model import Claim
from shellgen.platforms import platform_registry
from shellgen.platforms.coyote.v1 import variables

pytestmark = pytest.mark.xdist_group("coyote")


@pytest.fixture
def both(tmp_path: Path) -> Site:
    """A card whose core sends and receives, over RDMA, and has a host."""
    return site(tmp_path, (*OUT, *IN))


# ---- project.tcl ----------------------------------------------------------------------------------------
def test_again_is_the_same(both: Site) -> None:
    """Also after the core has changed: no line is left of what was there."""
    untouched = both.logic.read_text()
    assert both.project().code == 0
    first = both.logic.read_text()
    body = (both.folder / "hw/user_logic.svh").read_text()
    assert body in first
    assert first.startswith(untouched[: untouched.index("\n\n\n\nendmodule")])
    (both.folder / "hw/user_logic.svh").write_text(body + "wire another;\n")
    assert both.project().code == 0
    assert both.logic.read_text() == first.replace(body, body + "wire another;\n")
    (both.folder / "hw/user_logic.svh").write_text(body)
    assert both.project().code == 0
    assert both.logic.read_text() == first
    made = both.vivado.current
    assert sorted(both.vivado.files) == ["accl_bd.bd", "accl_bd_wrapper.v", "card0_core_ip.xci"]
    assert both.vivado.files["card0_core_ip.xci"]["generate_synth_checkpoint"] == "true"
    assert both.vivado.calls["generate_target"] == 3
    assert "card0_core_ip_synth_1" in made.runs
    folders = made.filesets["sources_1"]["ip_repo_paths"].value.split()
    assert folders == [str(both.folder / "build" / name) for name in ("ip", "kernels")]


def test_interfaces_of_another_coyote_are_tied_off(both: Site, tmp_path: Path) -> None:
    """More host streams than the core needs, and what other commits of v1 have."""
    both.shell(
        *("metaIntf.s rdma_0_rq", "metaIntf.m tcp_0_listen_req", "AXI4SR.s axis_tcp_0_sink"),
        *("AXI4SR.m axis_tcp_0_src", "metaIntf.s rdma_0_rd_req_2"),
        N_STRM_AXI="6",
    )
    assert both.project().code == 0
    text = both.logic.read_text()
    assert elaborate(both, tmp_path) == []
    assert forgotten(text) == []
    idle = text[text.index("// What this Coyote has besides.") :]
    assert "assign axis_host_5_sink.tready = 1'b1;\n" in idle
    assert "always_comb tcp_0_listen_req.tie_off_m();\n" in idle
    assert "assign rdma_0_rq.ready = 1'b1;\n" in idle
    assert "axis_host_3" not in idle
    assert re.search(r"rdma_0_rd_req\.", idle) is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("RDMA_REQ_BITS = 512", "RDMA_REQ_BITS = 544", "msg 448 rsrvd 49} and not {opcode 5"),
        ("RDMA_MSG_BITS = 448", "RDMA_MSG_BITS = 192", "rdma_req_t is {opcode 5 qpn 10"),
        (
            "        logic done;\n        logic host;",
            "        logic host;\n        logic done;",
            "dma_rsp_t is {host",
        ),
        ("PID_BITS = 6", "PID_BITS = 8", "req_t is {vaddr 48"),
        ("} rdma_req_t;", "} rdma_request_t;", "rdma_req_t is {} and not"),
    ],
)
def test_requests_that_accl_would_lay_out_otherwise(both: Site, old: str, new: str, told: str) -> None:
    text, before = both.package.read_text(), both.logic.read_text()
    assert old in text
    both.package.write_text(text.replace(old, new))
    ran = both.project()
    assert ran.code == 1
    (said,) = ran.printed
    assert said.startswith("project.tcl: this Coyote is not the one that ACCL was written for: ")
    assert told in said
    assert both.logic.read_text() == before
    ran = both.project(str(both.build), "-any_layout")
    assert ran.code == 0
    assert ran.printed[0].startswith("project.tcl: WARNING: this Coyote")


def _none(found: Site) -> None:
    (found.build / "lynx/lynx.xpr").unlink()


def _fewer(found: Site) -> None:
    found.shell(N_STRM_AXI="3")


def _plain(found: Site) -> None:
    found.shell(EN_RDMA_0="0", EN_RPC="0")


def _other(found: Site) -> None:
    found.logic.write_text(found.logic.read_text().replace("\n\n\n\nendmodule", "\nassign a = b;\nendmodule"))


def _unmarked(found: Site) -> None:
    found.logic.write_text(found.logic.read_text().replace("USER LOGIC", "LOGIC"))


def _kernels(found: Site) -> None:
    (found.folder / "build/kernels").rmdir()


def _arbiter(found: Site) -> None:
    del found.vivado.scenario["user_ip"]["xilinx.com:ACCL:client_arbiter:1.0"]


def _revision(found: Site) -> None:
    (found.folder / "build/ip/component.xml").write_text("<xilinx:coreRevision>1</xilinx:coreRevision>")


@pytest.mark.parametrize(
    ("damage", "code", "told"),
    [
        (_none, 2, "there is no lynx/lynx.xpr in"),
        (_fewer, 1, "has no axis_host_3_sink, axis_host_3_src; configure Coyote with -DFDEV_NAME=u55c"),
        (_plain, 1, "axis_rdma_0_sink"),
        (_other, 1, "user_logic_c0_0.sv holds other user logic; run target shell of Coyote again"),
        (_unmarked, 1, "user_logic_c0_0.sv has 0 lines that say USER LOGIC"),
        (_kernels, 1, "build/kernels; run make in"),
        (_arbiter, 1, "has no IP xilinx.com:ACCL:client_arbiter for block designs, nor have"),
        (_revision, 1, "build/ip is of another core than this project; run make with target ip again"),
    ],
)
def test_what_is_not_there(both: Site, damage: Any, code: int, told: str) -> None:
    damage(both)
    ran = both.project()
    assert (ran.code, ran.error) == (code, "")
    (said,) = ran.printed
    assert said.startswith("project.tcl: ")
    assert told in said


def test_half_a_block_design_does_not_stay(both: Site) -> None:
    arbiter = "xilinx.com:ACCL:client_arbiter:1.0"
    del both.vivado.scenario["user_ip"][arbiter]
    assert both.project().code == 1
    assert list(both.build.rglob("accl_bd*")) == []
    both.vivado.scenario["user_ip"][arbiter] = None
    assert both.project().code == 0
    assert both.wrapper.is_file()
    assert (both.vivado.calls["create_ip"], both.vivado.calls["create_ip_run"]) == (1, 1)


@pytest.mark.parametrize("arguments", [(), ("a", "b"), ("a", "-any_layout", "b"), ("-any_layout", "a")])
def test_arguments(both: Site, arguments: tuple[str, ...]) -> None:
    both.vivado.recording.projects.clear()
    ran = both.project(*(arguments or ("", "", "")))
    assert ran.code == 2


def test_without_accl_nothing_of_it_is_needed(tmp_path: Path) -> None:
    found = site(tmp_path)
    found.package.unlink()
    assert found.project().code == 0
    assert sorted(path.name for path in (found.folder / "hw").iterdir()) == [
        "clone.sh",
        "heard.sh",
        "project.tcl",
        "user_logic.svh",
    ]
    wanted = {"FDEV_NAME": "u55c", "EN_HLS": "0", "EN_STRM": "1", "N_STRM_AXI": "1", "ACLK_F": "250"}
    assert found.settings == wanted


# ---- what is refused ------------------------------------------------------------------------------------
LEAVES = Claim(name="more", addr_bits=10, leaves=True)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "network": (
        {"coyote": {"network": "tcp"}, "pins": ()},
        'options.coyote.network: "tcp" is what ACCL is to',
    ),
    "rdma": (
        {"coyote": {"rdma": True}, "pins": ()},
        "options.coyote.rdma: node card0: Coyote v1 gets a network with ACCL",
    ),
    "regions": (
        {"coyote": {"regions": 2}},
        "options.coyote.regions: node card0: 2; for Coyote v1 a single vFPGA",
    ),
    "configs": (
        {"coyote": {"configs": 2}},
        "options.coyote.configs: node card0: 2; for Coyote v1 a single vFPGA",
    ),
    "clock": (
        {"clock_mhz": 200},
        "clock_mhz: 200 MHz; beside ACCL, whose kernels are packaged for it, the core",
    ),
    "window": (
        {"attached": (engine(OUT, (LEAVES, LEAVES)),)},
        "its window more leaves the core as m_axil_more",
    ),
    "wide": (
        {"attached": (engine(OUT, (LEAVES.model_copy(update={"addr_bits": 17}),)),)},
        "its window more has 17 address bits, and ACCL 16",
    ),
    "role": (
        {"attached": (engine((beats("x", "other", "in"),)),)},
        "its role is 'other', and what goes in is 'status' or 'from_cclo'",
    ),
    "twice": (
        {"attached": (engine((*IN, beats("y", "from_cclo", "in"))),)},
        "the dock has 1 from_cclo, and this is another",
    ),
    "way": (
        {"attached": (engine((words("x", "status", "out"),)),)},
        "its role is 'status', and what goes out is 'command' or 'to_cclo'",
    ),
    "bits": (
        {"attached": (engine((words("x", "to_cclo", "out"),)),)},
        "it has 32 bits, and to_cclo 512",
    ),
    "streams": ({"rx": 14}, "the host sends to the core over 14 streams, and Coyote v1 has 13."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case: str) -> None:
    more, told = REFUSED[case]
    given = {"pins": (*OUT, *IN), **more}
    try:
        plan, node = card(**given)
    except PlanError as error:
        found = [str(problem) for problem in error.problems]
    else:
        found = [str(problem) for problem in platform_registry()["coyote"].check(plan, node)]
    assert len(found) == 1, found
    assert told in found[0]
    assert found[0].endswith(".")


@pytest.mark.parametrize(("field", "value"), [("network", "udp"), ("version", "v3")])
def test_words_that_do_not_exist(field: str, value: str) -> None:
    with pytest.raises((InputError, PlanError), match=f"options.coyote.{field}: .*'{value}'"):
        vfpga(coyote={field: value})


@pytest.mark.parametrize("board", ["u50", "u55c", "u200", "u250", "u280"])
def test_every_card_of_v1(board: str) -> None:
    plan, node = card((*OUT, *IN), board=board)
    assert platform_registry()["coyote"].check(plan, node) == []
    told = dict(variables(node))
    assert (told["FDEV_NAME"], told["N_DDR_CHAN"]) == (board, 2 if board in ("u200", "u250") else 0)


def test_thirteen_streams_of_the_host_are_fine() -> None:
    plan, node = card((*OUT, *IN), rx=13)
    assert platform_registry()["coyote"].check(plan, node) == []


def test_a_clock_of_ones_own_without_accl(tmp_path: Path) -> None:
    found = site(tmp_path, clock_mhz=200)
    assert (found.settings["EN_UCLK"], found.settings["UCLK_F"]) == ("1", "200")


def test_stages_of_a_build() -> None:
    platform = platform_registry()["coyote"]
    _, node = card(OUT)
    stages = platform.stages(node)
    assert [stage.name for stage in stages] == ["clone", "core", "kernels", "shell", "project", "bitstream"]
    assert stages[2].alone == "ACCL"
    assert [setting.name for setting in stages[-1].settings if setting.required] == ["ACCL"]
    _, plain = card()
    assert [stage.name for stage in platform.stages(plain)] == [
        "clone",
        "core",
        "shell",
        "project",
        "bitstream",
    ]
    assert platform.stages(plain)[-1].settings[0].required


def test_the_version_where_nothing_is_said() -> None:
    plan, _ = vfpga()
    (node,) = plan.nodes
    joined = node.model_copy(update={"attachments": (*node.attachments, engine((*OUT, *IN)))})
    platform = platform_registry()["coyote"]
    assert {a.path.rpartition("/")[2] for a in platform.artifacts(plan, joined, ())} >= {
        "accl_bd.tcl",
        "project.tcl",
    }
    assert {a.path.rpartition("/")[2] for a in platform.artifacts(plan, node, ())} >= {"vfpga_top.svh"}
    assert [channel.dest for channel in platform.host_side(joined).channels] == [3, 3]
