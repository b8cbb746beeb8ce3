# SPDX-License-Identifier: BSD-3-Clause
"""The built-in example: the digit classifier on two or six ZedBoards, from QONNX to a proven cluster."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from shellgen.api import generate
from shellgen.errors import ToolMissingError, one
from shellgen.reference import reference_model
from shellgen.resources import data_dir
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.tools import Simulator
from shellgen.stitch import stitch_model


def demo(
    out: Path,
    boards: int,
    simulator: Simulator,
    reference: bool,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Build, plan, generate and prove the digit classifier.

    Args:
        out: Working folder: FINN build, cluster.toml, generated output.
        boards: 2 or 6.
        simulator: Icarus takes the reference partitions only; it cannot parse FINN's RTL.
        reference: Use partitions of our own in plain Verilog instead of FINN's.
        say: Receives a line per step.

    Returns:
        The report of the bench; ``accuracy`` is over all held-out images.

    Raises:
        ShellgenError: Something is missing on this machine.
    """
    example = data_dir("examples") / "digits"
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()

    def step(text: str) -> None:
        say(f"[{time.monotonic() - began:5.1f} s] {text}")

    step("held-out digits from scikit-learn")
    inputs, labels = _vectors(example, out)
    build = out / "build" / f"finn_{boards}"
    model, folding = example / "digits.onnx", example / f"folding_{boards}.json"
    if reference:
        step(f"reference partitions for {boards} boards")
        reference_model(model, folding, build, inputs)
    else:
        step(f"FINN builds and partitions the network for {boards} boards")
        stitch_model(model, folding, build, inputs, say=step)
    cluster = out / f"cluster_{boards}.toml"
    shutil.copyfile(example / cluster.name, cluster)
    step("plan and generate")
    target = out / f"generated_{boards}"
    plan, written = generate(cluster, target, step)
    step(f"{target}: {written.changed} files written, build {plan.build_id}; simulate on {simulator}")
    frames = len(np.load(labels))
    report = simulate(target, simulator, SimulateOptions(frames=frames), labels)
    step("done")
    return report


def _vectors(example: Path, out: Path) -> tuple[Path, Path]:
    """Write inputs and labels with the example's own script, which needs scikit-learn."""
    command = [sys.executable, str(example / "vectors.py"), str(out)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        last = result.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
        raise one(
            ToolMissingError,
            "demo",
            f"the digits cannot be loaded ({last[0]})",
            "pip install 'shellgen[demo]'",
        )
    return out / "input.npy", out / "labels.npy"
