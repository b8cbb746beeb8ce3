# SPDX-License-Identifier: BSD-3-Clause
"""A FINN build to a `Network`: which partitions there are, where they lie, and what joins them."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model import Edge, Endpoint, Network, Partition, Registers, StreamSpec
from shellgen.model.stream_block import unknown_stream
from shellgen.read.external import dma_weights, model_weights, stream_inputs
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.locate import child_model, stitched_folder, whole_build
from shellgen.read.models import model_of, recorded_project
from shellgen.read.partition import Found, identifier, is_dma_model, looks_stitched, read_partition
from shellgen.read.tree import Tree
from shellgen.read.uniquify import uniquify
from shellgen.read.weights import runtime_registers

_LOG = logging.getLogger("shellgen.read")
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
    dma: dict[str, bytes] = {}
    if parent_path:
        parent = load_model(parent_path)
        found = _of_parent(parent, problems, dma)
    else:
        found = _of_folder(build, problems)
    partitions: list[Partition] = []
    files: dict[str, bytes] = {}
    registers: dict[tuple[str, str], Registers] = {}
    weights: dict[Endpoint, bytes] = {}
    unknown: list[Problem] = []  # planning asks for them too, but is not reached if there are problems
    for entry in found:
        read = read_partition(entry, streams, problems)
        if read:
            partitions.append(read.partition)
            files |= read.files
            registers |= _registers(entry, read.partition)
            weights |= _weights(entry, read.partition)
            unknown += [unknown_stream(where, read.partition.name, port) for port in read.unknown]
    if not partitions and not problems:
        found_text = "it holds nothing but DMA partitions"
        problems.append(Problem(str(build), found_text, "Name a build with compute partitions"))
    if not problems:
        problems.extend(_unknown_ports(partitions, streams))
    edges: tuple[Edge, ...] = ()
    if parent and not problems:
        edges, fed = _edges(parent, partitions, weights, problems)
        sent = {end: dma[tensor] for tensor, end in fed if tensor in dma}
        weights = {end: one for end, one in sent.items() if _is_pass(partitions, end, one)} | weights
    if problems:
        raise InputError(*(_placed(problem, where) for problem in problems), *unknown)
    unique, files = uniquify(tuple(partitions), files)
    return Network(unique, edges, files, str(build), registers, weights)


def _registers(found: Found, partition: Partition) -> dict[tuple[str, str], Registers]:
    """Return what packs the weights of the model, by partition and interface."""
    return {
        (partition.name, port.name): partial(runtime_registers, found.model, port.memory)
        for port in partition.axilite
        if found.model and port.memory
    }


def _weights(found: Found, partition: Partition) -> dict[Endpoint, bytes]:
    """Take the external weights that the partition's own model holds."""
    if found.model is None:
        return {}
    held = {}
    for port, tensor in zip(partition.inputs, stream_inputs(found.model), strict=False):
        values = model_weights(found.model, tensor) if port.role == "weights" else None
        if values is not None:
            held[Endpoint(partition=partition.name, port=port.name)] = values
    return held


def _is_pass(partitions: list[Partition], end: Endpoint, content: bytes) -> bool:
    """Whether what a DMA of FINN's holds is one pass of the port that it feeds."""
    port = next(p for p in partitions if p.name == end.partition).stream(end.port)
    assert port is not None
    if port.role == "weights" and len(content) == -(-port.elements_per_frame * port.element.bits // 8):
        return True
    _LOG.warning("%s: FINN's DMA holds %d bytes of weights, which are not one pass", end, len(content))
    return False


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


def _of_parent(parent: FinnModel, problems: list[Problem], dma: dict[str, bytes]) -> list[Found]:
    """Locate the partitions of a parent; DMA partitions leave only the weights they send, by tensor."""
    if not parent.partitions:
        found = "it has no StreamingDataflowPartition nodes"
        remedy = "Name FINN's dataflow_parent.onnx, or the folder that holds the stitched IPs"
        raise InputError(Problem(str(parent.path), found, remedy))
    folder = parent.path.parent
    base = folder.parent if folder.name == "intermediate_models" else folder
    tree = Tree([base])
    located = []
    for index, node in enumerate(parent.partitions):
        name = identifier(node.name or f"partition_{index}")
        whole = whole_build(base) if len(parent.partitions) == 1 else None
        lost: list[Problem] = []
        child = child_model(parent, node, tree, lost)
        if whole and (child is None or not recorded_project(child)):
            located.append(Found(name, whole, model_of(whole, base), _origin(whole, base)))
            continue
        problems += lost
        if child is None:
            continue
        if is_dma_model(child):
            sent = dma_weights(child)
            dma |= dict.fromkeys(node.outputs, sent) if sent is not None else {}
            continue
        model, ip = stitched_folder(name, child, base, tree, whole, problems)
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


def _edges(
    parent: FinnModel, partitions: list[Partition], held: Container[Endpoint], problems: list[Problem]
) -> tuple[tuple[Edge, ...], list[tuple[str, Endpoint]]]:
    """Match tensors of the parent; ports by index, because children rename their tensors.

    Returns:
        The edges, and every tensor with the port that takes it. A port of weights that the child itself holds
        is unknown to the parent.
    """
    by_name = {partition.name: partition for partition in partitions}
    makers: dict[str, Endpoint] = {}
    takers: list[tuple[str, Endpoint]] = []
    for index, node in enumerate(parent.partitions):
        partition = by_name.get(identifier(node.name or f"partition_{index}"))
        if partition is None:
            continue
        inputs = [name for name in node.inputs if name and name not in parent.initialisers]
        sources = partition.inputs
        if len(inputs) < len(sources):
            ends = [Endpoint(partition=partition.name, port=port.name) for port in sources]
            sources = tuple(port for port, end in zip(sources, ends, strict=True) if end not in held)
        for side, tensors, ports in (
            ("inputs", inputs, sources),
            ("outputs", list(node.outputs), partition.outputs),
        ):
            if len(tensors) != len(ports):
                found = f"{len(tensors)} {side}, but its IP has {len(ports)} streams on that side"
                remedy = "Use parent and stitched IP of one build"
                problems.append(Problem(f"{parent.path}: node {node.name}", found, remedy))
        for tensor, port in zip(node.outputs, partition.outputs, strict=False):
            makers[tensor] = Endpoint(partition=partition.name, port=port.name)
        for tensor, port in zip(inputs, sources, strict=False):
            takers.append((tensor, Endpoint(partition=partition.name, port=port.name)))
    edges = tuple(Edge(producer=makers[name], consumer=end) for name, end in takers if name in makers)
    return edges, takers


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
