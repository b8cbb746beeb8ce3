# SPDX-License-Identifier: BSD-3-Clause
"""ONNX's reference evaluator with QONNX's quantisers: the outputs that an export of `random_exports` has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


class Quant(OpRun):
    """QONNX's quantiser; rounds to even, as frameworks do."""

    op_domain = "onnx.brevitas"

    def _run(self, x: Any, scale: Any, zero: Any, bits: Any, **how: Any) -> tuple[Any]:
        towards = np.floor if how.get("rounding_mode") == "FLOOR" else np.rint
        signed, narrow = how["signed"] or 0, how["narrow"] or 0
        high = 2 ** (int(bits) - signed) - 1 - (narrow if not signed else 0)
        low = -(2 ** (int(bits) - 1)) + narrow if signed else 0
        return (((np.clip(towards(x / scale + zero), low, high) - zero) * scale).astype(np.float32),)


class BipolarQuant(OpRun):
    """The sign, times a scale."""

    op_domain = "onnx.brevitas"

    def _run(self, x: Any, scale: Any) -> tuple[Any]:
        return (np.where(x >= 0, scale, -scale).astype(np.float32),)


class Trunc(OpRun):
    """Drops the lowest bits; with the four parameters before qonnx 1.0, or with the five since."""

    op_domain = "onnx.brevitas"

    def _run(self, x: Any, scale: Any, zero: Any, *widths: Any, **how: Any) -> tuple[Any]:
        assert how["rounding_mode"] == "FLOOR"
        assert not zero.any()
        if len(widths) == 2:
            step, unit = scale * 2.0 ** float(widths[0] - widths[1]), scale
        else:
            step = unit = widths[1]
        return ((np.floor(np.rint(x / scale) * (scale / step)) * unit).astype(np.float32),)


class BatchNormalization(OpRun):
    """ONNX's own evaluator takes statistics of the frame before opset 14."""

    op_domain = ""

    def _run(self, x: Any, *values: Any, **how: Any) -> tuple[Any]:
        shape = (1, -1, *[1] * (x.ndim - 2))
        factor, beta, mean, variance = (value.reshape(shape) for value in values)
        return (((x - mean) / np.sqrt(variance + how["epsilon"]) * factor + beta).astype(np.float32),)


def evaluate(model: onnx.ModelProto, frames: np.ndarray) -> np.ndarray:
    """Run a model on each frame by ONNX's reference evaluator."""
    session = ReferenceEvaluator(model, new_ops=[Quant, BipolarQuant, Trunc, BatchNormalization])
    (name,) = session.input_names
    outputs: list[Any] = [session.run(None, {name: frame}) for frame in frames]
    return np.stack([found[0] for found in outputs])


def answer(build: Path) -> np.ndarray:
    """Return what the partitions and the host's part behind them compute."""
    found = np.load(build / "output.npy").astype(np.float32)
    after = build / "host_after.onnx"
    return evaluate(onnx.load(after), found) if after.is_file() else found
