# SPDX-License-Identifier: BSD-3-Clause
"""Random exports of many kinds come out exact: ONNX's own evaluator, FINN's layers and shellgen's golden."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import numpy as np
import pytest
from estimate_clusters import missed
from export_evaluator import answer
from random_exports import FAMILIES, make

from shellgen.api import generate
from shellgen.estimate.bench import compared
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.stitch import stitch_model

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("random_exports")]
BREVITAS = ("brevitas==0.13.4", "onnx", "onnxoptimizer", "onnxscript")
BREVITAS_ENV = "SHELLGEN_BREVITAS_ENV"  # a folder that keeps the installation, of 5.5 GB
PARTS = {"zedboard": "xc7z020clg484-1", "ultra96-v2": "xczu3eg-sbva484-1-e"}


def prove(seed: int, folder: Path, *, simulated: bool = False) -> None:
    """Stitch a network and compare what its partitions and the host's parts compute."""
    model, frames, wanted = make(seed, folder)
    np.save(folder / "frames.npy", frames)
    board = list(PARTS)[seed // len(FAMILIES) % len(PARTS)]
    stitch_model(model, None, folder / "build", folder / "frames.npy", given={"part": PARTS[board]})
    found = answer(folder / "build")
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
        timed = compared(plan, report)
        assert timed is not None
        assert not missed(timed), timed.sentence()


@pytest.mark.parametrize("seed", [2, pytest.param(15, marks=pytest.mark.sweep)])
def test_random_exports(seed: int, tmp_path: Path) -> None:
    """Strides down to a single pixel; branches that meet before they are quantised."""
    prove(seed, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(3 * len(FAMILIES)))
def test_many_random_exports(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        prove(seed, Path(folder), simulated=seed < len(FAMILIES))


@pytest.mark.sweep
def test_brevitas_answers_the_same(tmp_path: Path) -> None:
    """Networks of Brevitas' layers, trained for a moment, against the answers of PyTorch."""
    folder = Path(os.environ.get(BREVITAS_ENV) or tmp_path / "brevitas")
    python = folder / "bin" / "python"
    if not python.is_file():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-cache-dir", *BREVITAS], check=True)
    script = Path(__file__).parent / "brevitas_network.py"
    subprocess.run([python, "-W", "ignore", script, tmp_path], check=True, stdout=sys.stderr)
    models = sorted(tmp_path.glob("*.onnx"))
    assert models
    for model in models:
        said: list[str] = []
        frames, build = tmp_path / f"{model.stem}_in.npy", tmp_path / f"build_{model.stem}"
        stitch_model(model, None, build, frames, given={"part": PARTS["zedboard"]}, say=said.append)
        assert not [line for line in said if "differ" in line]
        wanted = np.load(tmp_path / f"{model.stem}_out.npy")
        found = answer(build).reshape(wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-6 * np.abs(wanted).max())
