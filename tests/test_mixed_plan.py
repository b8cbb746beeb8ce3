# SPDX-License-Identifier: BSD-3-Clause
"""Zynq and Alveo in one cluster: which link joins them, what the program must know, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake
from fake_network import plan_of, spec
from host_module import host_module
from mixed_cluster import CARD, KIND, ZYNQ, cluster, network, nodes, plan

from shellgen.api import check
from shellgen.emit.memory_map import memory_map
from shellgen.errors import InputError, PlanError
from shellgen.estimate import estimate, timing
from shellgen.estimate.scale import scaled
from shellgen.estimate.servers import servers
from shellgen.estimate.turns import Turns
from shellgen.estimate.ways import Draft, travel_of
from shellgen.links.vnx_udp import VnxUdp
from shellgen.links.vnx_udp.addresses import cages
from shellgen.model.memory_map import MapProgram
from vivado_check.coverage import Result


def links(boards: list[str], **more: Any) -> list[str | None]:
    return [one.link for one in plan(boards, **more).boundaries]


def programs(*boards: str, **more: Any) -> dict[str, MapProgram]:
    """Return what programs must know, by node and boundary."""
    return {
        f"{node.name} {stream.boundary}": stream.program
        for node in memory_map(plan(list(boards), **more)).nodes
        for stream in node.streams
        if stream.program
    }


def test_hardware_precedes_a_program() -> None:
    assert links([ZYNQ, CARD]) == ["tcp_dma", KIND, "vitis_mover"]
    assert links([CARD, ZYNQ]) == ["vitis_mover", KIND, "tcp_dma"]
    assert links([ZYNQ, ZYNQ, CARD, CARD]) == ["tcp_dma", "tcp_dma", KIND, KIND, "vitis_mover"]


def test_the_core_of_a_zynq_is_as_for_tcp_and_the_card_has_its_blocks() -> None:
    found = plan([ZYNQ, CARD])
    assert [(one.link, len(one.ends)) for one in found.node("n0").attachments] == [("tcp_dma", 2)]
    pins = [(pin.name, pin.role) for one in found.node("n0").attachments for pin in one.pins]
    assert pins == [("s_axis_0", "mm2s"), ("m_axis_0", "s2mm")]
    card = found.node("n1").attachments[0]
    assert (card.link, card.ends[0].boundary) == (KIND, "p0_to_p1")


def test_a_program_knows_addresses_and_terms() -> None:
    found = programs(CARD, ZYNQ, CARD)
    assert list(found) == ["n1 p0_to_p1", "n1 p1_to_p2"]
    into, out = found.values()
    assert (into.address, into.port, into.peer, into.peer_port) == (
        "192.168.0.21",
        50000,
        "192.168.0.10",
        50000,
    )
    assert (out.address, out.port, out.peer, out.peer_port) == ("192.168.0.21", 50001, "192.168.0.11", 50000)
    assert (into.link, into.reorder, into.terms.slots, into.terms.packet_beats) == (KIND, 3, 32, 23)
    host_module("shellgen_vnx").Terms(frame_bytes=4096, contract=1, **into.terms.model_dump())


def test_both_ends_have_the_window() -> None:
    found = plan([CARD, ZYNQ], links={"window": 16, "round_trip_ns": 30_000})
    told = found.node("n0").attachments[1].detail["ends"]
    assert isinstance(told, dict)
    parameters = told["1"]["parameters"]
    assert [parameters[name] for name in ("SLOTS", "FLIGHT", "TIMEOUT_CYCLES")] == ["16", "16", "20000"]
    assert programs(CARD, ZYNQ, links={"window": 16})["n1 p0_to_p1"].terms.slots == 16


def sizes(boards: list[str], boundary: int) -> list[int]:
    """Return slots, timeout and reorder of the sender of a stream."""
    ends = VnxUdp().facts(plan(boards))["ends"]
    assert isinstance(ends, list)
    (end,) = (one for one in ends if one["boundary"] == boundary and one["timeout_cycles"])
    return [int(end[name]) for name in ("slots", "timeout_cycles", "reorder")]


def test_cards_among_themselves_are_as_before() -> None:
    """Neither a window nor the long way of a program counts there."""
    assert sizes([ZYNQ, CARD, CARD], 2) == sizes([CARD, CARD], 1) == [64, 1333, 3]


def test_a_card_asks_for_the_address_of_a_board_but_not_for_its_mac() -> None:
    about = [step.about for step in plan([ZYNQ, CARD]).bring_up]
    assert "n0, 192.168.0.20 has answered" in about
    assert not any("MAC address is that of n0" in text for text in about)
    told = [step.about for step in plan([ZYNQ, CARD], n0={"mac": ["00:0a:35:00:01:22"]}).bring_up]
    assert sum("MAC address is that of n0, 192.168.0.20: 00:0a:35:00:01:22" in text for text in told) == 2
    assert {step.node for step in plan([ZYNQ, CARD]).bring_up if step.node} == {"n1"}


def test_a_card_does_not_wait_for_a_program_that_may_begin_later() -> None:
    assert not any("has found its receiver" in step.about for step in plan([CARD, ZYNQ]).bring_up)
    assert any("p1_to_p2 has found" in step.about for step in plan([ZYNQ, CARD, CARD]).bring_up)


REFUSED: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "no address": (
        [ZYNQ, CARD],
        {"n0": {"ip": []}},
        "cluster.toml: node[0].options.vnx_udp.ip: a program of n0 is an end of p0_to_p1, and its board has "
        "no address. Give the address of its Ethernet port in the network of the cards: "
        'ip = ["192.168.0.20"].',
    ),
    "MTU": (
        [CARD, ZYNQ],
        {"links": {"mtu": 9000}},
        "cluster.toml: links.vnx_udp.mtu: 9000, and the Ethernet of n1 takes packets of at most "
        "1500 bytes. Say mtu = 1500 in [links.vnx_udp], for all cards and boards.",
    ),
    "MTU of the card alone": (
        [CARD, ZYNQ],
        {"n0": {"mtu": 9000}},
        "node[1].options.vnx_udp.mtu: stream p0_to_p1 comes from n0, whose mtu is 9000, and that of n1 is "
        "1500. Give both the same.",
    ),
    "window": (
        [CARD, ZYNQ],
        {"links": {"window": 512}},
        "cluster.toml: links.vnx_udp.window: got 512; expected a power of two from 4 to 256, the packets of "
        "which an ACK tells. Correct this field.",
    ),
    "window of one end": (
        [CARD, ZYNQ],
        {"n0": {"window": 8}},
        "node[1].options.vnx_udp.window: stream p0_to_p1 comes from n0, whose window is 8, and that of n1 is "
        "32. Give both the same, or say it in the [[link]] of the stream.",
    ),
    "same address": (
        [ZYNQ, CARD, ZYNQ],
        {"n2": {"ip": ["192.168.0.20"]}},
        "192.168.0.20 belongs to cage 0 of n0 and to cage 0 of n2",
    ),
    "another network": (
        [ZYNQ, CARD],
        {"n0": {"ip": ["10.0.0.1"]}},
        "node[0].options.vnx_udp.ip: node n0: 10.0.0.1 is not the address of a host in 192.168.0.0/24",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    boards, more, said = REFUSED[name]
    with pytest.raises((PlanError, InputError)) as caught:
        plan(boards, **more)
    assert said in str(caught.value)


def test_a_board_without_ethernet_is_not_joined() -> None:
    bare = [
        {key: value for key, value in one.items() if key != "options"} for one in nodes(["ultra96-v2", CARD])
    ]
    with pytest.raises(PlanError) as caught:
        plan_of(network(2), spec(bare))
    assert str(caught.value) == (
        "cluster.toml: link: p0.m_axis_0 -> p1.s_axis_0: no link kind joins n0 and n1: platform zynq offers "
        "dma; platform vitis offers udp, mover, tcp (by a program). Give both the same platform, or choose "
        "boards that share a link kind."
    )


def test_two_programs_are_not_joined() -> None:
    stated = [{"from": "p0", "to": "p1", "kind": KIND}]
    with pytest.raises(PlanError) as caught:
        plan_of(network(2), spec(nodes([ZYNQ, ZYNQ]), link=stated))
    said = (
        "'vnx_udp' is not carried by zedboard: it needs dock 'udp', and platform zynq offers dma, udp (by a "
    )
    assert said in str(caught.value)


@pytest.mark.parametrize("boards", [(ZYNQ, CARD), (CARD, ZYNQ)], ids="-".join)
def test_the_projects_are_clean(boards: tuple[str, ...], tmp_path: Path) -> None:
    """The scripts for Vivado have no finding."""
    out = generate_fake(network(2), cluster(boards), tmp_path / "out")
    found = check(out)
    assert found.worst() == Result.RIGHT
    emitted = {path.name for path in (out / "host").iterdir()}
    assert {"run_n0.py", "run_n1.py", "shellgen_udp.py", "shellgen_vnx.py", "shellgen_session.py"} <= emitted


@pytest.mark.parametrize("boards", [(ZYNQ, CARD), (CARD, ZYNQ)], ids="-".join)
def test_the_estimate_counts_the_program(boards: tuple[str, ...]) -> None:
    """Three packets a frame: the program is the limit, and the window counts in both directions."""
    found = {one.name: one.seconds for one in servers(plan(list(boards)))}
    program = f"program of n{boards.index(ZYNQ)}"
    assert found[program] == pytest.approx(3 * 500e-6)
    assert found["credits of p0_to_p1"] == pytest.approx(3 / 32 * 200e-6, rel=0.01)
    assert max(found, key=lambda name: found[name]) == program


@pytest.mark.parametrize(
    ("boards", "many", "packets"), [((CARD, ZYNQ, CARD), (), 6), ((ZYNQ, CARD), ("n1",), 3)]
)
def test_one_program_serves_all_streams_of_its_board(
    boards: tuple[str, ...], many: tuple[str, ...], packets: int
) -> None:
    """Streams in and out, and to each replica of a card: the rate of many frames is that of their sum."""
    made = nodes(boards)
    for node in made:
        node["replicas"] = 2 if node["name"] in many else 1
    found = plan_of(network(len(boards)), spec(made))
    limit = estimate(found).limit
    assert (limit.name, limit.node) == ("program of " + limit.node, f"n{boards.index(ZYNQ)}")
    assert limit.seconds == pytest.approx(packets * 500e-6)
    regime = timing(found).regimes[-1]
    assert regime.frames_per_second == pytest.approx(1 / limit.seconds, rel=0.01)
    copied = scaled(found, len(found.nodes) + 1)[-1]
    assert copied.frames_per_second == pytest.approx(2 / limit.seconds)


@pytest.mark.parametrize(
    ("boards", "wanted"),
    [
        ((ZYNQ, CARD), [("n1", "vnx0_rx_0_state", "SESSION")]),
        ((CARD, ZYNQ), [("n0", "vnx0_tx_0_state", "OPEN")]),
        ((CARD, CARD), []),
    ],
)
def test_the_bench_knows_where_a_session_of_a_program_shows(
    boards: tuple[str, ...], wanted: list[tuple[str, str, str]]
) -> None:
    """By the names that sim/bench_lite.py makes of the memory map; bring-up sees those between cards."""
    found = plan(boards)
    assert list(VnxUdp().sessions(found)) == wanted
    fields = {
        (node.name, f"{block.name}_{register.name}".lower(), field.name)
        for node in memory_map(found).nodes
        for block in node.blocks
        for register in block.registers
        for field in register.fields
    }
    assert set(wanted) <= fields


def test_the_way_to_a_card_counts_the_program_of_the_bench() -> None:
    """DMA and memory, blocks of the program at the clock of its board, network, and blocks of the card."""
    ways = {}
    for boards in ((ZYNQ, CARD), (CARD, ZYNQ), (CARD, CARD)):
        found = plan(boards)
        ways[boards] = travel_of(Draft(found, Turns(found), {}), found.boundary("p0_to_p1"))
    assert ways[ZYNQ, CARD].gathered == ways[CARD, ZYNQ].gathered == 4096
    assert ways[CARD, CARD].gathered == 0
    late = {boards: way.seconds - ways[CARD, CARD].seconds for boards, way in ways.items()}
    slow = 10e-9  # a cycle of the ZedBoard, instead of the card's
    assert late[ZYNQ, CARD] > (13 + 22) * slow  # its sender stores a packet of 23 beats
    assert late[CARD, ZYNQ] > 9 * slow


def test_replicas_have_addresses_of_their_own() -> None:
    """Replica by replica; too few of them are refused."""
    made = nodes((CARD, ZYNQ, CARD), n1={"ip": ["192.168.0.30", "192.168.0.31"]})
    made[1]["replicas"] = 2
    found = cages(plan_of(network(3), spec(made)), KIND)
    assert [(one.node, one.ip) for one in found if one.program] == [
        ("n1_0", "192.168.0.30"),
        ("n1_1", "192.168.0.31"),
    ]
    made[1]["options"] = {KIND: {"ip": ["192.168.0.30"]}}
    with pytest.raises(
        PlanError, match=r"ip: node n1_0: 1 given for 2 replicas. Give as many for each of the 2"
    ):
        plan_of(network(3), spec(made))
