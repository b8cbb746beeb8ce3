# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of Alveo cards: mistakes in their wrapper, description and link that are wrong by themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from changed_card import Card, card, replaced
from vitis_project import cards

from vivado_check.link.config import read_config
from vivado_check.link.judge import Link
from vivado_check.link.kernels import known_kernels
from vivado_check.report import Verdict

OWN = ("kernel-name", "kernel-link", "kernel-ports", "card-platform", "wrapper-wires", "card-part")


@pytest.fixture(scope="module")
def u280(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Card]:
    plan, network = cards("u280", "u50")
    yield from card(plan, network.files, tmp_path_factory.mktemp("cards"), OWN)


def test_what_we_write_is_right(u280: Card) -> None:
    assert u280.judged() == []


WRAPPER, XML, LINK = "vitis/card0_kernel.v", "vitis/kernel.xml", "vitis/link.cfg"
MISTAKES = {
    "an inverted reset": (
        WRAPPER,
        ".aresetn(ap_rst_n)",
        ".aresetn(~ap_rst_n)",
        "wrapper-wires",
        "u_core.aresetn",
    ),
    "a clock for a reset": (
        WRAPPER,
        ".aresetn(ap_rst_n)",
        ".aresetn(ap_clk)",
        "wrapper-wires",
        "u_core.aresetn",
    ),
    "a port of no kind": (
        WRAPPER,
        "input  wire          ap_clk,",
        "input  ap_clk,",
        "wrapper-wires",
        "ap_clk",
    ),
    "halves that are swapped": (
        WRAPPER,
        "s_vnx0_tdata(s_vnx0_tdata)",
        "s_vnx0_tdata({s_vnx0_tdata[255:0], s_vnx0_tdata[511:256]})",
        "wrapper-wires",
        "s_vnx0_tdata",
    ),
    "a constant": (
        WRAPPER,
        "vnx0_tkeep(s_vnx0_tkeep)",
        "vnx0_tkeep({64{1'b1}})",
        "wrapper-wires",
        "s_vnx0_tkeep",
    ),
    "an open input": (WRAPPER, "        .aresetn(ap_rst_n),\n", "", "wrapper-wires", "u_core.aresetn"),
    "nobody takes": (
        WRAPPER,
        "vnx0_tready(m_vnx0_tready)",
        "vnx0_tready(1'b0)",
        "wrapper-wires",
        "u_core.m_vnx0_tready",
    ),
    "two signals": (
        WRAPPER,
        "bresp(s_axi_control_bresp)",
        "bresp(s_axi_control_rresp)",
        "wrapper-wires",
        "u_core.s_axil_bresp",
    ),
    "its name in the XML": (
        XML,
        'kernel name="card0_kernel"',
        'kernel name="card_kernel"',
        "kernel-name",
        "nk",
    ),
    "a port in the XML": (XML, 'port name="m_vnx0"', 'port name="m_vnx1"', "kernel-name", "m_vnx1"),
    "a width": (
        XML,
        'name="s_vnx0" mode="read_only" range="" dataWidth="512"',
        'name="s_vnx0" mode="read_only" range="" dataWidth="256"',
        "kernel-ports",
        "s_vnx0",
    ),
    "a direction": (
        XML,
        'name="s_vnx0" mode="read_only"',
        'name="s_vnx0" mode="write_only"',
        "kernel-ports",
        "s_vnx0",
    ),
    "an address": (XML, 'offset="0x14"', 'offset="0x18"', "kernel-ports", "status_control"),
    "an address outside": (XML, 'offset="0x14"', 'offset="0x14000"', "kernel-ports", "status_errors_0"),
    "a kernel that is not there": (LINK, "nk=card0_kernel:", "nk=card_kernel:", "kernel-name", "nk"),
    "a unit that is not there": (LINK, "slr=cmac_0:", "slr=cmac_1:", "kernel-link", "cmac_1"),
    "a region that is not there": (LINK, "slr=cmac_0:SLR2", "slr=cmac_0:SLR3", "kernel-link", "cmac_0"),
    "far from the transceivers": (LINK, "slr=cmac_0:SLR2", "slr=cmac_0:SLR0", "kernel-link", "cmac_0"),
    "a stream that is not there": (
        LINK,
        "networklayer_0.M_AXIS_nl2eth",
        "networklayer_0.M_AXIS_nl2et",
        "kernel-link",
        "networklayer_0.M_AXIS_nl2et",
    ),
    "backwards": (
        LINK,
        "core_0.m_vnx0:networklayer_0.S_AXIS_sk2nl",
        "networklayer_0.S_AXIS_sk2nl:core_0.m_vnx0",
        "kernel-link",
        "core_0.m_vnx0",
    ),
    "left out": (
        LINK,
        "stream_connect=core_0.m_vnx0:networklayer_0.S_AXIS_sk2nl\n",
        "",
        "kernel-link",
        "core_0.m_vnx0",
    ),
    "a narrow stream": (
        XML,
        'name="s_vnx0" mode="read_only" range="" dataWidth="512"',
        'name="s_vnx0" mode="read_only" range="" dataWidth="256"',
        "kernel-link",
        "networklayer_0.M_AXIS_nl2sk:core_0.s_vnx0",
    ),
    "anywhere": (LINK, "slr=cmac_0:SLR2\n", "", "kernel-link", "cmac_0"),
    "another section": (LINK, "[connectivity]\n", "", "kernel-link", "nk"),
    "a master of registers": (
        XML,
        'control" mode="slave"',
        'control" mode="master"',
        "kernel-ports",
        "s_axi_control",
    ),
    "an id twice": (XML, 'id="5"', 'id="4"', "kernel-ports", "status_errors_0"),
    "another card's platform": (
        "vitis/Makefile",
        "PLATFORM ?= xilinx_u280_",
        "PLATFORM ?= xilinx_u250_",
        "card-platform",
        "PLATFORM",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake(case: str, u280: Card) -> None:
    file, old, new, rule, where = MISTAKES[case]
    with u280.changed(file, replaced(old, new)) as found:
        assert (rule, where) in {(one.rule, one.where) for one in found}


def test_the_name_that_package_xo_is_given(u280: Card) -> None:
    calls = u280.context.recording.calls
    (at,) = [k for k, call in enumerate(calls) if call.command == "package_xo"]
    kept = calls[at]
    words = tuple("card_kernel" if word == "card0_kernel" else word for word in kept.words)
    calls[at] = type(kept)(kept.command, words, kept.origin)
    try:
        assert [(one.rule, one.where) for one in u280.judged()] == [("kernel-name", "-kernel_name")]
    finally:
        calls[at] = kept


# A file as VNx has it: units of kernels that nobody describes, and none for the card.
OTHERS = """[connectivity]
nk=cmac_0:1:cmac_0
nk=networklayer:1:networklayer_0
nk=mine:2:a.b
slr=cmac_0:SLR2
stream_connect=cmac_0.M_AXIS:networklayer_0.S_AXIS_eth2nl
stream_connect=networklayer_0.M_AXIS_nl2eth:cmac_0.S_AXIS
stream_connect=a.out:networklayer_0.S_AXIS_sk2nl:128
sc=networklayer_0.M_AXIS_nl2sk:b.in
"""


def test_others_may_have_what_we_do_not_know() -> None:
    found = Link(read_config(OTHERS, "link.cfg"), known_kernels(), frozenset()).messages()
    assert {one.verdict for one in found} == {Verdict.NOT_MODELLED}
