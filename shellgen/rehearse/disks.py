# SPDX-License-Identifier: BSD-3-Clause
"""Disks of rehearsed nodes, one of which may be full while an operator sends it a file."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

from shellgen.rehearse.keys import make_cluster_keys
from shellgen.rehearse.processes import Node
from shellgen_host import Hosts, RefusedError
from shellgen_host import security as host_security
from shellgen_host.cluster_map import ClusterMap
from shellgen_host.orders import Order
from shellgen_host.signing import WEIGHTS, SignedFile, Signer

_BYTES = 200_000  # of the file that is sent: many pieces


class Disks:
    """Stores of the nodes, with the keys that they need.

    Args:
        cluster: The cluster.
        hosts: Addresses of its nodes; the operator's keys are added.
        folder: For keys and stores; exists.
        needed: Whether a disk is to be full; otherwise nodes have neither keys nor stores.

    Raises:
        InputError: The package cryptography is missing, or the name of a node fits no certificate.
    """

    def __init__(self, cluster: ClusterMap, hosts: Hosts, folder: Path, *, needed: bool) -> None:
        self._cluster, self._hosts, self._folder, self._needed = cluster, hosts, folder, needed
        if not needed:
            return
        make_cluster_keys(self._keys, cluster)
        for name in cluster.nodes:
            self._store(name).mkdir(parents=True)
        hosts.tls = host_security.load(self._keys / "operator", False, "rehearse")

    @property
    def _keys(self) -> Path:
        return self._folder / "keys"

    def _store(self, name: str) -> Path:
        return self._folder / "stores" / name

    def options(self, name: str) -> tuple[str, ...]:
        """Return the words that a node is started with."""
        if not self._needed:
            return ()
        return ("--keys", str(self._keys / name), "--store", str(self._store(name)))

    def fill(self, node: Node) -> bool:
        """Send a file to a node whose disk is full, and again when it has room.

        Returns:
            Whether the node refused it, nothing was left of it, and the second time it was taken.
        """
        file = Signer(self._keys / "operator").sign(
            WEIGHTS,
            self._cluster.nodes[node.name],
            bytes([len(list(self._store(node.name).iterdir()))]) * _BYTES,
        )
        node.wait()  # an earlier fault may have started it just now
        before = self._files(node)
        soft, hard = resource.prlimit(node.pid, resource.RLIMIT_FSIZE)
        # The system refuses each byte of any file, as on a disk without room; that needs no privilege.
        resource.prlimit(node.pid, resource.RLIMIT_FSIZE, (0, hard))
        try:
            refused = self._refused(node, file)
            left = self._files(node)
        finally:
            resource.prlimit(node.pid, resource.RLIMIT_FSIZE, (soft, hard))
        return refused and left == before and not self._refused(node, file)

    def _files(self, node: Node) -> set[str]:
        return {path.name for path in self._store(node.name).iterdir()}

    def _refused(self, node: Node, file: SignedFile) -> bool:
        async def put() -> None:
            async with Order(self._cluster, self._hosts, node.name) as order:
                await order.store(file)

        try:
            asyncio.run(put())
        except RefusedError:
            return True
        return False
