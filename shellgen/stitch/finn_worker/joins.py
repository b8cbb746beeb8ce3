# SPDX-License-Identifier: BSD-3-Clause
"""Move what both branches end with behind the place where they meet, for sums, differences and products.

FINN's own steps of this kind know sums, take transposes of unequal orders for equal, stop on scales by
channel, and add the biases of all channels up to one number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from finn.transformation.streamline.reorder import MoveIdenticalOpPastJoinOp

_SUMS = ("Add", "Sub")


class _Move(MoveIdenticalOpPastJoinOp):  # type: ignore[misc]
    """Moves operators of one kind; both of them fit if `fits` says so."""

    kind = ""
    joins: tuple[str, ...] = _SUMS

    def __init__(self) -> None:
        super().__init__([self.kind], self.joins)

    def are_producers_identical(self, model: Any, producers: Any) -> bool:
        """Tell whether the operators can be moved."""
        if any(producer is None or producer.op_type != self.kind for producer in producers):
            return False
        return self.fits(model, *producers)

    def fits(self, model: Any, one: Any, other: Any) -> bool:
        """Compare both."""
        raise NotImplementedError


class MoveTransposePastJoin(_Move):
    """The same order of dimensions on both branches."""

    kind = "Transpose"
    joins = (*_SUMS, "Mul")

    def fits(self, model: Any, one: Any, other: Any) -> bool:
        """Compare the orders, and let shapes agree."""
        shapes = [model.get_tensor_shape(node.output[0]) for node in (one, other)]
        orders = [
            [list(entry.ints) for entry in node.attribute if entry.name == "perm"] for node in (one, other)
        ]
        return bool(orders[0] == orders[1] and shapes[0] == shapes[1])


def _order(node: Any) -> list[int]:
    return next((list(entry.ints) for entry in node.attribute if entry.name == "perm"), [])


class MoveMulPastJoin(_Move):
    """The same scale, of all or of each channel."""

    kind = "Mul"

    def fits(self, model: Any, one: Any, other: Any) -> bool:
        """Compare the values."""
        values = [model.get_initializer(node.input[1]) for node in (one, other)]
        return all(value is not None for value in values) and np.array_equal(*values)


class MoveAddPastJoin(_Move):
    """Two constants, which are added or subtracted by channel."""

    kind = "Add"

    def fits(self, model: Any, one: Any, other: Any) -> bool:
        """Tell whether both are constants."""
        return all(model.get_initializer(node.input[1]) is not None for node in (one, other))

    def move_node(self, model: Any, n: Any, producers: Any) -> bool:
        """Let the first hold what both make together."""
        values = [model.get_initializer(node.input[1]) for node in producers]
        model.set_initializer(
            producers[0].input[1], values[0] + (-1 if n.op_type == "Sub" else 1) * values[1]
        )
        return bool(super().move_node(model, n, producers))
