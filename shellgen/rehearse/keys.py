# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen host keys`: the keys of a generated cluster."""

from __future__ import annotations

from pathlib import Path

from shellgen.errors import InputError, one
from shellgen_host.cluster_map import read_map
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
        from shellgen_host.keys import make_keys  # noqa: PLC0415 - its package is an extra
    except ImportError as error:
        found = f"the package {error.name} is not installed"
        raise one(InputError, "host keys", found, "Run pip install 'shellgen[host]'") from None
    try:
        cluster = read_map(out)
        return make_keys(keys, cluster.cluster, cluster.nodes, days)
    except HostError as error:
        text, _, remedy = str(error).rpartition("; ")
        raise one(InputError, "host keys", text, remedy[:1].upper() + remedy[1:]) from None
