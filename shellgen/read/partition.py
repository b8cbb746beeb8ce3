# SPDX-License-Identifier: BSD-3-Clause
"""One stitched IP folder and its ONNX to one `Partition` and the bytes of its files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from shellgen.errors import Problem
from shellgen.hdl_fixes import fixed
from shellgen.model import Pace, Partition, SourceFile, StreamPort, StreamSpec
from shellgen.model.device import DSP_SLICES, PART, dsp_of
from shellgen.model.names import safe_file_name
from shellgen.model.source import FileKind
from shellgen.model.stream_block import is_described
from shellgen.model.unsupported import UNSUPPORTED
from shellgen.read.blackbox import black_box, find_netlists, make_stub
from shellgen.read.course import course
from shellgen.read.cycles import Told, layer_cycles
from shellgen.read.datafiles import DataFiles
from shellgen.read.described import described_port, memory_layer
from shellgen.read.device import part_of
from shellgen.read.drift import warn_of_drift
from shellgen.read.dsp import dsp_layers
from shellgen.read.estimates import estimate
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.flow import flows, pace
from shellgen.read.memory import with_memories
from shellgen.read.outline import Outlines
from shellgen.read.pins import is_dma, ports_of
from shellgen.read.rtlsim import simulated_period
from shellgen.read.sources import LIST, Source, find_sources
from shellgen.read.stalls import timed
from shellgen.read.top import Found, boundary_of, component_of
from shellgen.read.tree import LayerFolders, Tree
from shellgen.read.verilog import encoded
from shellgen.read.weights import layer_of
from vivado_check.formats.files import file_bytes
from vivado_check.formats.looks import glob, is_file

_DMA_OPS = {"IODMA", "TLastMarker"}
_DMA_COMPANIONS = {"StreamingFIFO", "StreamingDataWidthConverter"}


@dataclass(frozen=True)
class Read:
    """A partition that has been read.

    Attributes:
        partition: For messages only, if there are problems.
        files: By sha256.
        unknown: Its streams that neither the ONNX nor cluster.toml describes.
        outlines: Of its sources, if they are known.
    """

    partition: Partition
    files: dict[str, bytes]
    unknown: tuple[StreamPort, ...]
    outlines: Outlines = field(default_factory=dict)


def is_dma_model(model: FinnModel) -> bool:
    """Whether a child holds nothing but FINN's DMA: idma0 and odma0 of a ZynqBuild."""
    ops = {node.op for node in model.nodes}
    return bool(ops & _DMA_OPS) and ops <= _DMA_OPS | _DMA_COMPANIONS


def looks_stitched(folder: Path) -> bool:
    """Whether a folder is a stitched IP: a component, a source list, or Verilog at its top."""
    if any(is_file(folder / name) for name in ("ip/component.xml", "component.xml", LIST)):
        return True
    return bool(glob(folder, "*.v") or glob(folder, "*.sv"))


def read_partition(
    found: Found, streams: Sequence[StreamSpec], problems: list[Problem], build: LayerFolders | None = None
) -> Read | None:
    """Read one partition; what fails goes to ``problems``.

    Args:
        found: Where it is.
        streams: Ports described in cluster.toml, which take precedence over the ONNX.
        problems: Receives every reason why it cannot be used.
        build: Folders of layers below the folder that the user named, some of which may be its own.

    Returns:
        The partition; None for a DMA partition, and if its ports are unknown.
    """
    if found.model and (refused := _unsupported(found.model)):
        problems.extend(refused)
        return None
    tree = _tree(found.folder, build)
    component = component_of(found, problems)
    if component and is_dma(component.boundary):
        return None
    listed = component.files if component else ()
    sources = find_sources(found.folder, tree, listed, problems)
    netlists = find_netlists(component.folder if component else found.folder, listed, sources)
    if component and netlists and not any(component.boundary.module in s.verilog.defined for s in sources):
        sources = (*sources, make_stub(component.boundary, netlists[0]))
    boundary, top = boundary_of(found, component, sources, problems)
    if boundary is None or is_dma(boundary):
        return None
    if found.model:
        problems.extend(_not_hardware(found.model))
        warn_of_drift(found.model, found.name)
    ports = ports_of(boundary, problems, partial(memory_layer, found.model))
    data = DataFiles(found.name, tree, found.model, problems, sources, top)
    so_far = len(problems)
    texts = [(source, data.rewrite(source)) for source in sources]
    if len(problems) == so_far:
        data.check(texts)
    if ports is None:
        return None
    described, unknown = [], []
    for port in ports.streams:
        before = len(problems)
        described.append(described_port(found.name, found.model, ports, port, streams, problems))
        if len(problems) == before and not is_described(described[-1]):
            unknown.append(described[-1])
    files, entries = _files(texts, data, netlists)
    part = _part(found)
    told = layer_cycles(found.model, found.folder) if found.model else ()
    cycles = tuple(cycles for cycles, _ in told)
    partition = Partition(
        name=found.name,
        top=top,
        clock=ports.clock,
        clock2x=ports.clock2x,
        reset=ports.reset,
        streams=tuple(described),
        axilite=with_memories(ports.axilite, found.model, data.rtl) if found.model else ports.axilite,
        others=ports.others,
        sources=tuple(entries),
        black_box=black_box(sources, netlists, top),
        layers=_names(found),
        layer_cycles=cycles,
        layer_sources=tuple(source for _, source in told),
        flows=flows(found.model, described) if found.model else (),
        course=course(found.model, described) if found.model else None,
        pace=_pace(found, described, told),
        part=part,
        dsp_layers=dsp_layers(sources, _names(found), top),
        lost_weights=data.lost,
        uram_weights=_waiting(found, data, part),
        packaged=component.packaged if component else None,
        takes=estimate(found.folder, found.model),
        origin=found.origin,
    )
    problems.extend(_never_loaded(found, partition))
    return Read(partition, files, tuple(unknown))


def _pace(found: Found, streams: Sequence[StreamPort], told: Sequence[Told]) -> Pace | None:
    """Return the pace by FINN's simulation of the partition, or else by the words between its layers."""
    cycles = [count for count, _ in told]
    by_words = pace(found.model, streams) if found.model else None
    if found.model and by_words:
        # A formula is an upper bound, which counts where the words of a layer are not timed exactly.
        least = [
            count or 0
            for node, (count, by) in zip(found.model.nodes, told, strict=True)
            if by == "measured" or not timed(node)
        ]
        by_words = by_words.model_copy(update={"period": max(by_words.period, *least, 0)})
    period = simulated_period(found.folder, cycles)
    if period is None:
        return by_words
    last = by_words.last if by_words else max(period, sum(filter(None, cycles)))
    ends = {"first": by_words.first, "tail": by_words.tail} if by_words else {}
    return Pace(period=period, last=last, source="rtlsim", **ends)


def _tree(ip: Path, build: LayerFolders | None) -> Tree:
    """Return the files of a stitched IP, and of folders of layers elsewhere in the build that it lacks."""
    beside = build.beside(ip) if build else None
    tree = Tree([ip, *(glob(ip.parent, "code_gen_ipgen_*") if beside is None else beside)])
    own = {part for paths in tree.files.values() for path in paths for part in path.parts}
    others = [folder for folder in (build.all if build else ()) if folder.name not in own]
    return Tree([*tree.roots, *others]) if others else tree


def _names(found: Found) -> tuple[str, ...]:
    return tuple(node.name for node in found.model.nodes) if found.model else ()


def _waiting(found: Found, data: DataFiles, part: str | None) -> tuple[str, ...]:
    """Return the layers whose weights the host has to load, by their names in the graph."""
    if dsp_of(part or "") == DSP_SLICES[-1]:
        return ()  # Versal's URAM has initial values
    nodes = {layer: layer_of(found.model, layer) if found.model else None for layer in data.uram}
    return tuple(sorted(node.name if node else layer for layer, node in nodes.items()))


def _never_loaded(found: Found, partition: Partition) -> list[Problem]:
    """Refuse weights in URAM that no host can reach: they would stay zero."""
    known = {port.memory.layer for port in partition.axilite if port.memory}
    all_known = bool(known) or not partition.axilite
    return [
        Problem(
            str(found.folder),
            f"the weights of {layer} are in URAM, which starts with zeros, and no AXI-Lite slave loads them",
            "Build it with runtime_writeable_weights = 1, or with another ram_style",
        )
        for layer in partition.uram_weights
        if all_known and layer not in known
    ]


def _part(found: Found) -> str | None:
    told = found.model.metadata.get(PART) if found.model else None
    return told or part_of(found.folder)


def _unsupported(model: FinnModel) -> list[Problem]:
    return [
        Problem(f"{model.path}: node {node.name or node.op_type}", *UNSUPPORTED[node.op])
        for node in model.nodes
        if node.op in UNSUPPORTED
    ]


def _not_hardware(model: FinnModel) -> list[Problem]:
    problems = []
    for node in model.nodes:
        if not node.is_hardware:
            found = f"node {node.name or node.op_type} ({node.op_type}) is not a FINN hardware operator"
            remedy = (
                "Name the child model of a StreamingDataflowPartition, or remove this ONNX from the folder"
            )
            problems.append(Problem(str(model.path), found, remedy))
    return problems


def _files(
    texts: list[tuple[Source, str]], data: DataFiles, netlists: Sequence[Path]
) -> tuple[dict[str, bytes], list[SourceFile]]:
    files: dict[str, bytes] = {}
    entries: list[SourceFile] = []
    taken: set[str] = set()

    def add(name: str, kind: FileKind, content: bytes, reasons: tuple[str, ...] = ()) -> None:
        sha256 = hashlib.sha256(content).hexdigest()
        files[sha256] = content
        taken.add(name)
        entries.append(SourceFile(name=name, kind=kind, sha256=sha256, fixes=reasons))

    for source, text in texts:
        # Others include a header by its name; that of a source is ours to choose.
        name = source.path.name if source.kind == "header" else safe_file_name(source.path.name)
        plain, number = PurePosixPath(name), 1
        while name in taken:  # another module in a file of the same name
            number += 1
            name = f"{plain.stem}__{number}{plain.suffix}"
        right, reasons = fixed(source.path.name, text)
        add(name, source.kind, encoded(right), reasons)
    for name, content in sorted(data.files.items()):
        add(name, "data", content)
    for path in netlists:
        add(safe_file_name(path.name), "netlist", file_bytes(path))
    return files, entries


def identifier(text: str) -> str:
    """Make a Verilog identifier of a folder's or node's name."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)[-200:]
    return name if re.match(r"[A-Za-z_]", name) else f"p_{name}"
