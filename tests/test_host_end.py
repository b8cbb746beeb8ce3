# SPDX-License-Identifier: BSD-3-Clause
"""The host as a node of vnx_udp: what the plan says of it, its program over a bad network, and the bench."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import plan_of, spec
from host_module import host_module
from lossy_socket import Lossy, Served
from mixed_cluster import CARD, KIND, ZYNQ, network, nodes
from waiting import PATIENCE

from shellgen.api import check
from shellgen.emit.memory_map import memory_map
from shellgen.errors import PlanError
from shellgen.estimate import estimate, timing
from shellgen.estimate.scale import scaled
from shellgen.links.vnx_udp import VnxUdp
from shellgen.model import ClusterSpec, Plan
from shellgen.rehearse.processes import loopback
from vivado_check.coverage import Result

pytestmark = pytest.mark.xdist_group("host_end")
vnx = host_module("shellgen_vnx")
FRAME_BYTES = 4000  # two full packets and a part
STREAM = (("UINT8", 8, FRAME_BYTES),)
FRAMES = 7


def hosted(
    boards: Sequence[str] = (CARD,), net: str = "192.168.0", replicas: int = 1, **links: Any
) -> ClusterSpec:
    """Return cluster.toml of boards in a row whose host begins and ends the network by UDP."""
    made = nodes(boards, net)
    made[0]["replicas"] = replicas
    own = [
        {"from": "host", "to": "p0", "kind": KIND},
        {"from": f"p{len(boards) - 1}", "to": "host", "kind": KIND},
    ]
    return spec(made, link=own, links={KIND: {"host": f"{net}.9", **links}})


def plan(boards: Sequence[str] = (CARD,), **more: Any) -> Plan:
    return plan_of(network(len(boards)), hosted(boards, **more))


def programs(found: Plan) -> dict[str, Any]:
    return {
        one.boundary: one.program for node in memory_map(found).nodes for one in node.streams if one.program
    }


def test_the_host_has_an_address_and_a_socket_for_each_stream() -> None:
    found = plan([CARD, CARD])
    assert [one.link for one in found.boundaries] == [KIND] * 3
    told = programs(found)
    assert list(told) == ["host_to_p0", "p1_to_host"]
    assert [(one.address, one.port, one.peer, one.peer_port) for one in told.values()] == [
        ("192.168.0.9", 50000, "192.168.0.10", 50000),
        ("192.168.0.9", 50001, "192.168.0.11", 50001),
    ]
    assert {one.terms.slots for one in told.values()} == {32}, "the window of a program"
    assert not [node for node in found.nodes if any(one.link != KIND for one in node.attachments)]


def test_frames_have_numbers_where_several_links_follow_each_other() -> None:
    found = plan([CARD, CARD, CARD])
    assert all(one.numbered for one in found.boundaries)
    ends = [
        end
        for node in found.nodes
        for end in cast(dict[str, Any], node.attachments[0].detail["ends"]).values()
    ]
    # The card that the host's frames enter gives the numbers.
    assert ["NUMBERED" in one["parameters"] for one in ends] == [False, *[True] * 5]


def test_the_cards_know_the_host_and_do_not_wait_for_its_program() -> None:
    found = plan()
    about = [step.about for step in found.bring_up]
    assert "host, 192.168.0.9 has answered" in about
    assert not any("has found its receiver" in text for text in about)
    assert list(VnxUdp().sessions(found)) == [
        ("n0", "vnx0_rx_0_state", "SESSION"),
        ("n0", "vnx0_tx_0_state", "OPEN"),
    ]


def test_its_program_is_a_limit_that_no_board_lifts() -> None:
    found = plan()
    limit = estimate(found).limit
    assert (limit.name, limit.node) == ("program of host", "host")
    assert limit.seconds == pytest.approx(6 * 175e-6), "three packets to the card, and three back"
    assert timing(found).regimes[-1].frames_per_second == pytest.approx(1 / limit.seconds, rel=0.01)
    assert len(scaled(found, 4)) == 1


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no address": (
        {"host": None},
        "cluster.toml: links.vnx_udp.host: a program of the host is an end of host_to_p0, p0_to_host, and "
        'nothing tells its address. Give that of its port in the network of the cards: host = "192.168.0.9" '
        "in [links.vnx_udp].",
    ),
    "of the gateway": (
        {"host": "192.168.0.1"},
        "cluster.toml: links.vnx_udp.host: 192.168.0.1 is the gateway's address, too. Give one of them "
        "another.",
    ),
    "another network": (
        {"host": "10.0.0.1"},
        "cluster.toml: links.vnx_udp.host: 10.0.0.1 is not the address of a host in 192.168.0.0/24",
    ),
    "no address at all": ({"host": "server"}, "expected an address such as 192.168.0.10"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    links, said = REFUSED[name]
    given = {key: value for key, value in links.items() if value}
    wrong = hosted().model_copy(update={"links": {KIND: given}})
    with pytest.raises(PlanError) as caught:
        plan_of(network(1), wrong)
    assert said in str(caught.value)


def test_a_board_whose_end_is_a_program_itself_is_refused() -> None:
    with pytest.raises(PlanError) as caught:
        plan([ZYNQ, CARD])
    assert "link kind 'vnx_udp' is not carried by zedboard" in str(caught.value)


class Card(Served):
    """Ends in Python in place of the cards: each sends back what it gets, over a network that loses some."""

    def __init__(self, out: Path, loss: float, *, marks: Mapping[int, bool] | None = None) -> None:
        whole = json.loads((out / "memory_map.json").read_text())
        streams = [one for node in whole["nodes"] for one in node["streams"]]
        self.pairs, self.ports, self._marks = [], [], marks or {}
        ways: dict[str, list[Any]] = {"rx": [], "tx": []}
        for one in streams:
            told = one["program"]
            terms = vnx.Terms(frame_bytes=FRAME_BYTES, contract=int(one["contract"], 16), **told["terms"])
            end = (
                vnx.Receiver(terms)
                if one["direction"] == "rx"
                else vnx.Sender(terms, hello=0.01, timeout=0.01)
            )
            port = vnx.Port(end, (told["peer"], told["peer_port"]), (told["address"], told["port"]))
            port._socket = Lossy(port._socket, loss)
            self.ports.append(port)
            ways[one["direction"]].append(end)
        self.pairs = list(zip(ways["rx"], ways["tx"], strict=True))
        self.got: list[list[bytes]] = [[] for _ in self.pairs]
        super().__init__()

    def _serve(self) -> None:
        vnx.serve(self.ports, self._look, PATIENCE)

    def _look(self) -> bool:
        for got, (taker, giver) in zip(self.got, self.pairs, strict=True):
            while taker.frames and giver.room:
                frame = taker.frames.popleft()
                got.append(frame.data)
                giver.offer(frame.data)
        return self._end.is_set()


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two replicas of a card, in a network of loopback addresses."""
    net = loopback()
    asked = hosted(net=net, replicas=2, subnet=f"{net}.0/24")
    folder: Path = generate_fake(network(1, STREAM), asked, tmp_path_factory.mktemp("hosted") / "out")
    return folder


def said(out: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(out / "host/run_host.py"), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_the_project_is_clean(out: Path) -> None:
    assert check(out).worst() == Result.RIGHT


def test_every_frame_goes_to_its_replica_and_comes_back(out: Path, tmp_path: Path) -> None:
    """Frames that an earlier run has left are dropped first."""
    values = np.random.default_rng(1).integers(0, 256, (FRAMES, 1, FRAME_BYTES))
    x, y = tmp_path / "x.npy", tmp_path / "y.npy"
    np.save(x, values)
    with Card(out, loss=0.1) as card:
        card.pairs[0][1].offer(bytes(FRAME_BYTES))
        ran = said(out, "--input", x, "--output", y, "--golden", x)
    assert (ran.returncode, ran.stderr) == (0, "host: 1 results of an earlier run were dropped\n"), ran
    assert ran.stdout.startswith(f"host: {FRAMES} frames in ")
    assert ran.stdout.endswith("host: as in the golden frames\n")
    assert np.array_equal(np.load(y), values[:, 0])
    assert [len(got) for got in card.got] == [4, 3]
    assert all(port._socket.lost for port in card.ports)


WRONG: dict[str, tuple[tuple[object, ...], str]] = {
    "nothing feeds it": ((), "run_host: nothing feeds host_to_p0: give --input"),
    "no such file": (("--input", "none.npy"), "run_host: none.npy: No such file or directory"),
    "no such stream": (
        ("--input", "s_axis_0=x.npy", "--frames", 1),
        "run_host: s_axis_0=x.npy: No such file or directory",
    ),
    "no number": (("--input", "x.npy", "--frames", 0), "argument --frames: 0 is not from 1 to 4294967295"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_in_a_line(name: str, out: Path) -> None:
    words, text = WRONG[name]
    ran = said(out, *words)
    assert ran.returncode == 2
    assert text in ran.stderr
    assert ran.stderr.count("\n") == 1, ran.stderr


def test_a_card_that_does_not_answer_is_named(out: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((1, FRAME_BYTES), int))
    ran = said(out, "--input", tmp_path / "x.npy", "--wait", 0.1)
    assert ran.returncode == 2
    assert "no answer in 0.1 s; set the card up (shellgen_cards.py), or give --wait more" in ran.stderr


@pytest.mark.sweep
@pytest.mark.parametrize(("boards", "replicas"), [((CARD,), 1), ((CARD,), 2), ((CARD, CARD, CARD), 1)])
def test_the_bench_proves_every_stream_over_a_network_with_losses(
    boards: tuple[str, ...], replicas: int, tmp_path: Path
) -> None:
    """Also the directed tests, and the reset of a card on each side of where numbers matter."""
    asked = hosted(boards, replicas=replicas, round_trip_ns=20_000)
    made = generate_fake(network(len(boards)), asked, tmp_path / "out")
    report = run(
        made, "verilator", walk="sampled", idle_limit=100_000, seconds=1200, settings=(f"{KIND}.loss=3000",)
    )
    assert report["passed"], report_text(report)
    assert report["full_rate"]["links"][KIND]["lost"] > 0
