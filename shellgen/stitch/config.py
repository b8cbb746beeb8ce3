# SPDX-License-Identifier: BSD-3-Clause
"""What the user decides about a FINN build: part, clock, folding and where to cut."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from shellgen.errors import InputError, Problem
from shellgen.model.base import Frozen

Attributes = dict[str, int | str]


def _part(value: str) -> str:
    if not re.match(r"x[acq][0-9a-z]+-", value):
        # FINN takes any other name for an UltraScale+ device and goes on.
        raise ValueError("expected a Xilinx part such as xc7z020clg484-1, with package and speed grade")
    return value


class StitchConfig(Frozen):
    """Folding and cuts, as JSON; ``folding`` has the form of FINN's folding configuration.

    Layers are called by their kind and number in network order: ``MVAU_0`` is the first MatMul,
    ``Thresholding_0`` the first MultiThreshold.

    Attributes:
        part: Xilinx part; it decides which RTL variants exist.
        clk_ns: Clock period in nanoseconds; it decides pipeline depths.
        cut_before: Layers that begin a new partition.
        folding: FINN node attributes by layer; ``Defaults`` goes to every layer that has the attribute.
    """

    part: Annotated[str, AfterValidator(_part)]
    clk_ns: Annotated[float, Field(gt=0)]
    cut_before: tuple[str, ...] = ()
    folding: dict[str, Attributes] = Field(default_factory=dict)


def load_config(path: Path) -> StitchConfig:
    """Read a configuration.

    Raises:
        InputError: The file is missing, not JSON, or has fields that do not fit.
    """
    try:
        data = json.loads(path.read_text())
    except OSError as error:
        found = f"cannot be read: {error.strerror}"
        raise InputError(Problem(str(path), found, "Name the folding configuration")) from None
    except ValueError as error:
        raise InputError(Problem(str(path), f"is not JSON: {error}", "Correct the file")) from None
    return StitchConfig.from_data(data, path)
