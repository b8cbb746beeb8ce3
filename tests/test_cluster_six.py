# SPDX-License-Identifier: BSD-3-Clause
"""The digit classifier on six ZedBoards, one partition each, against its own execution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cluster_bench import bench_of, run, write_cluster

from shellgen.api import generate
from shellgen.reference import (
    build_reference,
    default_folding,
    even_cuts,
    execute,
    load_layers,
    random_frames,
)

DIGITS = Path(__file__).parents[1] / "examples" / "digits" / "digits.onnx"
BOARDS = 6
FRAMES = 4

pytestmark = pytest.mark.xdist_group("six")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("six")
    # Little unrolled, for a small model: single nibbles leave each board, pairs enter the next.
    folding = default_folding(DIGITS, pe=1, simd=2)
    build_reference(DIGITS, folding, even_cuts(len(folding.layers), BOARDS), folder / "build")
    first = load_layers(DIGITS)[0]
    frames = random_frames(first.input_type.name, first.features_in, FRAMES)
    np.save(folder / "in.npy", frames)
    np.save(folder / "out.npy", execute(DIGITS, frames))
    nodes = [(f"zed{i}", "zedboard", (i,)) for i in range(BOARDS)]
    generate(write_cluster(folder, nodes), folder / "out")
    return folder / "out"


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_six_boards_are_bit_exact(out: Path, simulator: str) -> None:
    """On Icarus without the memory test of some thousand weights, which Verilator does in a second."""
    fast = simulator == "verilator"
    report = run(out, simulator, frames=FRAMES, walk=fast, full_rate=fast)
    assert report["passed"], report["problem"]
    assert len(report["control"]) == BOARDS
    boundaries = bench_of(out)["boundaries"]
    assert [b["link"] for b in boundaries] == ["tcp_dma"] * (BOARDS + 1)
    for section in ("stalled", "full_rate") if fast else ("stalled",):
        verdicts = {v["name"]: v for v in report[section]["verdicts"]}
        assert set(verdicts) == {b["name"] for b in boundaries} | {"monolith", "golden"}
        assert all(v["words"] > 0 and v["mismatches"] == 0 for v in verdicts.values())
    if fast:
        assert len(report["weights"]) == 2 * BOARDS - 1
        assert sum(finding["words"] for finding in report["weights"]) > 1000
