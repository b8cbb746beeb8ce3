# SPDX-License-Identifier: BSD-3-Clause
"""The servers of a cluster on this machine, each with its simulated core, for a rehearsal or any client."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shellgen.cache import default_cache_dir
from shellgen.disk.changes import settle
from shellgen.disk.in_use import LOCK, in_use
from shellgen.errors import InputError, Problem, SimulationError, one
from shellgen.model import NodePlan, Plan
from shellgen.model.bench import Bench
from shellgen.model.memory_map import MapNode, MemoryMap
from shellgen.progress import step
from shellgen.read.output import read_map
from shellgen.rehearse.card_text import CardNetwork, card_text, has_gateway, joined_streams
from shellgen.rehearse.core_library import core_library, core_sources
from shellgen.rehearse.live import stated
from shellgen.rehearse.network import Network
from shellgen.rehearse.node_program import node_program
from shellgen.rehearse.processes import Core, Node, Nodes, loopback
from shellgen.rehearse.script import Script
from shellgen.simulate.description import read_generated
from shellgen.simulate.tools import find_verilator
from shellgen.simulate.vendor import vendor_sources
from shellgen_host import HostError, Hosts
from shellgen_host.cluster_map import HOST
from shellgen_host.hosts import spelled
from shellgen_host.security import Tls, load
from vivado_check.formats.files import StrPath

_LOOK_SECONDS = 0.2
_OPERATOR = "operator"  # folder among the keys


@dataclass(frozen=True)
class Kept:
    """Servers that run.

    Attributes:
        nodes: By name.
        hosts: Their addresses, as `shellgen_host.Cluster` takes them.
        edited: Generated files that were edited.
        operator: Folder with the operator's keys; None if nodes have no keys.
    """

    nodes: Mapping[str, Node]
    hosts: Hosts
    edited: tuple[str, ...]
    operator: Path | None = None

    def toml(self) -> str:
        """Return ``hosts.toml``."""
        tables = [
            f'[[node]]\nname = "{name}"\naddress = "{spelled(address)}"\n'
            for name, address in self.hosts.items()
        ]
        keys = [f"keys = {json.dumps(str(self.operator), ensure_ascii=False)}\n"] if self.operator else []
        return "\n".join([*keys, *tables])

    def wait(self) -> str:
        """Wait until one of them ends; return its name if somebody has ordered that, as ``stop`` does.

        Raises:
            SimulationError: One has ended by itself.
        """
        while True:
            for node in self.nodes.values():
                if not node.alive:
                    if node.obeyed:
                        return node.name
                    remedy = "Start the command again; if it ends again, simulate the cluster first"
                    raise SimulationError(
                        Problem(f"node {node.name}", f"shellgen-node {node.fate()}: {node.said()}", remedy)
                    )
            time.sleep(_LOOK_SECONDS)


@contextmanager
def kept(
    out: StrPath,
    *,
    edited: bool = False,
    keys: StrPath | None = None,
    cache_dir: StrPath | None = None,
) -> Iterator[Kept]:
    """Keep the servers of a generated cluster running on loopback addresses while the context lasts.

    Args:
        out: Folder that `shellgen generate` wrote.
        edited: Generated files may have been edited.
        keys: Folder that `shellgen host keys` wrote. Nodes have these keys, and each an empty store.
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
        own = _keys(Path(keys), found) if keys is not None else {}
        cache = Path(cache_dir) if cache_dir else default_cache_dir()
        with tempfile.TemporaryDirectory(prefix="shellgen_rehearse_") as folder:
            files = compiled(out, bench, plan, found, cache, Path(folder))
            net = Network(found, Script(fault=()))
            operator = Path(keys).resolve() / _OPERATOR if keys is not None else None
            if operator:
                net.hosts.tls = _operator(operator)

            def options(name: str) -> tuple[str, ...]:
                if not own:
                    return ()
                store = Path(folder) / "stores" / name
                store.mkdir(parents=True)
                return ("--keys", str(own[name]), "--store", str(store))

            step("starting", f"{len(files)} nodes")
            with Nodes(net.nodes(files, Path(folder), options)) as nodes:
                yield Kept(nodes, net.hosts, tuple(changed), operator)


def _keys(keys: Path, found: MemoryMap) -> dict[str, Path]:
    """Return the folder of each node's keys."""
    names = [*(node.name for node in found.nodes), *([HOST] if has_gateway(found) else [])]
    folders = {name: keys.resolve() / name for name in names}
    for path in (keys.resolve() / _OPERATOR, *folders.values()):
        if not path.is_dir():
            remedy = "Give the folder that `shellgen host keys` wrote for this cluster"
            raise one(InputError, f"rehearse: --keys: {keys}", f"it has no folder {path.name}", remedy)
    return folders


def _operator(folder: Path) -> Tls:
    try:
        return load(folder, False, "rehearse: --keys")
    except HostError as error:
        raise stated(error, "rehearse") from None


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
    if paced and node.bus != "devmem":
        return ""  # it is served like a board
    if why := "" if paced else _unfit_program(node) or _unfit_card(node):
        return why
    if moved | joined_streams(node) != {stream.index for stream in node.streams}:
        return (
            "only boards whose streams all have AXI DMAs, and cards behind XRT or whose streams all pass the "
            "host, can be"
        )
    return ""


def _unfit_program(node: MapNode) -> str:
    if copied := [one.boundary for one in node.streams if one.program and one.copies]:
        return f"{copied[0]} goes to a card by UDP and elsewhere, which shellgen-node cannot do"
    return ""


def _unfit_card(node: MapNode) -> str:
    if node.vfpga and node.vfpga.version != "v2":
        return "there is no model of Coyote v1"
    if node.rings and node.bus != "devmem":
        return f"{node.rings[0].boundary} is kept in the memory of a card"
    return ""


def compiled(  # noqa: PLR0913 - all that decides what runs
    out: Path,
    bench: Bench,
    plan: Plan,
    found: MemoryMap,
    cache: Path,
    folder: Path,
    *,
    cards: str = "",
    orders: Mapping[str, str] | None = None,
) -> dict[str, tuple[Path, Core, list[Path]]]:
    """Return program, core and data files of each node.

    Args:
        out: Generated folder.
        bench: Its bench.
        plan: Its plan.
        found: Its map.
        cache: Where cores and programs are kept.
        folder: For files that live as long as the nodes.
        cards: First three numbers of the addresses that stand for the network of the cards; any if empty.
        orders: Address for orders to disturb packets, by card.
    """
    tool = find_verilator()
    program = node_program(tool, cache)
    network = CardNetwork.of(found, cards or loopback(), orders or {})
    vendor = vendor_sources(out, bench, "")
    data = [*{Path(name).name: out / name for name in bench.data}.values()]  # replicas have the same ones
    entries = {node.name: node for node in found.nodes}

    def made(node: NodePlan) -> tuple[Path, Core, list[Path]]:
        library = core_library(tool, core_sources(out, bench, node.core, vendor), cache)
        entry = entries[node.name]
        if entry.bus == "devmem":
            weights = any(stream.weights for stream in entry.streams)
            more = ("--weights", out.resolve()) if weights else ()
            packets = ("--packets", network.first) if any(one.program for one in entry.streams) else ()
            return program, ("--model", library, *more, *packets), data
        (folder / node.name).mkdir()
        if entry.vfpga is None:
            path = folder / node.name / f"{node.name}.xclbin"
            path.write_text(card_text("xclbin", entry, library, network))
            return program, ("--device", "0", "--xclbin", path), data
        path = (
            folder / node.name / f"vfpga_{entry.vfpga.region}"
        )  # the model looks for it where the node runs
        path.write_text(card_text("vfpga", entry, library, network))
        return program, ("--device", "0"), [*data, path]

    files = {node.name: made(node) for node in plan.nodes}
    if has_gateway(found):
        files[HOST] = (program, ("--packets", network.first), [])
    return files
