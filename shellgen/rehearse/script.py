# SPDX-License-Identifier: BSD-3-Clause
"""``faults.toml``: what is to break during a rehearsal, and when."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from shellgen.counted import counted
from shellgen.errors import InputError, Problem, offer
from shellgen.model.base import Frozen
from shellgen.model.names import Name
from shellgen_host.batch import WINDOW
from vivado_check.formats.data import read_toml

CLIENT = "client"  # as a process; a node of this name comes first
ON_PROCESS = ("kill", "restart")
ON_CONNECTION = ("cut", "delay", "reorder", "corrupt")
ON_DISK = ("fill",)
_KINDS = (*ON_PROCESS, *ON_CONNECTION, *ON_DISK)
# Of random faults: frames without any before the first and behind the last.
_BEFORE, _BEHIND = 20, 10


class Fault(Frozen):
    """One fault; it has exactly one of the fields from ``kill`` to ``fill``.

    Attributes:
        frame: It acts as soon as this many results have come.
        kill: Node whose process is killed (SIGKILL), and started again; or ``client``.
        restart: Node whose process is ended in order (SIGTERM), and started again; or ``client``.
        cut: Boundary whose connection is cut, whatever is under way.
        delay: Boundary whose next bytes are held back for some seconds.
        reorder: Boundary whose connection breaks, and whose last bytes arrive after the next connection.
        corrupt: Boundary of whose next bytes one bit is inverted.
        fill: Node on whose disk no file can grow while it is sent one.
        away: Seconds until a process is started again.
        seconds: Of a delay.
    """

    frame: Annotated[int, Field(ge=0, le=1 << 40)]
    kill: Name | None = None
    restart: Name | None = None
    cut: Name | None = None
    delay: Name | None = None
    reorder: Name | None = None
    corrupt: Name | None = None
    fill: Name | None = None
    away: Annotated[float, Field(ge=0, le=600)] = 0.0
    seconds: Annotated[float, Field(gt=0, le=20)] = 0.2

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [kind for kind in _KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            raise ValueError(
                f"a fault has one of {', '.join((*ON_PROCESS, *ON_DISK))} (a node), "
                f"{', '.join(ON_CONNECTION)} (a boundary); this one has {found}"
            )
        for field, kinds in (("seconds", ("delay",)), ("away", ON_PROCESS)):
            if field in self.model_fields_set and given[0] not in kinds:
                raise ValueError(f"{field} is for {' and '.join(kinds)}, and {given[0]} has no such time")
        return self

    @property
    def kind(self) -> str:
        """The field that says what breaks."""
        return next(kind for kind in _KINDS if getattr(self, kind) is not None)

    @property
    def target(self) -> str:
        """Process or boundary."""
        return str(getattr(self, self.kind))

    @property
    def on_connection(self) -> bool:
        """Whether it is a connection that breaks."""
        return self.kind in ON_CONNECTION

    @property
    def on_disk(self) -> bool:
        """Whether it is the disk of a node that has no room."""
        return self.kind in ON_DISK

    @property
    def said(self) -> str:
        """Short text: frame and effect."""
        return f"frame {self.frame}: {self.kind} {self.target}"


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
    data = read_toml(path, str(path))
    if isinstance(data.get("fault"), dict):
        raise InputError(
            Problem(f"{path}: fault", "it is a single table", "Write [[fault]] in place of [fault]")
        )
    script = Script.from_data(data, path)
    problems = []
    for index, fault in enumerate(script.fault):
        where = f"{path}: fault[{index}]"
        known = [*boundaries] if fault.on_connection else [*nodes]
        known += [CLIENT] if fault.kind in ON_PROCESS else []
        if fault.target not in known:
            what = "no connection of the rehearsal carries" if fault.on_connection else "there is no node"
            found = f"{what} {fault.target!r}"
            problems.append(Problem(f"{where}.{fault.kind}", found, offer(fault.target, known)))
        if fault.frame >= frames:
            found = f"frame {fault.frame} never comes, since the rehearsal has {counted(frames, 'frame')}"
            problems.append(Problem(f"{where}.frame", found, "Choose an earlier one, or give --frames more"))
    if problems:
        raise InputError(*problems)
    return script


def random_script(seed: int, nodes: Sequence[str], boundaries: Sequence[str], frames: int) -> Script:
    """Return one to five random faults of any kind, of any process and connection.

    Args:
        seed: The same one gives the same faults.
        nodes: Of the cluster.
        boundaries: That cross a connection.
        frames: Of the rehearsal.

    Raises:
        InputError: There are too few frames for faults among them.
    """
    places = range(_BEFORE, frames - frames // _BEHIND)
    if len(places) < _BEFORE:
        few = "1 frame is" if frames == 1 else f"{frames} frames are"
        found = f"{few} too few to break something among them"
        raise InputError(Problem("rehearse: --seed", found, f"Give --frames {3 * _BEFORE} or more"))
    draw = random.Random(seed)  # noqa: S311 - which faults, not a secret
    found_faults = []
    for frame in sorted(draw.choices(places, k=draw.randint(1, 5))):
        # Of the last frames, all may have passed a connection before a fault of it is due.
        passing = boundaries and frame < frames - WINDOW
        kind = draw.choice([*ON_PROCESS, *(ON_CONNECTION if passing else ())])
        target = draw.choice(boundaries if kind in ON_CONNECTION else [*nodes, CLIENT])
        found_faults.append(Fault.model_validate({"frame": frame, kind: target}))
    return Script(fault=tuple(found_faults))
