# SPDX-License-Identifier: BSD-3-Clause
"""The servers of a cluster on this machine, each with its simulated core, for a rehearsal or any client."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from shellgen.cache import default_cache_dir
from shellgen.disk.changes import settle
from shellgen.disk.in_use import LOCK, in_use
from shellgen.errors import InputError, Problem, SimulationError, one
from shellgen.model import NodePlan, Plan
from shellgen.model.bench import Bench
from shellgen.model.memory_map import MapNode, MemoryMap
from shellgen.progress import step
from shellgen.read.output import read_map
from shellgen.rehearse.core_library import core_library, core_sources
from shellgen.rehearse.network import Network
from shellgen.rehearse.node_program import node_program
from shellgen.rehearse.processes import Core, Node, Nodes
from shellgen.rehearse.script import Script
from shellgen.simulate.description import read_generated
from shellgen.simulate.tools import find_verilator
from shellgen.simulate.vendor import vendor_sources
from shellgen_host import Hosts
from shellgen_host.hosts import spelled
from vivado_check.formats.files import StrPath

_LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Kept:
    """Servers that run.

    Attributes:
        nodes: By name.
        hosts: Their addresses, as `shellgen_host.Cluster` takes them.
        edited: Generated files that were edited.
    """

    nodes: Mapping[str, Node]
    hosts: Hosts
    edited: tuple[str, ...]

    def toml(self) -> str:
        """Return ``hosts.toml``."""
        tables = (
            f'[[node]]\nname = "{name}"\naddress = "{spelled(address)}"\n'
            for name, address in self.hosts.items()
        )
        return "\n".join(tables)

    def wait(self) -> NoReturn:
        """Wait until one of them ends, which none should.

        Raises:
            SimulationError: One has ended.
        """
        while True:
            for node in self.nodes.values():
                if not node.alive:
                    remedy = "Start the command again; if it ends again, simulate the cluster first"
                    raise SimulationError(Problem(f"node {node.name}", f"it ended: {node.said()}", remedy))
            time.sleep(_LOOK_SECONDS)


@contextmanager
def kept(out: StrPath, *, edited: bool = False, cache_dir: StrPath | None = None) -> Iterator[Kept]:
    """Keep the servers of a generated cluster running on loopback addresses while the context lasts.

    Args:
        out: Folder that `shellgen generate` wrote.
        edited: Generated files may have been edited.
        cache_dir: Where cores and programs are kept; the user's cache by default.

    Raises:
        InputError: The folder is wrong, or the cluster has what a rehearsal cannot do.
        ToolMissingError: Verilator, a compiler or a library is not installed.
        SimulationError: Something does not compile, or a node does not start.
    """
    out = Path(out)
    settle(out)
    with in_use(out, out / LOCK, shared=True):
        bench, plan, changed = read_generated(out, edited)
        found = read_map(out)
        check_nodes(out, found)
        cache = Path(cache_dir) if cache_dir else default_cache_dir()
        with tempfile.TemporaryDirectory(prefix="shellgen_rehearse_") as folder:
            files = compiled(out, bench, plan, found, cache, Path(folder))
            net = Network(found, Script(fault=()))
            step("starting", f"{len(files)} nodes")
            with Nodes(net.nodes(files, Path(folder))) as nodes:
                yield Kept(nodes, net.hosts, tuple(changed))


@contextmanager
def written(path: Path, text: str) -> Iterator[None]:
    """Write a new file, and remove it afterwards unless somebody has changed it.

    Raises:
        InputError: It exists, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise one(
            InputError, f"rehearse: --keep: {path}", "it exists", "Give the name of a new file"
        ) from None
    except OSError as error:
        found = f"it cannot be written: {error.strerror}"
        raise one(
            InputError, f"rehearse: --keep: {path}", found, "Give a file in a folder that exists"
        ) from None
    try:
        yield
    finally:
        if path.is_file() and path.read_bytes() == text.encode():
            path.unlink()


def check_nodes(out: Path, found: MemoryMap, *, paced: bool = False) -> None:
    """Refuse what shellgen-node has no model of, before anything is compiled."""
    problems = []
    for node in found.nodes:
        if why := _unfit(node, paced):
            where = f"{out}: node {node.name}"
            problems.append(Problem(where, f"it cannot be rehearsed: {why}", "Use `shellgen simulate`"))
    if problems:
        raise InputError(*problems)


def _unfit(node: MapNode, paced: bool) -> str:
    moved = {
        channel.stream for dma in node.dma for channel in (dma.channels.mm2s, dma.channels.s2mm) if channel
    }
    card = node.bus == "xrt"
    if card:
        moved = {mover.stream for mover in node.movers}
    weights = [stream.boundary for stream in node.streams if stream.role != "data"]
    if weights:
        return f"{weights[0]} carries weights from the host"
    if node.bus not in ("devmem", "xrt") or moved != {stream.index for stream in node.streams}:
        kinds = "boards whose streams all have AXI DMAs, and cards whose streams all have data movers,"
        return f"only {kinds} can be rehearsed"
    if card and node.rings:
        return f"{node.rings[0].boundary} is kept in the memory of a card"
    if card and paced:
        return "cards have no pace"
    return ""


def compiled(  # noqa: PLR0913 - all that decides what runs
    out: Path, bench: Bench, plan: Plan, found: MemoryMap, cache: Path, folder: Path
) -> dict[str, tuple[Path, Core, list[Path]]]:
    """Return program, core and data files of each node; `folder` is for files that live as long as they."""
    tool = find_verilator()
    program = node_program(tool, cache)
    vendor = vendor_sources(out, bench, "")
    data = [out / name for name in bench.data]
    entries = {node.name: node for node in found.nodes}

    def core(node: NodePlan) -> Core:
        library = core_library(tool, core_sources(out, bench, node.core, vendor), cache)
        entry = entries[node.name]
        return ("--model", library) if entry.bus == "devmem" else _card(entry, library, folder)

    return {node.name: (program, core(node), data) for node in plan.nodes}


def _card(node: MapNode, library: Path, folder: Path) -> Core:
    """Write what stands for the xclbin of a card: host/node/xrt_model/card_model.h describes it."""
    ports = {stream.index: stream for stream in node.streams}
    lines = ["xclbin of shellgen rehearse", f"core {node.ip} {library}"]
    for mover in node.movers:
        stream = ports[mover.stream]
        lines.append(f"mover {mover.ip} {stream.port} {'in' if stream.direction == 'rx' else 'out'}")
    path = folder / f"{node.name}.xclbin"
    path.write_text("\n".join(lines) + "\n")
    return ("--device", "0", "--xclbin", path)
