# SPDX-License-Identifier: BSD-3-Clause
"""Run a generated cluster on this machine: real servers, protocol and client; cores in simulators."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shellgen.cache import default_cache_dir
from shellgen.disk.changes import settle
from shellgen.disk.in_use import LOCK, in_use
from shellgen.errors import Problem, SimulationError
from shellgen.model.memory_map import MemoryMap
from shellgen.progress import step
from shellgen.read.output import read_map
from shellgen.rehearse.card_text import has_gateway
from shellgen.rehearse.client import Client, Record, SilentError
from shellgen.rehearse.disks import Disks
from shellgen.rehearse.faults import Faults
from shellgen.rehearse.golden import Vectors, golden_vectors
from shellgen.rehearse.kept import check_nodes, compiled
from shellgen.rehearse.live import stated
from shellgen.rehearse.live_page import live_page
from shellgen.rehearse.network import Network
from shellgen.rehearse.node_program import node_program
from shellgen.rehearse.pace import estimated, write_paces
from shellgen.rehearse.pace_map import paced_map
from shellgen.rehearse.packets import Packets
from shellgen.rehearse.processes import Node, Nodes, loopback
from shellgen.rehearse.relay import Relays
from shellgen.rehearse.report import Rehearsal
from shellgen.rehearse.rings import rings
from shellgen.rehearse.script import Script, random_script, read_script
from shellgen.rehearse.table import Table
from shellgen.rehearse.web import Page, Watch
from shellgen.simulate.description import read_generated
from shellgen.simulate.tools import find_verilator
from shellgen_host.batch import WINDOW
from shellgen_host.cluster_map import HOST, ClusterMap
from shellgen_host.cluster_map import read_map as client_map
from shellgen_host.errors import HostError
from shellgen_host.waits import waits
from vivado_check.formats.files import StrPath


@dataclass(frozen=True)
class RehearseOptions:
    """Options of a rehearsal.

    Attributes:
        frames: Frames to send, the golden ones over and over; None: each golden one once.
        script: ``faults.toml``.
        edited: Generated files may have been edited.
        seed: Of random faults, instead of a script.
        patience: Seconds that a node may be away.
        limit: Seconds without a result after which the run ends.
        slower: At the pace of the boards, or so many times slower; None: as fast as simulators run.
        in_flight: Frames under way at most.
        web: Port of 127.0.0.1 for the live picture; 0: any free one; None: no picture.
    """

    frames: int | None = None
    script: Path | None = None
    edited: bool = False
    seed: int | None = None
    patience: float = 30.0
    limit: float = 120.0
    web: int | None = None
    slower: float | None = None
    in_flight: int = WINDOW


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
        check_nodes(out, found, paced=options.slower is not None)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="shellgen_rehearse_")))
        served = out
        if options.slower is not None:
            found, served = paced_map(found), folder / "served"
            served.mkdir()
            (served / "memory_map.json").write_text(found.to_json())
        cluster = _client_map(served)
        vectors = golden_vectors(out, bench, cluster)
        count = options.frames or vectors.count
        script = _script(options, found, count)
        cards = loopback()
        packets = Packets(found, cards, script)
        if options.slower is None:
            given = (out, bench, plan, found, cache, folder)
            pace, files = None, compiled(*given, cards=cards, orders=packets.orders)
        else:
            pace = estimated(plan, options.slower, options.in_flight, options.patience)
            paces = write_paces(out, plan, bench, found, options.slower, folder / "paces")
            program = node_program(find_verilator(), cache)
            files = {name: (program, ("--pace", path), []) for name, path in paces.items()}
        net = Network(found, script, packets)
        relays = stack.enter_context(Relays(net.relays))
        disks = Disks(cluster, net.hosts, folder, needed=any(fault.on_disk for fault in script.fault))
        step("starting", f"{len(files)} nodes")
        nodes = stack.enter_context(Nodes(net.nodes(files, folder, disks.options)))
        more = (net.hosts, vectors, count, options.patience, script, folder, options.in_flight)
        client = stack.enter_context(Client(served, *more))
        faults = stack.enter_context(Faults(script, net, nodes, client, relays, packets, disks))
        book = _Book(vectors, [edge.name for edge in cluster.outputs], count)
        watch = Watch(cluster, vectors, count, lambda name: nodes[name].alive, rings(found))
        if options.web is not None:
            page = stack.enter_context(
                Page(live_page(plan, HOST if has_gateway(found) else None), watch, options.web)
            )
            print(f"live picture: {page.address}", file=sys.stderr, flush=True)  # noqa: T201 - to open at once
        ran = _run(cluster, nodes, client, faults, book, options.limit, watch)
        watch.end("PASS" if ran.passed else "FAIL")
        return replace(ran, edited=tuple(edited), seed=options.seed, pace=pace)


def _client_map(out: Path) -> ClusterMap:
    try:
        return client_map(out)
    except HostError as error:
        raise stated(error, "rehearse") from None


def _script(options: RehearseOptions, found: MemoryMap, count: int) -> Script:
    sent = [stream for node in found.nodes for stream in node.streams if stream.direction == "tx"]
    inner = [one.boundary for stream in sent for one in stream.consumers if not one.host]
    names = [node.name for node in found.nodes]
    if has_gateway(found):
        streams = [stream for node in found.nodes for stream in node.streams]
        inner += [stream.boundary for stream in streams if stream.host and stream.program]
        names.append(HOST)
    if options.seed is not None:
        return random_script(options.seed, names, inner, count)
    return read_script(options.script, names, inner, count) if options.script else Script(fault=())


@dataclass
class _Book:
    """Results so far: the next frame must have the next one."""

    vectors: Vectors
    order: list[str]
    count: int
    next: int = 0
    wrong: list[int] = field(default_factory=list)
    missing: dict[int, str] = field(default_factory=dict)
    disorder: list[str] = field(default_factory=list)
    first: str = ""
    times: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Results a second, after those of a start in which all waits are empty."""
        times = self.times[len(self.times) // 4 :]
        return (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 and times[-1] > times[0] else 0.0

    def take(self, record: Record) -> None:
        """Take a result, or why there is none."""
        if record.number != self.next:
            self.disorder.append(f"frame {record.number} came when {self.next} was due")
            return
        self.next += 1
        self.times.append(time.monotonic())
        if record.kind == "L":
            self.missing[record.number] = record.text
        elif text := self.vectors.difference(record.number, record.body, self.order):
            self.wrong.append(record.number)
            self.first = self.first or text

    def give_up(self, why: str) -> None:
        """Note why the rest has no result."""
        self.missing |= dict.fromkeys(range(self.next, self.count), why)


def _run(  # noqa: PLR0913 - all of a run
    cluster: ClusterMap,
    nodes: Mapping[str, Node],
    client: Client,
    faults: Faults,
    book: _Book,
    limit: float,
    watch: Watch,
) -> Rehearsal:
    notes: list[str] = []
    last: dict[str, Any] = {"epochs": 1, "nodes": {}}
    table = Table(book.count)
    began = time.monotonic()
    over = False
    while not over:
        client.start(book.next)
        try:
            for record in client.records(limit):
                if record.kind in "RL":
                    book.take(record)
                    if record.kind == "R":
                        watch.result(record.number, record.body)
                    table.show(book.next, last["nodes"])
                    faults.came(book.next)
                elif record.kind == "N":
                    notes.append(record.text)
                    table.noted(record.text)
                    watch.note(record.text)
                elif record.kind in "SE":
                    last = json.loads(record.body)
                    watch.state(last["nodes"])
                    over = over or record.kind == "E"
                elif record.kind == "X":
                    raise _failed(record.text, nodes)
        except SilentError as error:
            text = f"no result came for {limit:g} s; {waits(cluster, last['nodes'])}"
            book.give_up(text)
            notes.append(f"client: {error}")
            break
        if over or _restarts(client):
            continue
        raise _failed(f"the client ended with exit code {client.code()}: {client.said()}", nodes)
    acted = faults.end()
    return Rehearsal(
        frames=book.count,
        wrong=tuple(book.wrong),
        missing=book.missing,
        disorder=tuple(book.disorder),
        first_wrong=book.first,
        seconds=time.monotonic() - began,
        rate=book.rate,
        median_s=last.get("median", 0.0),
        percentile_99_s=last.get("percentile_99", 0.0),
        epochs=last["epochs"],
        clients=client.starts,
        faults=acted,
        notes=tuple(notes),
        nodes=last["nodes"],
    )


def _restarts(client: Client) -> bool:
    """Tell whether a fault of the script has ended the client; wait until it is to start again."""
    away = client.ordered
    if away is None:
        return False
    time.sleep(away)
    return True


def _failed(text: str, nodes: Mapping[str, Node]) -> SimulationError:
    said = "; ".join(f"{node.name}: {node.said()}" for node in nodes.values())
    return SimulationError(Problem("rehearse", f"{text} ({said})", "Simulate the cluster first"))
