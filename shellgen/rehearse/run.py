# SPDX-License-Identifier: BSD-3-Clause
"""Run a generated cluster on this machine: real servers, protocol and client; cores in simulators."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen.cache import default_cache_dir
from shellgen.disk.changes import settle
from shellgen.disk.in_use import LOCK, in_use
from shellgen.errors import InputError, Problem, SimulationError
from shellgen.formats.npy import read_npy
from shellgen.model import Plan
from shellgen.model.bench import Bench
from shellgen.model.memory_map import MapNode, MemoryMap
from shellgen.progress import step
from shellgen.read.output import read_map
from shellgen.rehearse.core_library import core_library, core_sources
from shellgen.rehearse.node_program import node_program
from shellgen.rehearse.processes import PORT, Node, NodeFiles, Nodes, loopback
from shellgen.rehearse.relay import Relays
from shellgen.rehearse.report import Acted, Rehearsal
from shellgen.rehearse.script import Fault, Script, read_script
from shellgen.simulate.description import read_generated
from shellgen.simulate.tools import find_verilator
from shellgen.simulate.vendor import vendor_sources
from shellgen_host import Cluster, HostError, Hosts, LostError
from vivado_check.formats.files import StrPath

CUT_SECONDS = 5.0  # until a connection is there that can be cut
Integers = npt.NDArray[np.int64]
_GOLDEN_REMEDY = "Give frames and results under [verify] in cluster.toml, and generate the folder again"


@dataclass(frozen=True)
class RehearseOptions:
    """Options of a rehearsal.

    Attributes:
        frames: Frames to send, the golden ones over and over; None: each golden one once.
        script: ``faults.toml``.
        edited: Generated files may have been edited.
        patience: Seconds that a node may be away.
    """

    frames: int | None = None
    script: Path | None = None
    edited: bool = False
    patience: float = 60.0


def rehearse(
    out: StrPath, options: RehearseOptions | None = None, cache_dir: StrPath | None = None
) -> Rehearsal:
    """Run frames through a generated cluster, one process per node, and compare each result.

    Args:
        out: Folder that `shellgen generate` wrote.
        options: What to run.
        cache_dir: Where cores and programs are kept; the user's cache by default.

    Raises:
        InputError: The folder or the script is wrong, or the cluster has what a rehearsal cannot do.
        ToolMissingError: Verilator, a compiler or a library is not installed.
        SimulationError: Something does not compile, or a node does not start.
    """
    out, options = Path(out), options or RehearseOptions()
    cache = Path(cache_dir) if cache_dir else default_cache_dir()
    settle(out)
    with ExitStack() as stack:
        stack.enter_context(in_use(out, out / LOCK, shared=True))
        bench, plan, edited = read_generated(out, options.edited)
        found = read_map(out)
        _check_nodes(out, found)
        _check_replicas(out, plan)
        vectors = _golden(out, bench)
        count = options.frames or vectors.count
        script = _script(options, found, count)
        files = _compile(out, bench, found, cache)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="shellgen_rehearse_")))
        net = _Network(found, script)
        relays = stack.enter_context(Relays(net.relays))
        step("starting", f"{len(files)} nodes")
        nodes = stack.enter_context(Nodes(net.nodes(files, folder)))
        ran = _run(out, net, nodes, relays, vectors, count, script, options.patience)
        return replace(ran, edited=tuple(edited))


@dataclass(frozen=True)
class _Vectors:
    """Golden frames by boundary of the host, (frames, *shape)."""

    inputs: dict[str, Integers]
    outputs: dict[str, Integers]
    count: int

    def frames(self, count: int) -> Iterator[dict[str, Integers]]:
        for number in range(count):
            yield {name: values[number % self.count] for name, values in self.inputs.items()}


def _golden(out: Path, bench: Bench) -> _Vectors:
    ends = [one for one in bench.boundaries if one.role == "data" and None in (one.producer, one.consumer)]
    lacking = [one.name for one in ends if one.golden is None]
    if lacking or not ends:
        found = f"there are no golden vectors of {', '.join(lacking) or 'any boundary'}"
        raise InputError(Problem(str(out / "bench"), f"{found} ({bench.golden_note})", _GOLDEN_REMEDY))
    arrays = {one.name: read_npy(out / "bench" / str(one.golden), str(one.golden)) for one in ends}
    count = min(len(array) for array in arrays.values())
    if not count:
        raise InputError(Problem(str(out / "bench"), "its golden vectors have no frame", _GOLDEN_REMEDY))
    return _Vectors(
        {one.name: arrays[one.name].astype(np.int64) for one in ends if one.producer is None},
        {one.name: arrays[one.name].astype(np.int64) for one in ends if one.consumer is None},
        count,
    )


def _check_nodes(out: Path, found: MemoryMap) -> None:
    """Refuse what shellgen-node has no model of, before anything is compiled."""
    problems = []
    for node in found.nodes:
        if why := _unfit(node):
            where = f"{out}: node {node.name}"
            problems.append(Problem(where, f"it cannot be rehearsed: {why}", "Use `shellgen simulate`"))
    if problems:
        raise InputError(*problems)


def _check_replicas(out: Path, plan: Plan) -> None:
    """Refuse a host that deals frames to replicas: the client gives every frame to every input."""
    for boundary in plan.boundaries:
        if None in (boundary.producer, boundary.consumer) and len(boundary.places) != plan.epoch:
            found = f"only some frames cross {boundary.name}, because the host deals them to replicas"
            remedy = "Let a node deal them, by [host] through in cluster.toml, or use `shellgen simulate`"
            raise InputError(Problem(f"{out}: boundary {boundary.name}", found, remedy))


def _unfit(node: MapNode) -> str:
    moved = {
        channel.stream for dma in node.dma for channel in (dma.channels.mm2s, dma.channels.s2mm) if channel
    }
    weights = [stream.boundary for stream in node.streams if stream.role != "data"]
    if weights:
        return f"{weights[0]} carries weights from the host"
    if node.bus != "devmem" or moved != {stream.index for stream in node.streams}:
        return "only boards whose streams all have AXI DMAs can be rehearsed"
    return ""


def _script(options: RehearseOptions, found: MemoryMap, count: int) -> Script:
    if options.script is None:
        return Script(fault=())
    between = [stream.boundary for node in found.nodes for stream in node.streams if stream.direction == "tx"]
    outer = [stream.boundary for node in found.nodes for stream in node.streams if stream.host]
    inner = [name for name in between if name not in outer]
    return read_script(options.script, [node.name for node in found.nodes], inner, count)


def _compile(
    out: Path, bench: Bench, found: MemoryMap, cache: Path
) -> dict[str, tuple[Path, Path, list[Path]]]:
    """Return program, core and data files of each node."""
    tool = find_verilator()
    program = node_program(tool, cache)
    vendor = vendor_sources(out, bench, "")
    data = [out / name for name in bench.data]
    return {
        node.name: (program, core_library(tool, core_sources(out, bench, node.name, vendor), cache), data)
        for node in found.nodes
    }


class _Network:
    """Addresses of a rehearsal: of the nodes, and of relays where a script cuts a connection."""

    def __init__(self, found: MemoryMap, script: Script) -> None:
        network = loopback()
        self._out = found
        self.hosts = Hosts()
        for index, node in enumerate(found.nodes, 1):
            self.hosts[node.name] = (f"{network}.{index}", PORT)
        takes = {
            stream.boundary: node.name
            for node in found.nodes
            for stream in node.streams
            if stream.direction == "rx" and not stream.host
        }
        cut = sorted({fault.cut for fault in script.fault if fault.cut})
        self.relay_of = {
            name: (f"{network}.{254 - index % 100}", PORT + index // 100) for index, name in enumerate(cut)
        }
        self.relays = {at: self.hosts[takes[name]] for name, at in self.relay_of.items()}
        self._to = {name: self.relay_of.get(name, self.hosts[node]) for name, node in takes.items()}

    def nodes(self, files: Mapping[str, tuple[Path, Path, list[Path]]], folder: Path) -> dict[str, Node]:
        """Return the nodes, not yet started."""
        map_file = folder / "memory_map.json"
        map_file.write_text(self._out.to_json())
        made = {}
        for node in self._out.nodes:
            program, library, data = files[node.name]
            leaves = [s.boundary for s in node.streams if s.direction == "tx" and not s.host]
            connect = {name: self._to[name] for name in leaves}
            given = NodeFiles(program, library, map_file, data, connect)
            made[node.name] = Node(node.name, self.hosts[node.name], given, folder)
        return made


class _Faults:
    """The faults of a script, each of which acts once."""

    def __init__(self, script: Script, net: _Network, nodes: Mapping[str, Node], relays: Relays) -> None:
        self._ahead = sorted(script.fault, key=lambda fault: fault.frame)
        self._net, self._nodes, self._relays = net, nodes, relays
        self.acted: list[Acted] = []

    def act(self, results: int) -> None:
        """Do what is due after this many results."""
        while self._ahead and self._ahead[0].frame <= results:
            fault = self._ahead.pop(0)
            self.acted.append(Acted(fault.said, self._do(fault)))

    def left(self) -> list[Acted]:
        """Return those that were never due."""
        return [Acted(fault.said, seen=False) for fault in self._ahead]

    def _do(self, fault: Fault) -> bool:
        if fault.cut:
            end = time.monotonic() + CUT_SECONDS  # an earlier fault may have cut it just now
            while not (found := self._relays.cut(self._net.relay_of[fault.cut])) and time.monotonic() < end:
                time.sleep(0.01)
            return found > 0
        node = self._nodes[str(fault.kill)]
        before = node.pid
        node.kill()
        time.sleep(fault.away)
        node.start()
        return node.pid != before


def _run(  # noqa: PLR0913 - all of a run
    out: Path,
    net: _Network,
    nodes: Mapping[str, Node],
    relays: Relays,
    vectors: _Vectors,
    count: int,
    script: Script,
    patience: float,
) -> Rehearsal:
    wrong: list[int] = []
    missing: dict[int, str] = {}
    notes: list[str] = []
    first = ""
    faults = _Faults(script, net, nodes, relays)
    try:
        with Cluster(out, net.hosts, patience=patience, note=notes.append) as cluster:
            began = time.monotonic()
            for number, answer in enumerate(cluster.answers(vectors.frames(count))):
                if isinstance(answer, LostError):
                    missing[number] = str(answer)
                elif text := _difference(answer, vectors, number):
                    wrong.append(number)
                    first = first or text
                step("frames", f"{number + 1} of {count}")
                faults.act(number + 1)
            seconds = time.monotonic() - began
            latency = cluster.latency() if len(missing) < count else None
            epochs, states = cluster.epochs, cluster.state()
    except HostError as error:
        said = "; ".join(f"{node.name}: {node.said()}" for node in nodes.values())
        raise SimulationError(
            Problem("rehearse", f"{error} ({said})", "Simulate the cluster first")
        ) from None
    return Rehearsal(
        frames=count,
        wrong=tuple(wrong),
        missing=missing,
        first_wrong=first,
        seconds=seconds,
        median_s=latency.median if latency else 0.0,
        percentile_99_s=latency.percentile_99 if latency else 0.0,
        epochs=epochs,
        faults=(*faults.acted, *faults.left()),
        notes=tuple(notes),
        nodes=states,
    )


def _difference(answer: Mapping[str, npt.NDArray[Any]], vectors: _Vectors, number: int) -> str:
    """Return a text on the first value that is not the golden one; empty if there is none."""
    for name, golden in vectors.outputs.items():
        got, wanted = answer[name].reshape(-1), golden[number % vectors.count].reshape(-1)
        if (bad := np.flatnonzero(got != wanted)).size:
            at = int(bad[0])
            return f"{name}, element {at}: got {got[at]}, expected {wanted[at]}"
    return ""
