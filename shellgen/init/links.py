# SPDX-License-Identifier: BSD-3-Clause
"""Links between partitions without a parent ONNX: certain if the elements allow only one, else proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from shellgen.model import Partition, StreamPort
from shellgen.model.stream_block import is_described


@dataclass(frozen=True)
class Joint:
    """A stream between two partitions.

    Attributes:
        producer: ``<partition>.<port>``.
        consumer: ``<partition>.<port>``.
        certain: Whether type and number of elements allow no other connection.
    """

    producer: str
    consumer: str
    certain: bool


def guess_links(partitions: Sequence[Partition]) -> list[Joint]:
    """Connect outputs and inputs of different partitions that carry the same elements.

    Without types, only the order of the folders is known: the first output of each partition is proposed for
    the first input of the next.
    """
    made = [(part, port) for part in partitions for port in part.outputs]
    taken = [(part, port) for part in partitions for port in part.inputs if not port.carries_weights]
    joints = []
    for source, out in made:
        takers = [(part, port) for part, port in taken if part is not source and _fits(out, port)]
        for part, port in takers:
            rivals = [other for owner, other in made if owner is not part and _fits(other, port)]
            certain = len(takers) == len(rivals) == 1
            joints.append(Joint(f"{source.name}.{out.name}", f"{part.name}.{port.name}", certain))
    fed = {joint.consumer.partition(".")[0] for joint in joints}
    for before, after in pairwise(partitions):
        if after.name not in fed and before.outputs and after.inputs:
            ends = f"{before.name}.{before.outputs[0].name}", f"{after.name}.{after.inputs[0].name}"
            joints.append(Joint(*ends, certain=False))
    return joints


def _fits(made: StreamPort, taken: StreamPort) -> bool:
    known = is_described(made) and is_described(taken)
    return known and made.datatype == taken.datatype and made.elements_per_frame == taken.elements_per_frame
