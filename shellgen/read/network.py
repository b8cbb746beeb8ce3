# SPDX-License-Identifier: BSD-3-Clause
"""A FINN build to a `Network`: its partitions, read one by one, and what joins them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from shellgen.cache.reads import Reads
from shellgen.errors import InputError, Problem, offer
from shellgen.model import Edge, Endpoint, Network, Partition, Registers, StreamSpec
from shellgen.model.base import refused
from shellgen.model.stream_block import unknown_stream
from shellgen.progress import each, step
from shellgen.read.belief import disbelief
from shellgen.read.builds import Build, locate_build
from shellgen.read.external import model_weights, stream_inputs
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.host_models import host_models
from shellgen.read.kept import kept_read
from shellgen.read.merge import copied, merged, unique_names
from shellgen.read.missing import with_missing
from shellgen.read.outline import Outlines
from shellgen.read.parent_joins import join_edges
from shellgen.read.partition import Read, identifier, read_partition
from shellgen.read.survey import Survey
from shellgen.read.tensors import host_tensors, own_tensors
from shellgen.read.top import Found
from shellgen.read.tree import LayerFolders
from shellgen.read.uniquify import uniquify
from shellgen.read.weights import runtime_registers
from vivado_check.formats.looks import is_dir

_LOG = logging.getLogger("shellgen.read")


def read_network(
    build: Path | Sequence[Path],
    streams: Sequence[StreamSpec] = (),
    where: str = "cluster.toml",
    own: str = "",
) -> Network:
    """Read one or several FINN builds.

    Args:
        build: A parent ONNX with ``StreamingDataflowPartition`` nodes; the ONNX of one stitched partition; or
            a folder with such a parent in it, with one folder per partition in it, or that is a stitched IP.
            Of several, the partitions count on; the same build twice gives two copies.
        streams: Data types and shapes of ports that the build does not tell, from cluster.toml.
        where: Name of cluster.toml, for messages.
        own: A digest of this shellgen, if what is read of a partition is to be kept and found again.

    Returns:
        Partitions in network order, with edges if there is a parent, and files whose module names are
        unique over all partitions.

    Raises:
        InputError: Every reason why the build cannot be used, each with file, field and remedy.
    """
    paths = (build,) if isinstance(build, Path) else tuple(build)
    survey, builds = _survey_all(paths, streams, where, own)
    if survey.problems:
        # Planning asks for undescribed streams too, but is not reached.
        asked = [unknown_stream(where, name, port) for name, port in survey.unknown]
        raise InputError(*(_placed(problem, where) for problem in survey.problems), *asked)
    step("comparing the modules of the partitions")
    partitions, files = uniquify(tuple(survey.partitions), survey.files, survey.outlines)
    if lost := _renamed_netlists(survey.partitions, partitions):
        raise InputError(*lost)
    models = {
        name: disbelief(survey.models.get(name), folder) or survey.models[name]
        for name, folder in survey.folders.items()
    }
    partitions = with_missing(partitions, files, _still(survey, partitions))
    return Network(
        partitions,
        survey.edges,
        files,
        ", ".join(map(str, paths)),
        survey.registers,
        survey.weights,
        models,
        survey.tensors,
        builds,
        host_models(paths[0]) if len(paths) == 1 else None,
    )


def _survey_all(
    paths: Sequence[Path], streams: Sequence[StreamSpec], where: str, own: str
) -> tuple[Survey, tuple[tuple[str, ...], ...]]:
    """Read every build, each once, and return them as one, with the names of the partitions of each."""
    located: dict[Path, Build] = {}
    for path in paths:
        if path.resolve() not in located:
            located[path.resolve()] = locate_build(path, where)
    names = unique_names([[entry.name for entry in located[path.resolve()].found] for path in paths])
    surveys: dict[Path, tuple[Survey, dict[str, str]]] = {}
    copies = []
    for path, called in zip(paths, names, strict=True):
        named = [one for one in streams if one.port.partition(".")[0] in called.values()]
        asked = streams if len(paths) == 1 else named
        if path.resolve() in surveys:
            known, first = surveys[path.resolve()]
            copies.append(copied(known, {first[name]: new for name, new in called.items()}))
            continue
        kept = Reads(str(path), own) if own else None
        copies.append(_survey(path, located[path.resolve()], asked, called, kept))
        if kept:
            kept.close()
        surveys[path.resolve()] = copies[-1], called
    found = copies[0] if len(copies) == 1 else merged(copies)
    if len(paths) > 1 and not found.problems:
        found.problems.extend(_unknown_ports(found.partitions, streams))
    return found, tuple(tuple(one.name for one in survey.partitions) for survey in copies)


def survey_build(path: Path, streams: Sequence[StreamSpec] = (), where: str = "cluster.toml") -> Survey:
    """Read what can be read of a build; arguments are those of `read_network`.

    Raises:
        InputError: There is no build.
    """
    return _survey(path, locate_build(path, where), streams, {})


def _survey(
    path: Path,
    build: Build,
    streams: Sequence[StreamSpec],
    called: Mapping[str, str],
    kept: Reads | None = None,
) -> Survey:
    """Read a located build; ``called`` has the names of partitions that are not called as in the build."""
    step("reading", path.name)
    survey = Survey(build)
    survey.problems = problems = survey.build.problems
    build.found = [replace(entry, name=called.get(entry.name, entry.name)) for entry in build.found]
    layers = LayerFolders(path if is_dir(path) else path.parent)
    for entry in each("reading partition", survey.build.found):
        if kept and not problems:
            read = kept_read(kept, entry, streams, problems, layers, _checked)
        else:
            read = _checked(entry, streams, problems, layers)
        if read:
            survey.outlines[entry.name] = read.outlines
            survey.partitions.append(read.partition)
            survey.folders[entry.name] = entry.folder
            survey.files |= read.files
            survey.registers |= _registers(entry, read.partition)
            survey.weights |= _weights(entry, read.partition)
            survey.unknown += [(entry.name, port) for port in read.unknown]
            if entry.model:
                survey.models[entry.name] = entry.model
    if not survey.partitions and not problems:
        found = "it holds nothing but DMA partitions"
        problems.append(Problem(str(path), found, "Name a build with compute partitions"))
    if not problems:
        problems.extend(_unknown_ports(survey.partitions, streams))
    if survey.build.parent and not problems:
        _join(survey, survey.build.parent, called)
    elif len(survey.partitions) == 1 and survey.models:
        (partition,) = survey.partitions
        survey.tensors = own_tensors(survey.models[partition.name], partition)
    return survey


def _still(survey: Survey, partitions: Sequence[Partition]) -> dict[str, Outlines]:
    """Return the outlines that are those of the partitions now: a name that is another one changes others."""
    pairs = zip(survey.partitions, partitions, strict=True)
    same = {now.name for before, now in pairs if _contents(before) == _contents(now)}
    return {name: own for name, own in survey.outlines.items() if name in same}


def _contents(partition: Partition) -> list[str]:
    return [entry.sha256 for entry in partition.sources]


def _checked(
    entry: Found, streams: Sequence[StreamSpec], problems: list[Problem], layers: LayerFolders
) -> Read | None:
    """Read a partition and check every text of it: nothing that breaks a grammar leaves this room."""
    try:
        read = read_partition(entry, streams, problems, layers)
        if read and not problems:
            Partition.model_validate(read.partition.model_dump())
        return read
    except ValidationError as error:
        problems.extend(refused(error, entry.folder).problems)
        return None


def _renamed_netlists(before: Sequence[Partition], after: Sequence[Partition]) -> list[Problem]:
    """Refuse netlists whose stub had to be renamed: the module inside cannot be."""
    problems = []
    for one, other in zip(before, after, strict=True):
        hidden = [entry.name for entry in one.sources if entry.kind == "netlist"]
        if hidden and one.top != other.top:
            found = f"its module {one.top}, in {hidden[0]}, has a name that is another partition's or ours"
            remedy = "Package it again under another name; a netlist cannot be renamed here"
            problems.append(Problem(one.origin, found, remedy))
    return problems


def _join(survey: Survey, parent: FinnModel, called: Mapping[str, str]) -> None:
    """Add what a parent tells: edges, weights that FINN's DMA partitions send along them, and SLRs."""
    named = {
        node.name: called.get(identifier(node.name), identifier(node.name)) for node in parent.partitions
    }
    slrs = {named[node.name]: node.integer("slr") for node in parent.partitions}
    survey.partitions = [_in_region(one, slrs.get(one.name)) for one in survey.partitions]
    fed, made = _ends(parent, named, survey)
    edges = []
    for name, end in fed:
        joined = join_edges(parent, name, end, made, survey.problems) if name not in made else []
        edges += [Edge(producer=made[name], consumer=end)] if name in made else joined
    survey.edges = tuple(edges)
    names = {node.name for node in parent.partitions if named[node.name] in survey.folders}
    survey.tensors = host_tensors(parent, names, fed, made)
    dma = survey.build.dma
    sent = {end: dma[tensor] for tensor, end in fed if tensor in dma}
    passes = {end: one for end, one in sent.items() if _is_pass(survey.partitions, end, one)}
    survey.weights = passes | survey.weights


def _in_region(partition: Partition, slr: int | None) -> Partition:
    """FINN writes -1 for any."""
    return partition if slr is None or slr < 0 else partition.model_copy(update={"slr": slr})


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
        values = model_weights(found.model, tensor) if port.carries_weights else None
        if values is not None:
            held[Endpoint(partition=partition.name, port=port.name)] = values
    return held


def _is_pass(partitions: list[Partition], end: Endpoint, content: bytes) -> bool:
    """Whether what a DMA of FINN's holds is one pass of the port that it feeds."""
    port = next(p for p in partitions if p.name == end.partition).stream(end.port)
    assert port is not None
    if port.carries_weights and len(content) == -(-port.elements_per_frame * port.element.bits // 8):
        return True
    _LOG.warning("%s: FINN's DMA holds %d bytes of weights, which are not one pass", end, len(content))
    return False


def _placed(problem: Problem, where: str) -> Problem:
    """Put cluster.toml in front of what is wrong with its [[stream]] entries."""
    return replace(problem, where=f"{where}: {problem.where}") if problem.where[0] == "[" else problem


def _ends(
    parent: FinnModel, named: Mapping[str, str], survey: Survey
) -> tuple[list[tuple[str, Endpoint]], dict[str, Endpoint]]:
    """Match tensors of the parent; ports by index, because children rename their tensors.

    Returns:
        Every tensor with the port that takes it, and the port that makes a tensor. A port of weights that the
        child itself holds is unknown to the parent.
    """
    by_name = {partition.name: partition for partition in survey.partitions}
    makers: dict[str, Endpoint] = {}
    takers: list[tuple[str, Endpoint]] = []
    for node in parent.partitions:
        partition = by_name.get(named[node.name])
        if partition is None:
            continue
        inputs = [name for name in node.inputs if name and name not in parent.initialisers]
        sources = partition.inputs
        if len(inputs) < len(sources):
            ends = [Endpoint(partition=partition.name, port=port.name) for port in sources]
            sources = tuple(
                port for port, end in zip(sources, ends, strict=True) if end not in survey.weights
            )
        for side, tensors, ports in (
            ("inputs", inputs, sources),
            ("outputs", list(node.outputs), partition.outputs),
        ):
            if len(tensors) != len(ports):
                streams = f"{len(ports)} stream{'s' * (len(ports) != 1)}"
                found = f"{len(tensors)} {side}, but its IP has {streams} on that side"
                remedy = "Use parent and stitched IP of one build"
                survey.problems.append(Problem(f"{parent.path}: node {node.name}", found, remedy))
        for tensor, port in zip(node.outputs, partition.outputs, strict=False):
            makers[tensor] = Endpoint(partition=partition.name, port=port.name)
        for tensor, port in zip(inputs, sources, strict=False):
            takers.append((tensor, Endpoint(partition=partition.name, port=port.name)))
    return takers, makers


def _unknown_ports(partitions: list[Partition], streams: Sequence[StreamSpec]) -> list[Problem]:
    known = [f"{partition.name}.{port.name}" for partition in partitions for port in partition.streams]
    return [
        Problem(
            f"[[stream]] {spec.port}: port",
            "the build has no such stream port"
            + ("; a partition has its name here" if spec.port.partition(".")[0].isdigit() else ""),
            offer(spec.port, known),
        )
        for spec in streams
        if spec.port not in known
    ]
