# SPDX-License-Identifier: BSD-3-Clause
"""New tensors of a model that a step rewrites."""

from __future__ import annotations

from typing import Any

import numpy as np


def own_constant(model: Any, node: Any, index: int, values: Any) -> None:
    """Give an input of a node a constant of its own, of float32; exporters share equal ones."""
    name = model.make_new_valueinfo_name()
    node.input[index] = name
    model.set_initializer(name, np.asarray(values, np.float32))


def tensor_like(model: Any, like: str) -> str:
    """Return a new tensor with the shape of another, if that has one yet."""
    name = model.make_new_valueinfo_name()
    shape = model.get_tensor_shape(like)
    if shape:
        model.set_tensor_shape(name, shape)
    return str(name)
