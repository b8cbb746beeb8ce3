# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Vivado in a node's scripts, for `shellgen check`."""

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


@dataclass(frozen=True)
class ToolSettings:
    """Settings that the scripts of a node make; a platform fills the fields that it has.

    Attributes:
        choices: Values that a user may choose otherwise: another one is reported, and does not fail.
        runs: The same for properties of Vivado's runs: run, property, value.
        raised: Messages of Vivado that the scripts make errors, by identity.
    """

    choices: tuple[Choice, ...] = ()
    runs: tuple[tuple[str, str, str], ...] = ()
    raised: tuple[str, ...] = ()
