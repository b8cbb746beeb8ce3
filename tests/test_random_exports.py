# SPDX-License-Identifier: BSD-3-Clause
"""Random exports of many kinds come out exact: ONNX's own evaluator, FINN's layers and shellgen's golden."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator
from random_exports import FAMILIES, make

from shellgen.api import generate
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.stitch import stitch_model

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("random_exports")]
PARTS = {"zedboard": "xc7z020clg484-1", "ultra96-v2": "xczu3eg-sbva484-1-e"}


def prove(seed: int, folder: Path, *, simulated: bool = False) -> None:
    """Stitch a network and compare what its partitions and the host's parts compute."""
    model, frames, wanted = make(seed, folder)
    np.save(folder / "frames.npy", frames)
    board = list(PARTS)[seed // len(FAMILIES) % len(PARTS)]
    stitch_model(model, None, folder / "build", folder / "frames.npy", given={"part": PARTS[board]})
    found = np.load(folder / "build" / "output.npy").astype(np.float32)
    after = folder / "build" / "host_after.onnx"
    if after.is_file():
        session = ReferenceEvaluator(onnx.load(after))
        (name,) = session.input_names
        found = np.stack([session.run(None, {name: frame})[0] for frame in found])
    # Products of the host in float32 are all that may differ; a step of an integer is far more.
    np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=0, atol=2e-6 * np.abs(wanted).max())
    (folder / "cluster.toml").write_text(
        f'build = "build"\n\n[[node]]\nname = "n0"\nboard = "{board}"\npartitions = [0]\n\n'
        '[verify]\ninput = ["build/input.npy"]\noutput = ["build/output.npy"]\n'
    )
    plan, _ = generate(folder / "cluster.toml", folder / "out")
    assert plan.golden
    assert plan.golden.note.endswith("and the model's ONNX agrees"), plan.golden.note
    if simulated:
        report = simulate(folder / "out", "verilator", SimulateOptions(frames=len(frames), walk=False))
        assert report.passed, report.problem


@pytest.mark.parametrize("seed", [13, 25])
def test_random_exports(seed: int, tmp_path: Path) -> None:
    """Averages between layers; a signal."""
    prove(seed, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3 * len(FAMILIES)))
def test_many_random_exports(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        prove(seed, Path(folder), simulated=seed < len(FAMILIES))
