# SPDX-License-Identifier: BSD-3-Clause
"""Streams that are kept in the memory of a board: plan, core, bench, block design and host programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import generate_fake, report_text, run
from host_board import HostBoard
from host_c import RUN, compiled
from test_depths import beside_a_late_one
from test_joins import LINKS, planned

LEAD, WORDS = 3000, 3072  # more than the FIFOs on the chip hold: 256 beats of eight words
SKIP = "broadcast_0_m_axis_1_to_sum_0_s_axis_0"

pytestmark = pytest.mark.xdist_group("ring_memory")


def with_buffer(**more: Any) -> list[dict[str, Any]]:
    """The graph of test_joins with the streams of its sum in memory."""
    return [{**link, "buffer": "ddr", **more} if link.get("join") == "sum" else link for link in LINKS]


def test_the_plan_ends_rings_on_the_producers_board() -> None:
    plan = planned(with_buffer())
    rings = {node.name: [(one.boundary, one.ring) for one in node.inner if one.ring] for node in plan.nodes}
    print(rings)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board whose skip edge and branch are kept in memory."""
    folder = tmp_path_factory.mktemp("ring")
    generate_fake(*beside_a_late_one(LEAD, words=WORDS, buffer="ddr"), folder / "out")
    x = np.random.default_rng(1).integers(0, 16, (1, 2 * WORDS), np.uint8)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", 2 * x)
    return folder


def test_a_cluster_runs(made: Path) -> None:
    report = run(made / "out", "verilator", frames=3)
    assert report["passed"], report_text(report)
    for run_ in ("full_rate", "stalled"):
        assert report[run_]["links"]["ddr_ring"]["bursts to memory"] > 20


def test_programs_give_memory_and_take_it_back(made: Path, tmp_path: Path) -> None:
    """In C and in Python, one run after another; the model of the board refuses memory that nobody holds."""
    library = compiled(tmp_path, made / "out/n", made / "out/host", RUN, "run")
    board = HostBoard(made / "out", "n", library=Path(library._name), simulator="verilator")
    given = ["--input", made / "x.npy", "--golden", made / "y.npy", "--timeout", 60]
    paths: list[Path | None] = [made / "x.npy", None, made / "y.npy"]
    said = board.run(tmp_path / "runs", given, given, moves=[(paths, {"timeout": 60.0})])
    assert [one.code for one in said] == [0] * 3, said
