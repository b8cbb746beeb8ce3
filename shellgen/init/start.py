# SPDX-License-Identifier: BSD-3-Clause
"""The first cluster.toml of a build."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from shellgen.disk.manifest import is_output
from shellgen.errors import InputError, Problem
from shellgen.formats.onnx import is_ours
from shellgen.init import text
from shellgen.init.boards import boards_on, fitting_boards
from shellgen.init.hints import stream_hints
from shellgen.init.links import guess_links
from shellgen.model import Endpoint
from shellgen.read import read_boards
from shellgen.read.device import built_for
from shellgen.read.network import survey_build
from shellgen.read.survey import Survey
from vivado_check.formats.files import StrPath

_NEAR = 4  # parent folders of a build whose names may contain its board


@dataclass(frozen=True)
class Started:
    """A first cluster.toml.

    Attributes:
        text: Its content.
        partitions: Names, in network order.
        gaps: Values that the user has to fill in or decide.
        problems: Problems of the build itself.
    """

    text: str
    partitions: tuple[str, ...]
    gaps: tuple[str, ...]
    problems: tuple[Problem, ...]


def start_cluster(build: StrPath, folder: StrPath, platform: str = "") -> Started:
    """Return the cluster.toml of a build.

    Args:
        build: Value for cluster.toml: a parent ONNX, one partition's ONNX, or a folder.
        folder: Folder of cluster.toml; the build is named relative to it.
        platform: Platform of the boards, if given.

    Raises:
        InputError: No partition of the build can be read; the platform does not exist.
    """
    build, folder = Path(build), Path(folder)
    if is_output(build):
        found = "it is what `shellgen generate` wrote, and no build of FINN"
        raise InputError(Problem(str(build), found, "Name the folder of the FINN build"))
    survey = survey_build(build, where="shellgen init")
    if not survey.partitions:
        raise InputError(*survey.problems)
    boards = boards_on(read_boards(folder), platform)
    gaps: list[str] = []
    blocks = []
    for index, partition in enumerate(survey.partitions):
        ip = survey.folders[partition.name]
        built, need = built_for(ip), partition.takes
        part = built.part or partition.part
        own = partition.dsp_layers[0].dsp if partition.dsp_layers else None
        choices = fitting_boards(boards, need, part, own, build.resolve().parts[-_NEAR:])
        names = [board.name for board in boards]
        blocks.append(text.node(index, partition, built, need, choices, names, platform))
        if not choices:
            gaps.append(f"board of {partition.name}: no known board has its DSP slices")
    joints = [] if survey.build.parent else guess_links(survey.partitions)
    blocks += [text.link(joint) for joint in joints]
    gaps += [f"[[link]] {one.producer} -> {one.consumer}: a guess" for one in joints if not one.certain]
    hints = stream_hints(survey)
    blocks += [text.stream(name, port, hints.get(port.name)) for name, port in survey.unknown]
    gaps += [f"[[stream]] {name}.{port.name}" for name, port in survey.unknown]
    blocks += [text.weights(port) for port in _silent_weights(survey)]
    if len(survey.partitions) > 1:
        blocks.append(text.through(f"{text.NODE}0"))
    blocks.append(text.verify(_vectors(build, folder)))
    notes = [f"Fix first: {problem}" for problem in survey.problems] + _strangers(survey)
    head = text.head(text.cluster_name(_title(build.resolve())), _relative(build, folder), notes)
    partitions = tuple(partition.name for partition in survey.partitions)
    return Started("\n".join([head, *blocks]), partitions, tuple(gaps), tuple(survey.problems))


def _title(build: Path) -> str:
    """Return the name of a build: its own folder, not FINN's subfolders."""
    path = build.parent if build.is_file() and build.parent.name == "intermediate_models" else build
    inner = path.name in {"stitched_ip", "intermediate_models"}
    return path.parent.name if inner else path.stem if build.is_file() else path.name


def _strangers(survey: Survey) -> list[str]:
    """Warn about stitched IPs without a model beside others with one: FINN keeps those of earlier runs."""
    names = [partition.name for partition in survey.partitions if partition.name not in survey.models]
    if survey.build.parent or not names or not survey.models:
        return []
    return [
        f"No ONNX mentions {', '.join(names)}: left over from an earlier run? Then move"
        " those folders out of the build."
    ]


def _relative(build: Path, folder: Path) -> str:
    """Return the path of the build relative to the folder of cluster.toml."""
    return Path(os.path.relpath(build.resolve(), folder.resolve())).as_posix()


def _vectors(build: Path, folder: Path) -> str:
    """Return the folder with the vectors of a build of one input and output, as `stitch` writes them."""
    root = build if build.is_dir() else build.parent
    there = all((root / name).is_file() for name in ("input.npy", "output.npy"))
    return _relative(root, folder) if there and is_ours(root / "dataflow_parent.onnx") else ""


def _silent_weights(survey: Survey) -> list[str]:
    ends = [
        Endpoint(partition=partition.name, port=port.name)
        for partition in survey.partitions
        for port in partition.inputs
        if port.carries_weights
    ]
    return [str(end) for end in ends if end not in survey.weights]
