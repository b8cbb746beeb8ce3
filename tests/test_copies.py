# SPDX-License-Identifier: BSD-3-Clause
"""Streams with several consumers over links whose frames a program sends: one end, one DMA, one read."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fake_network import chain, one_each, partition, plan_of
from host_module import host_module

from shellgen.emit.memory_map import memory_map
from shellgen.estimate import estimate
from shellgen.model import Plan
from shellgen.plan.junction import junction_files

bus, link = host_module("shellgen_bus"), host_module("shellgen_link")
pump, run = host_module("shellgen_pump"), host_module("shellgen_run")


def planned(*links: Mapping[str, Any], at: Sequence[Sequence[int]] = ((0,), (1,), (2,), (3,))) -> Plan:
    network = chain(*(partition(name) for name in "abcd"), edges=False)
    network.builds = tuple((part.name,) for part in network.partitions)
    made = one_each(network, link=list(links))
    nodes = [
        made.node[0].model_copy(update={"name": f"n{number}", "partitions": tuple(parts)})
        for number, parts in enumerate(at)
    ]
    return plan_of(network, made.model_copy(update={"node": tuple(nodes)}))


def sent(plan: Plan) -> list[tuple[str, ...]]:
    return [end.carries for end in plan.node("n0").tx]


def junctions(plan: Plan) -> list[tuple[str | None, int]]:
    kinds = [part for part in plan.partitions if part.junction]
    found: list[tuple[str | None, int]] = [(part.junction, len(part.outputs)) for part in kinds]
    digests = {source.sha256 for part in plan.partitions if part.junction for source in part.sources}
    assert digests == set(junction_files(plan.partitions))
    return found


TO_ALL = {"from": "a", "to": ["b", "c", "d"]}


def test_three_boards_and_the_host() -> None:
    plan = planned({"from": "a", "to": ["b", "c", "d", "host"]})
    assert sent(plan) == [("a_to_b", "a_to_c", "a_to_d", "a_to_host")]
    assert junctions(plan) == []
    (stream,) = [one for one in memory_map(plan).nodes[0].streams if one.direction == "tx"]
    assert [(one.boundary, one.host) for one in stream.consumers] == [
        ("a_to_b", False),
        ("a_to_c", False),
        ("a_to_d", False),
        ("a_to_host", True),
    ]
    assert len([one for one in memory_map(plan).nodes[0].dma if one.channels.s2mm]) == 1


def test_one_more_consumer_elsewhere_changes_no_core() -> None:
    few, more = planned({"from": "a", "to": ["b", "c"]}), planned(TO_ALL)
    assert few.node("n0").build_id == more.node("n0").build_id
    assert len({plan.boundary("a_to_c").contract for plan in (few, more)}) == 1


def test_a_consumer_on_the_same_board() -> None:
    """The junction stays, with an output for all others together; if frames are packed apart, for each."""
    plan = planned(TO_ALL, at=((0, 1), (2,), (3,)))
    assert junctions(plan) == [("broadcast", 2)]
    assert sent(plan)[0] == ("broadcast_0_m_axis_1_to_c", "broadcast_0_m_axis_1_to_d")
    apart = planned({"from": "a", "to": ["b", "c"]}, {"from": "a", "to": "d", "packing": "finn"})
    assert junctions(apart) == [("broadcast", 2)]
    assert [len(names) for names in sent(apart)] == [2, 1]


def test_two_consumers_on_one_far_board() -> None:
    """A frame crosses to their board once and is copied there; what is packed apart crosses apart."""
    plan = planned(TO_ALL, at=((0,), (1, 2), (3,)))
    assert sent(plan) == [("a_to_broadcast_0", "a_to_d")]
    assert plan.node("n1").partitions == ("b", "c", "broadcast_0")
    apart = planned(
        {"from": "a", "to": "b"}, {"from": "a", "to": "c", "packing": "finn"}, at=((0,), (1, 2), (3,))
    )
    assert [len(names) for names in sent(apart)] == [1, 1]
    assert apart.node("n1").partitions == ("b", "c")


def test_replicas_of_a_producer() -> None:
    """Each replica sends to all, by the same core."""
    plan = planned(TO_ALL)
    network = chain(*(partition(name) for name in "abcd"), edges=False)
    network.builds = tuple((part.name,) for part in network.partitions)
    made = one_each(network, link=[TO_ALL])
    nodes = (made.node[0].model_copy(update={"replicas": 2}), *made.node[1:])
    plan = plan_of(network, made.model_copy(update={"node": nodes}))
    first, second = plan.nodes[:2]
    assert second.copy_of == first.name
    assert [len(end.carries) for node in (first, second) for end in node.tx] == [3, 3]


def test_the_wire_is_the_only_cost() -> None:
    one, all_ = (
        {server.name: server.seconds for server in estimate(plan).servers}
        for plan in (planned({"from": "a", "to": "b"}), planned(TO_ALL))
    )
    wire, port = "Ethernet out of n0", "memory port out of the core of n0"
    assert all_[wire] == pytest.approx(3 * one[wire])
    assert all_[port] == one[port]
    assert "m_axis_0 of n0" in all_
    assert "m_axis_1 of n0" not in all_


class Runner:
    """A node whose only stream leaves it, to two boards and a file."""

    core = SimpleNamespace(name="n0")

    def streams(self, direction: str) -> list[dict[str, Any]]:
        layout = {"datatype": "UINT8", "shape": [1, 4], "elements": 4, "bits": 8, "signed": False}
        layout |= {"low": 0, "high": 255, "per_word": 4, "word_bits": 32}
        made = {"index": 0, "direction": "tx", "boundary": "x", "tensor": None, "port": "m_axis_0"}
        made |= {"contract": "c0", "frame_bytes": 4, "host": False, "layout": layout}
        copies = [{"boundary": name, "host": name == "z", "tensor": None, "deal": None} for name in "yz"]
        return [made | {"copies": copies}] if direction == "tx" else []


def test_the_runner_asks_for_each_consumer() -> None:
    given = run.by_stream(Runner(), "tx", ["x=h:1", "z=h:2"], "--connect")
    assert given == {"x": "h:1", "z": "h:2"}
    for text in ("h:1", "m_axis_0=h:1", "w=h:1"):
        with pytest.raises(bus.HostError, match="give it as STREAM=VALUE; streams are x, y, z"):
            run.by_stream(Runner(), "tx", [text], "--connect")
    with pytest.raises(bus.HostError, match="stream x has one already"):
        run.by_stream(Runner(), "tx", ["x=h:1", "x=h:2"], "--connect")


def test_the_runner_sends_a_frame_to_all(tmp_path: Any) -> None:
    """A board that reads nothing stops the others when its connection is full, and nobody loses a byte."""
    pairs = [socket.socketpair() for _ in range(2)]
    layout = host_module("shellgen_wire").Layout(Runner().streams("tx")[0])
    file = pump.FileSink(layout, tmp_path / "z.npy")
    sinks = [link.SocketSink(near, "next") for near, _ in pairs]
    copies = pump.Copies([*sinks, file])
    frames = np.arange(4 << 18, dtype=np.uint8).reshape(-1, 4)
    count = 0
    quick, slow = (far for _, far in pairs)
    got = [bytearray(), bytearray()]
    quick.setblocking(False)

    def read(far: socket.socket, into: bytearray) -> None:
        try:
            while more := far.recv(1 << 20):
                into += more
        except BlockingIOError:
            pass

    for _ in range(200):
        if copies.room():
            copies.put(frames)
            count += 1
        read(quick, got[0])
    assert 1 <= count < 200
    assert len(got[0]) == count * frames.nbytes
    slow.setblocking(False)
    while len(got[1]) < count * frames.nbytes:
        read(slow, got[1])
        copies.room()
    assert bytes(got[0]) == bytes(got[1]) == frames.tobytes() * count
    assert copies.room()
    file.finish()
    assert len(np.load(tmp_path / "z.npy")) == count * len(frames)
    for end in (*sinks, quick, slow):
        end.close()
