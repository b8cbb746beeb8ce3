# SPDX-License-Identifier: BSD-3-Clause
"""The built-in examples, from QONNX to a proven cluster.

Digits on 2 or 6 ZedBoards, or on 3 Alveo cards whose network loses packets; a residual CNN on 3 ZedBoards.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shellgen.api import generate
from shellgen.errors import InputError, Problem, ToolMissingError, one
from shellgen.progress import step
from shellgen.reference import reference_model
from shellgen.resources import data_dir
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.tools import Simulator
from shellgen.stitch import check_finn_env, stitch_model

Example = Literal["digits", "residual"]
CARDS = 3  # those of cluster_3.toml
# Of every thousand packets, how many the network between the cards maltreats in each way (docs/vnx.md).
LOSSY = ("vnx_udp.loss=655", "vnx_udp.duplicate=328", "vnx_udp.reorder=328", "vnx_udp.corrupt=328")


@dataclass(frozen=True)
class _Example:
    """A folder under ``examples``, its files there, the frames that are sent (None: all), and its network."""

    folder: str
    model: str
    folding: str
    cluster: str
    build: str
    frames: int | None
    settings: tuple[str, ...] = ()


def digit_boards(platform: str = "") -> tuple[int, ...]:
    """Return on how many boards there are digits; of a platform, if one is named."""
    files = sorted((data_dir("examples") / "digits").glob("cluster_*.toml"))
    counts = {len(nodes): {kind for node in nodes for kind in node} for nodes in map(_platforms, files)}
    return tuple(sorted(count for count, kinds in counts.items() if not platform or platform in kinds))


def _platforms(cluster: Path) -> list[set[str]]:
    """Return the platforms of each node's board."""
    boards = [node["board"] for node in tomllib.loads(cluster.read_text())["node"]]
    return [set(tomllib.loads((data_dir("boards") / f"{b}.toml").read_text())["platform"]) for b in boards]


def _example(name: Example, boards: int) -> _Example:
    if name == "residual":
        return _Example(name, "residual.onnx", "folding.json", "cluster.toml", "residual", 32)
    files = (f"folding_{boards}.json", f"cluster_{boards}.toml", f"finn_{boards}")
    return _Example(name, "digits.onnx", *files, None, LOSSY if boards == CARDS else ())


def demo(  # noqa: PLR0913 - what the command line offers
    out: Path,
    boards: int,
    simulator: Simulator,
    reference: bool,
    say: Callable[[str], None] = lambda _: None,
    *,
    example: Example = "digits",
) -> dict[str, Any]:
    """Build, plan, generate and prove an example.

    Args:
        out: Working folder: FINN build, cluster.toml, generated output.
        boards: 2 or 6, or 3 for the Alveo cards; the residual CNN has three.
        simulator: Icarus takes the reference partitions only; it cannot parse FINN's RTL.
        reference: Use partitions of our own in plain Verilog instead of FINN's; digits only.
        say: Receives what is legal and should be known.
        example: Folder under ``examples``.

    Returns:
        The report of the bench; ``accuracy`` is over the held-out images that were sent.

    Raises:
        ShellgenError: Something is missing on this machine, or reference partitions of a CNN are asked for.
    """
    chosen = _example(example, boards)
    if reference and example != "digits":
        found = "reference partitions exist for fully connected networks only"
        raise one(InputError, "demo", found, "Leave --reference out")
    if not reference:
        _check_finn(instead=example == "digits")
    folder = data_dir("examples") / chosen.folder
    out.mkdir(parents=True, exist_ok=True)
    step("held-out digits")
    inputs, labels = _vectors(data_dir("examples") / "digits", out, chosen.frames)
    build = out / "build" / chosen.build
    model, folding = folder / chosen.model, folder / chosen.folding
    if reference:
        step(f"reference partitions for {boards} boards")
        reference_model(model, folding, build, inputs)
    else:
        step(f"FINN builds and partitions {chosen.model}")
        stitch_model(model, folding, build, inputs, say=say)
    cluster = out / chosen.cluster
    shutil.copyfile(folder / chosen.cluster, cluster)
    target = out / f"generated_{chosen.build.removeprefix('finn_')}"
    plan, written = generate(cluster, target, say)
    say(
        f"{target} holds the boards and the bench: {written.changed} files written, cluster {plan.cluster_id}"
    )
    frames = len(np.load(labels))
    return simulate(target, simulator, SimulateOptions(frames=frames, settings=chosen.settings), labels)


def _check_finn(instead: bool) -> None:
    """Say first that FINN cannot be installed here, and what works without it."""
    try:
        check_finn_env()
    except ToolMissingError as error:
        other = ", or add --reference: partitions of our own, without FINN" if instead else ""
        problems = [Problem(p.where, p.found, p.remedy + other) for p in error.problems]
        raise ToolMissingError(*problems) from None


def _vectors(example: Path, out: Path, frames: int | None) -> tuple[Path, Path]:
    """Write inputs and labels with the example's own script."""
    command = [sys.executable, str(example / "vectors.py"), str(out), *([str(frames)] if frames else [])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        last = result.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
        raise one(InputError, str(out), f"the digits cannot be written ({last[0]})", "Choose another folder")
    return out / "input.npy", out / "labels.npy"
