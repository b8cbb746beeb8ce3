# SPDX-License-Identifier: BSD-3-Clause
"""The build state: ``build.json`` in a node's folder, valid at any time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from shellgen.disk.files import write_whole
from shellgen.errors import InputError, Problem
from shellgen.model import Stage
from shellgen.model.base import Frozen
from shellgen.model.names import Digest, FilePath, Word
from vivado_check.formats.data import read_json

STATE = "build.json"


class StageState(Frozen):
    """A stage that has succeeded.

    Attributes:
        digest: Digest of its inputs (`shellgen.build.inputs`).
        products: Size in bytes of each product.
        seconds: Duration.
        warnings: Warnings of the tools.
        critical: Critical warnings of the tools.
    """

    digest: Digest
    products: dict[FilePath, NonNegativeInt]
    seconds: NonNegativeFloat
    warnings: NonNegativeInt
    critical: NonNegativeInt


class NodeState(Frozen):
    """The state of a node's build. All its paths are inside the node's folder.

    Attributes:
        schema_version: Version of the file format; a reader refuses another.
        stages: Finished stages, in order.
        peaks: Peak memory of each stage in bytes, whether it succeeded or not.
    """

    schema_version: Literal[1] = 1
    stages: dict[Word, StageState] = Field(default_factory=dict)
    peaks: dict[Word, NonNegativeInt] = Field(default_factory=dict)

    def without(self, names: set[str]) -> NodeState:
        """Return the same without some stages."""
        return self.model_copy(
            update={"stages": {name: one for name, one in self.stages.items() if name not in names}}
        )

    def with_stage(self, name: str, stage: StageState) -> NodeState:
        """Return the same with one more stage."""
        return self.model_copy(update={"stages": {**self.stages, name: stage}})

    def with_peak(self, name: str, peak: int) -> NodeState:
        """Return the same with a stage's peak memory, if it exceeds the recorded one."""
        return self.model_copy(update={"peaks": {**self.peaks, name: max(peak, self.peaks.get(name, 0))}})


def read_state(folder: Path) -> NodeState:
    """Return the state of a node's build; an empty state if none was started.

    Raises:
        InputError: The file is damaged.
    """
    path = folder / STATE
    remedy = "Remove that file, and the node is built from the beginning"
    if not path.exists():
        return NodeState()
    try:
        return NodeState.from_data(read_json(path, str(path), remedy, remedy), path)
    except InputError as error:
        first = error.problems[0]
        raise InputError(Problem(first.where, first.found, remedy)) from None


def write_state(folder: Path, state: NodeState) -> None:
    """Write the file atomically: a kill leaves the old or the new one."""
    write_whole(folder / STATE, state.to_json().encode(), sync=True)


def products_of(folder: Path, stage: Stage) -> dict[str, int] | None:
    """Return the sizes of a stage's products in bytes; None if one is missing or empty."""
    found = {}
    for name in stage.products:
        path = folder / name
        size = path.stat().st_size if path.is_file() else 0
        if not size:
            return None
        found[name] = size
    return found


def remaining(folder: Path, stages: tuple[Stage, ...], state: NodeState, digests: Sequence[str]) -> int:
    """Return the index of the first stage that must be run; the number of stages, if none."""
    first = len(stages)
    for index, stage in reversed(list(enumerate(stages))):
        known = state.stages.get(stage.name)
        done = known is not None and known.digest == digests[index]
        if stage.products:
            needed = not (done and known and known.products == products_of(folder, stage))
        elif index + 1 < len(stages):
            needed = first == index + 1
        else:
            needed = not done
        first = index if needed else first
    return first
