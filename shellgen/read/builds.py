# SPDX-License-Identifier: BSD-3-Clause
"""The partitions of a FINN build and their folders: by its parent, by its folders, or from one file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from shellgen.errors import InputError, Problem, nearest, printable
from shellgen.quote import shell_quote
from shellgen.read.external import dma_weights
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.locate import child_model, stitched_folder, whole_build
from shellgen.read.models import model_of, recorded_project
from shellgen.read.partition import identifier, is_dma_model, looks_stitched
from shellgen.read.runs import final_runs
from shellgen.read.top import Found
from shellgen.read.tree import Tree
from vivado_check.formats.looks import children, exists, glob, is_dir, is_file

_PARENTS = ("parent.onnx", "dataflow_parent.onnx", "intermediate_models/dataflow_parent.onnx")
_SPLIT = "split.json"  # beside a cluster.toml of `shellgen split`
_SHOWN = 8  # names in the message of a path that is not there
# Folders of FINN's that hold Verilog and are no partition.
_NO_PARTITIONS = ("code_gen_ipgen_", "code_gen_cppsim_", "rtlsim_", "pyverilator_", "dummy_")
# The whole design once more, in one flat folder, for a synthesis of its own.
_SYNTHESIS = "synth_out_of_context_"


@dataclass
class Build:
    """The parts of a build.

    Attributes:
        parent: The model whose nodes are partitions, if there is one.
        found: Its partitions in network order.
        dma: Weights that FINN's DMA partitions hold, by tensor of the parent.
        problems: Why a partition could not be located.
    """

    parent: FinnModel | None = None
    found: list[Found] = field(default_factory=list)
    dma: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def locate_build(path: Path, where: str) -> Build:
    """Locate the partitions of a build.

    Args:
        path: A parent ONNX, the ONNX of one stitched partition, or a folder that has a parent in it, has one
            folder per partition, or is one stitched IP.
        where: Name of the file that names it, for messages.

    Raises:
        InputError: Nothing of that is there.
    """
    if not exists(path):
        remedy = f"{_what_is_there(path)}Correct that path; in a cluster.toml it is relative to that file"
        if is_file(plan := path.parent / _SPLIT):
            remedy = f"Make it of the model that was split: `shellgen stitch <model>.onnx {plan} -o {path}`"
        raise InputError(Problem(f"{where}: build", f"no such FINN build: {path}", remedy))
    build = Build()
    parent_path = path if is_file(path) else _parent_in(path)
    if parent_path is None:
        build.found = _of_folder(path, build.problems)
        return build
    model = load_model(parent_path)
    if model.partitions:
        build.parent = model
        _of_parent(model, build)
    else:
        build.found = _of_child(model)
    return build


def _what_is_there(path: Path) -> str:
    """Say what the nearest folder holds that could have been meant by a path that is not there."""
    folder = next((each for each in path.parents if is_dir(each)), None)
    try:
        inside = children(folder) if folder else []
    except OSError:  # it may not be read
        inside = []
    shown = [one for one in inside if not one.name.startswith(".")]
    names = [one.name for one in shown if one.suffix == ".onnx" or is_dir(one)]
    if not names:
        return ""
    near = nearest(path.relative_to(folder).parts[0], names) if folder else ""
    meant = f"Did you mean {near}? " if near and near != path.name else ""
    others = ", ..." if len(names) > _SHOWN else ""
    return f"{meant}In {folder} are {', '.join(map(printable, names[:_SHOWN]))}{others}. "


def _base(path: Path) -> Path:
    """Return the build folder that a model of FINN's lies in."""
    return path.parent.parent if path.parent.name == "intermediate_models" else path.parent


def _of_child(model: FinnModel) -> list[Found]:
    """Locate the stitched IP of a model that is one partition by itself."""
    if not any(node.is_hardware for node in model.nodes):
        found = "it has no StreamingDataflowPartition nodes, and no FINN hardware in it"
        remedy = "Name FINN's dataflow_parent.onnx, or make partitions of this model with `shellgen stitch`"
        raise InputError(Problem(str(model.path), found, remedy))
    base = _base(model.path)
    problems: list[Problem] = []
    name = identifier(model.path.stem if base == model.path.parent else base.resolve().name)
    believed, ip = stitched_folder(name, model, base, Tree([base]), whole_build(base), problems)
    if ip is None:
        raise InputError(*problems)
    return [Found(name, ip, believed, _origin(ip, base))]


def _parent_in(folder: Path) -> Path | None:
    """Return a folder's parent ONNX: FINN's own names first, then the only ONNX at its top that is one."""
    for name in _PARENTS:
        if is_file(folder / name):
            return folder / name
    if looks_stitched(folder):
        return None
    parents = [path for path in glob(folder, "*.onnx") if load_model(path).partitions]
    return parents[0] if len(parents) == 1 else None


def parent_near(ip: Path) -> FinnModel | None:
    """Return the parent that FINN left beside ``stitched_ip``, of this run or of another."""
    for name in _PARENTS:
        if is_file(ip.parent / name):
            return load_model(ip.parent / name)
    return None


def _of_parent(parent: FinnModel, build: Build) -> None:
    """Locate the partitions of a parent; DMA partitions leave only the weights they send, by tensor."""
    base = _base(parent.path)
    tree = Tree([base])
    whole = whole_build(base) if len(parent.partitions) == 1 else None
    stitched = False
    for node in parent.partitions:
        name = identifier(node.name)
        lost: list[Problem] = []
        child = child_model(parent, node, tree, lost)
        if whole and (child is None or not recorded_project(child)):
            build.found.append(Found(name, whole, model_of(whole, base), _origin(whole, base)))
            return
        if child is None:
            build.problems += lost
            stitched = True
            continue
        stitched = stitched or bool(recorded_project(child))
        if is_dma_model(child):
            sent = dma_weights(child)
            build.dma |= dict.fromkeys(node.outputs, sent) if sent is not None else {}
            continue
        model, ip = stitched_folder(name, child, base, tree, whole, build.problems)
        if ip:
            build.found.append(Found(name, ip, model, _origin(ip, base)))
    if not stitched and not build.found and build.problems:
        found = f"none of its {len(parent.partitions)} partitions was stitched"
        if len(parent.partitions) == 1:
            found = "its partition was not stitched"
        remedy = f"Stitch them with Vivado (FINN's CreateStitchedIP), or run {stitch_command(parent.path)}"
        build.problems = [Problem(str(parent.path), found, remedy)]


def stitch_command(parent: Path) -> str:
    """Return the command that stitches the partitions of a parent without Vivado."""
    return f"`shellgen stitch {shell_quote(parent)} -o <build>`"


def _of_folder(build: Path, problems: list[Problem]) -> list[Found]:
    if looks_stitched(build):
        model = model_of(build, build.parent if build.name == "stitched_ip" else build)
        name = identifier(
            build.resolve().parent.name if build.name == "stitched_ip" else build.resolve().name
        )
        return [Found(name, build, model, build.name)]
    found = []
    folders = [
        path
        for path in children(build)
        if is_dir(path) and not path.name.startswith((*_NO_PARTITIONS, _SYNTHESIS))
    ]
    for folder in final_runs(build, sorted(folders, key=_natural)):
        inner = [folder, folder / "stitched_ip", *(path for path in children(folder) if is_dir(path))]
        ip = next((path for path in inner if looks_stitched(path)), None)
        if ip is None:
            continue
        whole = next((name for name in _PARENTS if is_file(folder / name)), None)
        if whole and ip.parent == folder and ip.name != "stitched_ip":
            text = f"{folder.name} is a build by itself: it holds {whole}"
            problems.append(Problem(str(build), text, f"Name {folder}"))
            continue
        try:
            model = model_of(ip, folder, build)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if model and is_dma_model(model):
            continue
        found.append(Found(identifier(folder.name), ip, model, _origin(ip, build)))
    repeated = [name for name, count in Counter(entry.name for entry in found).items() if count > 1]
    for name in repeated:
        text = f"two folders are named {name} as Verilog identifiers"
        problems.append(Problem(str(build), text, "Rename one of them"))
    if not found and not problems:
        text = "it holds neither a parent ONNX nor a folder with a stitched IP (ip/component.xml)"
        remedy = "Name FINN's dataflow_parent.onnx, a stitched_ip folder, or a folder of such folders"
        problems.append(Problem(str(build), text, remedy))
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", path.name)]


def _origin(path: Path, base: Path) -> str:
    """Name a folder from the build on, so that a plan is the same wherever the build lies."""
    inside = path.is_relative_to(base)
    return printable(f"{base.resolve().name}/{path.relative_to(base)}" if inside else path.name)
