# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a link kind for the estimate, with unit, range and source: ``figures.toml`` beside its class.

``[estimate.links.<kind>]`` in cluster.toml overrides them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import model_validator

from shellgen.model.base import Frozen
from shellgen.model.names import Line
from vivado_check.formats.data import read_toml

FILE = "figures.toml"
Figures = Mapping[str, float]


class Figure(Frozen):
    """A figure.

    Attributes:
        value: Of shellgen, in the unit.
        unit: As a text.
        least: Smallest value that makes sense.
        most: Largest one.
        about: What it is.
        by: Kind of its source.
        source: Where it comes from; of what is assumed, why.
    """

    value: float
    unit: Line
    least: float
    most: float
    about: Line
    by: Literal["measured", "data sheet", "standard", "assumed"]
    source: Line

    @model_validator(mode="after")
    def _inside(self) -> Self:
        if not self.least <= self.value <= self.most:
            raise ValueError(f"the value is not between {self.least:g} and {self.most:g}")
        return self

    @property
    def text(self) -> str:
        """Value, unit and source."""
        return f"{self.value:,g} {self.unit}, {self.by}: {self.source}"


@cache
def read_figures(module: str) -> Mapping[str, Figure]:
    """Return the figures beside a module; none if it has no such file."""
    found = sys.modules[module].__file__
    path = Path(found).parent / FILE if found else None
    if path is None or not path.is_file():
        return {}
    where = f"{path.parent.name}/{FILE}"
    tables = read_toml(path, where)
    return {name: Figure.from_data(table, where, name) for name, table in tables.items()}


def values_of(figures: Mapping[str, Figure], asked: Mapping[str, float]) -> Figures:
    """Return the values of a link's figures, those of cluster.toml first."""
    return {name: asked.get(name, figure.value) for name, figure in figures.items()}
