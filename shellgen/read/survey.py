# SPDX-License-Identifier: BSD-3-Clause
"""The readable parts of a FINN build, and its problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from shellgen.errors import Problem
from shellgen.model import Edge, Endpoint, Partition, Registers, StreamPort
from shellgen.read.builds import Build
from shellgen.read.finn_onnx import FinnModel
from shellgen.read.outline import Outlines


@dataclass
class Survey:
    """The readable parts of a build.

    Attributes:
        build: Where its partitions lie.
        partitions: Those whose ports are known, in network order, each by itself.
        models: Their ONNX, as far as they have one, by name.
        folders: Their stitched IPs, by name.
        edges: Of the parent, if there is one and nothing is wrong.
        tensors: As in `Network`.
        files: Content by sha256.
        registers: As in `Network`.
        weights: As in `Network`.
        unknown: Streams that nothing describes, by partition.
        outlines: Of the sources, by partition, as far as they are known.
        problems: Why the build cannot be used as it is.
    """

    build: Build
    partitions: list[Partition] = field(default_factory=list)
    models: dict[str, FinnModel] = field(default_factory=dict)
    folders: dict[str, Path] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    tensors: dict[Endpoint, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    registers: dict[tuple[str, str], Registers] = field(default_factory=dict)
    weights: dict[Endpoint, bytes] = field(default_factory=dict)
    unknown: list[tuple[str, StreamPort]] = field(default_factory=list)
    outlines: dict[str, Outlines] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
