# SPDX-License-Identifier: BSD-3-Clause
"""Hints of a parent about streams whose own model is missing: shown to the user, but not used."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import ElementType
from shellgen.read.builds import parent_near
from shellgen.read.shapes import only_fit
from shellgen.read.survey import Survey


@dataclass(frozen=True)
class Hint:
    """The possible contents of a stream.

    Attributes:
        datatype: QONNX type.
        shape: Shape of one frame.
        words: Elements per word, 0 if TDATA allows several numbers.
        source: File with this information.
    """

    datatype: str
    shape: tuple[int, ...]
    words: int
    source: str


def stream_hints(survey: Survey) -> dict[str, Hint]:
    """Return hints by port, for a build of one partition with the same ports as its parent."""
    if not survey.unknown or len(survey.partitions) != 1:
        return {}
    (partition,) = survey.partitions
    parent = survey.build.parent or parent_near(survey.folders[partition.name])
    if parent is None or len(parent.partitions) != 1:
        return {}
    node = parent.partitions[0]
    inputs = [name for name in node.inputs if name and name not in parent.initialisers]
    if (len(inputs), len(node.outputs)) != (len(partition.inputs), len(partition.outputs)):
        return {}
    hints = {}
    ports = (*partition.inputs, *partition.outputs)
    for port, name in zip(ports, (*inputs, *node.outputs), strict=True):
        tensor = parent.tensor(name)
        try:
            element = ElementType.parse(tensor.datatype or "")
        except ValueError:
            continue
        if tensor.shape:
            words = only_fit(tensor.shape, element.bits, port.tdata_bits) or 0
            hints[port.name] = Hint(element.name, tensor.shape, words, parent.path.name)
    return hints
