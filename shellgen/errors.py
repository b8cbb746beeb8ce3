# SPDX-License-Identifier: BSD-3-Clause
"""The errors a user of shellgen can meet; those of reading files come from `vivado_check`."""

from __future__ import annotations

from vivado_check.errors import (
    InputError,
    Problem,
    StatedError,
    ToolMissingError,
    UserError,
    nearest,
    offer,
    plain,
    printable,
)

__all__ = [
    "InputError",
    "InternalError",
    "PlanError",
    "PluginError",
    "Problem",
    "RefusedSourceError",
    "ShellgenError",
    "SimulationError",
    "StatedError",
    "ToolMissingError",
    "nearest",
    "offer",
    "one",
    "plain",
    "printable",
]

# Base of all errors that the user can fix, those of reading files among them.
ShellgenError = UserError


class InternalError(StatedError):
    """A fault of shellgen that no input excuses; the command line asks for a report and exits 70.

    Never caught where `ShellgenError` is, so that no room takes it for the user's.
    """


class PlanError(ShellgenError):
    """The inputs are each legal but cannot be made into a system."""


class SimulationError(ShellgenError):
    """The simulation did not pass, or compared nothing."""


class RefusedSourceError(SimulationError):
    """A simulator refuses a source that is not a partition's: ours, unless somebody has edited it."""


class PluginError(ShellgenError):
    """A link or a platform of another package that raised, or returned what it must not."""


def one(cls: type[ShellgenError], where: str, found: str, remedy: str) -> ShellgenError:
    """Make an error of one problem."""
    return cls(Problem(where, found, remedy))
