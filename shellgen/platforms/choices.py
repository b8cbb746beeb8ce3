# SPDX-License-Identifier: BSD-3-Clause
"""Settings that a user may choose otherwise: `shellgen check` reports them, and does not fail."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """A value in a file of a node.

    Attributes:
        file: Below the node's folder.
        pattern: A regular expression with one group, the value.
        value: As generated; letters have no case.
    """

    file: str
    pattern: str
    value: str
