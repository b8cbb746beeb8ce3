# SPDX-License-Identifier: BSD-3-Clause
"""cluster.toml: which partition sits on which board, and how the boards are joined."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, PositiveInt

from shellgen.model.base import Frozen


def _identifier(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,23}", value):
        # Vivado warns above 25 characters (BD 41-1753); the name becomes a module and a cell.
        raise ValueError("expected a Verilog identifier of at most 24 characters")
    return value


Identifier = Annotated[str, AfterValidator(_identifier)]


class NodeSpec(Frozen):
    """``[[node]]``: one board and the partitions on it (by index in network order, or by name)."""

    name: Identifier
    board: str
    partitions: tuple[int | str, ...]
    clock_mhz: Annotated[float, Field(gt=0)] | None = None


class LinkSpec(Frozen):
    """``[[link]]``: a stream between partitions, or how an edge of the parent ONNX is to be carried.

    ``from_`` and ``to`` are ``<partition>.<port>``; ``<partition>`` alone means its only port on that
    side. ``kind`` may be left out where the two boards share exactly one.
    """

    from_: str = Field(alias="from")
    to: str
    kind: str | None = None
    packing: Literal["dense", "finn"] | None = None


class StreamSpec(Frozen):
    """``[[stream]]``: what a build without ONNX does not tell about one stream port."""

    port: str
    datatype: str
    shape: tuple[PositiveInt, ...]
    elements_per_word: PositiveInt


class VerifySpec(Frozen):
    """``[verify]``: vectors for the golden proof, ``.npy`` of shape (frames, *normal shape)."""

    input: str
    output: str


class ClusterSpec(Frozen):
    """The whole file.

    Attributes:
        name: Name of the cluster, used for generated file names.
        build: FINN build: a parent ONNX, or a folder that holds one folder per partition;
            relative to cluster.toml.
        packing: Default packing of all links.
    """

    name: Identifier = "cluster"
    build: str
    packing: Literal["dense", "finn"] = "dense"
    node: tuple[NodeSpec, ...]
    link: tuple[LinkSpec, ...] = ()
    stream: tuple[StreamSpec, ...] = ()
    verify: VerifySpec | None = None
