# SPDX-License-Identifier: BSD-3-Clause
"""Finding child models and stitched IP folders after a build was moved: their recorded paths are dead."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from shellgen.errors import InputError, Problem
from shellgen.read.finn_onnx import FinnModel, Node, load_model
from shellgen.read.partition import looks_stitched
from shellgen.read.tree import Tree, same_content

_STITCHED = "intermediate_models/step_create_stitched_ip.onnx"


def child_model(parent: FinnModel, node: Node, tree: Tree, problems: list[Problem]) -> FinnModel | None:
    """Return the model that a partition node names: where it says, else the best match near the parent."""
    where = f"{parent.path}: node {node.name}.model"
    recorded = node.text("model")
    if recorded is None:
        remedy = "Save the parent again with FINN's CreateDataflowPartition"
        problems.append(Problem(where, "it names no child model", remedy))
        return None
    path = _recorded(Path(recorded), parent.path.parent)
    if path is None:
        closest = tree.closest(recorded)
        if not closest or not same_content(closest):
            several = ", ".join(str(entry) for entry in closest)
            found = f"the child model {recorded} is not there"
            found += f", and several could be it: {several}" if closest else ""
            remedy = f"Copy {PurePosixPath(recorded).name} beside the parent"
            problems.append(Problem(where, found, remedy))
            return None
        path = closest[0]
    try:
        return load_model(path)
    except InputError as error:
        problems.extend(error.problems)
        return None


def _recorded(path: Path, base: Path) -> Path | None:
    for candidate in (base / path, path):
        if candidate.is_file():
            return candidate
    return None


def stitched_folder(  # noqa: PLR0913 - what is known about the partition, and where to look
    name: str, child: FinnModel, base: Path, tree: Tree, *, single: bool, problems: list[Problem]
) -> tuple[FinnModel, Path | None]:
    """Return a partition's model as stitched, and its stitched IP.

    Looked for in this order: ``vivado_stitch_proj`` as recorded, relative to the model or to the build; a
    folder of that base name; one named after partition, block or model; for a build of one partition,
    FINN's own ``stitched_ip/`` with the model of that step (facts/real_builds.md 17).
    """
    recorded = child.metadata.get("vivado_stitch_proj", "")
    folders = [child.path.parent / recorded, base / recorded, Path(recorded)] if recorded else []
    names = [PurePosixPath(recorded).name] if recorded else []
    names += [name, child.path.stem]
    vlnv = child.metadata.get("vivado_stitch_vlnv", "").split(":")
    names += [vlnv[2]] if len(vlnv) == 4 and vlnv[2] != "finn_design" else []
    folders += [root / entry for root in (base, child.path.parent) for entry in names if entry]
    ip = _stitched(folders, base) or _stitched(_named_like(tree, names), base)
    if ip:
        return child, ip
    if single and looks_stitched(base / "stitched_ip"):
        later = base / _STITCHED
        return (load_model(later) if later.is_file() else child), base / "stitched_ip"
    found = f"no stitched IP of partition {name} (looked for {', '.join(dict.fromkeys(names))})"
    remedy = f"Copy the folder that vivado_stitch_proj names to {base / names[0]}"
    if not recorded:
        remedy = f"Stitch it (FINN's CreateStitchedIP, or shellgen stitch) into {base / name}"
    problems.append(Problem(f"{child.path}: metadata vivado_stitch_proj", found, remedy))
    return child, None


def _stitched(folders: list[Path], base: Path) -> Path | None:
    for folder in folders:
        for candidate in (folder, folder / "stitched_ip"):
            if candidate.is_dir() and candidate != base and looks_stitched(candidate):
                return candidate
    return None


def _named_like(tree: Tree, names: list[str]) -> list[Path]:
    """Folders anywhere below the roots that have a component or a source list and one of these names."""
    paths = [path.parent.parent for path in tree.files.get("component.xml", ()) if path.parent.name == "ip"]
    paths += [path.parent for path in tree.files.get("all_verilog_srcs.txt", ())]
    return [path for name in names for path in paths if path.name == name]


def model_of(ip: Path, *near: Path) -> FinnModel | None:
    """Return the ONNX inside or beside a stitched IP: the one FINN stitched from, if there are several.

    Raises:
        InputError: It is not ONNX, or several could be it.
    """
    for folder in dict.fromkeys((ip, ip / "ip", *near)):
        later = folder / _STITCHED
        if later.is_file():
            return load_model(later)
        paths = sorted(folder.glob("*.onnx"))
        named = [path for path in paths if path.stem in {ip.name, ip.parent.name}]
        if folder not in {ip, ip.parent} and not named:
            continue
        models = [load_model(path) for path in named or paths]
        models = [model for model in models if not model.partitions]
        if len(models) > 1:
            models = [model for model in models if "vivado_stitch_proj" in model.metadata] or models
        if len(models) > 1:
            names = ", ".join(model.path.name for model in models)
            found = f"it holds several models ({names})"
            raise InputError(Problem(str(folder), found, "Leave only the one that was stitched"))
        if models:
            return models[0]
    return None
