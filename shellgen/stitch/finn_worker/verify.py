# SPDX-License-Identifier: BSD-3-Clause
"""Run an export and what it became on the user's frames, or on a random one, and name the step that errs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp
from qonnx.transformation.infer_shapes import InferShapes
from qonnx.util.cleanup import cleanup_model

from .compare import Exported, first_difference, mark, run_export, unmark
from .ends import Ends
from .problems import FoundProblems, stop_if
from .streamline import Stopped, Trail, streamline
from .ties import even_ties

_COMPARED = 2  # frames of the user
_AFFORDABLE = 5_000_000_000  # products of a frame: some seconds for the export and the streamlined model
_LAYERED = 500_000_000  # the same for FINN's layers, which take ten times as long
_REMEDY = (
    "Report it as a fault of shellgen, with the model; until then, write this part of the network with other "
    "operators, or streamline it with FINN by hand"
)

_EXPORT = "Correct the shapes in the model, and export it again"

Frames = dict[str, Any]  # by input, (frames, *shape of one frame)


class Export:
    """An export before streamlining.

    Attributes:
        model: A copy, cleaned up; its quantisers are marked.
    """

    def __init__(self, model: Any, where: str) -> None:
        self._where = where
        self._names = mark(model)
        self._given = ModelWrapper(model.model, make_deepcopy=True)
        self.model = cleanup_model(model)
        self._ties = even_ties(self.model)
        self._trail = Trail()
        self._inputs: list[str] = []
        self._outputs: list[str] = []

    def streamline(self, model: Any, said: list[str]) -> Any:
        """Return the streamlined model, as `streamline.streamline`; ``model`` is the export itself."""
        model = streamline(model, self._where, said, self._trail, self._ties)
        self._inputs, self._outputs = _end_names(model)
        return model

    def check(self, ends: Ends, frames: Frames) -> list[str]:
        """Compare the parts with the export.

        Returns:
            What the user should know.

        Raises:
            FoundProblems: They compute something else.
        """
        parts = [part for part in (ends.before, ends.core, ends.after) if part is not None]
        left = {node.doc_string for part in parts for node in part.graph.node}
        lost = [name for text, name in self._names.items() if text not in left]
        if lost:
            return [f"not compared with the export: no thresholds take the place of {', '.join(lost)} alone"]
        count = len(next(iter(frames.values())))
        for index in range(min(count, _COMPARED)):
            # Inputs have got names of qonnx, in their order.
            pairs = zip(self.model.graph.input, frames.values(), strict=True)
            frame = {tensor.name: arrays[index] for tensor, arrays in pairs}
            try:
                exported = self._run(frame)
                found = first_difference(parts, self._inputs, self._outputs, exported)
            except FoundProblems:
                raise
            except Exception as error:  # an evaluator lacks an operator or a type; hardware does not
                return [f"not compared with the export, which cannot be run here ({brief(error)})"]
            if found is None:
                continue
            place, size = found
            step = self._culprit(exported)
            said = f"{step} changes what it computes: {size}"
            stop_if([(f"{self._where}: {place}", said, _REMEDY)])
        return []

    def _run(self, frame: dict[str, Any]) -> Exported:
        """Run the export.

        Raises:
            FoundProblems: Shapes inside it do not fit each other, so nothing can run it.
        """
        try:
            return run_export(self.model, frame, self._names)
        except Exception as error:
            # ONNX Runtime also calls a type that it has no kernel for an invalid argument.
            if type(error).__name__ == "InvalidArgument" and "data type" not in str(error):
                stop_if([(self._where, f"it cannot be run ({brief(error)})", _EXPORT)])
            raise

    def _culprit(self, exported: Exported) -> str:
        """Return the first step after which the model computes something else, by bisection."""
        good, bad = 0, len(self._trail.steps)
        if not self._differs(bad, exported):
            return "cutting off what the host computes"
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._differs(middle, exported):
                bad = middle
            else:
                good = middle
        return f"the step {self._trail.steps[bad - 1]}"

    def _differs(self, steps: int, exported: Exported) -> bool:
        model = ModelWrapper(self._given.model, make_deepcopy=True)
        try:
            streamline(model, self._where, [], Trail(end=steps), self._ties)
        except Stopped as stopped:
            model = stopped.model.transform(InferShapes())
        return first_difference([model], *_end_names(model), exported) is not None


def brief(error: Exception) -> str:
    """Return an error in a line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _end_names(model: Any) -> tuple[list[str], list[str]]:
    return [tensor.name for tensor in model.graph.input], [tensor.name for tensor in model.graph.output]


def is_small(model: Any) -> bool:
    """Tell whether FINN's layers of a model can run each time."""
    return _products(model) <= _LAYERED


def draw(model: Any) -> Frames | None:
    """Return a random frame for a model; None if it takes long to run."""
    if _products(model) > _AFFORDABLE:
        return None
    rng = np.random.default_rng(0)
    return {tensor.name: _draw(model, tensor.name, rng)[np.newaxis] for tensor in model.graph.input}


def _draw(model: Any, name: str, rng: Any) -> Any:
    """Return values for an input: all of its type, or all that its quantiser tells apart."""
    shape, kind = model.get_tensor_shape(name), model.get_tensor_datatype(name)
    low, high = -2.0, 2.0
    if kind.is_integer():
        span = min(kind.max() - kind.min(), 1 << 16)  # float32 is exact far beyond
        first = max(kind.min(), -(span // 2)) if kind.signed() else kind.min()
        values = rng.integers(int(first), int(first + span), shape, endpoint=True)
        return (np.where(values > 0, 1, -1) if kind.name == "BIPOLAR" else values).astype(np.float32)
    for node in model.find_consumers(name) or []:
        scale, bits = (
            model.get_initializer(node.input[i]) if node.op_type == "Quant" else None for i in (1, 3)
        )
        if scale is not None and bits is not None:
            signed = getCustomOp(node).get_nodeattr("signed")
            high = float(np.max(scale)) * 2.0 ** (float(np.max(bits)) - signed)
            low = -high if signed else 0.0
    return rng.uniform(low, high, shape).astype(np.float32)


def _products(model: Any) -> int:
    """Count the products of a frame."""
    total = 0
    for node in model.graph.node:
        if node.op_type in ("Conv", "MatMul", "Gemm"):
            weights = model.get_tensor_shape(node.input[1]) or [0]
            outputs = model.get_tensor_shape(node.output[0]) or [0]
            depth = (
                math.prod(weights[1:])
                if node.op_type == "Conv"
                else math.prod(weights) // max(outputs[-1], 1)
            )
            total += math.prod(outputs) * depth
    return total


def check_export(ends: Ends, frames: Frames | None) -> list[str]:
    """Compare an export with what it became.

    Returns:
        What the user should know.

    Raises:
        FoundProblems: They compute something else.
    """
    if ends.export is None:
        return []
    if frames is None:
        count = _products(ends.export.model)
        said = [f"not compared with the export: a frame takes {count:,} products; --vectors compares them"]
    else:
        said = ends.export.check(ends, frames)
    unmark(ends.before, ends.core, ends.after)
    return said
