# SPDX-License-Identifier: BSD-3-Clause
"""``bench.json`` read back: the folder may have been copied, mended by hand or made by somebody else."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from shellgen.errors import InputError, Problem
from shellgen.formats.data import read_json
from shellgen.model.base import Frozen
from shellgen.model.names import FileName, FilePath, Line, Name

_RENEW = "Generate the folder again"
Count = Annotated[int, Field(ge=0, le=1 << 40)]
Size = Annotated[int, Field(ge=1, le=1 << 40)]
Bits = Annotated[int, Field(ge=1, le=1 << 20)]


class _Open(Frozen):
    """What is not named here is not looked at."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Recording(_Open):
    file: FileName
    bits: Bits


class _Words(_Recording):
    word_bits: Bits
    words: Size


class _Boundary(_Open):
    name: Name
    element_bits: Bits
    signed: bool
    low: int
    shape: tuple[Size, ...]
    elements: Size
    elements_per_word: Size
    wire_word_bits: Bits
    frame_bytes: Size
    role: Literal["data", "weights"]
    passes: Size
    weights: FilePath | None
    golden: FileName | None
    made: _Words | None = None
    taken: _Words | None = None
    inner: _Words | None = None
    sent: _Recording | None = None
    received: _Recording | None = None


class _Joined(_Words):
    boundary: Count


class _Monolith(_Open):
    inputs: tuple[_Joined, ...]
    outputs: tuple[_Joined, ...]
    lites: dict[str, FileName]


class _Tap(_Open):
    place: Line
    beats: Count
    boundary: Count
    name: FileName


class _Node(_Open):
    name: Name
    base: Count


class _Sources(_Open):
    partition: tuple[FilePath, ...]
    ours: tuple[FilePath, ...]
    vendor: tuple[FilePath, ...]
    include_dirs: tuple[FilePath, ...]


class _Missing(_Open):
    module: Line
    place: Line
    certain: bool


class _BlackBox(_Open):
    partition: Name
    reason: Line


class _Block(_Open):
    top: Name
    clocks: Annotated[tuple[Name, ...], Field(min_length=1)]
    sources: tuple[FilePath, ...]
    headers: tuple[FilePath, ...]


class _Group(_Open):
    scope: Name
    title: Line
    signals: tuple[tuple[Name, Bits], ...]


class _Waves(_Open):
    file: FilePath
    groups: tuple[_Group, ...]


class _Bench(_Open):
    build_id: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
    clock_hz: Size
    frames: Size
    cycles_estimate: Count
    golden_frames: Count
    golden_note: Line
    boundaries: tuple[_Boundary, ...]
    monolith: _Monolith
    taps: tuple[_Tap, ...]
    cycle_ps: Size
    waves: _Waves
    nodes: tuple[_Node, ...]
    sources: _Sources
    missing: tuple[_Missing, ...]
    black_boxes: tuple[_BlackBox, ...]
    blocks: tuple[_Block, ...]
    data: tuple[FilePath, ...]

    @model_validator(mode="after")
    def _numbers_of_boundaries(self) -> Self:
        numbers = [tap.boundary for tap in self.taps]
        numbers += [one.boundary for one in (*self.monolith.inputs, *self.monolith.outputs)]
        if max(numbers, default=-1) >= len(self.boundaries):
            raise ValueError(f"there is no boundary {max(numbers)}")
        return self


def read_bench(out: Path) -> dict[str, Any]:
    """Return ``bench/bench.json`` of a generated folder, with every file that it names there.

    Raises:
        InputError: The file is missing, is not what `shellgen generate` writes, or names files that are not
            in the folder.
    """
    path = out / "bench" / "bench.json"
    if not path.is_file():
        remedy = "Run `shellgen generate cluster.toml -o <folder>` first and give that folder"
        raise InputError(Problem(str(path), "the file is missing", remedy))
    bench: dict[str, Any] = read_json(path, str(path), _RENEW, _RENEW)
    try:
        read = _Bench.from_data(bench, path)
    except InputError as error:
        # One line: most often another version wrote the folder, and each newer field is missing.
        first, *others = error.problems
        more = f" (and so on: {len(others)} more)" if others else ""
        raise InputError(Problem(first.where, first.found + more, _RENEW)) from None
    if stray := [tap.name for tap in read.taps if tap.boundary >= len(read.boundaries)]:
        found = f"recorder {stray[0]} is of a boundary that is not there"
        raise InputError(Problem(f"{path}: taps", found, _RENEW))
    weights = [boundary.weights for boundary in read.boundaries if boundary.weights]
    sources = (*read.sources.ours, *read.sources.partition, *read.sources.vendor)
    needed = [out / name for name in (*sources, *read.data, *weights)]
    gone = [Problem(str(p), "the file is missing", _RENEW) for p in needed if not p.is_file()]
    if gone:
        raise InputError(*gone)
    return bench
