# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of a rehearsal: of the nodes, and of the relays before those with disturbed connections."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path

from shellgen.model.memory_map import MemoryMap
from shellgen.rehearse.card_text import has_gateway, joined_streams
from shellgen.rehearse.processes import PORT, Core, Node, NodeFiles, loopback
from shellgen.rehearse.script import Script
from shellgen_host import Hosts
from shellgen_host.cluster_map import HOST


class Network:
    """Addresses of nodes and relays.

    Args:
        found: The cluster.
        script: What will be disturbed.
        carried: Boundaries that hardware carries, before which no relay can be.

    Attributes:
        hosts: Of the nodes.
        relay_of: Of the relays, by boundary.
        relays: From the address of a relay to that of its node.
    """

    def __init__(self, found: MemoryMap, script: Script, carried: Container[str] = ()) -> None:
        network = loopback()
        self._map = found
        self.hosts = Hosts()
        for index, node in enumerate(found.nodes, 1):
            self.hosts[node.name] = (f"{network}.{index}", PORT)
        if has_gateway(found):
            self.hosts[HOST] = (f"{network}.{len(found.nodes) + 1}", PORT)
        takes = {
            stream.boundary: node.name
            for node in found.nodes
            for joined in (joined_streams(node),)
            for stream in node.streams
            if stream.direction == "rx"
            and not stream.host
            and stream.index not in joined
            and not stream.program
        }
        disturbed = sorted(
            {one.target for one in script.fault if one.on_connection and one.target not in carried}
        )
        self.relay_of = {
            name: (f"{network}.{254 - index % 100}", PORT + index // 100)
            for index, name in enumerate(disturbed)
        }
        self.relays = {at: self.hosts[takes[name]] for name, at in self.relay_of.items()}
        self._to = {name: self.relay_of.get(name, self.hosts[node]) for name, node in takes.items()}

    def nodes(
        self,
        files: Mapping[str, tuple[Path, Core, list[Path]]],
        folder: Path,
        options: Callable[[str], Sequence[str]] = lambda _: (),
    ) -> dict[str, Node]:
        """Return the nodes, not yet started.

        Args:
            files: Program, core and data of each.
            folder: For their own files; exists.
            options: More words of the command line of each.
        """
        map_file = folder / "memory_map.json"
        map_file.write_text(self._map.to_json())
        made = {}
        for node in self._map.nodes:
            program, core, data = files[node.name]
            leaves = [
                one.boundary
                for stream in node.streams
                if stream.direction == "tx"
                for one in stream.consumers
                if one.boundary in self._to
            ]
            connect = {name: self._to[name] for name in leaves}
            given = NodeFiles(program, core, map_file, data, connect, options(node.name))
            made[node.name] = Node(node.name, self.hosts[node.name], given, folder / "nodes")
        if HOST in files:
            program, words, data = files[HOST]
            given = NodeFiles(program, words, map_file, data, {}, options(HOST))
            made[HOST] = Node(HOST, self.hosts[HOST], given, folder / "nodes")
        return made
