# SPDX-License-Identifier: BSD-3-Clause
"""``bench.json`` and ``options.json`` as records; the fields are those of the package that wrote them."""

from __future__ import annotations

import json
import types
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


@dataclass(frozen=True)
class Beats:
    """A file of link beats: what a source sends or a sink receives; ``bits`` is TDATA."""

    file: str
    bits: int


@dataclass(frozen=True)
class Words(Beats):
    """A file of partition words: ``words`` make a frame, each with ``word_bits`` of payload."""

    word_bits: int
    words: int


@dataclass(frozen=True)
class End:
    """The partition port at an end of a boundary, and the layer behind it (empty if unknown)."""

    partition: str
    port: str
    layer: str


@dataclass(frozen=True)
class Counter:
    """A figure in a run's report: the sum of register ``counter`` over all blocks of a kind."""

    text: str
    block: str
    counter: str


@dataclass(frozen=True)
class Link:
    """A kind of link, as the bench sees it.

    Attributes:
        kind: Of the link.
        fault: What it means when its model finds something wrong.
        silence: Cycles in which nothing may move after the reset of a board, and still the link goes on.
        together: Nodes that are reset together where a board is; none where each can be reset alone.
        counters: What its blocks count.
        directed_test: The module with its own test; None without.
        test_inputs: Inputs of the top that only this test moves.
        metered: Registers that count what its model counts as well, by the block they are in.
        pauses: Inputs of the top that make a frame wait, with the cycles at one stream for each one of the
            value.
        beat_pauses: Those that make each beat wait, likewise.
        sessions: Ends of streams to programs: node, register and its field, which is set while it is there.
    """

    kind: str
    fault: str
    silence: int
    together: tuple[str, ...]
    counters: tuple[Counter, ...]
    directed_test: str | None
    test_inputs: tuple[str, ...]
    metered: dict[str, tuple[str, ...]]
    pauses: dict[str, int]
    beat_pauses: dict[str, int]
    sessions: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Boundary:
    """One boundary: how an element is coded, how a frame is laid out, and the files of its streams."""

    name: str
    link: str | None
    element_bits: int
    signed: bool
    low: int
    high: int
    shape: tuple[int, ...]
    elements: int
    elements_per_word: int
    wire_word_bits: int
    frame_bytes: int
    link_beats: int
    link_bytes: int
    role: str
    passes: int
    places: tuple[int, ...]
    numbered: bool
    like: int
    weights: str | None
    golden: str | None
    datatype: str
    producer: End | None
    consumer: End | None
    made: Words | None
    taken: Words | None
    inner: Words | None
    sent: Beats | None
    received: Beats | None

    @property
    def carries_weights(self) -> bool:
        """One frame of weights is sent again and again; otherwise each frame is data of its own."""
        return self.role == "weights"


@dataclass(frozen=True)
class Joined(Words):
    """A host stream of the monolith, by index of its boundary; ``carriers`` have the frames of an epoch."""

    boundary: int
    carriers: tuple[int, ...]


@dataclass(frozen=True)
class Monolith:
    """Host streams of the monolith, and the files of accesses that load its memories, by region."""

    inputs: tuple[Joined, ...]
    outputs: tuple[Joined, ...]
    lites: dict[str, str]


@dataclass(frozen=True)
class Tap:
    """A sink or monitor: its name, what it watches, and its beats of an epoch."""

    name: str
    place: str
    beats: int
    side: str
    boundary: int

    @property
    def file(self) -> str:
        """Name of its file in the run's folder."""
        return f"{self.side}_{self.boundary}.bin"


@dataclass(frozen=True)
class Node:
    """A node: its name, where the host reaches its registers, what is on it, its slaves by number.

    ``memories`` are the addresses of what its rings are given.
    """

    name: str
    base: int
    partitions: tuple[str, ...]
    slaves: dict[str, int]
    own: tuple[str, ...]
    reset_cycles: int
    answer_cycles: int
    memories: tuple[int, ...]


@dataclass(frozen=True)
class Bench:
    """The part of ``bench.json`` that the bench uses; the build of the model uses the rest."""

    cycle_ps: int
    frames: int
    own_frames: int
    own_least: int
    epoch: int
    cycles_estimate: int
    boundaries: tuple[Boundary, ...]
    monolith: Monolith
    taps: tuple[Tap, ...]
    ports: tuple[str, ...]
    links: tuple[Link, ...]
    nodes: tuple[Node, ...]
    meets: tuple[str, ...]
    spares: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Injection:
    """One injected fault; kinds as in `sim/axis_error_injector.sv`, 5 and 6 of the whole bench."""

    boundary: int
    kind: int
    beat: int


@dataclass(frozen=True)
class Golden:
    """Golden vectors: folder, files, number of frames, and whether they are of the build's own weights."""

    folder: str
    files: tuple[str, ...]
    frames: int
    of_build: bool


@dataclass(frozen=True)
class Options:
    """The part of ``options.json`` that the bench uses: see `SimulateOptions` of the package."""

    frames: int | None
    own_frames: bool
    stall: int
    seed: int
    idle_limit: int | None
    timeout: float | None
    deadline: float | None
    control: bool
    walk: str
    weights: str
    stalled: bool
    full_rate: bool
    inject: Injection
    golden: Golden
    inputs: dict[str, int]
    reset_node: str
    absent: str
    values: dict[str, int]


def read_record(kind: type[Record], path: Path) -> Record:
    """Return what a JSON file holds; fields that the record does not have are left out.

    Raises:
        KeyError: A field is missing.
    """
    record: Record = build(kind, json.loads(path.read_text()))
    return record


def build(kind: Any, data: Any) -> Any:
    """Turn plain data into a record, or into what else a field of one may be."""
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        return kind(**{one.name: build(hints[one.name], data[one.name]) for one in fields(kind)})
    if get_origin(kind) in (Union, types.UnionType):
        return None if data is None else build(get_args(kind)[0], data)
    if get_origin(kind) is tuple:
        return tuple(build(get_args(kind)[0], one) for one in data)
    return data
