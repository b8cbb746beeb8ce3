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
from shellgen.rehearse.card_text import card_text, joined_streams
from shellgen.rehearse.core_library import core_library, core_sources
from shellgen.rehearse.network import Network
from shellgen.rehearse.node_program import node_program
from shellgen.rehearse.processes import Core, Node, Nodes, loopback
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
    dmas = [channel for dma in node.dma for channel in (dma.channels.mm2s, dma.channels.s2mm) if channel]
    moved = {
        *(one.stream for one in dmas),
        *(one.stream for one in node.movers),
        *(one.stream for one in node.channels),
    }
    weights = [stream for stream in node.streams if stream.role != "data"]
    if unknown := [stream.boundary for stream in weights if stream.weights is None]:
        return f"the weights of {unknown[0]} were not known to `shellgen generate`"
    if weights and (paced or node.bus != "devmem"):
        return f"{weights[0].boundary} carries weights from the host"
    if program := [stream.boundary for stream in node.streams if stream.program]:
        return f"{program[0]} goes to or comes from a card by UDP, which shellgen-node cannot do"
    if moved | joined_streams(node) != {stream.index for stream in node.streams}:
        return (
            "only boards whose streams all have AXI DMAs, and cards behind XRT or whose streams all pass the "
            "host, can be"
        )
    return _unfit_card(node, paced) if node.bus != "devmem" else ""


def _unfit_card(node: MapNode, paced: bool) -> str:
    if node.vfpga and node.vfpga.version != "v2":
        return "there is no model of Coyote v1"
    if node.rings:
        return f"{node.rings[0].boundary} is kept in the memory of a card"
    return "cards have no pace" if paced else ""


def compiled(  # noqa: PLR0913 - all that decides what runs
    out: Path, bench: Bench, plan: Plan, found: MemoryMap, cache: Path, folder: Path
) -> dict[str, tuple[Path, Core, list[Path]]]:
    """Return program, core and data files of each node; `folder` is for files that live as long as they."""
    tool = find_verilator()
    program = node_program(tool, cache)
    cards = loopback()  # stands for the network of the cards
    vendor = vendor_sources(out, bench, "")
    data = [out / name for name in bench.data]
    entries = {node.name: node for node in found.nodes}

    def made(node: NodePlan) -> tuple[Path, Core, list[Path]]:
        library = core_library(tool, core_sources(out, bench, node.core, vendor), cache)
        entry = entries[node.name]
        if entry.bus == "devmem":
            weights = any(stream.weights for stream in entry.streams)
            return program, ("--model", library, *(("--weights", out.resolve()) if weights else ())), data
        (folder / node.name).mkdir()
        if entry.vfpga is None:
            path = folder / node.name / f"{node.name}.xclbin"
            path.write_text(card_text("xclbin", entry, library, cards))
            return program, ("--device", "0", "--xclbin", path), data
        path = (
            folder / node.name / f"vfpga_{entry.vfpga.region}"
        )  # the model looks for it where the node runs
        path.write_text(card_text("vfpga", entry, library, cards))
        return program, ("--device", "0"), [*data, path]

    return {node.name: made(node) for node in plan.nodes}
