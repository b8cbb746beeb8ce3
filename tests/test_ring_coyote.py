# SPDX-License-Identifier: BSD-3-Clause
"""Streams that are kept in memory under Coyote v2: plan, user logic, bench and shellgen-node."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import generate_fake, report_text, run
from coyote_node import Card, cards, node_program
from coyote_sim import applications, elaborate, forgotten
from fake_network import plan_of
from test_ring_cards import on_a_card
from test_ring_memory import SKIP, rings
from waiting import until

from shellgen.cli import main
from shellgen.errors import PlanError
from shellgen.estimate import estimate
from shellgen.model import ClusterSpec, Network
from shellgen_host import Cluster, HostError, Hosts

LEAD, WORDS = 1400, 1500  # more than the FIFOs on the chip hold: 1024 beats

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("ring_coyote")]


def on_coyote(
    board: str = "u55c", buffers: tuple[str | None, ...] = ("ddr",), **more: Any
) -> tuple[Network, ClusterSpec]:
    """The graph of test_depths on a card under Coyote.

    The streams of its sum, one of them long, have the first buffer, that into the late partition the second.
    """
    options = more.pop("coyote", {})
    lead, words = more.pop("lead", LEAD), more.pop("words", WORDS)
    network, cluster = on_a_card(board, lead, words, buffer=buffers[0], **more)
    node = cluster.node[0].model_copy(update={"platform": "coyote", "options": {"coyote": options}})
    links = (
        cluster.link[0].model_copy(update={"buffer": buffers[1] if buffers[1:] else None}),
        *cluster.link[1:],
    )
    return network, cluster.model_copy(update={"node": (node,), "link": links})


def test_rings_have_streams_of_their_own() -> None:
    """Rings of the card have those from 0 on, rings of the host those behind the streams of frames."""
    for buffers, expected in (
        (("ddr",), [(False, 0), (False, 1)]),
        (("host",), [(True, 0), (True, 1)]),
        (("ddr", "host"), [(True, 0), (False, 0), (False, 1)]),
    ):
        node = plan_of(*on_coyote(buffers=buffers)).node("n")
        assert [(one.host, one.dest) for one in node.memory_ports] == expected
        assert all(one.dest is not None for one in node.memory_ports)
        (kept,) = (one for one in node.attachments if one.memories)
        assert [pin.role for pin in kept.pins] == [
            "sq_wr",
            "sq_rd",
            "cq_wr",
            *["send", "recv"] * len(expected),
        ]
        assert all(port.bytes % 4096 == 0 and port.bytes >= 2 * 4096 for port in node.memory_ports)


@pytest.mark.parametrize(
    ("buffers", "cards", "streams"),
    [
        pytest.param(("ddr",), 2, 1, marks=pytest.mark.sweep),
        pytest.param(("host",), 0, 3, marks=pytest.mark.sweep),
        (("ddr", "host"), 2, 2),
    ],
)
def test_user_logic(buffers: tuple[str, ...], cards: int, streams: int, tmp_path: Path) -> None:
    """CMake gets the streams, and the user logic elaborates; another vFPGA is idle beside it."""
    out = generate_fake(*on_coyote(buffers=buffers, coyote={"regions": 2, "region": 1}), tmp_path / "out")
    text = (out / "n/coyote/hw/CMakeLists.txt").read_text()
    assert f"\nset(N_STRM_AXI {streams})\nset(EN_MEM {int(cards > 0)})\n" in text
    assert (f"\nset(N_CARD_AXI {cards})\n" in text) == (cards > 0)
    made = applications(out / "n")
    assert {one.cards for one in made.values()} == {cards}
    assert [forgotten(one) for one in made.values()] == [[], []]
    assert elaborate(out / "n", tmp_path) == ""
    assert main(["check", str(out)]) == 0
    (node,) = json.loads((out / "memory_map.json").read_text())["nodes"]
    assert sum(one["bank"] == "card" for one in node["rings"]) == cards
    assert {one["bank"] for one in node["rings"]} <= {"card", "host"}


def test_a_fifo_that_takes_a_tenth_of_a_card_goes_into_memory_of_v2_alone() -> None:
    def chosen(**coyote: Any) -> bool:
        return (
            SKIP in rings(plan_of(*on_coyote(buffers=(None,), lead=16284, words=16384, coyote=coyote)))["n"]
        )

    assert chosen()
    assert not chosen(version="v1")
    assert SKIP not in rings(plan_of(*on_coyote(buffers=("chip",), lead=16284, words=16384)))["n"]


@pytest.mark.parametrize(
    ("board", "more", "said"),
    [
        (
            "u55c",
            {"coyote": {"version": "v1"}},
            "node n: link ddr_ring: streams in memory are written for Coyote v2",
        ),
        ("u200", {}, "platform coyote of n has no memory that a core could reach"),
    ],
)
def test_what_coyote_cannot_do_is_refused(board: str, more: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=re.escape(said)):
        plan_of(*on_coyote(board, **more))


def test_the_ports_of_the_memory_are_counted() -> None:
    """Two rings in each of 15 vFPGAs, a port for pages, one for RDMA: 32. Three rings do not fit."""
    full = {"regions": 15, "rdma": True}
    assert plan_of(*on_coyote(coyote=full))
    with pytest.raises(PlanError, match="3 rings in each of 15 vFPGAs need 47 ports of the card's memory"):
        plan_of(*on_coyote(buffers=("ddr", "ddr"), coyote=full))


def test_the_estimate_knows_the_memory() -> None:
    """HBM has a port for each ring, DDR is one for both, and PCIe is that of the host."""

    def times(board: str, where: str) -> dict[str, float]:
        found = estimate(plan_of(*on_coyote(board, (where,)))).servers
        return {
            one.name: one.seconds
            for one in found
            if "HBM" in one.name or "DDR" in one.name or "memory" in one.name
        }

    beats = -(-WORDS * 480 // 512)
    assert times("u55c", "ddr") == pytest.approx(
        {f"HBM of m_axi_ring_{at} of n": 2 * beats * 64 / 14.375e9 for at in (0, 1)}
    )
    assert times("u250", "ddr") == pytest.approx({"DDR of n": 4 * beats * 64 / 19.25e9})
    assert times("u55c", "host") == pytest.approx({"memory of the host of n": 4 * beats * 64 / 16.97e9})


@pytest.mark.sweep
@pytest.mark.parametrize("buffers", [("ddr", "host"), ("ddr",), ("host",)])
def test_a_card_runs(buffers: tuple[str, ...], tmp_path: Path) -> None:
    """Random latencies, pages that have to be mapped, and resets of the core while bursts are under way."""
    out = generate_fake(*on_coyote(buffers=buffers), tmp_path / "out")
    report = run(out, "verilator", frames=3)
    assert report["passed"], report_text(report)
    for pace in ("full_rate", "stalled"):
        assert report[pace]["links"]["ddr_ring"]["bursts to memory"] > 20


@contextmanager
def served(folder: Path, buffers: tuple[str, ...] = ("ddr", "host")) -> Iterator[tuple[Path, Card, Hosts]]:
    """Simulate a card of the node, for shellgen-node."""
    out = generate_fake(*on_coyote(buffers=buffers), folder / "out")
    program = node_program(folder)
    with cards(out, folder / "run", {"n": program}, simulator="verilator") as (found, hosts):
        yield out, found["n"], hosts


def doubled(out: Path, hosts: Hosts, **more: Any) -> None:
    x = np.random.default_rng(1).integers(0, 16, (3, 120 * WORDS), np.uint8)
    with Cluster(out, hosts, **more) as cluster:
        found = np.asarray(cluster.predict(x, raw=True)).reshape(x.shape)
    assert np.array_equal(found, 2 * x)


@pytest.mark.sweep
def test_the_server_gives_memory_and_takes_it_back(tmp_path: Path) -> None:
    """One after another; the model of the shell refuses memory that no thread holds."""
    with served(tmp_path) as (out, card, hosts):
        for environment in ({}, {"COYOTE_NO_HUGE_PAGES": "1"}):
            with card.serve(**environment) as server:
                doubled(out, hosts)
        assert "no huge pages, so ordinary ones are used" in server.said()
        said = card.refused(lines=2, COYOTE_NO_PAGES="1")
        assert re.search(r"error: stream \S+: ERROR: IOCTL_MAP_USER_MEM failed", said)
    requests = json.loads((tmp_path / "run/n/requests.json").read_text())
    assert min(requests.values()) > 20, requests


@pytest.mark.sweep
@pytest.mark.parametrize("dead", [True, False], ids=["no answer", "killed"])
def test_a_ring_that_is_never_answered_is_told(dead: bool, tmp_path: Path) -> None:
    """Requests under way of a server that is gone cannot be taken back, and the next one says so."""
    with served(tmp_path, ("ddr",)) as (out, card, hosts):
        server = card.start()
        server.wait()
        doubled(out, hosts)
        if dead:
            (card.folder / "dead").touch()
            with pytest.raises(HostError):
                doubled(out, hosts, patience=2)
        else:
            with Cluster(out, hosts, patience=6) as cluster, ThreadPoolExecutor(1) as pool:
                x = np.zeros((20, 120 * WORDS), np.uint8)
                under_way = pool.submit(cluster.predict, x, raw=True)
                until(lambda: cluster.state()["n"].get("received", 0) > 1)
                server.process.kill()
                with pytest.raises(HostError):
                    under_way.result()
        server.process.kill()
        server.process.wait()
        other = card.start()
        other.wait()
        with pytest.raises(
            HostError, match="the memory does not answer a ring of the core; load the bitstream"
        ):
            doubled(out, hosts, patience=2)
