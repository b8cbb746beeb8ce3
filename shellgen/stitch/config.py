# SPDX-License-Identifier: BSD-3-Clause
"""The user's settings of a FINN build: part, clock, folding and cuts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, WrapValidator

from shellgen.model.base import Frozen, Json
from vivado_check.formats.data import read_json

DEFAULT_PART = "xc7z020clg484-1"  # that of a ZedBoard
DEFAULT_CLK_NS = 10.0


def _attribute(value: object, known: Callable[[object], Any]) -> Any:
    """Say once what is wrong with a value, and not once for each type that it could have."""
    try:
        return known(value)
    except ValidationError:
        raise ValueError("expected a whole number, text, or a list of them") from None


# A list is one value (FIFO depths), or FINN's defaults: value and operators by turns.
Attributes = dict[str, Annotated[int | str | list[int | str | list[str]], WrapValidator(_attribute)]]


def _part(value: str) -> str:
    if not re.match(r"x[acq][0-9a-z]+-", value):
        # FINN takes any other name for an UltraScale+ device and goes on.
        raise ValueError("expected a Xilinx part such as xc7z020clg484-1, with package and speed grade")
    return value


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


Part = Annotated[str, AfterValidator(_part)]


class StitchConfig(Frozen):
    """Folding and cuts, as JSON; ``folding`` has the form of FINN's folding configuration.

    Layers are called by their kind and number in network order: ``MVAU_0`` is the first MatMul,
    ``Thresholding_0`` the first MultiThreshold; ``MVAU_rtl_0`` means the same, and so do older names.

    Attributes:
        part: Xilinx part, which decides which RTL variants exist; or a list with one for each partition.
        clk_ns: Clock period in nanoseconds; it decides pipeline depths.
        cut_before: Layers that begin a new partition.
        slr: Super logic region of each partition, -1 for any; none says nothing.
        whole: Whether a parent that FINN partitioned is one network here, to be folded and cut as asked; its
            own folding, cuts and FIFO depths count otherwise, where all its layers have RTL.
        folding: FINN node attributes by layer; ``Defaults`` goes to every layer that has the attribute.
    """

    part: Annotated[tuple[Part, ...], BeforeValidator(_several), Field(min_length=1)]
    clk_ns: Annotated[float, Field(gt=0)] = DEFAULT_CLK_NS
    cut_before: tuple[str, ...] = ()
    slr: tuple[Annotated[int, Field(ge=-1)], ...] = ()
    whole: bool = False
    folding: dict[str, Attributes] = Field(default_factory=dict)

    @property
    def parts(self) -> tuple[str, ...]:
        """One part for all partitions, or one for each."""
        return self.part


def load_config(path: Path | None, given: Mapping[str, Json] | None = None) -> StitchConfig:
    """Read a configuration, or a folding file as FINN writes it.

    Args:
        path: JSON with the fields of `StitchConfig`, where ``folding`` may be the name of another file beside
            it; or FINN's own file, which has nothing but layers; or split.json; or None.
        given: Fields that win over the file's.

    Raises:
        InputError: The file is missing, not JSON, or has fields that do not fit.
    """
    data: Any = {} if path is None else _read(path)
    if isinstance(data, dict):
        if "split" in data and isinstance(data.get("stitch"), dict):
            data = dict(data["stitch"])
        if not set(data) & set(StitchConfig.model_fields) and all(
            isinstance(entry, dict) for entry in data.values()
        ):
            data = {"folding": data}
        if path and isinstance(data.get("folding"), str):
            data["folding"] = _read(path.parent / data["folding"])
        if given:  # a wrong one is no fault of the file
            StitchConfig.from_data({"part": DEFAULT_PART, **given}, "command line")
        data |= given or {}
    return StitchConfig.from_data(data, path or "command line")


def _read(path: Path) -> Any:
    return read_json(path, str(path), "Name the folding configuration")
