# SPDX-License-Identifier: BSD-3-Clause
"""User logic of Coyote: what is right as generated, and mistakes that are wrong by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from changed_card import Card, card, replaced, swapped
from coyote_project import vfpga
from coyote_v1_project import cards

from shellgen.check.rules.base import Context

PINS = ("net-kinds", "port-window")
OWN = ("user-logic", "accl-streams", "accl-stack", "coyote-cmake", "accl-memory", *PINS)


@pytest.fixture(scope="module")
def v1(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Card]:
    plan, network = cards(2)
    yield from card(plan, network.files, tmp_path_factory.mktemp("v1"), OWN)


@pytest.fixture(scope="module")
def v2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Card]:
    plan, network = vfpga("u280", tx=2, coyote={"configs": 2, "config": 1, "rdma": True})
    yield from card(plan, network.files, tmp_path_factory.mktemp("v2"), OWN)


def test_what_we_write_is_right(v1: Card, v2: Card) -> None:
    assert v1.judged() == []
    assert v2.judged() == []


LOGIC, TOP, CMAKE = "coyote/hw/user_logic.svh", "coyote/hw/src/vfpga_top.svh", "coyote/hw/CMakeLists.txt"
LIST = "card0/coyote/hw/CMakeLists.txt"
V2 = {
    "a tie-off is left out": (
        TOP,
        replaced("always_comb notify.tie_off_m();\n", ""),
        "user-logic",
        "notify.valid",
    ),
    "of an array": (
        TOP,
        replaced("    always_comb axis_rreq_send[i].tie_off_m();\n", ""),
        "user-logic",
        "axis_rreq_send[0].tdata",
    ),
    "of another": (TOP, replaced("sq_rd.tie_off_m", "sq_wr.tie_off_m"), "user-logic", "sq_wr.valid"),
    "two drivers": (
        TOP,
        lambda text: text + "assign axi_ctrl.rvalid = 1'b0;\n",
        "user-logic",
        "axi_ctrl.rvalid",
    ),
    "an input is open": (TOP, replaced("    .aresetn(aresetn[0]),\n", ""), "user-logic", "u_core.aresetn"),
    "a signal of another name": (
        TOP,
        replaced("send[0].tvalid", "send[0].tlast"),
        "user-logic",
        "u_core.m_host_0_tvalid",
    ),
    "of another stream": (
        TOP,
        replaced("send[0].tlast", "send[1].tlast"),
        "user-logic",
        "u_core.m_host_0_tlast",
    ),
    "no such signal": (TOP, replaced("axi_ctrl.wstrb", "axi_ctrl.strobe"), "user-logic", "user logic"),
    "no such interface": (CMAKE, replaced("set(EN_RDMA 1)", "set(EN_RDMA 0)"), "user-logic", "user logic"),
    "beats that nobody takes": (
        TOP,
        lambda text: (
            text.replace("    .s_host_0_tready(axis_host_recv[0].tready),\n", "")
            + "assign axis_host_recv[0].tready = 0;\n"
        ),
        "user-logic",
        "axis_host_recv[0].tready",
    ),
    "an idle vFPGA that stalls": (
        "coyote/hw/idle/vfpga_top.svh",
        replaced("tready = 1'b1", "tready = 1'b0"),
        "user-logic",
        "axis_host_recv[0].tready",
    ),
    "an answer in reset": (
        "coyote/hw/idle/vfpga_top.svh",
        replaced("idle_rvalid <= 1'b0", "idle_rvalid <= 1'b1"),
        "user-logic",
        "axi_ctrl.rvalid",
    ),
    "no hardware": (CMAKE, replaced("create_hw()\n", ""), "coyote-cmake", "create_hw"),
    "no checks": (CMAKE, replaced("validation_checks_hw()\n", ""), "coyote-cmake", "validation_checks_hw"),
    "in a wrong order": (
        CMAKE,
        lambda text: "create_hw()\n" + text.replace("create_hw()\n", ""),
        "coyote-cmake",
        "create_hw",
    ),
    "no reconfiguration": (CMAKE, replaced("set(EN_PR 1)", "set(EN_PR 0)"), "coyote-cmake", "EN_PR"),
    "a switch that is none": (CMAKE, replaced("set(EN_STRM 1)", "set(EN_STRM 2)"), "coyote-cmake", "EN_STRM"),
    "an application that is not there": (
        CMAKE,
        replaced('VFPGA_C1_0 "src"', 'VFPGA_C1_0 "scr"'),
        "coyote-cmake",
        "VFPGA_C1_0",
    ),
    "a command that is none": (CMAKE, replaced("endforeach()", "endfreach()"), "coyote-cmake", LIST),
    "a block without an end": (CMAKE, replaced("endif()", ""), "coyote-cmake", LIST),
    "a switch under another name": (
        CMAKE,
        replaced("set(EN_MEM 0)", "set(EN_TCP 0)"),
        "coyote-cmake",
        LIST,
    ),
    "another value in the cache": (
        CMAKE,
        replaced('${value} CACHE STRING "from the plan"', '"${value}_" CACHE STRING "from the plan"'),
        "coyote-cmake",
        "FDEV_NAME",
    ),
    "values change places": (
        CMAKE,
        replaced("set(value ${${name}})", "set(value ${value})"),
        "coyote-cmake",
        LIST,
    ),
    "nobody looks for other values": (
        CMAKE,
        replaced('AND NOT "${other}" STREQUAL "${value}"', 'AND "${other}" STREQUAL "${type}"'),
        "coyote-cmake",
        "-DN_REGIONS=77",
    ),
    "the check of the options is missing": (
        CMAKE,
        replaced('message(FATAL_ERROR "-D${name}=${value}: this', 'message(STATUS "-D${name}=${value}: this'),
        "coyote-cmake",
        "-DTHERE_IS_NO_SUCH=1",
    ),
    "modules elsewhere": (
        CMAKE,
        replaced('PATH "${CYT_DIR}/cmake")', 'PATH "${CYT_DIR}")'),
        "coyote-cmake",
        LIST,
    ),
    "the project of another node": (
        CMAKE,
        replaced("project(card0)", "project(card1)"),
        "coyote-cmake",
        "project",
    ),
    "a vFPGA that is not there": (CMAKE, replaced("VFPGA_C1_0", "VFPGA_C1_1"), "coyote-cmake", "VFPGA_C1_1"),
}
# Legal, and nothing that the rule would be red for.
EDITED = {
    "more is said": replaced("create_hw()\n", 'message(STATUS "hardware")\ncreate_hw()\n'),
    "other letters": lambda text: text.replace("foreach(", "FOREACH (").replace("    set(", "    SET( "),
    "an option": replaced("create_hw()\n", 'option(MINE "of mine" OFF)\ncreate_hw()\n'),
    "what the language has besides": replaced(
        "create_hw()\n", 'math(EXPR half "${N_REGIONS} / 2")\ncreate_hw()\n'
    ),
}
V1 = {
    "nobody takes what the engine has": (
        LOGIC,
        replaced("krnl_tready(1'b1)", "krnl_tready(1'b0)"),
        "user-logic",
        "u_accl.m_axis_krnl_tready",
    ),
    "a member is left out": (
        LOGIC,
        replaced("assign host_3_src.tid = '0;\n", ""),
        "user-logic",
        "host_3_src.tid",
    ),
    "slices change places": (
        LOGIC,
        swapped(".s_axis(axis_host_0_sink)", ".s_axis(axis_host_1_sink)"),
        "accl-streams",
        "u_accl.s_axis_host_0_tdata",
    ),
    "a slice feeds the engine with what it sends": (
        LOGIC,
        swapped(".m_axis(host_0_sink)", ".m_axis(axis_card_1_src)"),
        "accl-streams",
        "u_accl.s_axis_host_0_tdata",
    ),
    "host for card": (
        LOGIC,
        swapped("(host_0_src.", "(card_0_src."),
        "accl-streams",
        "u_accl.m_axis_host_0_tdata",
    ),
    "read for write": (
        LOGIC,
        swapped("bpss_rd_req", "bpss_wr_req"),
        "accl-streams",
        "u_accl.cyt_byp_rd_cmd_tdata",
    ),
    "an engine for another stack": (
        "coyote/Makefile",
        replaced("STACK_TYPE=RDMA", "STACK_TYPE=TCP"),
        "accl-stack",
        "STACK_TYPE",
    ),
    "a shell for another stack": (
        "coyote/Makefile",
        replaced("-DEN_RDMA_0=1", "-DEN_TCP_0=1"),
        "accl-stack",
        "STACK_TYPE",
    ),
    "a kernel that no step makes": (
        "coyote/Makefile",
        replaced("\t$(MAKE) -C $(ACCL)/kernels/plugins/hostctrl DEVICE=xcu55c-fsvh2892-2L-e\n", ""),
        "accl-stack",
        "kernels/plugins/hostctrl",
    ),
    "a kernel for the default card": (
        "coyote/Makefile",
        replaced("reduce_ops DEVICE=xcu55c-fsvh2892-2L-e", "reduce_ops"),
        "accl-stack",
        "kernels/plugins/reduce_ops",
    ),
    "an engine for the default stack": (
        "coyote/Makefile",
        replaced(" STACK_TYPE=RDMA", ""),
        "accl-stack",
        "kernels/cclo",
    ),
    "a net twice": (
        LOGIC,
        replaced("wire m_axil_cclo_wready;", "wire m_axil_cclo_wready; wire m_axil_cclo_wready;"),
        "user-logic",
        "user logic",
    ),
    "a net that is too narrow": (
        LOGIC,
        replaced("wire [31:0] m_axil_cclo_rdata;", "wire [31:1] m_axil_cclo_rdata;"),
        "user-logic",
        "user logic",
    ),
    "a net of one bit where there are many": (
        LOGIC,
        replaced("wire [31:0] m_axil_cclo_wdata;\n", ""),
        "user-logic",
        "user logic",
    ),
    "a bit that a reset does not have": (
        LOGIC,
        replaced("aresetn(aresetn[0]), .s_axis", "aresetn(aresetn[1]), .s_axis"),
        "user-logic",
        "user logic",
    ),
    "an input of the engine is open": (
        LOGIC,
        replaced("    .m_axis_host_1_tready(host_1_src.tready),\n", ""),
        "user-logic",
        "u_accl.m_axis_host_1_tready",
    ),
    "another name for the core": (
        LOGIC,
        replaced("define SHELLGEN_CORE ", "define SHELLGEN_CORE my_"),
        "user-logic",
        "user logic",
    ),
    "a kernel for another card": (
        "coyote/Makefile",
        replaced("DEVICE=xcu55c", "DEVICE=xcu280"),
        "accl-stack",
        "xcu280-fsvh2892-2L-e",
    ),
}


@pytest.mark.parametrize("case", V2)
def test_a_mistake_in_version_2(case: str, v2: Card) -> None:
    file, change, rule, where = V2[case]
    with v2.changed(file, change) as found:
        assert (rule, where) in {(one.rule, one.where) for one in found}


@pytest.mark.parametrize("name", EDITED)
def test_a_list_of_cmake_may_be_edited(name: str, v2: Card) -> None:
    with v2.changed(CMAKE, EDITED[name]) as found:
        assert [one for one in found if one.verdict.stops(strict=False)] == []


@pytest.mark.parametrize("case", V1)
def test_a_mistake_in_version_1(case: str, v1: Card) -> None:
    file, change, rule, where = V1[case]
    with v1.changed(file, change) as found:
        assert (rule, where) in {(one.rule, one.where) for one in found}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/s_axis_host_0", "/s_axis_host_1"),
        ("/m_axis_card_0", "/m_axis_host_0"),
        ("/cyt_dma_adapter_0/dma0_mm2s_cmd", "/cyt_dma_adapter_0/dma1_mm2s_cmd"),
        ("/reduce_ops_0/in0", "/reduce_ops_0/in1"),
    ],
)
def test_streams_of_memory_that_change_places(one: str, other: str, v1: Card) -> None:
    (design,) = v1.context.recording.designs.values()
    swap = {one: other, other: one}
    kept = {key: dict(net.members) for key, net in design.interface_nets.items()}
    for net in design.interface_nets.values():
        net.members = {swap.get(path, path): origin for path, origin in net.members.items()}
    try:
        v1.designs = [Context(**{**vars_of(context), "design": design}) for context in v1.designs]
        assert "accl-memory" in {found.rule for found in v1.judged()}
    finally:
        for key, net in design.interface_nets.items():
            net.members = kept[key]
        v1.designs = [Context(**vars_of(context)) for context in v1.designs]


def vars_of(context: Context) -> dict[str, Any]:
    """Return what a context was made of, without what it has found out."""
    return {name: vars(context)[name] for name in context.__dataclass_fields__}


def test_what_names_and_ports_tell_where_facts_do_not(v1: Card) -> None:
    (design,) = v1.context.recording.designs.values()
    net = next(net for net in design.nets.values() if "/aclk" in net.members)
    net.members["/to_memory_0/aresetn"] = net.members["/aclk"]
    segment = design.segments[-1]
    design.segments[-1] = replace(segment, offset=0x1_0000)
    try:
        assert {one.rule for one in v1.judged()} == set(PINS)
    finally:
        del net.members["/to_memory_0/aresetn"]
        design.segments[-1] = segment
