# SPDX-License-Identifier: BSD-3-Clause
"""Replicas that are away: others take their turns, at the client and at boards that deal and gather."""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cluster_bench import Chain
from fake_network import chain, partition, plan_of, spec
from host_board import HostBoard
from host_library import library, use_library
from host_module import host_module
from load_board import MAGIC
from rehearsed import rehearsed
from test_host_run import free_port
from test_replicas import nodes

from shellgen.api import generate
from shellgen.emit.memory_map import memory_map
from shellgen.emit.turns import taking_turns
from shellgen.model import Partition, Plan
from shellgen_host.cluster_map import ClusterMap, read_map
from shellgen_host.errors import HostError
from shellgen_host.native import NativeNode

pytestmark = pytest.mark.xdist_group("rehearse")


def planned(*stages: tuple[list[int], dict[str, Any]]) -> Plan:
    return plan_of(chain(*(partition(name) for name in "pqr")), spec(nodes(*stages)))


def read(folder: Path, plan: Plan) -> ClusterMap:
    (folder / "memory_map.json").write_text(memory_map(plan).to_json())
    return read_map(folder)


def dealt(found: ClusterMap, absent: frozenset[str], frames: int = 12) -> list[str]:
    """Return which node gets each frame."""
    edges = found.without(found.sources, absent)
    takers = {edge.frame_of(k): edge.node for edge in edges for k in range(frames)}
    return [takers[frame] for frame in range(frames)]


def test_the_client_deals_to_those_that_are_there(tmp_path: Path) -> None:
    found = read(tmp_path, planned(([0], {"replicas": 3, "share": [2, 1, 1]}), ([1, 2], {})))
    assert found.spare == {"n0_0", "n0_1", "n0_2"}
    assert dealt(found, frozenset())[:4] == ["n0_0", "n0_1", "n0_2", "n0_0"]
    assert dealt(found, frozenset({"n0_0"}))[:4] == ["n0_1", "n0_2", "n0_1", "n0_2"]
    assert dealt(found, frozenset({"n0_1"}))[:6] == ["n0_0", "n0_2", "n0_0", "n0_0", "n0_2", "n0_0"]
    (gather,) = found.turns["n1"]
    assert gather.nodes == ("n0_0", "n0_1", "n0_2")
    assert [gather.out(absent) for absent in ({"n0_1"}, {"n0_0", "n0_2"}, ())] == [2, 5, 0]
    assert [edge.node for edge in found.without(found.sinks, {"n0_1"})] == ["n1"]


def test_a_board_that_deals_and_gathers(tmp_path: Path) -> None:
    plan = planned(([0, 2], {}), ([1], {"replicas": 2}))
    found = read(tmp_path, plan)
    assert [one.nodes for one in found.turns["n0"]] == [("n1_0", "n1_1")] * 2
    assert found.spare == {"n1_0", "n1_1"}
    windows = {node.name: {one.name: one.counts for one in node.windows} for node in plan.nodes}
    assert windows["n0"]["turns"] == (("N", 2),)
    assert windows["n1_0"]["turns"] == windows["n1_1"]["turns"] == (("N", 1),)


def test_no_registers_without_replicas(tmp_path: Path) -> None:
    plan = planned(([0], {}), ([1, 2], {}))
    assert all(one.name != "turns" for node in plan.nodes for one in node.windows)
    assert read(tmp_path, plan).spare == frozenset()


class Cores:
    """The cluster as its RTL is: deals and gathers skip replicas that are out, and know no numbers."""

    def __init__(self, plan: Plan, found: ClusterMap, absent: frozenset[str]) -> None:
        self._plan, self._found, self._absent = plan, found, absent
        self._idle = found.idle(absent)
        self.carried: dict[str, list[int]] = {}

    def run(self, frames: int) -> dict[str, list[int]]:
        """Return the frames at each boundary, in their order, of so many from the host."""
        for edge in self._found.without(self._found.sources, self._absent):
            sent = (edge.frame_of(k) for k in range(frames))
            self.carried[edge.name] = [frame for frame in sent if frame < frames]
        left = list(self._plan.partitions)
        while left:  # each behind what feeds it
            names = {part.name for part in left}
            ready = [part for part in left if not names & self._before(part)]
            for part in ready:
                self._pass(part)
            left = [part for part in left if part not in ready]
        return self.carried

    def _before(self, part: Partition) -> set[str]:
        made = (one for one in self._plan.boundaries if one.consumer and one.consumer.partition == part.name)
        return {one.producer.partition for one in made if one.producer}

    def _pass(self, part: Partition) -> None:
        node = next(one.name for one in self._plan.nodes if part.name in one.partitions)
        if node in self._idle:
            return
        into = [one for one in self._plan.boundaries if one.consumer and one.consumer.partition == part.name]
        out = [one for one in self._plan.boundaries if one.producer and one.producer.partition == part.name]
        taken = {str(one.consumer): list(self.carried.get(one.name, ())) for one in into}
        if part.junction == "gather":
            frames = self._gathered(part, taken)
        else:
            (frames,) = taken.values()
        made: dict[str, list[int]] = {str(one.producer): [] for one in out}
        order = self._turns(part) if part.junction == "deal" else [0]
        for at, frame in enumerate(frames):
            port = order[at % len(order)] if part.junction == "deal" else 0
            made[f"{part.name}.{part.outputs[port].name}"].append(frame)
        self.carried |= {one.name: made[str(one.producer)] for one in out}

    def _gathered(self, part: Partition, taken: dict[str, list[int]]) -> list[int]:
        order, frames = self._turns(part), list[int]()
        while True:
            queue = taken[f"{part.name}.{part.inputs[order[len(frames) % len(order)]].name}"]
            if not queue:
                assert not any(taken.values()), "a gather waits for a replica that has nothing"
                return frames
            frames.append(queue.pop(0))

    def _turns(self, part: Partition) -> list[int]:
        """Return the ports of a deal or gather in turn, as the register OUT leaves them."""
        node = next(one for one in self._plan.nodes if part.name in one.partitions)
        number = taking_turns(self._plan, node).index(part.name)
        out = self._found.turns[node.name][number].out(self._idle)
        return [one for one in part.pattern if not out >> one & 1]


STAGES: dict[str, tuple[tuple[list[int], dict[str, Any]], ...]] = {
    "2 to 3": (([0], {"replicas": 2}), ([1, 2], {"replicas": 3})),
    "3 to 2": (([0], {"replicas": 3}), ([1, 2], {"replicas": 2})),
    "2 to 2": (([0], {"replicas": 2}), ([1, 2], {"replicas": 2})),
    "unequal": (([0], {"replicas": 2, "share": [2, 1]}), ([1, 2], {"replicas": 2})),
    "2 to 3 to 2": (([0], {"replicas": 2}), ([1], {"replicas": 3}), ([2], {"replicas": 2})),
    "a board behind": (([0], {"replicas": 2}), ([1], {"replicas": 3}), ([2], {})),
    "a board before": (([0], {}), ([1], {"replicas": 2}), ([2], {"replicas": 3})),
}
SPARE = {
    "a board behind": {"n1_0", "n1_1", "n1_2"},  # without one of two, three would come in another order
    "a board before": {"n1_0", "n1_1"},
}


@pytest.mark.parametrize("name", STAGES)
def test_neighbouring_stages_go_on_without_replicas(tmp_path: Path, name: str) -> None:
    """Every frame arrives once, in order, and where the client waits for it, of any number of frames."""
    plan = planned(*STAGES[name])
    found = read(tmp_path, plan)
    assert found.spare == SPARE.get(name, found.replicas)
    for count in (1, 2):
        for chosen in itertools.combinations(sorted(found.replicas), count):
            absent = frozenset(chosen)
            if not found.works(absent):
                continue
            for frames in (*range(1, 14), 60):
                carried = Cores(plan, found, absent).run(frames)
                assert all(one == sorted(one) for one in carried.values())
                sinks = found.without(found.sinks, absent)
                wanted = {
                    edge.name: [edge.frame_of(k) for k in range(frames) if edge.frame_of(k) < frames]
                    for edge in sinks
                }
                assert {one: carried[one] for one in wanted} == wanted
                assert sorted(frame for one in wanted.values() for frame in one) == list(range(frames))


class Registers:
    """Registers of a core: OUT is taken over when CONTROL is written."""

    def __init__(self, entry: dict[str, Any]) -> None:
        at = {one["name"]: one for one in entry["blocks"]}
        self._turns = {one["name"]: at["turns"]["base"] + one["offset"] for one in at["turns"]["registers"]}
        self.values: dict[int, int] = {}

    def read(self, address: int) -> int:
        return self.values.get(address, 0)

    def write(self, address: int, value: int) -> None:
        self.values[address] = value

    def reset(self, *_: object) -> None:
        for k in range(2):
            self.values[self._turns["OUT_NOW"] + 8 * k] = self.values[self._turns["OUT"] + 8 * k]


def test_the_program_of_a_board_takes_replicas_out(tmp_path: Path) -> None:
    """Deals and gathers of its core skip them, from the reset at the start of the run on."""
    plan = planned(([0, 2], {}), ([1], {"replicas": 3}))
    entry = json.loads(memory_map(plan).to_json())["nodes"][0]
    entry |= {"dma": [], "movers": []}
    registers, runner = Registers(entry), host_module("shellgen_runner")
    board = SimpleNamespace(bus=registers, engine=lambda *_: SimpleNamespace(streams=set()))

    def made(*absent: str) -> Any:
        return runner.Runner({"nodes": [entry]}, "n0", board, tmp_path, absent=absent)

    one = made("n1_1")
    one.turns.take_out()
    with pytest.raises(Exception, match="OUT_NOW is 0x0 after a reset with OUT at 0x2"):
        one.turns.check_out()
    registers.reset()
    one.turns.check_out()
    back = made()
    back.turns.take_out()
    registers.reset()
    back.turns.check_out()
    with pytest.raises(
        Exception, match="--absent n2: node n0 has no turns of it; of n1_0, n1_1, n1_2 it has"
    ):
        made("n2")
    with pytest.raises(
        Exception, match="--absent: nobody would be left for a deal of node n0: n1_0, n1_1, n1_2"
    ):
        made("n1_0", "n1_1", "n1_2")


def test_streams_of_replicas_have_their_share() -> None:
    """As the pattern of the core says from its reset on, without replicas that are out."""
    plan = planned(([0, 2], {}), ([1], {"replicas": 3, "share": [2, 1, 1]}))
    entry = json.loads(memory_map(plan).to_json())["nodes"][0]
    deal, gather = entry["turns"]
    assert deal["pattern"] == gather["pattern"] == [0, 1, 2, 0]
    made = host_module("shellgen_turns").Turns
    turns = made(entry, Registers(entry))
    for frames in range(1, 12):
        order = (deal["pattern"] * 3)[:frames]
        shares = [turns.share(index, frames) for index in gather["streams"]]
        assert shares == [turns.share(index, frames) for index in deal["streams"]]
        assert shares == [order.count(bit) for bit in range(3)]
        told = dict(zip(gather["streams"], shares, strict=True))
        assert turns.total(told) == frames
        told.popitem()
        assert turns.total(told) is None
        assert turns.total({**told, entry["streams"][0]["index"]: 40}) == 40
    turns = made(entry, Registers(entry), ("n1_0",))
    assert [turns.share(index, 5) for index in gather["streams"]] == [0, 3, 2]
    assert turns.away == {deal["streams"][0], gather["streams"][0]}
    assert turns.total(dict(zip(gather["streams"][1:], (3, 2), strict=True))) == 5


def test_shares_by_the_library_are_those_in_python(tmp_path: Path) -> None:
    """The shares of all streams are equal; a node without turns here is refused, and that nobody is left."""
    plan = planned(([0, 2], {}), ([1], {"replicas": 3, "share": [2, 1, 1]}))
    found = memory_map(plan)
    (tmp_path / "map.json").write_text(found.to_json())
    entry = json.loads(found.to_json())["nodes"][0]
    use_library(library())
    made = host_module("shellgen_turns").Turns
    with NativeNode(tmp_path / "map.json", "n0", bus=Registers(entry)) as node:
        for away in ("", "n1_0", "n1_1", "n1_2"):
            turns = made(entry, Registers(entry), [away] if away else [])
            for stream, frames in itertools.product(range(len(entry["streams"])), range(1, 10)):
                assert node.share(frames, stream, [away] * bool(away)) == turns.share(stream, frames)
        for absent, said in (
            (["n2"], "absent n2: node n0 has no turns of it"),
            (["n1_0", "n1_1", "n1_2"], "absent: nobody would be left for a deal of node n0"),
        ):
            with pytest.raises(HostError, match=said):
                node.share(1, 0, absent)


class Silent(Registers):
    """A core that does what it must, but for OUT; its DMAs end each reset at once."""

    def __init__(self, entry: dict[str, Any]) -> None:
        super().__init__(entry)
        (status,) = (one for one in entry["blocks"] if one["name"] == "status")
        at = {one["name"]: status["base"] + one["offset"] for one in status["registers"]}
        build = int(entry["build_id"], 16)
        fixed = (("MAGIC", MAGIC), ("BUILD_ID_LOW", build & 0xFFFFFFFF), ("BUILD_ID_HIGH", build >> 32))
        self.values = {at[name]: value for name, value in fixed}
        self.control = {one["base"] + channel for one in entry["dma"] for channel in (0, 0x30)}
        self.next = entry["dma"][0]["memory"][0]["base"]

    def read(self, address: int) -> int:
        return 0 if address in self.control else super().read(address)

    def allocate(self, size: int) -> SimpleNamespace:
        nothing, at = (lambda: None), self.next
        self.next += -(-size // 64) * 64
        return SimpleNamespace(
            data=np.zeros(size, np.uint8), address=at, flush=nothing, invalidate=nothing, free=nothing
        )


def test_the_library_takes_replicas_out(tmp_path: Path) -> None:
    """OUT of each deal and gather is written at its address; a core that does not take it over is found."""
    plan = planned(([0, 2], {}), ([1], {"replicas": 3, "share": [2, 1, 1]}))
    found = memory_map(plan)
    (tmp_path / "map.json").write_text(found.to_json())
    entry = json.loads(found.to_json())["nodes"][0]
    use_library(library())
    board, block = Silent(entry), found.nodes[0].block("turns")
    places = {name: block.base + block.register(name).offset for name in ("OUT", "OUT_NOW")}
    stride = block.register("OUT").stride
    assert stride
    with NativeNode(tmp_path / "map.json", "n0", bus=board, memory=board) as node:
        given = {
            one.name: np.zeros((4, one.frame_bytes), np.uint8)
            for one in node.streams
            if one.enters and one.moved
        }
        with pytest.raises(HostError, match=r"n0: OUT_NOW is 0 after a reset with OUT at 0x2; is this the"):
            node.run(given, 4, absent=["n1_1"], packed=True)
    assert [board.values[places["OUT"] + k * stride] for k in range(2)] == [2, 2]
    assert len(entry["turns"]) == 2


@pytest.mark.sweep
def test_boards_that_deal_and_gather_run_without_a_server(tmp_path: Path) -> None:
    """From .npy over two replicas to .npy, by sockets; then over one of them."""
    stages = (("ends", "zedboard", (0, 2)), ("mid", "zedboard", (1,)))
    row = Chain((24, 12, 24, 4), "UINT3", ((3, 4, 3), (4, 4, 12), (2, 24, 1)), (0, 1, 2), stages)
    path = row.write_inputs(tmp_path)
    path.write_text(path.read_text().replace('name = "mid"', 'name = "mid"\nreplicas = 2'))
    generate(path, tmp_path / "out")
    entry = json.loads((tmp_path / "out" / "memory_map.json").read_text())["nodes"][0]
    ports = {name: free_port() for name in ("ends", "mid_0", "mid_1")}
    deal, _ = entry["turns"]
    host = {one["direction"]: one["boundary"] for one in entry["streams"] if one["host"]}
    for count, there in ((5, ("mid_0", "mid_1")), (4, ("mid_1",))):
        ends = ["--input", f"{host['rx']}={tmp_path / 'in.npy'}", "--frames", count]
        ends += ["--golden", f"{host['tx']}={tmp_path / 'out.npy'}", "--listen", f"127.0.0.1:{ports['ends']}"]
        for name, stream in zip(deal["nodes"], deal["streams"], strict=True):
            at = f"{entry['streams'][stream]['boundary']}=127.0.0.1:{ports[name]}"
            ends += ["--connect", at] if name in there else ["--absent", name]
        runs = {"ends": ends}
        for name in there:
            to = f"127.0.0.1:{ports['ends']}"
            runs[name] = ["--listen", f"127.0.0.1:{ports[name]}", "--connect", to]
        with ThreadPoolExecutor(3) as pool:
            futures = {
                name: pool.submit(HostBoard(tmp_path / "out", name).run, tmp_path / f"{name}_{count}", run)
                for name, run in runs.items()
            }
            said = {name: future.result()[0] for name, future in futures.items()}
        assert {name: one.code for name, one in said.items()} == dict.fromkeys(runs, 0), said
        assert said["ends"].out.splitlines()[1:] == ["ends: as in the golden frames"]


AWAY = [
    (60, 'kill = "slow_1"\naway = 4'),
    (61, 'kill = "fast"'),
    (400, 'kill = "slow_0"\naway = 3'),
]


@pytest.mark.sweep
def test_a_replica_that_is_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For longer than a restart takes: the others take its turns, by the client and by the gather in RTL."""
    stages = (("slow", "zedboard", (0,)), ("fast", "zedboard", (1,)))
    row = Chain((24, 12, 4), "UINT3", ((6, 8, 6), (4, 12, 1)), (0, 1), stages)
    path = row.write_inputs(tmp_path)
    path.write_text(path.read_text().replace('name = "slow"', 'name = "slow"\nreplicas = 3'))
    generate(path, tmp_path / "out")
    found = rehearsed(tmp_path / "out", 3000, AWAY, capsys)
    notes = " ".join(found["notes"])
    for name in ("slow_1", "slow_0"):
        assert f"node {name} is away; other replicas take its turns" in notes
        assert f"node {name} is back, and gets its turns again" in notes


@pytest.mark.sweep
def test_a_replica_between_replicas_is_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two replicas deal to three, each of which gathers from two."""
    stages = (("slow", "zedboard", (0,)), ("fast", "zedboard", (1,)))
    row = Chain((24, 12, 4), "UINT3", ((6, 8, 6), (4, 12, 1)), (0, 1), stages)
    path = row.write_inputs(tmp_path)
    text = path.read_text().replace('name = "slow"', 'name = "slow"\nreplicas = 2')
    path.write_text(text.replace('name = "fast"', 'name = "fast"\nreplicas = 3'))
    generate(path, tmp_path / "out")
    away = [(60, 'kill = "fast_1"\naway = 4'), (400, 'kill = "slow_0"\naway = 4')]
    notes = " ".join(rehearsed(tmp_path / "out", 1500, away, capsys)["notes"])
    for name in ("fast_1", "slow_0"):
        assert f"node {name} is away; other replicas take its turns" in notes
        assert f"node {name} is back, and gets its turns again" in notes
