# SPDX-License-Identifier: BSD-3-Clause
"""The built-in examples, from QONNX to a proven cluster.

Digits on 2 or 6 ZedBoards, on 3 Alveo cards whose network loses packets, or on 2 under Coyote with
ACCL between them; on two cards behind a gateway, in a loop; as two branches on 3 PYNQ-Z1; on a ZedBoard
before a U280. A residual
CNN on 3 ZedBoards, a part for each or two of them as replicas, or on 2, its parts out of order. A
transformer encoder on 2 ZCU104.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shellgen.api import generate
from shellgen.counted import counted
from shellgen.disk.files import write_whole
from shellgen.errors import InputError, Problem, ToolMissingError, one
from shellgen.model.bench_report import RunReport
from shellgen.progress import part, step
from shellgen.reference import reference_model
from shellgen.resources import data_dir
from shellgen.resumed import Steps, proved
from shellgen.simulate.ahead import compiled_ahead
from shellgen.simulate.options import SimulateOptions
from shellgen.simulate.tools import Simulator
from shellgen.stitch import check_finn_env, stitch_model
from vivado_check.formats.files import StrPath

Example = Literal[
    "digits", "residual", "out-of-order", "replicas", "branches", "loop", "transformer", "mixed"
]
FIXED_BOARDS = {
    **dict.fromkeys(("residual", "replicas", "branches", "loop"), 3),
    **dict.fromkeys(("out-of-order", "transformer", "mixed"), 2),
}
# In the working folder, beside the cluster and its output.
_STEPS = "demo.json"
_FILES = ("build", "input.npy", "joined.npy", "labels.npy", _STEPS)
_LOSSY = ("vnx_udp.loss=655", "vnx_udp.duplicate=328", "vnx_udp.reorder=328", "vnx_udp.corrupt=328")
# Parameters of the models between the boards, by cluster. VNx: packets in 65536 that are lost, duplicated,
# reordered and corrupted. ACCL: an engine that is slow to accept, computes, and serves its host as well.
SETTINGS = {
    "cluster_2_coyote": ("accl.slow=64", "accl.think=100", "accl.status=200", "accl.host=5000"),
    "cluster_3": _LOSSY,
}


@dataclass(frozen=True)
class _Example:
    """A folder under ``examples``, its files there, the frames that are sent (None: all), and its network.

    ``beside`` names models that see the same images and have one folding; ``model`` takes their outputs side
    by side.
    """

    folder: str
    model: str
    folding: str
    cluster: str
    build: str
    frames: int | None
    settings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


LABELS = "labels.npy"
_RESIDUAL = ("residual", "residual.onnx", "folding.json")
_OTHERS: dict[str, _Example] = {
    "residual": _Example(*_RESIDUAL, "cluster.toml", "residual", 32),
    "out-of-order": _Example(*_RESIDUAL, "cluster_out_of_order.toml", "residual", 32),
    "replicas": _Example(*_RESIDUAL, "cluster_replicas.toml", "residual", 32),
    "branches": _Example(
        "branches", "head.onnx", "head.json", "cluster.toml", "head", None, beside=("branch_0", "branch_1")
    ),
    "loop": _Example("digits", "digits.onnx", "folding_2.json", "cluster_loop.toml", "finn_2", None, _LOSSY),
    "transformer": _Example(
        "transformer", "transformer.onnx", "folding.json", "cluster.toml", "transformer", 32
    ),
    "mixed": _Example(
        "digits", "digits.onnx", "folding_2.json", "cluster_2_mixed.toml", "finn_2", None, _LOSSY
    ),
}


def digit_boards(platform: str = "") -> tuple[int, ...]:
    """Return on how many boards there are digits; of a platform, if one is named."""
    found = {len(kinds) for kinds in _digits().values() if not platform or platform in kinds}
    return tuple(sorted(found))


def _digits() -> dict[str, list[str]]:
    """Return the clusters of the digits on boards of one platform, and the platforms of their nodes."""
    files = sorted((data_dir("examples") / "digits").glob("cluster_[0-9]*.toml"))
    found = {
        file.stem: [_platform(node) for node in tomllib.loads(file.read_text())["node"]] for file in files
    }
    return {stem: kinds for stem, kinds in found.items() if len(set(kinds)) == 1}


def _platform(node: dict[str, Any]) -> str:
    """Return what a node asks for, or else the first of its board."""
    board = data_dir("boards") / f"{node['board']}.toml"
    return str(node.get("platform") or next(iter(tomllib.loads(board.read_text())["platform"])))


def _example(name: Example, boards: int, platform: str) -> _Example:
    if name in _OTHERS:
        return _OTHERS[name]
    there = (stem for stem, kinds in _digits().items() if len(kinds) == boards)
    cluster = next(stem for stem in there if not platform or platform in _digits()[stem])
    files = (f"folding_{boards}.json", f"{cluster}.toml", f"finn_{boards}")
    return _Example(name, "digits.onnx", *files, None, SETTINGS.get(cluster, ()))


def demo_folder(out: StrPath, boards: int, example: Example = "digits", platform: str = "") -> Path:
    """Return the folder below ``out`` into which `demo` generates."""
    stem = Path(_example(example, boards, platform).cluster).stem.removeprefix("cluster_")
    return Path(out) / f"generated_{stem if example == 'digits' else example}"


def demo(  # noqa: PLR0913 - what the command line offers
    out: StrPath,
    boards: int,
    simulator: Simulator,
    reference: bool,
    say: Callable[[str], None] = lambda _: None,
    *,
    example: Example = "digits",
    platform: str = "",
) -> RunReport:
    """Build, plan, generate and prove an example.

    Args:
        out: Working folder: FINN build, cluster.toml, generated output.
        boards: One of `digit_boards`; the others have the number of `FIXED_BOARDS`.
        simulator: Icarus takes the reference partitions only; it cannot parse FINN's RTL.
        reference: Use partitions of our own in plain Verilog instead of FINN's; digits only.
        say: Receives what is legal and should be known.
        example: Folder under ``examples``.
        platform: Of the boards; that of the first such example, if empty.

    Returns:
        The report of the bench; ``accuracy`` is over the held-out images that were sent.

    Raises:
        ShellgenError: Something is missing on this machine, or reference partitions are for the digits only.
    """
    with compiled_ahead(simulator):
        target = demo_boards(out, boards, reference, say, example=example, platform=platform)
        chosen, labels = _example(example, boards, platform), Path(out) / LABELS
        options = SimulateOptions(frames=len(np.load(labels)), settings=chosen.settings)
        steps = Steps.of(Path(out), _STEPS)
        with part("simulation", 3, 3):
            report, page = proved(steps, target.name, target, simulator, options, [], labels)
    if steps.reused:
        same = "a run in another folder" if steps.shared else "the last run"
        say(
            f"nothing has changed since {same}, which passed: this is its report. "
            f"`shellgen simulate {target}` runs it again"
        )
    say(f"report: {page}")
    return report


def demo_boards(  # noqa: PLR0913
    out: StrPath,
    boards: int,
    reference: bool = False,
    say: Callable[[str], None] = lambda _: None,
    *,
    example: Example = "digits",
    platform: str = "",
) -> Path:
    """Build, plan and generate an example; return the folder of the boards and the bench.

    Raises:
        ShellgenError: As `demo` does.
    """
    out = Path(out)
    chosen = _example(example, boards, platform)
    if reference and example != "digits":
        found = "reference partitions exist for the digits only"
        raise one(InputError, "demo", found, "Leave --reference out")
    if not reference:
        _check_finn(instead=example == "digits")
    folder = data_dir("examples") / chosen.folder
    _check_out(out)
    out.mkdir(parents=True, exist_ok=True)
    inputs = _vectors(data_dir("examples") / "digits", out, chosen.frames)
    with part("partitions", 1, 3):
        step(f"reading {chosen.model}")
        _stitch(chosen, folder, out, inputs, reference, say)
    cluster = out / chosen.cluster
    write_whole(cluster, (folder / chosen.cluster).read_bytes())
    target = demo_folder(out, boards, example, platform)
    with part("boards", 2, 3):
        plan, written = generate(cluster, target, say, force=True)
    for path in written.overwritten:
        say(f"{target / path} had been edited, and is overwritten")
    files = counted(written.changed, "file")
    say(f"{target} holds the boards and the bench: {files} written, cluster {plan.cluster_id}")
    return target


def _stitch(  # noqa: PLR0913
    chosen: _Example, folder: Path, out: Path, inputs: Path, reference: bool, say: Callable[[str], None]
) -> None:
    """Make the partitions of an example, and golden frames of each build."""
    build = out / "build" / chosen.build
    model, folding = folder / chosen.model, folder / chosen.folding
    if reference:
        reference_model(model, folding, build, inputs)
        return
    outputs = []
    for name in chosen.beside:
        branch = build.parent / name
        stitch_model(folder / f"{name}.onnx", folder / "branch.json", branch, inputs, say=say)
        outputs.append(np.load(branch / "output.npy"))
    if outputs:
        inputs = out / "joined.npy"
        np.save(inputs, np.concatenate(outputs, axis=-1))
    stitch_model(model, folding, build, inputs, say=say)


def _check_out(out: Path) -> None:
    """Refuse a folder with anything that no demo writes, since the demo overwrites files and a cluster.toml.

    Raises:
        InputError: There is something else in it, or a cluster.toml of the user.
    """
    examples: dict[str, list[bytes]] = {}  # several examples have a file of one name
    for path in sorted(data_dir("examples").glob("*/cluster*.toml")):
        examples.setdefault(path.name, []).append(path.read_bytes())
    for path in sorted(out.iterdir()) if out.is_dir() else ():
        ours = path.name in _FILES or path.name.startswith(("generated_", "."))
        if path.name in examples:
            ours = path.is_file() and path.read_bytes() in examples[path.name]
        if not ours:
            found = "it is not what the demo writes, and may be yours"
            raise one(InputError, str(path), found, "Choose another folder with -o")


def _check_finn(instead: bool) -> None:
    """Say first that FINN cannot be installed here, and what works without it."""
    try:
        check_finn_env()
    except ToolMissingError as error:
        other = ", or add --reference: partitions of our own, without FINN" if instead else ""
        problems = [Problem(p.where, p.found, p.remedy + other) for p in error.problems]
        raise ToolMissingError(*problems) from None


def _vectors(example: Path, out: Path, frames: int | None) -> Path:
    """Write inputs, which are returned, and labels with the example's own script."""
    command = [sys.executable, str(example / "vectors.py"), str(out), *([str(frames)] if frames else [])]
    around = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=around)
    if result.returncode:
        last = result.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
        raise one(InputError, str(out), f"the digits cannot be written ({last[0]})", "Choose another folder")
    return out / "input.npy"
