# SPDX-License-Identifier: BSD-3-Clause
"""Streams that are kept in the memory of a board: plan, core, bench, block design and host programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import plan_of
from host_board import HostBoard
from host_library import library
from test_depths import beside_a_late_one
from test_joins import LINKS, planned

from shellgen.cli import main
from shellgen.errors import PlanError
from shellgen.estimate import estimate, timing
from shellgen.model import Plan
from shellgen.plan.advice import advice
from shellgen.report.page import report_file

LEAD, WORDS = 3000, 3072  # more than the FIFOs on the chip hold: 256 beats of eight words
SKIP = "broadcast_0_m_axis_1_to_sum_0_s_axis_0"

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("ring_memory")]


def with_buffer(where: str | None = "ddr", **more: Any) -> list[dict[str, Any]]:
    """The graph of test_joins with the streams of its sum in memory."""
    buffer = {"buffer": where} if where else {}
    return [{**link, **buffer, **more} if link.get("join") == "sum" else link for link in LINKS]


def rings(plan: Plan) -> dict[str, list[str]]:
    """Return the streams that are kept in memory, by node."""
    return {node.name: [one.boundary for one in node.inner if one.ring] for node in plan.nodes}


def test_a_ring_ends_on_the_producers_board() -> None:
    """Behind it a relay sends the stream on; the port is as wide as that of the board."""
    plan = planned(with_buffer())
    assert rings(plan) == {
        "n0": ["broadcast_0_m_axis_0_to_relay_2"],
        "n1": ["other_to_sum_0_s_axis_1"],
        "n2": [],
    }
    found = [one for node in plan.nodes for one in node.memory_ports]
    assert [(one.name, one.data_bits, one.addr_bits, one.bytes) for one in found] == [
        ("m_axi_ring_0", 64, 32, 4096),
        ("m_axi_ring_0", 128, 32, 4096),
    ]
    assert [one.memory for one in plan.fifos if one.boundary in ("other_to_sum_0_s_axis_1",)] == ["ddr"]
    sent = plan.boundary("relay_2_to_sum_0_s_axis_0")
    assert (sent.producer_node, sent.consumer_node, sent.link) == ("n0", "n1", "tcp_dma")


def test_rings_share_the_memory_with_the_dmas() -> None:
    """Each beat is written and read; a memory that is slow enough limits the table and the engine alike."""
    slow = {"ddr_bytes_per_s": 1e5}
    asked = {"estimate": {"links": {"ddr_ring": slow, "tcp_dma": slow}}}
    with_ring, without = (planned(with_buffer(where), **asked) for where in ("ddr", "chip"))
    (memory, before) = (
        next(one for one in estimate(plan).servers if one.name == "memory of n1")
        for plan in (with_ring, without)
    )
    (ring,) = (inner.ring for inner in with_ring.node("n1").inner if inner.ring)
    assert memory.seconds - before.seconds == pytest.approx(2 * ring.beats * ring.port.data_bits / 8 / 1e5)
    found = estimate(with_ring)
    assert found.limit.name.startswith("memory of ")
    assert timing(with_ring).regimes[-1].frames_per_second == pytest.approx(found.frames_per_second, rel=0.01)
    assert any("passes of a ring" in one.source for one in found.servers)


def test_the_report_says_where_a_ring_is() -> None:
    """All streams from a fork are in its card, not only the last one."""
    page = report_file(planned(with_buffer())).content.decode()
    assert page.count("ring 32 words: the default") >= 2
    assert "32 words of 8 bits in the memory of n0: the default" in page
    assert "..." not in page.split("</svg>")[0]


def test_a_frame_that_is_larger_than_its_ring_is_named() -> None:
    """A ring has whole pages of 4096 bytes, one at least; a frame of two of them does not fit into one."""
    words = 8192
    plan = plan_of(*beside_a_late_one(900, words=words, buffer="ddr", depth=2))
    (said,) = [note for note in advice(plan) if SKIP in note and "is larger than its ring" in note]
    assert "a frame of 8,192 bytes" in said
    assert "in the memory of n, 4,096 bytes" in said
    assert f"give depth = {words} or more in its [[link]]" in said
    plan = plan_of(*beside_a_late_one(900, words=words, buffer="ddr", depth=words))
    assert not any("is larger than its ring" in note for note in advice(plan))


@pytest.mark.parametrize(("words", "expected"), [(1 << 13, False), (1 << 17, True)])
def test_a_fifo_that_takes_a_tenth_of_a_board_goes_into_memory(words: int, expected: bool) -> None:
    """Block RAM of a ZedBoard is 280 x 18 kbit; a hundred thousand words of 8 bits take 57 of them."""
    plan = plan_of(*beside_a_late_one(words - 100, words=words))
    assert (SKIP in rings(plan)["n"]) == expected
    notes = [note for note in advice(plan) if SKIP in note]
    assert any("is kept in the memory of n" in note for note in notes) == expected
    (fifo,) = (one for one in plan.fifos if one.boundary == SKIP)
    assert fifo.live >= words - 110
    plan = plan_of(*beside_a_late_one(words - 100, words=words, buffer="chip"))
    assert rings(plan) == {"n": []}
    plan = plan_of(*beside_a_late_one(words - 100, words=words, buffer="ddr"))
    assert not any("is kept in the memory of n" in note for note in advice(plan)), "the user has said so"


@pytest.mark.parametrize(
    ("board", "more", "said"),
    [
        (
            "u200/coyote",
            {},
            "platform coyote of n has no memory that a core could reach by AXI4. Remove it, or say",
        ),
        (
            "zedboard",
            {"depth": 1 << 31},
            "link[1].depth: the stream from p.m_axis_0 to r.s_axis_0 would have a ring of 2,147,487,744 "
            "bytes for 2,147,483,648 words of 8 bits, and one has 1,073,741,824 at most. State less, or",
        ),
        (
            "zedboard",
            {"depth": 1 << 29},
            "node n: its rings take 1,073,750,016 bytes of memory, and the board has 268,435,456 for",
        ),
        (
            "zedboard",
            {"buffer": "chip", "depth": 1 << 21},
            'cut the network elsewhere, or say buffer = "ddr"',
        ),
    ],
)
def test_what_no_board_can_do_is_refused(board: str, more: dict[str, Any], said: str) -> None:
    network, cluster = beside_a_late_one(3, **{"buffer": "ddr", **more})
    name, _, platform = board.partition("/")
    node = cluster.node[0].model_copy(update={"board": name, "platform": platform or None})
    with pytest.raises(PlanError, match=re.escape(said)):
        plan_of(network, cluster.model_copy(update={"node": (node,)}))


def test_there_is_no_other_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text('build = "x"\n[[link]]\nfrom = "0"\nto = "1"\nbuffer = "uram"\n')
    assert main(["plan", str(path), "-o", str(tmp_path / "out")]) == 2
    said = "cluster.toml:5: link[0].buffer: got 'uram'; expected 'chip', 'ddr' or 'host'"
    assert said in capsys.readouterr().err


def test_a_stream_of_the_host_has_no_fifo() -> None:
    links = [{**LINKS[0], "buffer": "ddr"}, *LINKS[1:]]
    with pytest.raises(PlanError, match=r"link\[0\].buffer: buffer is for streams between partitions"):
        planned(links)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board whose skip edge and branch are kept in memory."""
    folder = tmp_path_factory.mktemp("ring")
    generate_fake(*beside_a_late_one(LEAD, words=WORDS, buffer="ddr"), folder / "out")
    x = np.random.default_rng(1).integers(0, 16, (1, 2 * WORDS), np.uint8)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", 2 * x)
    return folder


def test_a_cluster_runs_and_its_scripts_are_right(tmp_path: Path) -> None:
    """With a clock of the partitions' own, which the rings do not have."""
    network, cluster = beside_a_late_one(LEAD, words=WORDS, buffer="ddr")
    node = cluster.node[0].model_copy(update={"compute_mhz": 80.0})
    out = generate_fake(network, cluster.model_copy(update={"node": (node,)}), tmp_path / "out")
    report = run(out, "verilator", frames=3)
    assert report["passed"], report_text(report)
    for pace in ("full_rate", "stalled"):
        assert report[pace]["links"]["ddr_ring"]["bursts to memory"] > 20
    assert main(["check", str(out)]) == 0
    script = (out / "n/vivado/bd.tcl").read_text()
    for number, slave in ((0, "S02"), (1, "S03")):
        assert f"shellgen::bus core_0/m_axi_ring_{number} memory_interconnect/{slave}_AXI" in script
        assert f"shellgen::place core_0/m_axi_ring_{number} zynq_ps/S_AXI_HP0/HP0_DDR_LOWOCM 0x0" in script


@pytest.mark.sweep
def test_programs_give_memory_and_take_it_back(made: Path, tmp_path: Path) -> None:
    """By the library and in Python, one run after another; the model refuses memory that nobody holds."""
    board = HostBoard(made / "out", "n", library=library(), simulator="verilator")
    given = ["--input", made / "x.npy", "--golden", made / "y.npy", "--timeout", 60]
    paths: list[Path | None] = [made / "x.npy", None, made / "y.npy"]
    said = board.run(tmp_path / "runs", given, given, moves=[(paths, {"timeout": 60.0})])
    assert [one.code for one in said] == [0] * 3, said
