# SPDX-License-Identifier: BSD-3-Clause
"""Tables that a record stores unread: only one platform or one link knows their fields."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from shellgen.model.names import Line


def _bounded(value: dict[str, object]) -> dict[str, object]:
    left: list[object] = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            left += one
        elif isinstance(one, str) and not one.isprintable():
            raise ValueError("expected texts of one line without control characters")
    return value


# What TOML or JSON holds. Its texts are single lines; the reader checks the rest with its own record.
JsonObject = Annotated[dict[Line, object], AfterValidator(_bounded)]
