# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy of a run: the class of a frame is that of the whole model, operators of the host included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from onnx.reference import ReferenceEvaluator

from shellgen.counted import counted
from shellgen.errors import InputError, Problem
from shellgen.formats.onnx import load_onnx
from shellgen.simulate.classes import Values, check_classes, class_of, read_labels

_AFTER = "host_after.onnx"  # beside plan.json: what the model does with the outputs of the last board


class Labels:
    """Labels of the frames of a run.

    Args:
        path: ``.npy`` with one class per frame; behind the last they begin again.
        out: Generated folder.
        scores: Values of a frame that leave the last board; 0 if there are several outputs.

    Raises:
        InputError: The file has no classes of the model, or the host's operators cannot be executed.
    """

    def __init__(self, path: Path, out: Path, scores: int = 0) -> None:
        self._where = where = f"{path}: --labels"
        self._wanted = read_labels(path, where)
        after = out / _AFTER
        self._after = _Host(after) if after.is_file() else None
        check_classes(self._wanted, self._after.scores if self._after else scores, where)

    def fit(self, frames: int) -> None:
        """Take the labels of so many golden vectors, which begin again behind the last, as the labels do.

        Raises:
            InputError: There are fewer.
        """
        if (found := len(self._wanted)) < frames:
            said = f"it has {counted(found, 'label')}, and the golden vectors have {counted(frames, 'frame')}"
            raise InputError(Problem(self._where, said, "Give a label for each of these frames"))
        self._wanted = self._wanted[: frames or None]

    def accuracy(self, result: Path, frames: int) -> float | None:
        """Return the share of frames with the right class, None if there is no result of one output.

        Args:
            result: ``.npy`` of the outputs of all frames, in order.
            frames: Their number.
        """
        if not result.exists():
            return None
        scores = np.load(result)
        if scores.size % frames:
            return None
        rows = scores.reshape(frames, -1)
        if self._after is not None:
            rows = np.stack([self._after.run(row) for row in rows])
        got = np.array([class_of(row) for row in rows])
        return float(np.mean(got == self._wanted[np.arange(frames) % len(self._wanted)]))


class _Host:
    """The host's operators, executed by the reference of the onnx package."""

    def __init__(self, path: Path) -> None:
        model = load_onnx(path)
        shape = model.graph.input[0].type.tensor_type.shape.dim
        self._shape = [one.dim_value or 1 for one in shape]
        self._name = model.graph.input[0].name
        try:
            if len(model.graph.input) != 1:
                raise NotImplementedError(f"{len(model.graph.input)} inputs")
            self._evaluator = ReferenceEvaluator(model)
            # An operator that is unknown is found before the run.
            self.scores = self.run(np.zeros(self._shape)).size
        except Exception as error:  # the reference raises whatever numpy does
            found = f"it cannot be executed here: {type(error).__name__}: {error}"[:300]
            raise InputError(
                Problem(str(path), found, "Leave --labels out; `shellgen run` executes it by onnxruntime")
            ) from None

    def run(self, row: Values) -> Values:
        """Return the first output of the model for one frame, as a vector."""
        frame = row.astype(np.float32).reshape(self._shape)
        outputs: Any = self._evaluator.run(None, {self._name: frame})
        return np.asarray(outputs[0]).reshape(-1)
