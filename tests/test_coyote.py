# SPDX-License-Identifier: BSD-3-Clause
"""The Coyote platform: what a card offers, what a version has, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from coyote_project import vfpga
from fake_network import chain, partition, plan_of, spec

from shellgen.errors import InputError, PlanError
from shellgen.model import Claim, Plan
from shellgen.plan.advice import advice
from shellgen.platforms import platform_registry
from shellgen.platforms.coyote.check import coyote_problems
from shellgen.platforms.coyote.facts import KIND, CoyoteFacts
from shellgen.platforms.coyote.versions import version_name
from shellgen.read import read_board

CARDS = {"u50": ("v1",), "u55c": ("v2", "v1"), "u200": ("v1",), "u250": ("v2", "v1"), "u280": ("v2", "v1")}


@pytest.mark.parametrize("name", CARDS)
def test_what_a_card_offers(name: str) -> None:
    board, platform = read_board(name), platform_registry()["coyote"]
    assert board.facts(KIND, CoyoteFacts).versions == CARDS[name]
    assert board.facts(KIND, CoyoteFacts).device == name
    assert list(board.platform) == ["vitis", "coyote"], "cluster.toml files that name none are for Vitis"
    window = platform.window(board)
    assert (window.base, window.bytes, window.slot, window.bus) == (0, 0x1_0000, 8, "coyote")
    docks = platform.docks(board)
    assert (docks["coyote_stream"].bits, docks["coyote_stream"].transfer_bytes) == (512, 128 << 20)
    assert docks["cclo"].slots is None


def test_a_board_with_several_platforms_has_the_first() -> None:
    network = chain(partition("part"))
    node = {"name": "card", "board": "u55c", "partitions": [0]}
    assert plan_of(network, spec([node])).nodes[0].platform == "vitis"
    assert plan_of(network, spec([{**node, "platform": "coyote"}])).nodes[0].platform == "coyote"
    with pytest.raises(PlanError, match=r"got 'coyote', and boards/zedboard.toml has no \[platform.coyote\]"):
        plan_of(network, spec([{**node, "board": "zedboard", "platform": "coyote"}]))


# ---- clock and registers ------------------------------------------------------------------------------
def test_a_core_runs_on_the_shells_clock() -> None:
    assert vfpga()[0].nodes[0].clock_hz == 250_000_000
    assert vfpga(clock_mhz=200)[0].nodes[0].clock_hz == 200_000_000
    assert platform_registry()["coyote"].clock_near(212_345_678) == 212_000_000


@pytest.mark.parametrize(
    ("mhz", "told"),
    [
        (250, ""),
        (200, ""),
        (300, ""),
        (625, ""),
        (
            210,
            "cannot make 210 MHz beside its own 250; it will be about 208.3 MHz. 200 and 250 MHz",
        ),
        (499, "about 500.0 MHz. 375 and 500 MHz are exact"),
    ],
)
def test_a_clock_that_the_wizard_cannot_make_is_noted(mhz: int, told: str) -> None:
    notes = [note for note in advice(vfpga(clock_mhz=mhz)[0]) if "wizard" in note]
    assert len(notes) == bool(told)
    assert all(told in note for note in notes), notes


@pytest.mark.parametrize(
    ("addr_bits", "lite", "access"),
    [
        (10, {}, "direct"),
        (14, {}, "direct"),
        (15, {}, "bridge"),
        (20, {}, "bridge"),
        (10, {"access": "bridge"}, "bridge"),
    ],
)
def test_memories_that_do_not_fit_lie_behind_a_bridge(
    addr_bits: int, lite: dict[str, str], access: str
) -> None:
    node = vfpga(addr_bits=addr_bits, lite=lite)[0].nodes[0]
    assert bool(node.bridge) == (access == "bridge")
    assert node.lite_port_bits == 16, "it answers all that the host can reach"


def test_the_core_decodes_the_window_even_if_less_of_it_may_be_used() -> None:
    node = vfpga(lite={"window": 0x4000})[0].nodes[0]
    assert (node.host.bytes, node.lite_port_bits) == (0x4000, 16)


# ---- host streams -------------------------------------------------------------------------------------
def test_each_way_of_a_host_stream_is_counted_apart() -> None:
    node = vfpga(rx=2, tx=3)[0].nodes[0]
    channels = platform_registry()["coyote"].host_side(node).channels
    assert [(one.stream, one.direction, one.dest) for one in channels] == [
        (0, "in", 0),
        (1, "in", 1),
        (2, "out", 0),
        (3, "out", 1),
        (4, "out", 2),
    ]
    assert {one.max_bytes for one in channels} == {128 << 20}


def test_the_vfpga_is_in_the_map() -> None:
    node = vfpga(coyote={"regions": 5, "region": 4})[0].nodes[0]
    found = platform_registry()["coyote"].host_side(node).vfpga
    assert found
    assert (found.version, found.region) == ("v2", 4)
    assert node.build_id == vfpga()[0].nodes[0].build_id, "the same core serves every vFPGA"


# ---- what is refused ----------------------------------------------------------------------------------
def refused(board: str = "u55c", **more: Any) -> str:
    with pytest.raises((PlanError, InputError)) as caught:
        vfpga(board, **more)
    return str(caught.value)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"rx": 17, "tx": 1}, ("the host sends to the core over 17 streams, and Coyote v2 has 16",)),
        ({"rx": 1, "tx": 18}, ("the host receives from the core over 18 streams, and Coyote v2 has 16",)),
        (
            {"coyote": {"regions": 2, "region": 2}},
            (
                "node[0].options.coyote.region: node card0: 2; with regions = 2 there is 0 to 1",
                "raise regions",
            ),
        ),
        ({"coyote": {"region": 1}}, ("region: node card0: 1; with regions = 1 there is only 0.",)),
        ({"coyote": {"regions": 16}}, ("options.coyote.regions: got 16",)),
        ({"coyote": {"regions": 15, "region": 15}}, ("options.coyote.region: got 15",)),
        ({"coyote": {"region": -1}}, ("options.coyote.region: got -1",)),
        (
            {"coyote": {"configs": 2, "config": 2}},
            ("options.coyote.config: node card0: 2; with configs = 2",),
        ),
        ({"coyote": {"configs": 0}}, ("options.coyote.configs: got 0",)),
        (
            {"coyote": {"network": "tcp"}},
            ("options.coyote.network: node card0: 'tcp' is what ACCL sends through, which",),
        ),
        ({"coyote": {"version": "v3"}}, ("options.coyote.version: got 'v3'",)),
        ({"coyote": {"rmda": True}}, ("options.coyote.rmda: this field is not known", "rdma")),
        (
            {"clock_mhz": 166.7},
            ("node[0].clock_mhz: node card0: 166.7 MHz; Coyote's UCLK_F takes whole MHz", "250"),
        ),
        ({"clock_mhz": 7}, ("takes whole MHz from 8 to 750",)),
        ({"clock_mhz": 751}, ("takes whole MHz from 8 to 750",)),
        ({"compute_mhz": 100}, ("node[0].compute_mhz: platform coyote gives a core of u55c one clock",)),
        (
            {"double_clock": True},
            ("node[0].partitions: node card0: part0 needs a clock of twice", "single clock"),
        ),
        (
            {"addr_bits": 15, "lite": {"access": "direct"}},
            ("AXI-Lite map of node card0 is", "8 for each register", 'Set lite.access = "bridge"'),
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_is_refused(more: dict[str, Any], told: tuple[str, ...]) -> None:
    found = refused(**more)
    assert all(text in found for text in told), found


@pytest.mark.parametrize("board", ["u50", "u200"])
def test_a_card_that_only_the_older_version_knows(board: str) -> None:
    told = refused(board, coyote={"version": "v2"})
    assert f"options.coyote.version: node card0: Coyote v2 does not build for {board}; there is v1" in told
    assert version_name(vfpga(board)[0].nodes[0]) == "v1"


def two_cards(**options: object) -> Plan:
    """Plan a chain over two cards, which ACCL joins."""
    nodes = [
        {
            "name": f"card{k}",
            "board": "u55c",
            "platform": "coyote",
            "partitions": [k],
            "options": {"coyote": options},
        }
        for k in range(2)
    ]
    return plan_of(chain(partition("part0"), partition("part1")), spec(nodes))


def test_accl_needs_the_older_version() -> None:
    assert {version_name(node) for node in two_cards().nodes} == {"v1"}
    with pytest.raises(PlanError) as caught:
        two_cards(version="v2")
    assert (
        "node card0: link accl: it needs ACCL's engine, which Coyote v2 lacks; v1 has it, in branch "
        'accl_integration. Leave version out or set it to "v1", or keep these partitions on one node.'
    ) in str(caught.value)


def test_a_window_that_leaves_the_core_has_nobody_there() -> None:
    plan, _ = vfpga()
    claim = Claim(name="beside", addr_bits=12, leaves=True)
    (host,) = plan.nodes[0].attachments
    changed = host.model_copy(update={"claims": (claim,)})
    node = plan.nodes[0].model_copy(update={"attachments": (changed,)})
    (problem,) = coyote_problems(plan, node)
    assert "its window beside leaves the core by m_axil_beside, and nobody is there" in str(problem)
