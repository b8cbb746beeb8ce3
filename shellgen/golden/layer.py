# SPDX-License-Identifier: BSD-3-Clause
"""One operator in an execution: attributes, constants, and exact integers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from onnx import TensorProto

from shellgen.errors import InputError
from shellgen.formats.onnx import tensor_values
from shellgen.model import ElementType
from shellgen.read.finn_onnx import FinnModel, Node

Integers = npt.NDArray[np.signedinteger]
# Larger sums of products are rounded in floating point; the matrix units of a CPU only support floats.
EXACT = ((np.float32, 1 << 24), (np.float64, 1 << 53))
LIMIT = 1 << 62


class NoGoldenError(Exception):
    """A graph that cannot be executed, with the reason; not an error of the user."""


@dataclass(frozen=True)
class Layer:
    """A node of a stitched graph, with its model."""

    node: Node
    model: FinnModel

    def size(self, name: str, default: int | None = None) -> int:
        """Return a positive integer attribute."""
        value = self.node.integer(name, default)
        if value is None or value < 1:
            raise self.refuse(f"has no attribute {name}")
        return value

    def pair(self, name: str, default: tuple[int, int] | None = None) -> tuple[int, int]:
        """Return (height, width); FINN until 0.6 wrote one number for both."""
        single = self.node.integer(name)
        if single is not None:
            return single, single
        value = self.node.integers(name) or default
        if value is None or len(value) != 2:
            raise self.refuse(f"has no attribute {name} of two numbers")
        return value[0], value[1]

    def vectors(self) -> int:
        """Return the number of input vectors of a frame."""
        return int(np.prod(self.node.integers("numInputVectors") or (1,)))

    def flag(self, name: str) -> bool:
        """Return an attribute that is 0 or 1."""
        return bool(self.node.integer(name, 0))

    def constant(self, index: int) -> npt.NDArray[np.float64]:
        """Return the initialiser of the ``index``-th input in FINN's representation: floating point."""
        name = self.node.inputs[index] if index < len(self.node.inputs) else ""
        tensor = self.model.initialisers.get(name)
        if tensor is None:
            raise self.refuse("has parameters that are missing from the model")
        if tensor.data_location == TensorProto.EXTERNAL:
            raise self.refuse("has parameters in a file beside the model (external data), which is not read")
        try:
            found: npt.NDArray[np.float64] = tensor_values(tensor, self.model.path).astype(np.float64)
        except InputError as error:
            raise self.refuse(f"has parameters that cannot be read ({error.problems[0].found})") from None
        if not (np.abs(found) < float(LIMIT)).all():
            raise self.refuse("has parameters that are not 64-bit numbers")
        return found

    def whole(self, index: int) -> npt.NDArray[np.int64]:
        """Return a constant of integers.

        Raises:
            NoGoldenError: Some of its values are not integers.
        """
        values = self.constant(index)
        if not np.array_equal(values, np.rint(values)):
            raise self.refuse("has parameters that are not integers")
        return values.astype(np.int64)

    @property
    def by_hls(self) -> bool:
        """Whether Vitis HLS built it from FINN's library, which may differ from FINN's Python."""
        return self.node.op_type.endswith(("_hls", "_Batch"))

    def is_a(self, attribute: str, name: str) -> bool:
        """Whether a data type attribute has the given value."""
        return self.node.text(attribute) == name

    def refuse(self, why: str) -> NoGoldenError:
        """Return the error to raise."""
        return NoGoldenError(f"{self.node.op_type} {self.node.name} {why}")

    def frames(self, values: Integers, *shape: int) -> Integers:
        """Return the frames in another shape, with the elements in stream order."""
        known = int(np.prod([size for size in shape if size != -1]))
        size = values[0].size
        if size % known if -1 in shape else size != known:
            raise self.refuse(f"expects {list(shape)}, but its input frame has {values[0].size} elements")
        return values.reshape(len(values), *shape)


def compact(values: npt.NDArray[np.generic], low: int, high: int) -> Integers:
    """Store values in the smallest sufficient integers: windows of large images need much memory."""
    for kind in (np.int8, np.int16, np.int32):
        info = np.iinfo(kind)
        if info.min <= low and high <= info.max:
            return values.astype(kind, copy=False)
    return values.astype(np.int64, copy=False)


def bounds(values: npt.NDArray[np.generic]) -> tuple[int, int]:
    """Return the smallest and the largest value."""
    return int(values.min()), int(values.max())


def magnitude(values: npt.NDArray[np.generic]) -> int:
    """Return the largest absolute value."""
    return max(map(abs, bounds(values)))


def held(element: ElementType, values: npt.NDArray[np.generic], low: int, high: int) -> bool:
    """Return whether all values between the bounds belong to a type."""
    return (
        element.low <= low
        and high <= element.high
        and not (element.name == "BIPOLAR" and (values == 0).any())
    )
