# SPDX-License-Identifier: BSD-3-Clause
"""A FINN build to a `Network`: which partitions there are, where they lie, and what joins them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model import Edge, Endpoint, Network, Partition, StreamSpec
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.locate import child_model, model_of, stitched_folder
from shellgen.read.partition import Found, identifier, is_dma_model, looks_stitched, read_partition
from shellgen.read.tree import Tree
from shellgen.read.uniquify import uniquify

_PARENTS = ("parent.onnx", "dataflow_parent.onnx", "intermediate_models/dataflow_parent.onnx")


def read_network(build: Path, streams: Sequence[StreamSpec] = (), where: str = "cluster.toml") -> Network:
    """Read a FINN build.

    Args:
        build: A parent ONNX with ``StreamingDataflowPartition`` nodes; or a folder with such a parent in
            it, with one folder per partition in it, or that is one stitched IP.
        streams: Data types and shapes of ports that the build does not tell, from cluster.toml.
        where: Name of cluster.toml, for messages.

    Returns:
        Partitions in network order, with edges if there is a parent, and files whose module names are
        unique over all partitions.

    Raises:
        InputError: Every reason why the build cannot be used, each with file, field and remedy.
    """
    if not build.exists():
        remedy = "Correct that path; it is relative to the file that names it"
        raise InputError(Problem(f"{where}: build", f"no such FINN build: {build}", remedy))
    parent_path = build if build.is_file() else _parent_in(build)
    problems: list[Problem] = []
    parent: FinnModel | None = None
    if parent_path:
        parent = load_model(parent_path)
        found = _of_parent(parent, problems)
    else:
        found = _of_folder(build, problems)
    partitions: list[Partition] = []
    files: dict[str, bytes] = {}
    for entry in found:
        read = read_partition(entry, streams, problems)
        if read:
            partitions.append(read[0])
            files |= read[1]
    if not partitions and not problems:
        found_text = "it holds nothing but DMA partitions"
        problems.append(Problem(str(build), found_text, "Name a build with compute partitions"))
    if not problems:
        problems.extend(_unknown_ports(partitions, streams))
    edges = _edges(parent, partitions, problems) if parent and not problems else ()
    if problems:
        raise InputError(*(_placed(problem, where) for problem in problems))
    unique, files = uniquify(tuple(partitions), files)
    return Network(unique, edges, files, str(build))


def _placed(problem: Problem, where: str) -> Problem:
    """Put cluster.toml in front of what is wrong with its [[stream]] entries."""
    return replace(problem, where=f"{where}: {problem.where}") if problem.where[0] == "[" else problem


def _parent_in(folder: Path) -> Path | None:
    """Return a folder's parent ONNX: FINN's own names first, then the only ONNX at its top that is one."""
    for name in _PARENTS:
        if (folder / name).is_file():
            return folder / name
    if looks_stitched(folder):
        return None
    parents = [path for path in sorted(folder.glob("*.onnx")) if load_model(path).partitions]
    return parents[0] if len(parents) == 1 else None


def _of_parent(parent: FinnModel, problems: list[Problem]) -> list[Found]:
    """Locate the partitions of a parent; DMA partitions are left out."""
    if not parent.partitions:
        found = "it has no StreamingDataflowPartition nodes"
        remedy = "Name FINN's dataflow_parent.onnx, or the folder that holds the stitched IPs"
        raise InputError(Problem(str(parent.path), found, remedy))
    folder = parent.path.parent
    base = folder.parent if folder.name == "intermediate_models" else folder
    tree = Tree([base])
    single = len(parent.partitions) == 1
    located = []
    for index, node in enumerate(parent.partitions):
        child = child_model(parent, node, tree, problems)
        if child is None or is_dma_model(child):
            continue
        name = identifier(node.name or f"partition_{index}")
        model, ip = stitched_folder(name, child, base, tree, single=single, problems=problems)
        if ip:
            located.append(Found(name, ip, model, _origin(ip, base)))
    return located


def _of_folder(build: Path, problems: list[Problem]) -> list[Found]:
    if looks_stitched(build):
        model = model_of(build, build.parent if build.name == "stitched_ip" else build)
        name = identifier(
            build.resolve().parent.name if build.name == "stitched_ip" else build.resolve().name
        )
        return [Found(name, build, model, build.name)]
    found = []
    for folder in sorted((path for path in build.iterdir() if path.is_dir()), key=_natural):
        inner = [folder, folder / "stitched_ip", *sorted(path for path in folder.iterdir() if path.is_dir())]
        ip = next((path for path in inner if looks_stitched(path)), None)
        if ip is None:
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
    return f"{base.resolve().name}/{path.relative_to(base)}" if path.is_relative_to(base) else path.name


def _edges(parent: FinnModel, partitions: list[Partition], problems: list[Problem]) -> tuple[Edge, ...]:
    """Match tensors of the parent; ports by index, because children rename their tensors."""
    by_name = {partition.name: partition for partition in partitions}
    makers: dict[str, Endpoint] = {}
    takers: list[tuple[str, Endpoint]] = []
    for index, node in enumerate(parent.partitions):
        partition = by_name.get(identifier(node.name or f"partition_{index}"))
        if partition is None:
            continue
        inputs = [name for name in node.inputs if name and name not in parent.initialisers]
        for side, tensors, ports in (
            ("inputs", inputs, partition.inputs),
            ("outputs", list(node.outputs), partition.outputs),
        ):
            if len(tensors) != len(ports):
                found = f"{len(tensors)} {side}, but its IP has {len(ports)} streams on that side"
                remedy = "Use parent and stitched IP of one build"
                problems.append(Problem(f"{parent.path}: node {node.name}", found, remedy))
        for tensor, port in zip(node.outputs, partition.outputs, strict=False):
            makers[tensor] = Endpoint(partition=partition.name, port=port.name)
        for tensor, port in zip(inputs, partition.inputs, strict=False):
            takers.append((tensor, Endpoint(partition=partition.name, port=port.name)))
    return tuple(Edge(producer=makers[name], consumer=end) for name, end in takers if name in makers)


def _unknown_ports(partitions: list[Partition], streams: Sequence[StreamSpec]) -> list[Problem]:
    known = [f"{partition.name}.{port.name}" for partition in partitions for port in partition.streams]
    return [
        Problem(
            f"[[stream]] {spec.port}: port",
            "the build has no such stream port",
            f"Choose one of: {', '.join(known)}",
        )
        for spec in streams
        if spec.port not in known
    ]
