# SPDX-License-Identifier: BSD-3-Clause
"""One layer of a FINN model as plain data: what the worker in FINN's environment says of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from shellgen.errors import InputError, Problem
from shellgen.model.element import ElementType


@dataclass(frozen=True)
class Port:
    """A stream of a layer.

    Attributes:
        name: As FINN calls the interface, ``in0_V``.
        bits: Of TDATA, whole bytes.
        element: Data type.
    """

    name: str
    bits: int
    element: ElementType


@dataclass(frozen=True)
class Layer:
    """A layer.

    Attributes:
        name: Of the node, unique in the network.
        kind: ``op_type`` without the suffix of a variant.
        attributes: FINN's node attributes by name.
        inputs: Streams that it takes.
        outputs: Streams that it gives.
        constants: Values of its second operand where that is no stream, whole numbers.
        constant_type: Their data type.
    """

    name: str
    kind: str
    attributes: dict[str, Any]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    constants: tuple[int, ...] = ()
    constant_type: ElementType | None = None

    def number(self, name: str) -> int:
        """Return an attribute that is a number."""
        return int(self.attributes[name])

    def product(self, name: str) -> int:
        """Return the product of an attribute that is a list of numbers."""
        return math.prod(self.attributes[name])


def from_description(entry: dict[str, Any], where: str) -> Layer:
    """Take what the worker says of a layer.

    Raises:
        InputError: A stream carries something else than integers.
    """
    problems: list[Problem] = []

    def port(given: dict[str, Any]) -> Port:
        return Port(given["name"], given["bits"], element(given["type"]))

    def element(name: str) -> ElementType:
        try:
            return ElementType.parse(name)
        except ValueError as error:
            remedy = "Quantise it, or keep the layer on the host"
            problems.append(Problem(f"{where}: node {entry['name']}", str(error), remedy))
            return ElementType(name, 32, signed=True)

    layer = Layer(
        name=entry["name"],
        kind=entry["kind"],
        attributes=entry["attributes"],
        inputs=tuple(port(given) for given in entry["inputs"]),
        outputs=tuple(port(given) for given in entry["outputs"]),
        constants=tuple(entry["constants"]),
        constant_type=element(entry["constant_type"]) if entry["constant_type"] else None,
    )
    if problems:
        raise InputError(*problems)
    return layer
