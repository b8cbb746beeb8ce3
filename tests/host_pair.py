# SPDX-License-Identifier: BSD-3-Clause
"""Two rehearsed boards, two nodes that run, and their golden frames, for tests of shellgen-node."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_bench import Chain

from shellgen.cache import default_cache_dir
from shellgen.rehearse.core_library import core_library, core_sources
from shellgen.rehearse.node_program import node_program
from shellgen.rehearse.processes import PORT, Node, NodeFiles, Nodes, loopback
from shellgen.simulate.description import read_bench
from shellgen.simulate.tools import find_verilator
from shellgen.simulate.vendor import vendor_sources
from shellgen_host import Hosts
from shellgen_host.cluster_map import ClusterMap, Edge, read_map

TOKEN = bytes(range(1, 33))
RINGS = ("--slots", "32")  # which tests can fill

# Two boards, with another width of the data path each.
PAIR = Chain(
    widths=(4, 4, 3),
    activations="UINT3",
    folds=((2, 2, 2), (3, 2, 1)),
    cuts=(0, 1),
    nodes=(("one", "zedboard", (0,)), ("two", "zcu104", (1,))),
)


@dataclass
class Running:
    """Two running nodes; the second is where a test knocks."""

    out: Path
    hosts: Hosts
    map: ClusterMap
    nodes: dict[str, Node]

    @property
    def cut(self) -> Edge:
        """The boundary between the boards, as a client that pretends to be the first board sees it."""
        whole = json.loads((self.out / "memory_map.json").read_text())
        second = whole["nodes"][1]
        for stream in second["streams"]:
            stream["host"] = True
        copy = self.out.parent / "pretended"
        copy.mkdir(exist_ok=True)
        (copy / "memory_map.json").write_text(json.dumps({**whole, "nodes": [second]}))
        return read_map(copy).inputs[0]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAIR.generate(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="module")
def files(out: Path) -> dict[str, NodeFiles]:
    tool, cache, bench = find_verilator(), default_cache_dir(), read_bench(out)
    vendor, data = vendor_sources(out, bench, ""), [out / name for name in bench.data]
    program = node_program(tool, cache)
    return {
        node.name: NodeFiles(
            program,
            ("--model", core_library(tool, core_sources(out, bench, node.name, vendor), cache)),
            out / "memory_map.json",
            data,
            {},
            RINGS,
        )
        for node in bench.nodes
    }


@pytest.fixture
def running(out: Path, files: dict[str, NodeFiles], tmp_path: Path) -> Iterator[Running]:
    network, hosts = loopback(), Hosts()
    hosts.update({name: (f"{network}.{index}", PORT) for index, name in enumerate(files, 1)})
    found = read_map(out)
    nodes = {}
    for name, given in files.items():
        connect_to = {edge: hosts[ends[1]] for edge, ends in found.between.items() if ends[0] == name}
        nodes[name] = Node(name, hosts[name], replace(given, connect=connect_to), tmp_path)
    with Nodes(nodes):
        yield Running(out, hosts, found, nodes)


def golden(out: Path) -> tuple[Any, Any]:
    first, last = sorted((out / "bench").glob("golden_*.npy"))
    return np.load(first), np.load(last)


@contextmanager
def started(
    out: Path,
    files: dict[str, NodeFiles],
    folder: Path,
    options: Callable[[str], Sequence[str]] = lambda _: ("--token", TOKEN.hex()),
) -> Iterator[Running]:
    """Two running nodes that want a token, or what else the options of each say."""
    network, hosts, found = loopback(), Hosts(), read_map(out)
    hosts.token = TOKEN
    hosts.update({name: (f"{network}.{index}", PORT) for index, name in enumerate(files, 1)})
    nodes = {}
    for name, given_files in files.items():
        to = {edge: hosts[ends[1]] for edge, ends in found.between.items() if ends[0] == name}
        nodes[name] = Node(
            name, hosts[name], replace(given_files, connect=to, options=(*RINGS, *options(name))), folder
        )
    with Nodes(nodes):
        yield Running(out, hosts, found, nodes)


@pytest.fixture(scope="module")
def guarded(
    out: Path,
    files: dict[str, NodeFiles],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Running]:
    """Nodes for all tests of a file: each leaves them as usable as it found them."""
    with started(out, files, tmp_path_factory.mktemp("guarded")) as running:
        yield running
