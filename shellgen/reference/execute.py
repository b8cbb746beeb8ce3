# SPDX-License-Identifier: BSD-3-Clause
"""Execution of the same graphs in numpy: the golden model of reference partitions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx

from shellgen.errors import InputError, Problem
from shellgen.reference.layers import Integers, Layer, load_layers
from vivado_check.formats.files import StrPath

__all__ = ["execute", "execute_layers", "load_layers"]


def execute(model: onnx.ModelProto | StrPath, x: npt.ArrayLike) -> Integers:
    """Run a chain of MatMul and MultiThreshold on integer frames.

    Args:
        model: The graph, or its file.
        x: (frames, features) element values of the input's type; features of all vectors of a frame.

    Returns:
        (frames, outputs) element values: logits when the last layer has no thresholds.

    Raises:
        InputError: The model is no such chain, or ``x`` does not fit its input.
    """
    layers = load_layers(model)
    return execute_layers(layers, x)


def execute_layers(layers: tuple[Layer, ...], x: npt.ArrayLike) -> Integers:
    """Run layers that `load_layers` returned, or a part of them, like `execute`."""
    values = np.asarray(x)
    _check(layers[0], values)
    frames = len(values)
    values = values.astype(np.int64).reshape(-1, layers[0].features_in)
    for layer in layers:
        if layer.weights is not None:
            values = values @ layer.weights
        if layer.thresholds is not None:
            reached = layer.thresholds[np.newaxis] <= values[:, :, np.newaxis]
            values = layer.bias + layer.scale * reached.sum(axis=2)
    return values.reshape(frames, -1)


def _check(layer: Layer, x: npt.NDArray[np.generic]) -> None:
    kind = layer.input_type
    features = layer.vectors * layer.features_in
    if x.ndim != 2 or x.shape[1] != features:
        found = f"its shape is {x.shape}, expected (frames, {features})"
        raise InputError(Problem("input frames", found, "Reshape them"))
    values = x.astype(np.float64)
    legal = np.abs(values) == 1 if kind.name == "BIPOLAR" else (kind.low <= values) & (values <= kind.high)
    if not np.all(legal & (values == np.round(values))):
        raise InputError(Problem("input frames", f"some values are not {kind.name}", "Quantise them first"))
