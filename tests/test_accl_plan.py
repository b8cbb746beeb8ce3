# SPDX-License-Identifier: BSD-3-Clause
"""Streams over ACCL in a plan: pins, claims, numbers, steps, buffers, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import pytest
from fake_network import chain, partition, plan_of, spec

from shellgen.errors import InputError, PlanError
from shellgen.links import link_registry
from shellgen.links.accl.link import MOST_FRAME_BYTES, Accl
from shellgen.links.accl.options import MOST_STREAM
from shellgen.model import Attachment, Edge, Endpoint, Network, Partition, Plan
from shellgen.registers import block_registers

KIND = Accl.kind
WIDE = (("UINT8", 64, 64 * 100),)


def network(count: int = 2, **sizes: Any) -> Network:
    return chain(*(partition(f"p{k}", **sizes) for k in range(count)))


def cards(count: int, **more: object) -> list[dict[str, object]]:
    return [
        {"name": f"n{k}", "board": "u55c", "platform": "coyote", "partitions": [k], **more}
        for k in range(count)
    ]


def planned(found: Network | None = None, **more: Any) -> Plan:
    found = found or network()
    return plan_of(found, spec(cards(len(found.partitions)), **more))


def refused(*args: Any, **more: Any) -> str:
    with pytest.raises((PlanError, InputError)) as caught:
        planned(*args, **more)
    return str(caught.value)


def engine(plan: Plan, node: str) -> Attachment:
    return next(one for one in plan.node(node).attachments if one.link == KIND)


def written(plan: Plan, node: str) -> dict[str, int | str]:
    """Values that the steps write into the registers of a node's end of the engine, by their names."""
    one = engine(plan, node)
    claim = next(claim for claim in one.claims if claim.name == one.name)
    block, counts = block_registers(str(claim.block)), dict(claim.counts)
    found = {}
    for step in plan.bring_up:
        if step.op == "write" and step.node == node and step.unit == one.name:
            for register in block.registers:
                if register.repeat is None:
                    places = {register.offset: register.name}
                else:
                    first = register.offset + register.repeat.skipped(counts)
                    places = {
                        first + k * register.repeat.stride: f"{register.name}_{k}"
                        for k in range(register.repeat.registers(counts))
                    }
                if step.offset in places:
                    found[places[step.offset]] = step.value
    return found


def test_a_node_has_only_the_pins_that_its_streams_need() -> None:
    plan = planned(network(3))
    roles = {node: [pin.role for pin in engine(plan, node).pins] for node in ("n0", "n1", "n2")}
    assert roles == {
        "n0": ["to_cclo", "command", "status"],
        "n1": ["to_cclo", "from_cclo", "command", "status"],
        "n2": ["from_cclo"],
    }


def test_the_engines_own_registers_lie_where_its_driver_expects_them() -> None:
    node = planned().node("n0")
    window = next(one for one in node.windows if one.name == "cclo")
    assert (window.kind, window.offset, window.size) == ("master", 0, 0x4000)
    assert node.lite_scale * window.size == 0x8000
    assert all(one.offset >= 0x4000 for one in node.windows if one.name != "cclo")


def test_nobody_sends_before_all_receive() -> None:
    plan = planned(network(3))
    before = list(takewhile(lambda step: step.op != "barrier", plan.bring_up))
    after = list(plan.bring_up[len(before) + 1 :])
    assert {step.node for step in before} == {"n0", "n1", "n2"}
    assert [step.node for step in after] == ["n0", "n1"]
    assert all(step.value == 3 for step in after), "what sends must go on receiving"
    assert [step.node for step in before if step.op == "until"] == ["n0", "n1", "n2"]
    for node, value in (("n0", 1), ("n1", 1), ("n2", 1)):
        assert [step.value for step in before if step.node == node][-1] == value


def test_where_each_stream_goes() -> None:
    plan = planned(network(3))
    assert written(plan, "n0")["OUT_0"] == 1
    assert written(plan, "n1")["OUT_0"] == 2
    assert written(plan, "n1")["IN_0"] == written(plan, "n2")["IN_0"] == 0
    assert written(plan, "n0")["COMMUNICATOR"] == "communicator"
    assert "COMMUNICATOR" not in written(plan, "n2"), "what sends nothing needs no address"


def test_values_of_the_bench_are_what_accls_driver_gives_by_default() -> None:
    assert link_registry()[KIND].values(planned()) == {"communicator": 0x1C8, "arithmetic": 0x290}
    assert link_registry()[KIND].values(planned(network(3))) == {"communicator": 0x1C8, "arithmetic": 0x2A8}


def link(**options: object) -> list[dict[str, object]]:
    return [{"from": "p0", "to": "p1", "options": options}]


def test_a_number_can_be_asked_for() -> None:
    plan = planned(link=link(stream=MOST_STREAM))
    assert written(plan, "n0")["OUT_0"] == 1 | MOST_STREAM << 16
    assert written(plan, "n1")["IN_0"] == MOST_STREAM


def test_numbers_and_times_rebuild_nothing_and_buffers_do() -> None:
    plain = planned()

    def ids(plan: Plan) -> list[str]:
        return [node.build_id for node in plan.nodes]

    assert ids(planned(link=link(stream=9))) == ids(plain)
    assert ids(planned(links={KIND: {"watchdog_ms": 5}})) == ids(plain)
    assert ids(planned(links={KIND: {"mode": "direct"}})) != ids(plain)
    three, four = ids(planned(network(3))), ids(planned(network(4)))
    assert three[:2] == four[:2], "another node behind the last rebuilds the first"
    assert three[0] != ids(plain)[0], "frames that cross a second link have numbers, and the first none"


def test_the_time_of_a_put_is_in_cycles_of_its_node() -> None:
    assert written(planned(), "n0")["WATCHDOG"] == 250_000_000
    assert written(planned(links={KIND: {"watchdog_ms": 0}}), "n0")["WATCHDOG"] == 0


@pytest.mark.parametrize(("beats", "depth"), [(1, 4), (4, 4), (5, 8), (100, 128), (5000, 8192)])
def test_a_frame_is_buffered_whole(beats: int, depth: int) -> None:
    size = (("UINT8", 64, 64 * beats),)
    plan = planned(network(takes=size, makes=size))
    depths = engine(plan, "n0").detail["depths"]
    assert isinstance(depths, dict)
    assert list(depths.values()) == [depth]
    assert not engine(
        planned(network(takes=size, makes=size), links={KIND: {"mode": "direct"}}), "n0"
    ).detail["depths"]


TWO = (("UINT4", 2, 16), ("UINT4", 2, 16))


def joined(parts: Sequence[tuple[Partition, bytes]], *edges: str) -> Network:
    """Join them as ``p0.0>p1.0``: output 0 of p0 to input 0 of p1."""
    found = []
    for edge in edges:
        (maker, out), (taker, into) = (end.split(".") for end in edge.split(">"))
        producer = Endpoint(partition=maker, port=f"m_axis_{out}")
        found.append(Edge(producer=producer, consumer=Endpoint(partition=taker, port=f"s_axis_{into}")))
    files = {part.sources[0].sha256: text for part, text in parts}
    return Network(tuple(part for part, _ in parts), tuple(found), files, "build")


def fan_out() -> Network:
    return joined([partition("p0", TWO, TWO), partition("p1"), partition("p2")], "p0.0>p1.0", "p0.1>p2.0")


def test_two_streams_to_two_nodes() -> None:
    plan = planned(fan_out())
    assert [pin.role for pin in engine(plan, "n0").pins] == ["to_cclo", "command", "status"]
    assert [written(plan, "n0")[name] for name in ("OUT_0", "OUT_1")] == [1, 2]
    assert written(plan, "n1")["IN_0"] == written(plan, "n2")["IN_0"] == 0


def test_two_streams_to_one_node_have_numbers_of_their_own() -> None:
    parts = [partition("p0"), partition("p1"), partition("p2", TWO, TWO)]
    rejoining = refused(joined(parts, "p0.0>p2.0", "p1.0>p2.1"))
    assert "share one accl link, fork and rejoin" in rejoining  # the host forks, and one queue holds both
    parts = [partition(f"p{k}") for k in range(4)]
    nodes = [*cards(2), {**cards(3)[2], "partitions": [2, 3]}]
    plan = plan_of(joined(parts, "p0.0>p2.0", "p1.0>p3.0"), spec(nodes))
    assert [written(plan, "n2")[name] for name in ("IN_0", "IN_1")] == [0, 1]
    assert [written(plan, node)["OUT_0"] for node in ("n0", "n1")] == [2, 2 | 1 << 16]
    same = [{"from": f"p{k}", "to": f"p{k + 2}", "options": {"stream": 5}} for k in range(2)]
    with pytest.raises(PlanError, match="same number"):
        plan_of(joined(parts, "p0.0>p2.0", "p1.0>p3.0"), spec(nodes, link=same))


def test_two_streams_are_never_sent_as_they_come() -> None:
    found = refused(fan_out(), links={KIND: {"mode": "direct"}})
    assert "n0 sends 2 streams" in found
    assert "buffered" in found


def test_cards_under_two_shells_are_joined_by_their_programs_alone() -> None:
    nodes = cards(2)
    nodes[0]["platform"] = "vitis"
    assert plan_of(network(), spec(nodes)).boundary("p0_to_p1").link == "tcp_xrt"
    with pytest.raises(PlanError) as caught:
        plan_of(network(), spec(nodes, link=[{"from": "p0", "to": "p1", "kind": KIND}]))
    told = str(caught.value)
    assert "link kind 'accl' is not carried by" in told
    assert "platform vitis offers udp, mover, tcp (by a program); platform coyote offers" in told
    assert 'platform = "coyote" for n0' in told


def test_streams_that_meet_again_are_refused() -> None:
    parts = [partition("p0", TWO, TWO), partition("p1"), partition("p2"), partition("p3", TWO, TWO)]
    found = refused(joined(parts, "p0.0>p1.0", "p0.1>p2.0", "p1.0>p3.0", "p2.0>p3.1"))
    assert "fork and rejoin" in found
    assert "n3" in found
    both = [partition(name, TWO, TWO) for name in ("p0", "p1")]
    assert "fork and rejoin" in refused(joined(both, "p0.0>p1.0", "p0.1>p1.1"))


OVER = {"takes": (("UINT8", 64, MOST_FRAME_BYTES + 64),), "makes": (("UINT8", 64, MOST_FRAME_BYTES + 64),)}
LARGE = {"takes": (("UINT8", 64, 2 << 20),), "makes": (("UINT8", 64, 2 << 20),)}


@pytest.mark.parametrize(
    ("sizes", "more", "words"),
    [
        ({}, {"link": link(stream=MOST_STREAM + 1)}, ("options.stream", "246")),
        ({}, {"link": link(mode="fast")}, ("options.mode", "buffered")),
        (OVER, {"links": {KIND: {"mode": "direct"}}}, ("8388608", "8388544")),
        (LARGE, {}, ("options.mode", "1048576", "direct")),
        ({}, {"links": {KIND: {"watchdog_ms": 4001}}}, ("watchdog_ms", "4000")),
    ],
)
def test_what_cannot_be_is_refused(
    sizes: Mapping[str, Any], more: Mapping[str, Any], words: tuple[str, ...]
) -> None:
    found = refused(network(**sizes), **more)
    for word in words:
        assert word in found, found


WHOLE, FULL = (("UINT8", 64, 64 * 64),), (("UINT8", 64, 1 << 20),)
MOST = (("UINT8", 64, MOST_FRAME_BYTES),)


def test_a_put_with_a_number_has_two_beats_more() -> None:
    """In depths and commands; a frame that a buffer just holds is refused."""
    found: dict[int, dict[str, Any]] = {}
    for count in (2, 3):
        plan = planned(network(count, takes=WHOLE, makes=WHOLE))
        found[count] = {name: engine(plan, "n0").detail[name] for name in ("depths", "counts")}
    assert found[2] == {"depths": {"1": 64}, "counts": {"1": 16 * 64}}
    assert found[3] == {"depths": {"1": 128}, "counts": {"1": 16 * 66}}
    planned(network(2, takes=FULL, makes=FULL))
    words = refused(network(3, takes=FULL, makes=FULL))
    assert "a frame of 1048704 bytes with its number is above 1048576" in words
    direct = {KIND: {"mode": "direct"}}
    planned(network(2, takes=MOST, makes=MOST), links=direct)
    words = refused(network(3, takes=MOST, makes=MOST), links=direct)
    assert "one put is 8388672 bytes with its number, and ACCL moves 8388544 at most" in words
