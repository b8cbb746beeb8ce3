# SPDX-License-Identifier: BSD-3-Clause
"""Writing the output of a cluster, perhaps in place of another one's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shellgen.disk.manifest import GENERATE_FIRST
from shellgen.disk.output import Written, write
from shellgen.errors import InputError
from shellgen.model import Artifact
from vivado_check.formats.data import read_json
from vivado_check.formats.files import StrPath


def write_cluster(
    artifacts: tuple[Artifact, ...], out: StrPath, name: str, nodes: Sequence[str], *, force: bool = False
) -> Written:
    """Write the output folder of a cluster.

    Args:
        artifacts: Every file.
        out: As of `shellgen.disk.output.write`.
        name: Of the cluster.
        nodes: Names of its nodes.
        force: As of `shellgen.disk.output.write`.
    """
    other = _other_cluster(out, name, nodes)
    return replace(write(artifacts, out, force=force), replaced=other)


def _other_cluster(out: StrPath, name: str, nodes: Sequence[str]) -> str:
    """Return the name of the cluster that an output folder was generated for, if it is not this one.

    It is another one if the names differ or the two have no node in common. Empty if it is this one, or if
    the folder holds no plan.

    Args:
        out: The folder.
        name: Of this cluster.
        nodes: Names of its nodes.
    """
    path = Path(out) / "plan.json"
    try:
        earlier = read_json(path, str(path), GENERATE_FIRST, GENERATE_FIRST)
        before, known = str(earlier["name"]), {str(node["name"]) for node in earlier["nodes"]}
    except (InputError, KeyError, TypeError):
        return ""
    return "" if before == name and not known.isdisjoint(nodes) else before
