# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen host keys`: the keys of a generated cluster."""

from __future__ import annotations

from pathlib import Path

from shellgen.errors import InputError, one
from shellgen.rehearse.live import stated
from shellgen_host.cluster_map import ClusterMap, read_map
from shellgen_host.errors import HostError


def cluster_keys(out: Path, keys: Path, days: int) -> list[Path]:
    """Write the keys of a cluster; return the folders, the operator's first.

    Args:
        out: Folder that ``shellgen generate`` wrote.
        keys: Folder to write.
        days: How long they are valid.

    Raises:
        InputError: The package cryptography is missing, or a file or a name is wrong.
    """
    try:
        return _make("host keys", keys, read_map(out), days)
    except HostError as error:
        raise stated(error, "host keys") from None


def make_cluster_keys(keys: Path, cluster: ClusterMap) -> None:
    """Write keys for a rehearsal.

    Args:
        keys: Folder to write.
        cluster: The cluster.

    Raises:
        InputError: The package cryptography is missing, or a name fits no certificate.
    """
    try:
        _make("rehearse", keys, cluster, 1)
    except HostError as error:
        raise stated(error, "rehearse") from None


def _make(command: str, keys: Path, cluster: ClusterMap, days: int) -> list[Path]:
    try:
        from shellgen_host.keys import make_keys  # noqa: PLC0415 - its package is an extra
    except ImportError as error:
        found = f"the package {error.name} is not installed"
        raise one(InputError, command, found, "Run pip install 'shellgen[host]'") from None
    return make_keys(keys, cluster.cluster, cluster.nodes, days)
