# SPDX-License-Identifier: BSD-3-Clause
"""The errors a user of shellgen can meet; those of reading files come from `vivado_check`."""

from __future__ import annotations

from vivado_check.errors import (
    InputError,
    Problem,
    ToolMissingError,
    UserError,
    nearest,
    offer,
    plain,
    printable,
)

__all__ = [
    "InputError",
    "PlanError",
    "PluginError",
    "Problem",
    "ShellgenError",
    "SimulationError",
    "ToolMissingError",
    "nearest",
    "offer",
    "one",
    "plain",
    "printable",
]

# Base of all errors that are the user's to mend, those of reading files among them.
ShellgenError = UserError


class PlanError(ShellgenError):
    """The inputs are each legal but cannot be made into a system."""


class SimulationError(ShellgenError):
    """The simulation did not pass, or compared nothing."""


class PluginError(ShellgenError):
    """A link or a platform of another package that raised, or returned what it must not."""


def one(cls: type[ShellgenError], where: str, found: str, remedy: str) -> ShellgenError:
    """Make an error of one problem."""
    return cls(Problem(where, found, remedy))
