# SPDX-License-Identifier: BSD-3-Clause
"""Streams over VNx in a plan: cages, rows, packets, addresses, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from fake_network import chain, partition, plan_of, spec

from shellgen.errors import InputError, PlanError
from shellgen.links import link_registry
from shellgen.links.base import Place, Site
from shellgen.links.vnx_udp.addresses import cages
from shellgen.links.vnx_udp.link import MOST_FRAME_BYTES, VnxUdp
from shellgen.links.vnx_udp.options import VnxOptions
from shellgen.links.vnx_udp.window import buffers, memory_of, sizes
from shellgen.model import Dock, Network, Plan

KIND = VnxUdp.kind


def network(count: int = 3, **sizes: Any) -> Network:
    return chain(*(partition(f"p{k}", **sizes) for k in range(count)))


def cards(count: int = 3, board: str = "u280", **options: Mapping[str, object]) -> list[dict[str, object]]:
    """Card k holds partition k; ``options`` are those of the link, by node."""
    return [
        {"name": f"n{k}", "board": board, "partitions": [k], "options": {KIND: options.get(f"n{k}", {})}}
        for k in range(count)
    ]


def loop(nodes: list[dict[str, object]] | None = None, **more: Any) -> Plan:
    nodes = nodes or cards()
    return plan_of(network(len(nodes)), spec(nodes, host={"through": "n0"}, **more))


def refused(*args: Any, **more: Any) -> str:
    with pytest.raises((PlanError, InputError)) as caught:
        loop(*args, **more)
    return str(caught.value)


def test_both_directions_share_the_pins_of_a_cage() -> None:
    plan = loop()
    one = next(a for a in plan.node("n0").attachments if a.link == KIND)
    assert [(pin.name, pin.role, pin.tdata_bits, pin.tdest_bits) for pin in one.pins] == [
        ("s_vnx0", "nl2sk", 512, 16),
        ("m_vnx0", "sk2nl", 512, 16),
    ]
    assert [(end.boundary, end.direction) for end in one.ends] == [
        ("p2_to_relay_0", "in"),
        ("p0_to_p1", "out"),
    ]
    assert [claim.name for claim in one.claims] == ["vnx0", "vnx0_rx_1", "vnx0_tx_0"]


def test_rows_of_two_cages_are_mirrored() -> None:
    found = {cage.node: cage for cage in cages(loop(), KIND)}
    assert [cage.ip for cage in found.values()] == ["192.168.0.10", "192.168.0.11", "192.168.0.12"]
    assert {cage.gateway for cage in found.values()} == {"192.168.0.1"}
    assert found["n1"].mac == "02:53:c0:a8:00:0b"
    for cage in found.values():
        for index, row in enumerate(cage.rows):
            peer = next(other for other in found.values() if other.ip == row.peer)
            back = next(other for other in peer.rows if other.boundary == row.boundary)
            assert (row.my_port, row.their_port) == (back.their_port, back.my_port)
            assert row.my_port == 50_000 + index


def test_a_chain_over_cables_uses_both_cages() -> None:
    plan = loop(link=[{"from": "p0", "to": "p1", "options": {"from_qsfp": 1, "to_qsfp": 0}}])
    slots = {node.name: [a.name for a in node.attachments if a.link == KIND] for node in plan.nodes}
    assert slots == {"n0": ["vnx0", "vnx1"], "n1": ["vnx0"], "n2": ["vnx0"]}
    assert [(cage.node, cage.number) for cage in cages(plan, KIND)][:2] == [("n0", 0), ("n0", 1)]


@pytest.mark.parametrize(
    ("mtu", "beats"), [(156, 2), (1499, 22), (1500, 23), (4096, 63), (9000, 128), (9582, 128)]
)
def test_packets_fill_the_mtu(mtu: int, beats: int) -> None:
    assert VnxOptions(mtu=mtu).packet_beats == beats


@pytest.mark.parametrize("mtu", [156, 219, 220, 1500, 9000, 9582])
def test_buffers_have_as_many_slots_as_the_blocks_can_have(mtu: int) -> None:
    """Both ends keep as many packets, more than are under way, and these are more than may be reordered."""
    options = VnxOptions(mtu=mtu)
    slots = buffers(options)
    assert 4 <= slots <= 256
    assert slots.bit_count() == 1
    made = sizes(options)
    assert made["out"]["SLOTS"] == made["in"]["SLOTS"] == slots
    assert options.reorder < made["out"]["FLIGHT"] < slots
    assert (
        made["out"]["IDLE_CYCLES"] / 322e6 >= 1e-3
    )  # an idle stream sends a packet in a millisecond, at most


@pytest.mark.parametrize("mtu", [1500, 9000])
@pytest.mark.parametrize("trip", [1000, 2000, 5000, 10_000])
def test_a_buffer_covers_two_round_trips_and_a_fifth(mtu: int, trip: int) -> None:
    options = VnxOptions(mtu=mtu, round_trip_ns=trip)
    packet_ns = (options.packet_beats * 64 + 66) * 8 / 100
    assert buffers(options) >= 2.2 * trip / packet_ns


@pytest.mark.parametrize("field", ["ip", "mac", "port", "gateway", "subnet", "rs_fec"])
def test_addresses_rebuild_no_card(field: str) -> None:
    values = {
        "ip": ["192.168.0.99"],
        "mac": ["02:00:00:00:00:01"],
        "port": 4000,
        "gateway": "192.168.0.9",
        "subnet": "192.168.0.0/24",
        "rs_fec": True,
    }
    changed = {field: values[field]}
    # RS-FEC is refused on some cards only.
    nodes = cards(n0=changed, n1=changed, n2=changed) if field == "rs_fec" else cards(n0=changed)
    told = loop(nodes)
    assert [node.build_id for node in told.nodes] == [node.build_id for node in loop().nodes]
    slower = loop(links={KIND: {"round_trip_ns": 5000}})
    assert slower.node("n0").build_id != loop().node("n0").build_id


def test_a_change_elsewhere_rebuilds_no_card() -> None:
    longer = plan_of(network(4), spec(cards(4)))
    assert loop().node("n1").build_id == longer.node("n1").build_id


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"mtu": 155}, "mtu"),
        ({"mtu": 9583}, "frames of at most 9600 bytes, so packets of at most 9582; of a longer one"),
        ({"mtu": 16412}, "VNx builds its MAC for frames of at most 9600 bytes"),
        ({"rs_fec": True}, "whose rs_fec is true, and that of n1 is false"),
        ({"subnet": "10.0.0.0/16"}, "expected a /24"),
        ({"subnet": "10.0.0.1/24"}, "expected a network"),
        ({"ip": ["192.168.0.300"]}, "expected an address such as"),
        ({"mac": ["00:0a:35"]}, "expected an address such as 00:0a"),
        ({"mac": ["01:00:5e:00:00:01"]}, "a group's"),
        ({"ip": ["192.168.1.10"]}, "192.168.1.10 is not the address of a host in 192.168.0.0/24"),
        ({"ip": ["192.168.0.255"]}, "is not the address of a host"),
        ({"gateway": "10.0.0.1"}, "10.0.0.1 is not the address of a host"),
        ({"ip": ["192.168.0.1"]}, "192.168.0.1 is the gateway's address, too"),
        ({"ip": [f"192.168.0.{k}" for k in range(2, 255)]}, "no address from 192.168.0.10 on is left"),
        ({"subnet": "192.168.7.0/24"}, "whose subnet is 192.168.7.0/24, and that of n1 is 192.168.0.0/24"),
        ({"sockets": 32}, "whose sockets is 32, and that of n1 is 16"),
        ({"mtu": 9000}, "whose mtu is 9000, and that of n1 is 1500"),
        ({"qsfp": 2}, "qsfp"),
        ({"sockets": 1}, "2 streams need a row each at cage 0, and the most is 1"),
        ({"round_trip_ns": 1_000_000}, "hold more than 256 packets of mtu 1500"),
        ({"ports": 3}, "ports"),
    ],
)
def test_refuses_options_of_a_card(options: dict[str, object], text: str) -> None:
    said = refused(cards(n0=options))
    assert text in said
    assert "n0" in said or "node[0]" in said or "node n1" in said


def test_refuses_an_address_given_twice() -> None:
    same = ["192.168.0.77"]
    assert "192.168.0.77 belongs to cage 0 of n0 and to cage 0 of n2" in refused(
        cards(n0={"ip": same}, n2={"ip": same})
    )
    assert loop(cards(n0={"ip": ["192.168.0.10"]}))  # what is given out keeps clear of it


def test_refuses_addresses_of_a_link() -> None:
    said = refused(link=[{"from": "p0", "to": "p1", "options": {"ip": ["192.168.0.5"], "mtu": 9000}}])
    assert "link[0].options: stream p0_to_p1: ip, mtu are options of a card, not of a stream" in said


def test_refuses_a_cage_that_the_card_lacks() -> None:
    nodes = cards(board="u50")
    said = refused(nodes, link=[{"from": "p0", "to": "p1", "options": {"to_qsfp": 1}}])
    assert (
        "node[1].options.vnx_udp.qsfp: node n1: stream p0_to_p1 asks for cage 1, and the card has one" in said
    )


@pytest.mark.parametrize("more", [0, 1])
def test_refuses_a_frame_that_the_blocks_cannot_count(more: int) -> None:
    one = (("UINT8", 1, MOST_FRAME_BYTES + more),)
    parts = chain(partition("p0", makes=one), partition("p1", takes=one))
    if not more:
        assert plan_of(parts, spec(cards(2))).boundary("p0_to_p1").frame_bytes == MOST_FRAME_BYTES
        return
    with pytest.raises(PlanError, match="p0_to_p1: one frame is 1073741825 bytes; the link takes at most"):
        plan_of(parts, spec(cards(2)))


def test_refuses_more_streams_than_rows() -> None:
    wide = tuple(("UINT4", 2, 16) for _ in range(17))
    parts = chain(partition("p0", makes=wide), partition("p1", takes=wide))
    edge = parts.edges[0]
    parts.edges = tuple(
        edge.model_copy(
            update={
                "producer": edge.producer.model_copy(update={"port": f"m_axis_{k}"}),
                "consumer": edge.consumer.model_copy(update={"port": f"s_axis_{k}"}),
            }
        )
        for k in range(17)
    )
    with pytest.raises(PlanError, match="17 streams need a row each at cage 0, and the most is 16"):
        plan_of(parts, spec(cards(2)))


@pytest.mark.parametrize(("packing", "packets"), [("dense", 5), ("finn", 10)])
def test_four_bits_take_half_the_packets_of_padded_bytes(packing: str, packets: int) -> None:
    one = (("UINT4", 1, 14_400),)
    parts = chain(partition("p0", makes=one), partition("p1", takes=one))
    plan = plan_of(parts, spec(cards(2), packing=packing))
    full = 64 * VnxOptions().packet_beats - 32
    assert -(-plan.boundary("p0_to_p1").frame_bytes // full) == packets


def test_the_plan_says_what_each_end_was_built_for() -> None:
    plan = loop(links={KIND: {"mtu": 9000}})
    one = next(a for a in plan.node("n0").attachments if a.link == KIND)
    ends = json.loads(json.dumps(one.detail))["ends"]
    parameters = [end["parameters"] for end in ends.values()]
    assert {p["PACKET_BEATS"] for p in parameters} == {"128"}
    assert {p["SLOTS"] for p in parameters} == {"32"}  # 2.9 round trips of 8 packets
    assert len({p["LINK"] for p in parameters}) == 2


def test_what_a_cage_takes() -> None:
    """Its buffers are most of it: 256 KiB for each end, in UltraRAM, which they fill."""
    one = next(a for a in loop().node("n0").attachments if a.link == KIND)
    told = one.detail["ends"]
    assert isinstance(told, dict)
    usage = VnxUdp().usage(one)
    for end in one.ends:
        parameters = json.loads(json.dumps(told[str(end.stream)]))["parameters"]
        assert int(parameters["SLOTS"]) * 32 == 4096, "23 beats lie in a slot of 32"
        assert parameters["ULTRA"] == "1"
    assert usage.uram == 8 * len(one.ends)
    assert 0 < usage.bram18 <= 40, "of vnx_seal, which holds two packets"
    assert 4_000 < usage.lut < 12_000
    assert 4_000 < usage.ff < 12_000


@pytest.mark.parametrize(
    ("trip", "uram", "ultra"), [(2000, 960, True), (2000, 32, True), (2000, 31, False), (1000, 960, False)]
)
def test_buffers_that_fill_ultraram_take_at_most_half_of_it(trip: int, uram: int, ultra: bool) -> None:
    options = VnxOptions(round_trip_ns=trip)
    site = Site("n0", Dock(slots=1, bits=512), (), (), (), (options, options), uram)
    assert ("ULTRA" in memory_of(site, options)) == ultra


def test_the_estimate_counts_cage_stack_and_credits() -> None:
    """A full packet has 1,440 bytes of a frame: 1,538 on the wire, 25 cycles for 23 beats."""
    plan = loop()
    node = plan.nodes[0]
    (attachment,) = (one for one in node.attachments if one.link == KIND)
    end = next(one for one in attachment.ends if one.direction == "out")
    dock = Dock(slots=1, bits=512, line_bps=100_000_000_000)

    def media(frame_bytes: int) -> dict[str, float]:
        beats, rest = divmod(frame_bytes - 1, end.link_bits // 8)
        sent = end.model_copy(update={"beats_per_frame": beats + 1, "last_bytes": rest + 1})
        assert sent.frame_bytes == frame_bytes
        found = link_registry()[KIND].media(Place(node, attachment, sent, dock), {})
        assert all(one.source for one in found)
        return {one.name.partition(" ")[0]: one.seconds for one in found}

    full = media(1440)
    assert full["cage"] == pytest.approx(1538 * 8 / 100e9)
    assert full["stack"] == pytest.approx(25 / node.clock_hz)
    assert media(14_401)["stack"] == pytest.approx((10 * 25 + 3) / node.clock_hz)
    assert media(14_400)["credits"] == pytest.approx(10 * full["credits"])
    assert full["credits"] < full["cage"]  # the sender has room for all that is under way
    got = end.model_copy(update={"direction": "in"})
    names = [one.name for one in link_registry()[KIND].media(Place(node, attachment, got, dock), {})]
    assert not any("credits" in name for name in names)


def test_refuses_a_window_where_no_program_is() -> None:
    said = refused(link=[{"from": "p0", "to": "p1", "options": {"window": 8}}])
    assert (
        "link[0].options.window: stream p0_to_p1: it limits a program, and both ends of the stream are in"
        in said
    )


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"window": 8}, "it limits a program"),
        ({"host": "192.168.0.9"}, "no stream over vnx_udp goes between"),
    ],
)
def test_refuses_options_of_programs_where_none_is(option: dict[str, object], text: str) -> None:
    """For all cards, and for one."""
    (field,) = option
    assert f"cluster.toml: links.vnx_udp.{field}: {text}" in refused(cards(), links={"vnx_udp": option})
    assert f"cluster.toml: node[1].options.vnx_udp.{field}: {text}" in refused(cards(n1=option))


def test_an_option_of_a_node_is_named_where_the_file_has_it() -> None:
    """All nodes share the table of the link; what a node has in its own table comes first."""
    shared = {"vnx_udp": {"gateway": "10.0.0.1"}}
    assert "cluster.toml: links.vnx_udp.gateway: node n0: 10.0.0.1 is not the" in refused(
        cards(), links=shared
    )
    said = refused(cards(n0={"gateway": "10.0.0.2"}), links=shared)
    assert "cluster.toml: node[0].options.vnx_udp.gateway: node n0: 10.0.0.2 is not the" in said


def test_the_longest_way_that_is_named_is_accepted() -> None:
    said = refused(cards(n0={"round_trip_ns": 1_000_000}))
    most = int(re.findall(r"At this mtu ([\d,]+) ns are the most", said)[0].replace(",", ""))
    table = {"vnx_udp": {"round_trip_ns": most}}
    assert loop(links=table)
    with pytest.raises(PlanError, match="more than 256 packets"):
        loop(links={"vnx_udp": {"round_trip_ns": most + 10}})
