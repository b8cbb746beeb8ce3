# SPDX-License-Identifier: BSD-3-Clause
"""A Zynq board and a card through both hosts: plan, projects, the card's program over TCP, and the bench."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import plan_of, spec
from host_board import HostBoard
from host_module import host_module
from mixed_cluster import CARD, SMALL, ZYNQ, network
from test_host_run import free_port
from waiting import PATIENCE

from shellgen.api import check
from shellgen.emit.memory_map import memory_map
from shellgen.errors import PlanError
from shellgen.estimate import estimate, timing
from shellgen.model import ClusterSpec, Plan
from shellgen.simulate.cluster import Injection
from vivado_check.coverage import Result

pytestmark = pytest.mark.xdist_group("tcp_xrt")
KIND = "tcp_xrt"
FLIP = 1  # of axis_error_injector


def cluster(boards: Sequence[str]) -> ClusterSpec:
    """Return cluster.toml of boards in a row, each joined to the next by their programs."""
    made = [{"name": f"n{k}", "board": board, "partitions": [k]} for k, board in enumerate(boards)]
    links = [{"from": f"p{k}", "to": f"p{k + 1}", "kind": KIND} for k in range(len(boards) - 1)]
    return spec(made, link=links)


def plan(*boards: str) -> Plan:
    return plan_of(network(len(boards)), cluster(boards))


@pytest.mark.parametrize("boards", [(ZYNQ, CARD), (CARD, ZYNQ), (CARD, CARD), (ZYNQ, ZYNQ)], ids="-".join)
def test_cores_have_the_links_to_their_hosts(boards: tuple[str, ...]) -> None:
    found = plan(*boards)
    assert [one.link for one in found.boundaries if one.producer and one.consumer] == [KIND]
    wanted = {ZYNQ: "tcp_dma", CARD: "vitis_mover"}
    assert [[one.link for one in node.attachments] for node in found.nodes] == [
        [wanted[one]] for one in boards
    ]
    (stream,) = (one for one in memory_map(found).nodes[1].streams if one.boundary == "p0_to_p1")
    assert (stream.host, stream.program) == (False, None), "the command line says who sends it"


def test_nobody_gets_it_without_asking() -> None:
    """Between a Zynq board and a card the one with a single program is taken."""
    made = [
        {"name": f"n{k}", "board": board, "partitions": [k], "options": {"vnx_udp": {"ip": ip}}}
        for k, (board, ip) in enumerate(((ZYNQ, ["192.168.0.20"]), (CARD, [])))
    ]
    assert plan_of(network(2), spec(made)).boundary("p0_to_p1").link == "vnx_udp"


def test_a_board_without_ethernet_is_named() -> None:
    with pytest.raises(PlanError) as caught:
        plan(CARD, "ultra96-v2")
    assert "link kind 'tcp_xrt' is not carried by u280 and ultra96-v2: it needs dock 'tcp'" in str(
        caught.value
    )
    assert "The boards share: nothing" in str(caught.value)


def test_the_estimate_counts_both_hosts() -> None:
    found = plan(ZYNQ, CARD)
    names = {one.name for one in estimate(found).servers}
    assert {"Ethernet out of n0", "PCIe into n1"} <= names
    assert timing(found).regimes[-1].frames_per_second == pytest.approx(
        estimate(found).frames_per_second, rel=0.01
    )


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = generate_fake(
        network(2), cluster([ZYNQ, CARD]), tmp_path_factory.mktemp("tcp_xrt") / "out"
    )
    return folder


def test_the_projects_are_clean(out: Path) -> None:
    assert check(out).worst() == Result.RIGHT
    assert {"run_n0.py", "run_n1.py"} <= {path.name for path in (out / "host").iterdir()}


@pytest.mark.sweep
def test_the_program_of_a_card_takes_frames_by_tcp(out: Path, tmp_path: Path) -> None:
    """The test is the board before: it connects as run_n0 does."""
    link, wire = host_module("shellgen_link"), host_module("shellgen_wire")
    stream = json.loads((out / "memory_map.json").read_text())["nodes"][1]["streams"][0]
    values = np.random.default_rng(1).integers(0, 16, (4, SMALL[0][2]))
    np.save(tmp_path / "y.npy", values[:, None])
    (tmp_path / "n1.xclbin").write_bytes(b"")
    port = free_port()

    def send() -> None:
        peer = link.connect(("127.0.0.1", port), stream, len(values), PATIENCE)
        peer.sendall(wire.Layout(stream).encode(values, "test").tobytes())
        peer.close()

    sending = threading.Thread(target=send)
    sending.start()
    words: list[Any] = ["--listen", f"127.0.0.1:{port}", "--golden", tmp_path / "y.npy"]
    words += ["--xclbin", tmp_path / "n1.xclbin"]
    board = HostBoard(out, "n1", simulator="verilator", program="mover_program")
    (said,) = board.run(tmp_path / "run", words)
    sending.join()
    assert said.code == 0, said
    assert said.out.endswith("n1: as in the golden frames\n")


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [(ZYNQ, CARD, "zcu104"), (CARD, ZYNQ, CARD)], ids="-".join)
def test_every_proof_holds_through_programs(boards: tuple[str, ...], tmp_path: Path) -> None:
    """Each board at its own clock, with the directed tests; a fault between two programs is seen."""
    made = generate_fake(network(len(boards)), cluster(boards), tmp_path / "out")
    settings = (f"{KIND}.latency=200",)
    report = run(made, "verilator", walk="sampled", idle_limit=100_000, seconds=1200, settings=settings)
    assert report["passed"], report_text(report)
    wrong = run(made, "verilator", walk="none", inject=Injection(boundary=1, kind=FLIP, beat=7), seconds=1200)
    assert not wrong["passed"]
