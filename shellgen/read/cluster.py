# SPDX-License-Identifier: BSD-3-Clause
"""cluster.toml to `ClusterSpec`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from shellgen.disk.manifest import is_output
from shellgen.errors import InputError, Problem
from shellgen.model import ClusterSpec
from shellgen.quote import shell_quote
from vivado_check.formats.data import parse_toml, read_toml
from vivado_check.formats.files import StrPath
from vivado_check.formats.looks import is_dir

# Names that are taken beside those of the nodes, and by whom; the bench has <node>_bulk for each node too.
_TAKEN = {
    "bench": "the simulation bench",
    "golden": "the folder of vectors beside weights",
    "host": "the folder of the host's files",
}
# Fields of earlier releases.
_REMEDIES = {
    "node.vivado": "Call the table [node.options.zynq]",
    "node.lite.slot": "Remove it: the platform of the board says it",
}


@dataclass(frozen=True)
class Cluster:
    """The text of a cluster.toml that is in no file.

    Attributes:
        text: TOML.
        folder: What its paths are relative to.

    Examples:
        >>> texts = [text.replace("zedboard", board) for board in ("pynq-z2", "zcu104")]
        >>> [plan(Cluster(one, folder)).nodes[0].board.name for one in texts]
        ['pynq-z2', 'zcu104']
    """

    text: str
    folder: StrPath = "."


def read_cluster(cluster: Path | Cluster) -> ClusterSpec:
    """Read cluster.toml.

    Raises:
        InputError: Not there, not TOML, unknown or missing fields, no node, two nodes of one name or of names
            that differ only by case, a name that the output takes itself, a [[stream]] described twice.
    """
    if isinstance(cluster, Cluster):
        where = cluster_name(cluster)
        data = parse_toml(cluster.text, where)
    else:
        where = str(cluster)
        if other := _something_else(cluster):
            raise InputError(other)
        data = read_toml(cluster, where)
    if single := _single(data, where):
        raise InputError(*single)
    spec = ClusterSpec.from_data(data, where, remedies=_REMEDIES)
    problems = []
    if not spec.node:
        problems.append(Problem(f"{where}: node", "the cluster has no node", "Add a [[node]]"))
    problems.extend(_twice(where, "node", "name", "two nodes are named", [node.name for node in spec.node]))
    problems.extend(_one_folder(where, [node.name for node in spec.node]))
    for index, node in enumerate(spec.node):
        owner = _TAKEN.get("bench" if node.name.endswith("_bulk") else node.name.lower())
        if owner:
            found = f"got {node.name!r}, the name of {owner}"
            problems.append(Problem(f"{where}: node[{index}].name", found, "Choose another name"))
    ports = [stream.port for stream in spec.stream]
    problems.extend(_twice(where, "stream", "port", "two entries describe", ports))
    if problems:
        raise InputError(*problems)
    return spec


def cluster_name(cluster: Path | Cluster) -> str:
    """Return the name of a cluster's description in messages."""
    return "the text of the cluster" if isinstance(cluster, Cluster) else str(cluster)


def _something_else(path: Path) -> Problem | None:
    """Return the problem that a model or a folder is given in place of a cluster.toml."""
    model = path.suffix == ".onnx"
    if not model and not is_dir(path):
        return None
    if is_output(path):
        found = "it is what `shellgen generate` wrote, and a cluster.toml is needed"
        return Problem(str(path), found, "Name the cluster.toml that it was made from")
    name = shell_quote(str(path))
    remedy = f"`shellgen init {name} -o cluster.toml` writes one for a FINN build"
    if model:
        remedy += f"; for a network, `shellgen make {name} --boards ... -o out` does all steps"
    found = f"it is a {'model' if model else 'folder'}, and a cluster.toml is needed"
    return Problem(str(path), found, remedy)


def _single(data: object, where: str) -> list[Problem]:
    """Return the tables in single brackets that must be in double brackets."""
    assert isinstance(data, dict)
    return [
        Problem(f"{where}: {name}", f"[{name}] is one table, and there may be several", f"Write [[{name}]]")
        for name in ("node", "link", "stream", "weights")
        if isinstance(data.get(name), dict)
    ]


def _one_folder(where: str, names: list[str]) -> list[Problem]:
    """Return the nodes whose folders would be one where case does not count: macOS, Windows, some shares."""
    first: dict[str, str] = {}
    problems = []
    for index, name in enumerate(names):
        other = first.setdefault(name.lower(), name)
        if other != name:
            found = f"{name!r} and {other!r} differ only by case, and are one folder on some file systems"
            problems.append(Problem(f"{where}: node[{index}].name", found, "Choose another name"))
    return problems


def _twice(where: str, table: str, field: str, found: str, values: list[str]) -> list[Problem]:
    repeated = [value for value, count in Counter(values).items() if count > 1]
    problems = []
    for value in repeated:
        last = len(values) - 1 - values[::-1].index(value)
        at = f"{where}: {table}[{last}].{field}"
        problems.append(Problem(at, f"{found} {value!r}", f"Give every [[{table}]] a {field} of its own"))
    return problems
