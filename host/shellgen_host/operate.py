# SPDX-License-Identifier: BSD-3-Clause
"""Orders of an operator to a cluster: drain, go on, stop, load bitstreams and weights."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from shellgen_host.cluster_map import ClusterMap, read_map
from shellgen_host.errors import InputError
from shellgen_host.files import read_bitstream, read_weights
from shellgen_host.hosts import Hosts, read_hosts
from shellgen_host.orders import END, GO_ON, HOLD, Load, NodeState, Order, Together, load_all
from shellgen_host.signing import BITSTREAM, WEIGHTS, Signer

Note = Callable[[str], None]


class Operator:
    """Orders to a cluster, whether or not a client runs frames.

    Args:
        out: Folder that ``shellgen generate`` wrote; ``memory_map.json`` is read.
        hosts: ``hosts.toml``, or addresses that were read from one.

    Raises:
        InputError: A file is wrong.
    """

    def __init__(self, out: str | Path, hosts: str | Path | Hosts) -> None:
        self.map: ClusterMap = read_map(out)
        self.out = Path(out)
        self.hosts = hosts if isinstance(hosts, Hosts) else read_hosts(hosts, self.map.nodes)

    def drain(self, nodes: Iterable[str] = (), seconds: float = 30.0) -> dict[str, NodeState]:
        """Let nodes take no more frames, and wait until they are empty.

        Args:
            nodes: Some of them; none: all, one after the other along the frames' way.
            seconds: To wait for all of them.

        Returns:
            State of each node; one that is not ``empty`` still has frames.
        """
        return asyncio.run(self._drain(self._chosen(nodes), seconds))

    def go_on(self, nodes: Iterable[str] = ()) -> None:
        """Let nodes take frames again."""
        asyncio.run(self._give(self._chosen(nodes), GO_ON))

    def stop(self, nodes: Iterable[str] = ()) -> None:
        """End the program on nodes, whatever is under way."""
        asyncio.run(self._give(self._chosen(nodes), END))

    def loads(
        self, bitstreams: str | Path | None, weights: str | Path | None, nodes: Iterable[str] = ()
    ) -> dict[str, Load]:
        """Return signed files by node.

        Args:
            bitstreams: Folder with ``NODE.bit`` or ``NODE.bin``.
            weights: Folder that ``shellgen weights`` wrote.
            nodes: Some of them; none: all.

        Raises:
            InputError: A file is missing or wrong, or there is no key to sign with.
        """
        if bitstreams is None and weights is None:
            raise InputError("program: there is nothing to load; give bitstreams, weights or both")
        if self.hosts.tls is None:
            raise InputError(
                f"{self.hosts.path}: keys: files are signed with the operator's; "
                "make them by shellgen host keys"
            )
        signer = Signer(self.hosts.tls.folder)
        found = {}
        for name in self._chosen(nodes):
            build_id = self.map.nodes[name]
            bits = read_bitstream(Path(bitstreams), name) if bitstreams is not None else None
            values = read_weights(self.out, Path(weights), name) if weights is not None else None
            one = Load(
                signer.sign(BITSTREAM, build_id, bits) if bits is not None else None,
                signer.sign(WEIGHTS, build_id, values) if values is not None else None,
            )
            if one != Load():
                found[name] = one
        if not found:
            raise InputError(f"{weights}: no node has a memory that the host writes; give bitstreams")
        return found

    def program(
        self,
        bitstreams: str | Path | None = None,
        weights: str | Path | None = None,
        nodes: Iterable[str] = (),
        note: Note = lambda _: None,
    ) -> list[str]:
        """Load bitstreams, weights or both; return the nodes that have loaded something.

        Args:
            bitstreams: As for `loads`.
            weights: As for `loads`.
            nodes: As for `loads`.
            note: Gets one line for each step.

        Raises:
            HostError: A file is wrong, a node is not reached, or it refuses.
        """
        loads = self.loads(bitstreams, weights, nodes)
        asyncio.run(load_all(self.map, self.hosts, loads, note))
        return list(loads)

    def _chosen(self, nodes: Iterable[str]) -> list[str]:
        chosen = list(nodes)
        if unknown := [name for name in chosen if name not in self.map.nodes]:
            text = f"{unknown[0]!r} is no node of the cluster; it has {', '.join(self.map.nodes)}"
            raise InputError(f"--node: {text}")
        return [name for name in self._along() if not chosen or name in chosen]

    def _along(self) -> list[str]:
        """Return all nodes, each behind those that send to it as far as there is no ring of nodes."""
        found: list[str] = []
        left = list(self.map.nodes)
        while left:
            behind = {there for here, there in self.map.between.values() if here in left and here != there}
            first = [name for name in left if name not in behind] or left[:1]
            found += first
            left = [name for name in left if name not in first]
        return found

    async def _drain(self, names: list[str], seconds: float) -> dict[str, NodeState]:
        orders = [Order(self.map, self.hosts, name) for name in names]
        end = asyncio.get_running_loop().time() + seconds
        found: dict[str, NodeState] = {}
        async with Together(orders):
            # One after the other: what the first has put out goes through the second.
            for order in orders:
                senders = {here for here, there in self.map.between.values() if there == order.node}
                if senders and senders <= set(found):  # nothing more comes: it can finish what waits
                    await order.drained(end, waiting=True)
                await order.give(HOLD)
                found[order.node] = await order.drained(end)
        return found

    async def _give(self, names: list[str], what: int) -> None:
        orders = [Order(self.map, self.hosts, name) for name in names]
        async with Together(orders):
            await asyncio.gather(*(order.give(what) for order in orders))
