# SPDX-License-Identifier: BSD-3-Clause
"""Functions between a layer and its quantiser: thresholds of their results become thresholds of their inputs.

FINN does this for Relu and Selu; it is right for every function that never falls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper

from .tensors import own_constant

_NEVER = 2.0**60  # beyond all sums; FINN rounds thresholds to the range of what they are compared with
_Constants = list[Any]  # inputs behind the first: an array, or None where an optional one is left out
_Inverse = Callable[
    [Any, dict[str, Any], _Constants], Any
]  # infinite where a threshold is never, always reached


def absorb_functions(model: Any) -> None:
    """Move functions into the thresholds of the MultiThreshold behind them, in place."""
    for node in [node for node in model.graph.node if node.op_type == "MultiThreshold"]:
        while (maker := model.find_producer(node.input[0])) is not None:
            bounds = _in_front(model, maker, np.asarray(model.get_initializer(node.input[1]), np.float64))
            if bounds is None:
                break
            own_constant(model, node, 1, np.clip(bounds, -_NEVER, _NEVER))
            node.input[0] = maker.input[0]
            if not model.find_consumers(maker.output[0]):
                model.graph.node.remove(maker)


def _in_front(model: Any, node: Any, bounds: Any) -> Any:
    """Return what thresholds become in front of a node; None if it is no function that never falls."""
    inverse = _INVERSES.get(node.op_type)
    shape = model.get_tensor_shape(node.input[0]) if inverse else None
    if inverse is None or not shape or len(shape) < 2:
        return None
    constants: _Constants = []
    for name in node.input[1:]:
        values = model.get_initializer(name) if name else None
        column = None if values is None else _by_channel(values, shape)
        if name and column is None:
            return None
        constants.append(column)
    how = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
    with np.errstate(all="ignore"):
        found = inverse(bounds, how, constants)
    return None if found is None or np.isnan(found).any() else found


def _by_channel(values: Any, shape: list[int]) -> Any:
    """Return a constant as a column of one row, or one for each channel; None if it differs elsewhere."""
    sizes = [1] * (len(shape) - values.ndim) + list(values.shape)
    others = sizes[:1] + sizes[2:]
    if len(sizes) != len(shape) or any(size != 1 for size in others) or sizes[1] not in (1, shape[1]):
        return None
    return values.reshape(-1, 1).astype(np.float64)


def _below(limit: Any, bounds: Any, found: Any) -> Any:
    """Thresholds at or below the lowest result of a function are always reached."""
    return np.where(bounds <= limit, -np.inf, found)


def _clip(bounds: Any, how: dict[str, Any], constants: _Constants) -> Any:
    low, high = [*constants, None, None][:2]
    low = how.get("min", -np.inf) if low is None else low
    high = how.get("max", np.inf) if high is None else high
    return _below(low, bounds, np.where(bounds > high, np.inf, bounds))


def _leaky(bounds: Any, how: dict[str, Any], constants: _Constants) -> Any:
    slope = np.full((1, 1), how.get("alpha", 0.01))
    if constants:
        slope = constants[0]
    if (slope < 0).any():
        return None
    return np.where(bounds > 0, bounds, np.where(slope > 0, bounds / slope, -np.inf))


def _elu(bounds: Any, how: dict[str, Any], constants: _Constants) -> Any:
    del constants
    alpha = how.get("alpha", 1.0)
    return (
        np.where(bounds > 0, bounds, _below(-alpha, bounds, np.log1p(bounds / alpha))) if alpha > 0 else None
    )


def _celu(bounds: Any, how: dict[str, Any], constants: _Constants) -> Any:
    del constants
    alpha = how.get("alpha", 1.0)
    low = _below(-alpha, bounds, alpha * np.log1p(bounds / alpha))
    return np.where(bounds > 0, bounds, low) if alpha > 0 else None


def _hard_sigmoid(bounds: Any, how: dict[str, Any], constants: _Constants) -> Any:
    del constants
    alpha, beta = how.get("alpha", 0.2), how.get("beta", 0.5)
    found = np.where(bounds > 1, np.inf, (bounds - beta) / alpha)
    return _below(0, bounds, found) if alpha > 0 else None


def _between(low: float, inverse: Callable[[Any], Any]) -> _Inverse:
    """A function whose results lie between ``low`` and 1."""
    return lambda bounds, _how, _constants: _below(
        low, bounds, np.where(bounds >= 1, np.inf, inverse(np.minimum(bounds, 1)))
    )


def _beyond(inverse: Callable[[Any], Any]) -> _Inverse:
    """A function whose results are all above 0."""
    return lambda bounds, _how, _constants: _below(0, bounds, inverse(bounds))


_INVERSES: dict[str, _Inverse] = {
    "Add": lambda bounds, _how, constants: None if constants[0] is None else bounds - constants[0],
    "Relu": _beyond(lambda bounds: bounds),
    "Exp": _beyond(np.log),
    "Softplus": _beyond(lambda bounds: np.log(np.expm1(bounds))),
    "Sigmoid": _between(0, lambda bounds: np.log(bounds / (1 - bounds))),
    "Tanh": _between(-1, np.arctanh),
    "Softsign": _between(-1, lambda bounds: bounds / (1 - np.abs(bounds))),
    "HardSigmoid": _hard_sigmoid,
    "Elu": _elu,
    "Celu": _celu,
    "LeakyRelu": _leaky,
    "PRelu": _leaky,
    "Clip": _clip,
}
# They fall somewhere, so that no thresholds take their place.
FALLING = ("HardSwish", "Gelu", "Swish", "Mish", "Sin", "Cos", "Abs", "Neg")
