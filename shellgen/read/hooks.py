# SPDX-License-Identifier: BSD-3-Clause
"""Scripts and constraints that ``[node.options.<platform>]`` names: the names become records with digests."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model import ClusterSpec, NodeSpec
from shellgen.model.file_names import is_file_name
from vivado_check.formats.data import read_text

Table = dict[str, object]


def read_hooks(
    spec: ClusterSpec, folder: Path, where: str, takers: Collection[str]
) -> tuple[ClusterSpec, dict[str, bytes]]:
    """Read the files of all nodes.

    Args:
        spec: cluster.toml.
        folder: Its folder; names are relative to it.
        where: Its name, for messages.
        takers: Platforms whose options take such files.

    Returns:
        The same with a record in the place of each name, and the content of the files by sha256.

    Raises:
        InputError: A file that is missing, not text, of another suffix, or named as another one is.
    """
    problems: list[Problem] = []
    files: dict[str, bytes] = {}
    nodes: list[NodeSpec] = []
    for index, node in enumerate(spec.node):
        options = dict(node.options)
        for kind in takers:
            if kind in options:
                reader = _Reader(folder, f"{where}: node[{index}].options.{kind}", problems, files)
                options[kind] = reader.table(options[kind])
        nodes.append(node.model_copy(update={"options": options}))
    if problems:
        raise InputError(*problems)
    return spec.model_copy(update={"node": tuple(nodes)}), files


class _Reader:
    """The options of one node.

    Attributes:
        names: Path of each file, by its name without folders.
    """

    def __init__(self, folder: Path, where: str, problems: list[Problem], files: dict[str, bytes]) -> None:
        self.folder, self.where, self.problems, self.files = folder, where, problems, files
        self.names: dict[str, Path] = {}

    def table(self, table: Mapping[str, object]) -> Table:
        """Return the options with records; the platform's own record refuses values that are no lists."""
        result, tcl = dict(table), table.get("tcl")
        if isinstance(tcl, dict):
            result["tcl"] = {
                moment: self._records(names, f"tcl.{moment}", ".tcl") for moment, names in tcl.items()
            }
        if "constraints" in table:
            result["constraints"] = self._records(table["constraints"], "constraints", ".xdc")
        return result

    def _records(self, names: object, field: str, suffix: str) -> object:
        if not isinstance(names, list):
            return names
        return list(self._each(names, field, suffix))

    def _each(self, names: list[object], field: str, suffix: str) -> Iterator[object]:
        for index, name in enumerate(names):
            at = f"{self.where}.{field}[{index}]"
            if not isinstance(name, str):
                self.problems.append(Problem(at, f"got {name!r}", f"Name a {suffix} file"))
                continue
            path = self.folder / name
            problem = self._problem(path, at, suffix)
            if problem:
                self.problems.append(problem)
                continue
            try:
                content = read_text(path, f"{at}: {name}", f"Name a {suffix} file, relative to cluster.toml")
            except InputError as error:
                self.problems.extend(error.problems)
                continue
            data = content.encode()
            sha256 = hashlib.sha256(data).hexdigest()
            self.files[sha256] = data
            yield {"file": path.name, "sha256": sha256}

    def _problem(self, path: Path, at: str, suffix: str) -> Problem | None:
        if path.suffix != suffix:
            return Problem(at, f"{path.name} is not a {suffix} file", f"Name a {suffix} file")
        if not is_file_name(path.name):
            return Problem(
                at, f"{path.name!r} is a file name that tools may misread", "Use letters, digits and _ . + -"
            )
        other = self.names.setdefault(path.name, path)
        if other != path:
            return Problem(at, f"{other} has the same name", "Rename one of the files")
        return None
