# SPDX-License-Identifier: BSD-3-Clause
"""Digests of the inputs of stages; an unchanged stage does not run again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from shellgen.errors import InputError, Problem
from shellgen.model import NodePlan, Stage
from vivado_check.formats.files import open_file

_RENEW = "Generate the folder again"


class Inputs:
    """Return the generated files of a node.

    Args:
        out: Output folder.
        node: The node.
        manifest: Path and sha256 of every generated file, from the output folder.

    Raises:
        InputError: A file is missing, or plan and files do not belong together.
    """

    def __init__(self, out: Path, node: NodePlan, manifest: Mapping[str, str]) -> None:
        own = {path.partition("/")[2]: path for path in manifest if path.startswith(f"{node.name}/")}
        missing = [path for path in own.values() if not (out / path).is_file()]
        core = f"{node.name}_core.v"
        if missing or core not in own:
            path, count = (missing or [f"{node.name}/{core}"])[0], len(missing)
            more = f" (and {count - 1} more)" if count > 1 else ""
            raise InputError(Problem(f"{out / path}", f"the generated file is missing{more}", _RENEW))
        with (out / own[core]).open(errors="replace") as text:
            if node.build_id not in text.readline():
                found = f"it was not made from this plan.json, in which the node is {node.build_id}"
                raise InputError(Problem(str(out / own[core]), found, _RENEW))
        self._digests = {name: _digest(out / path) for name, path in own.items()}
        self.changed = sorted(own[name] for name in own if self._digests[name] != manifest[own[name]])

    def digests(self, stages: tuple[Stage, ...], values: Mapping[str, str]) -> list[str]:
        """Return the digest of each stage: its command, settings and files, and the stages before it.

        Paths of folders on the machine are excluded, so a build can continue on another machine.
        """
        found: list[str] = []
        for stage in stages:
            told = [one.name for one in stage.settings if not (one.folder or one.neutral)]
            files = [
                name
                for name in sorted(self._digests)
                if any(fnmatchcase(name, pattern) for pattern in stage.inputs)
            ]
            words = [*found[-1:], stage.name, *stage.command, stage.folder]
            words += [f"{name}={values[name]}" for name in sorted(told) if name in values]
            words += [f"{name} {self._digests[name]}" for name in files]
            found.append(hashlib.sha256("\0".join(words).encode()).hexdigest())
        return found


def _digest(path: Path) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
