# SPDX-License-Identifier: BSD-3-Clause
"""``faults.toml``: what is to break during a rehearsal, and when."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from shellgen.errors import InputError, Problem, offer
from shellgen.model.base import Frozen
from shellgen.model.names import Name
from vivado_check.formats.data import read_toml


class Fault(Frozen):
    """One fault; exactly one of ``kill`` and ``cut``.

    Attributes:
        frame: It acts as soon as this many results have come.
        kill: Node whose process is killed (SIGKILL), and started again.
        cut: Boundary whose connection is cut, whatever is under way.
        away: Seconds until a killed node is started again.
    """

    frame: Annotated[int, Field(ge=0, le=1 << 40)]
    kill: Name | None = None
    cut: Name | None = None
    away: Annotated[float, Field(ge=0, le=600)] = 0.0

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.kill is None) == (self.cut is None):
            raise ValueError("a fault has either kill, with a node, or cut, with a boundary")
        return self

    @property
    def said(self) -> str:
        """Short text: frame and effect."""
        return f"frame {self.frame}: {f'kill {self.kill}' if self.kill else f'cut {self.cut}'}"


class Script(Frozen):
    """The whole file: faults in any order."""

    fault: tuple[Fault, ...]


def read_script(path: Path, nodes: Collection[str], boundaries: Collection[str], frames: int) -> Script:
    """Return a script.

    Args:
        path: The file.
        nodes: Of the cluster.
        boundaries: That cross a connection.
        frames: Of the rehearsal.

    Raises:
        InputError: It does not fit the format, or names what the cluster has not.
    """
    script = Script.from_data(read_toml(path, str(path)), path)
    problems = []
    for index, fault in enumerate(script.fault):
        where = f"{path}: fault[{index}]"
        if fault.kill is not None and fault.kill not in nodes:
            problems.append(
                Problem(f"{where}.kill", f"there is no node {fault.kill!r}", offer(fault.kill, nodes))
            )
        if fault.cut is not None and fault.cut not in boundaries:
            found = f"no connection of the rehearsal carries {fault.cut!r}"
            problems.append(Problem(f"{where}.cut", found, offer(fault.cut, boundaries)))
        if fault.frame >= frames:
            found = f"frame {fault.frame} never comes, since the rehearsal has {frames} frames"
            problems.append(Problem(f"{where}.frame", found, "Choose an earlier one, or give --frames more"))
    if problems:
        raise InputError(*problems)
    return script
