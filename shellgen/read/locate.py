# SPDX-License-Identifier: BSD-3-Clause
"""Finding child models and stitched IP folders after a build was moved: their recorded paths are dead."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from shellgen.errors import InputError, Problem
from shellgen.read.finn_onnx import FinnModel, Node, load_model
from shellgen.read.models import contradicts, model_of, projects_of, recorded_project
from shellgen.read.partition import looks_stitched
from shellgen.read.tree import Tree, same_content
from vivado_check.formats.looks import is_dir, is_file


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
        if is_file(candidate):
            return candidate
    return None


def stitched_folder(  # noqa: PLR0913 - what is known about the partition, and where to look
    name: str, child: FinnModel, base: Path, tree: Tree, whole: Path | None, problems: list[Problem]
) -> tuple[FinnModel | None, Path | None]:
    """Return a partition's model as stitched, and its stitched IP.

    Looked for in this order: ``vivado_stitch_proj`` as recorded, relative to the model or to the build; a
    folder of that base name; one named after partition, block or model; ``whole``.
    """
    recorded = child.metadata.get("vivado_stitch_proj", "")
    folders = [child.path.parent / recorded, base / recorded, Path(recorded)] if recorded else []
    names = [PurePosixPath(recorded).name] if recorded else []
    names += [name, child.path.stem]
    vlnv = child.metadata.get("vivado_stitch_vlnv", "").split(":")
    names += [vlnv[2]] if len(vlnv) == 4 and vlnv[2] != "finn_design" else []
    folders += [root / entry for root in (base, child.path.parent) for entry in names if entry]
    ip = _stitched(folders, base) or _stitched(_named_like(tree, names), base) or whole
    if ip:
        return _of_one_run(child, ip, base, problems)
    found = f"no stitched IP of partition {name} (looked for {', '.join(dict.fromkeys(names))})"
    remedy = f"Copy the folder that vivado_stitch_proj names to {base / names[0]}"
    if not recorded:
        remedy = f"Stitch it (FINN's CreateStitchedIP, or shellgen stitch) into {base / name}"
    problems.append(Problem(f"{child.path}: metadata vivado_stitch_proj", found, remedy))
    return child, None


def whole_build(base: Path) -> Path | None:
    """Return FINN's own ``stitched_ip/``, which holds the only partition of a build that has one."""
    return base / "stitched_ip" if looks_stitched(base / "stitched_ip") else None


def _of_one_run(
    child: FinnModel, ip: Path, base: Path, problems: list[Problem]
) -> tuple[FinnModel | None, Path | None]:
    """Believe a child that was stitched where its IP was; if it was not stitched at all, look for one."""
    projects = projects_of(ip)
    if contradicts(child, projects):
        found = f"it was stitched in {recorded_project(child)}, and {ip} in {', '.join(sorted(projects))}"
        problems.append(Problem(f"{child.path}", found, "Use parent, children and stitched IPs of one build"))
        return child, None
    if recorded_project(child) or not projects:
        return child, ip
    return model_of(ip, ip.parent, base), ip


def _stitched(folders: list[Path], base: Path) -> Path | None:
    for folder in folders:
        for candidate in (folder, folder / "stitched_ip"):
            if is_dir(candidate) and candidate != base and looks_stitched(candidate):
                return candidate
    return None


def _named_like(tree: Tree, names: list[str]) -> list[Path]:
    """Folders anywhere below the roots that have a component or a source list and one of these names."""
    paths = [path.parent.parent for path in tree.files.get("component.xml", ()) if path.parent.name == "ip"]
    paths += [path.parent for path in tree.files.get("all_verilog_srcs.txt", ())]
    return [path for name in names for path in paths if path.name == name]
