# SPDX-License-Identifier: BSD-3-Clause
"""The Vitis platform: what a card offers, what it refuses, and what it says is slow."""

from __future__ import annotations

from typing import Any

import pytest
from fake_network import chain, partition, plan_of, spec
from vitis_project import cards

from shellgen.errors import InputError, PlanError
from shellgen.model import Estimate, Plan
from shellgen.plan.advice import advice
from shellgen.plan.fit import FitRow, fit_notes, fit_rows
from shellgen.platforms import platform_registry
from shellgen.platforms.vitis.facts import KIND, VitisFacts
from shellgen.platforms.vitis.link import link_of, placed_partitions
from shellgen.platforms.vitis.network import cycles, payload_rate, slowest_clock, wire_rate
from shellgen.read import read_board

pytestmark = pytest.mark.xdist_group("vitis")  # which share what is written once


@pytest.mark.parametrize(
    ("payload", "clocks", "gigabits", "mhz"),
    [
        (18, 2, 21.429, 300),
        (64, 3, 49.231, 290),
        (1408, 24, 95.522, 205),
        (1472, 25, 95.709, 205),
        (8192, 130, 99.201, 200),
    ],
)
def test_what_ethernet_permits_and_the_stack_does(
    payload: int, clocks: int, gigabits: float, mhz: int
) -> None:
    """VNx's own notebook has the same rates for its traffic generator at 300 MHz."""
    assert cycles(payload) == clocks
    assert wire_rate(payload) / 1e9 == pytest.approx(gigabits, abs=1e-3)
    assert slowest_clock(payload) == mhz
    assert payload_rate(payload, mhz * 1_000_000) == wire_rate(payload)
    assert payload_rate(payload, (mhz - 5) * 1_000_000) < wire_rate(payload)


def test_the_clock_of_the_three_card_network() -> None:
    """ResNet-50 on three U280s ran at 200 MHz."""
    assert payload_rate(1472, 200_000_000) / 1e9 == pytest.approx(94.2, abs=0.05)


@pytest.mark.parametrize(("name", "qsfps"), [("u50", 1), ("u55c", 2), ("u200", 2), ("u250", 2), ("u280", 2)])
def test_what_a_card_offers(name: str, qsfps: int) -> None:
    board, platform = read_board(name), platform_registry()["vitis"]
    docks = platform.docks(board)
    assert (docks["udp"].ports, docks["udp"].slots, docks["udp"].bits) == (qsfps, 16 * qsfps, 512)
    window = platform.window(board)
    assert (window.base, window.bytes, window.slot, window.bus) == (0, 0x1_0000, 4, "xrt")


# ---- registers ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("addr_bits", "lite", "access"),
    [
        (10, {}, "direct"),
        (14, {}, "bridge"),
        (14, {"access": "direct"}, "direct"),
        (20, {}, "bridge"),
        (10, {"access": "bridge"}, "bridge"),
    ],
)
def test_memories_above_16_kib_lie_behind_a_bridge(addr_bits: int, lite: dict[str, str], access: str) -> None:
    plan, _ = cards("u280", "u280", addr_bits=addr_bits, lite=lite)
    for node in plan.nodes:
        assert bool(node.bridge) == (access == "bridge")
        assert (node.host.base, 1 << node.lite_port_bits <= 0x1_0000) == (0, True)


def test_a_map_above_the_window_without_a_bridge() -> None:
    told = refused("u280", "u280", addr_bits=16, lite={"access": "direct"})
    assert "cluster.toml: node[0].lite: the AXI-Lite map of node card0 is" in told
    assert 'Set lite.access = "bridge"' in told


# ---- what is refused ----------------------------------------------------------------------------------
def refused(*boards: str, **more: Any) -> str:
    with pytest.raises((PlanError, InputError)) as caught:
        cards(*boards, **more)
    return str(caught.value)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            {"double_clock": True},
            ("node[0].partitions: node card0: part0 needs a clock of twice", "independent", "pumped"),
        ),
        (
            {"clock_mhz": 212},
            ("node[0].clock_mhz: node card0: 212 MHz; XRT sets", "in steps of 5", "Choose 210 or 215"),
        ),
        ({"compute_mhz": 142.857}, ("node[0].compute_mhz: node card0: 142.857 MHz", "Choose 140 or 145")),
        ({"clock_mhz": 655}, ("node[0].clock_mhz: node card0: 655 MHz; XRT sets 10 to 650 MHz",)),
        ({"vitis": {"slr": 3}}, ("node[0].options.vitis.slr: node card0: 3; u280 has SLR 0 to 2",)),
        (
            {"vitis": {"memory": ["HBM[32]"]}},
            ("options.vitis.memory: node card0: HBM[32]; u280 has HBM[0] to HBM[31]",),
        ),
        ({"vitis": {"memory": ["PLRAM[0]"]}}, ("options.vitis.memory",)),
        ({"vitis": {"strategy": "Performance_Best"}}, ("options.vitis.strategy", "Performance_Explore")),
        ({"links": {"vnx_udp": {"from_qsfp": 2}}}, ("from_qsfp",)),
    ],
    ids=["double", "clock", "compute", "fast", "slr", "bank", "memory", "strategy", "cage"],
)
def test_what_is_refused(more: dict[str, Any], told: tuple[str, ...]) -> None:
    found = refused("u280", "u280", **more)
    assert all(text in found for text in told), found


def test_a_card_without_the_cage() -> None:
    found = refused("u280", "u50", links={"vnx_udp": {"to_qsfp": 1}})
    assert "asks for cage 1, and the card has one QSFP cage" in found


def test_memory_of_another_kind() -> None:
    found = refused("u250", "u250", vitis={"memory": ["HBM[0]"]})
    assert "HBM[0]; u250 has DDR[0] to DDR[3]" in found


@pytest.mark.parametrize(("name", "fine"), [("card_0", True), ("card__0", False), ("card_", False)])
def test_a_name_that_no_kernel_can_have(name: str, fine: bool) -> None:
    network = chain(partition("part"))
    cluster = spec([{"name": name, "board": "u50", "partitions": [0]}])
    if fine:
        assert (
            platform_registry()["vitis"].host_side(plan_of(network, cluster).nodes[0]).ip
            == f"{name}_kernel:{{core_0}}"
        )
        return
    with pytest.raises(PlanError, match=f"name: node {name}: Vitis takes an underscore"):
        plan_of(network, cluster)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("network_slr", 3, "network_slr is 3, and slrs has 3 entries"),
        ("memory", "DDR[2]", "memory is DDR[2], and banks has HBM[0] to HBM[31] and DDR[0] to DDR[1]"),
        ("memory", "PLRAM[0]", "platform.vitis.memory: got 'PLRAM[0]'; expected a bank such as HBM[0]"),
        ("qsfps", 3, "platform.vitis.qsfps"),
        ("udp_cores", "somewhere", "platform.vitis.udp_cores"),
        ("slrs", [], "platform.vitis.slrs"),
        ("bank_bytes", {"HBM": 5}, "bank_bytes must have the kinds of memory of banks, HBM, DDR"),
    ],
)
def test_a_card_of_ones_own_with_wrong_facts(field: str, value: object, told: str) -> None:
    board = read_board("u280")
    wrong = board.model_copy(update={"platform": {"vitis": {**board.platform["vitis"], field: value}}})
    with pytest.raises(InputError) as caught:
        wrong.facts(KIND, VitisFacts)
    assert "boards/u280.toml: platform.vitis" in str(caught.value)
    assert told in str(caught.value)


def test_a_card_of_ones_own_may_say_nothing_of_its_memory() -> None:
    """Board files older than streams in memory stay right: such a card keeps none."""
    board, platform = read_board("u280"), platform_registry()[KIND]
    assert platform.ring_port(board) is not None
    facts = {name: value for name, value in board.platform["vitis"].items() if "bank_bytes" not in name}
    assert platform.ring_port(board.model_copy(update={"platform": {"vitis": facts}})) is None


# ---- what is slow -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mhz", "mtu", "told"),
    [
        (
            200,
            1500,
            "at 200 MHz QSFP 0 carries 94.2 Gb/s in packets of 1472 bytes, and Ethernet permits 95.7",
        ),
        (210, 1500, ""),
        (200, 9000, ""),
        (150, 9000, "Gb/s in packets of 8192 bytes"),
    ],
)
def test_a_clock_too_slow_for_the_cable_is_noted(mhz: int, mtu: int, told: str) -> None:
    plan, _ = cards("u280", "u280", clock_mhz=mhz, links={"vnx_udp": {"mtu": mtu}})
    notes = [note for note in advice(plan) if "QSFP" in note]
    assert len(notes) == (2 if told else 0)
    assert all(
        told in note and f"clock_mhz = {205 if mtu == 1500 else 200} is enough" in note for note in notes
    )


# ---- where FINN's floorplan has it --------------------------------------------------------------------
def placed(*slrs: int | None, slr: int | None = None, lut: int = 1000) -> Plan:
    """Plan partitions on one U280, each in its SLR by a floorplan, each of so many LUTs."""
    takes = Estimate(lut=lut, ff=0, source="FINN's estimates", told=1, layers=1)
    parts = [
        (partition(f"part{k}")[0].model_copy(update={"slr": place, "takes": takes}), b"")
        for k, place in enumerate(slrs)
    ]
    options = {} if slr is None else {"slr": slr}
    node = {
        "name": "card",
        "board": "u280",
        "partitions": list(range(len(slrs))),
        "options": {"vitis": options},
    }
    return plan_of(chain(*parts), spec([node]))


def shown(plan: Plan) -> dict[str, FitRow]:
    return {row.part: row for row in fit_rows(plan) if row.shares}


def test_a_kernel_is_where_all_its_partitions_are() -> None:
    plan = placed(1, 1)
    node = plan.nodes[0]
    assert ("core_0", 1) in link_of(plan, node).regions
    rows = shown(plan)
    assert list(rows) == ["of u280", "of SLR0 of u280", "of SLR1 of u280", "of SLR2 of u280"]
    assert node.takes
    full = rows["of SLR1 of u280"].figures["lut"]
    assert full == pytest.approx((2000 + node.takes.core.lut) / 382_080)
    assert rows["of SLR0 of u280"].figures["lut"] == pytest.approx(10_718 / 400_800), "memory for the movers"


def test_partitions_in_several_slrs_are_placed_one_by_one() -> None:
    plan = placed(0, 2)
    link = link_of(plan, plan.nodes[0])
    assert not [name for name, _ in link.regions if name == "core_0"]
    assert placed_partitions(plan, plan.nodes[0]) == {"part0": 0, "part1": 2}
    assert shown(plan)["of SLR2 of u280"].figures["lut"] == pytest.approx(1000 / 380_640)


def test_cluster_toml_says_otherwise() -> None:
    for slr, regions in ((-1, 1), (2, 4)):
        plan = placed(0, 1, slr=slr)
        assert len(shown(plan)) == regions
        assert placed_partitions(plan, plan.nodes[0]) == {}
    assert len(shown(placed(None, None))) == 1


def test_an_slr_that_is_too_full_is_refused() -> None:
    assert placed(None, lut=400_000)
    with pytest.raises(PlanError) as caught:
        placed(2, lut=400_000)
    told = str(caught.value)
    assert "LUT (1" in told
    assert "of the 380,640 that SLR2 of u280 has" in told
    assert "another region" in told
    assert any("70 %" in note and "SLR2 of u280" in note for note in fit_notes(placed(2, lut=300_000)))


def test_a_floorplan_for_another_card() -> None:
    with pytest.raises(PlanError, match=r"FINN's floorplan has part0 in SLR 3; u280 has SLR 0 to 2"):
        placed(3)
    assert placed(3, slr=-1)


def test_an_slr_changes_no_core() -> None:
    assert placed(0).nodes[0].build_id == placed(2).nodes[0].build_id


# ---- what is around a kernel --------------------------------------------------------------------------
def test_what_target_network_and_memory_take() -> None:
    """FINN's figures; a second QSFP costs a second stack, and only movers need memory."""
    one = cards("u280", "u280", "u280")[0]
    usage = [node.takes.platform for node in one.nodes if node.takes and node.takes.platform]
    kept = 1_303_680 - (400_800 + 382_080 + 380_640)
    assert usage[1].lut == kept + 35_219
    assert usage[0].lut == usage[1].lut + 10_718
    both = cards("u280", "u280", "u280", links={"vnx_udp": {"from_qsfp": 1, "to_qsfp": 0}})[0]
    assert both.nodes[1].takes
    assert both.nodes[1].takes.platform
    assert both.nodes[1].takes.platform.lut == usage[1].lut + 35_219
