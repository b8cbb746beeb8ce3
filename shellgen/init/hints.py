# SPDX-License-Identifier: BSD-3-Clause
"""What a parent says about streams whose own model is gone: not used, but shown to the user."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.model import ElementType
from shellgen.read.builds import parent_near
from shellgen.read.network import Survey
from shellgen.read.shapes import only_fit


@dataclass(frozen=True)
class Hint:
    """What a stream may carry.

    Attributes:
        datatype: QONNX type.
        shape: Of one frame.
        words: Elements of a word, 0 if TDATA leaves a choice.
        source: File that says so.
    """

    datatype: str
    shape: tuple[int, ...]
    words: int
    source: str


def stream_hints(survey: Survey) -> dict[str, Hint]:
    """Return hints by port, for a build of one partition whose parent has as many inputs and outputs."""
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
