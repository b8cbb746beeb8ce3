# SPDX-License-Identifier: BSD-3-Clause
"""cluster.toml: which partition sits on which board, and how the boards are joined."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt, WithJsonSchema

from shellgen.model.base import Frozen
from shellgen.model.estimate_spec import EstimateSpec
from shellgen.model.names import Line, Word
from shellgen.model.partition import JoinKind
from shellgen.model.plain import JsonObject
from shellgen.model.port import StreamRole


def _identifier(value: str) -> str:
    if not re.fullmatch(_IDENTIFIER, value):
        # Vivado warns above 25 characters (BD 41-1753); the name becomes a module and a cell.
        raise ValueError("expected a Verilog identifier of at most 24 characters")
    return value


Buffer = Literal["chip", "ddr", "host"]


def _partition(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError("expected the number or the name of a partition")
    return value


_IDENTIFIER = r"[A-Za-z][A-Za-z0-9_]{0,23}"
Identifier = Annotated[
    str,
    AfterValidator(_identifier),
    WithJsonSchema({"type": "string", "pattern": f"^{_IDENTIFIER}$"}),
]


class ReservedRange(Frozen):
    """Bytes of a node's register window that belong to something else, from the window's first byte."""

    offset: Annotated[int, Field(ge=0)]
    bytes: PositiveInt


class LiteSpec(Frozen):
    """``[node.lite]``: how the host reaches the registers of a node.

    Attributes:
        window: Bytes that the host can reach, when fewer than the board has.
        reserved: Parts of the window that no register may take.
        access: ``direct`` gives every memory addresses of its own in the window; ``bridge`` puts the
            memories behind a bridge (page and aperture, address and data), whatever the window holds. Direct,
            if left out, up to where the platform has a limit.

    ``window`` and ``reserved`` count the host's bytes, however many of them a register takes.
    """

    window: Annotated[int, Field(ge=64)] | None = None
    reserved: tuple[ReservedRange, ...] = ()
    access: Literal["direct", "bridge"] | None = None


class NodeSpec(Frozen):
    """``[[node]]``: one board and the partitions on it (by index in network order, or by name).

    Attributes:
        name: Becomes a module, a cell and a folder.
        board: Name or path of its file.
        platform: What builds it, where the board's file has several platforms.
        partitions: By index in network order, or by name.
        clock_mhz: Of the core; the board's, if left out.
        compute_mhz: Of the partitions, if they have a clock of their own.
        lite: How the host reaches its registers.
        options: Those of its platform, and of the links that end on it, each by its kind.
        fit: What happens when FINN's reports and the shell make more than the board has: ``check`` refuses,
            ``warn`` goes on, for those who know better than an estimate.
        converters: From beats to narrower words: ``small``, ``fast`` for high clock rates, or by the clock.
        replicas: Boards with the same partitions, which take frames in turn.
        share: Frames of each replica in a turn of all, if they are not equally fast; without it one each.
    """

    name: Identifier
    board: Line
    platform: Word | None = None
    partitions: tuple[Annotated[int | Line, BeforeValidator(_partition)], ...]
    clock_mhz: Annotated[float, Field(gt=0)] | None = None
    compute_mhz: Annotated[float, Field(gt=0)] | None = None
    lite: LiteSpec = LiteSpec()
    options: dict[Word, JsonObject] = Field(default_factory=dict)
    fit: Literal["check", "warn"] = "check"
    converters: Literal["auto", "small", "fast"] = "auto"
    replicas: PositiveInt = 1
    share: tuple[PositiveInt, ...] = ()


def _listed(value: object) -> tuple[str, ...]:
    """One name stands for a list of one."""
    found = (value,) if isinstance(value, str) else value
    if (
        not isinstance(found, (list, tuple))
        or not found
        or not all(isinstance(one, str) and one for one in found)
    ):
        raise ValueError("expected a name, or a list of names")
    return tuple(found)


_Listed = Annotated[tuple[Line, ...], Field(min_length=1)]
Names = Annotated[tuple[Line, ...], BeforeValidator(_listed, json_schema_input_type=Line | _Listed)]


class LinkSpec(Frozen):
    """``[[link]]``: a stream between partitions, or how an edge of the parent ONNX is to be carried.

    Attributes:
        from_: ``<partition>.<port>``, ``<partition>`` alone for its only port on that side, or ``host``;
            several are joined in front of ``to``.
        to: The same; several get a copy each.
        join: How several streams become one, in the order of ``from_``.
        kind: Of the link; it may be left out where the two boards share exactly one.
        packing: Of its frames.
        depth: Of the FIFO of a stream inside a board, in the producer's words; without it, streams that part
            and meet again hold a frame.
        buffer: Where that FIFO is: ``chip`` in the device, ``ddr`` in the memory of the producer's board,
            ``host`` in that of the machine which its server or its host program runs on. Without it ``ddr``
            where the FIFO would take more than a tenth of the free block RAM.
        name: Of a stream of the host: streams to several partitions under one name carry the same frames.
        at: Node where a stream of the host enters or leaves; without it, at the node of its partition.
        via: Nodes that a stream between partitions passes, in this order.
        options: Those that the kind takes.
    """

    from_: Names = Field(alias="from")
    to: Names
    join: JoinKind | None = None
    kind: Line | None = None
    packing: Literal["dense", "finn"] | None = None
    depth: Annotated[int, Field(ge=2)] | None = None
    buffer: Buffer | None = None
    name: Identifier | None = None
    at: Identifier | None = None
    via: Names = ()
    options: JsonObject = Field(default_factory=dict)


class StreamSpec(Frozen):
    """``[[stream]]``: what a build without ONNX does not tell about one stream port.

    For a port with ``role = "weights"``, ``shape`` is that of one pass, (words, elements of a word), and
    ``passes`` the number of input vectors of its layer.
    """

    port: Line
    datatype: Annotated[Line, Field(min_length=1)]
    shape: Annotated[tuple[PositiveInt, ...], Field(min_length=1)]
    elements_per_word: PositiveInt
    role: StreamRole = "data"
    passes: PositiveInt = 1


class WeightsSpec(Frozen):
    """``[[weights]]``: the values that memory sends to a weights port.

    Attributes:
        port: ``<partition>.<port>``.
        file: ``.npy``, relative to cluster.toml: either the values, of any shape that flattens to one pass in
            the order in which a weight memory holds them (FINN's ``decoupled_npy``: MH/PE outer, MW/SIMD
            inner, then PE-major); or FINN's ``runtime_weights/<idma>.npy``, a row of bytes in which
            every word is filled up to whole bytes.
    """

    port: Line
    file: Line


def _files(value: object) -> object:
    """One name stands for the only stream on its side."""
    found = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value
    names = tuple(found.values()) if isinstance(found, dict) else found
    if not isinstance(names, tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ValueError("expected a file, a list of files, or a table of ports and their files")
    return found


_Written = Line | _Listed | dict[Line, Line]
Files = Annotated[
    tuple[Line, ...] | dict[Line, Line], BeforeValidator(_files, json_schema_input_type=_Written)
]


class VerifySpec(Frozen):
    """``[verify]``: vectors for the golden proof, ``.npy`` of shape (frames, *normal shape).

    Attributes:
        input: A file for each stream that the host sends, by ``<partition>.<port>``, by tensor
            of the model, or in the model's order.
        output: The same for those that it receives; what is left out is computed from the models.
    """

    input: Files
    output: Files | None = None


class HostSpec(Frozen):
    """``[host]``: where the host is joined to the cluster.

    Attributes:
        through: Node that all streams of data between the host and the network pass; without it, each enters
            and leaves at the node of its partition.
    """

    through: Identifier | None = None


class ClusterSpec(Frozen):
    """The whole file.

    Attributes:
        name: Name of the cluster, used for generated file names.
        build: FINN builds, in the order in which their partitions are counted: each a parent ONNX, or a
            folder that holds one folder per partition; relative to cluster.toml.
        packing: Default packing of all links.
        links: Options of all links of a kind, unless a node or a link says otherwise.
        estimate: Figures for `shellgen estimate`.
    """

    name: Identifier = "cluster"
    build: Names
    packing: Literal["dense", "finn"] = "dense"
    node: tuple[NodeSpec, ...]
    host: HostSpec = HostSpec()
    link: tuple[LinkSpec, ...] = ()
    links: dict[Word, JsonObject] = Field(default_factory=dict)
    stream: tuple[StreamSpec, ...] = ()
    weights: tuple[WeightsSpec, ...] = ()
    verify: VerifySpec | None = None
    estimate: EstimateSpec | None = None
