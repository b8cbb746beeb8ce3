# SPDX-License-Identifier: BSD-3-Clause
"""The ONNX of a stitched IP: only a model of the same FINN run is accepted.

A build folder keeps models of several runs side by side, and one of another run describes other streams.
Each run stitches in a folder of its own, ``vivado_stitch_proj_<8 characters>``: the model records it, and
every path of the source list goes through it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from shellgen.errors import InputError, Problem
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.sources import LIST
from shellgen.read.tree import node_of_folder
from vivado_check.formats.files import file_bytes, file_text
from vivado_check.formats.looks import below, glob, is_dir, is_file

_LOG = logging.getLogger("shellgen.read")
_RECORD = "vivado_stitch_proj"
# FINN of 2021 counts its steps: 11_step_create_stitched_ip.onnx.
_STEP = re.compile(r"(?:\d+_)?step_create_stitched_ip\.onnx")
# The folder of a layer in the path of a file that RTL reads.
_MEMORY = re.compile(rb'"[^"\s]*/(code_gen_ipgen_\w+)/')
_PROJECT = re.compile(r"(?<![^/\s])([^/\s]{1,255})/finn_vivado_stitch_proj\.(?:gen|srcs)/")


def projects_of(ip: Path) -> frozenset[str]:
    """Return the project folders that the source list of a stitched IP names; empty if it does not tell."""
    path = ip / LIST
    if not is_file(path):
        return frozenset()
    return frozenset(_PROJECT.findall(file_text(path, errors="replace")))


def recorded_project(model: FinnModel) -> str:
    """Return the project folder that a model was stitched in, without the path; empty if it was not."""
    return PurePosixPath(model.metadata.get(_RECORD, "")).name


def contradicts(model: FinnModel, projects: frozenset[str]) -> bool:
    """Whether a model was stitched in another folder than the IP, in another run that is."""
    recorded = recorded_project(model)
    return bool(recorded and projects) and recorded not in projects


def model_of(ip: Path, *near: Path) -> FinnModel | None:
    """Return the ONNX that a stitched IP was made from, or None if no model of that run is there.

    Looked for in the IP's folder, then in those near it: the model of FINN's stitching step, else a model
    that is named like the folder or the only one; then, in all folders beside the IP, a model that records
    this very project.

    Raises:
        InputError: A file is not ONNX, or several models could be it.
    """
    projects = projects_of(ip)
    for folder in dict.fromkeys((ip, ip / "ip", *near)):
        step = _step_model(folder, projects)
        if step:
            return step
        paths = glob(folder, "*.onnx")
        named = [path for path in paths if path.stem in {ip.name, ip.parent.name}]
        if folder not in {ip, ip.parent} and not named:
            continue
        # One that is named like a folder beside it is the model of that folder.
        free = named or [path for path in paths if folder != ip.parent or not is_dir(folder / path.stem)]
        model = _only_one(folder, _of_this_run(free, projects))
        if model:
            return model
    return _by_project(ip, projects)


def _step_model(folder: Path, projects: frozenset[str]) -> FinnModel | None:
    paths = [path for path in glob(folder, "intermediate_models/*.onnx") if _STEP.fullmatch(path.name)]
    models = _of_this_run(paths, projects)
    return models[0] if models else None


def _of_this_run(paths: Iterable[Path], projects: frozenset[str]) -> list[FinnModel]:
    """Load the models that can be the IP's: hardware, no parent, and not stitched in another run."""
    models = []
    for path in paths:
        model = load_model(path)
        if model.partitions or not any(node.is_hardware for node in model.nodes):
            continue
        if contradicts(model, projects):
            _LOG.warning(
                "%s is not used: it was stitched in %s, and the source list is of %s",
                path,
                recorded_project(model),
                ", ".join(sorted(projects)),
            )
            continue
        models.append(model)
    return models


def _only_one(folder: Path, models: list[FinnModel]) -> FinnModel | None:
    if len(models) > 1:
        models = [model for model in models if _RECORD in model.metadata] or models
    if len(models) > 1 and len({_graph(model) for model in models}) > 1:
        names = ", ".join(model.path.name for model in models)
        found = f"it holds several models ({names})"
        raise InputError(Problem(str(folder), found, "Leave only the one that was stitched"))
    return models[0] if models else None


def _graph(model: FinnModel) -> tuple[tuple[object, ...], ...]:
    """Return what FINN's later steps leave as it is."""
    return tuple((node.op_type, node.name, node.inputs, node.outputs) for node in model.nodes)


def _by_project(ip: Path, projects: frozenset[str]) -> FinnModel | None:
    """Look beside the IP for a model that records its project, without reading all of each file."""
    names = [name.encode() for name in sorted(projects)]
    parent = ip.resolve().parent
    paths = sorted({*glob(parent, "*.onnx"), *glob(parent, "*/*.onnx")})
    paths = [path for path in paths if any(name in file_bytes(path) for name in names)]
    models = [model for model in _of_this_run(paths, projects) if recorded_project(model) in projects]
    return _only_one(parent, [model for model in models if _has_layers(model, ip)])


def _sources(ip: Path) -> list[Path]:
    found = [Path(place, name) for place, _, names in below(ip) for name in names]
    return sorted(path for path in found if path.suffix in {".v", ".sv"})


def _has_layers(model: FinnModel, ip: Path) -> bool:
    """Whether a model has all layers that the RTL reads memories of.

    FINN's children inherit what their parent has recorded: the project of the whole network, if that was
    stitched before it was partitioned.
    """
    recorded = {PurePosixPath(node.text("code_gen_dir_ipgen") or "").name for node in model.nodes}
    known = {node_of_folder(name) for name in recorded if name.startswith("code_gen_ipgen_")}
    paths = _sources(ip) if known else []
    read = {name for path in paths for name in _MEMORY.findall(file_bytes(path))}
    missing = sorted({node_of_folder(name.decode()) for name in read} - known)
    if missing:
        text = "%s is not used: the RTL in %s has %s as well, so the model describes only a part of it"
        _LOG.warning(text, model.path, ip, ", ".join(missing))
    return not missing
