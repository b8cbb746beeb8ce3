# SPDX-License-Identifier: BSD-3-Clause
"""The command line. No logic: each command calls one function and prints what it returned."""

from shellgen.cli.entry import main

__all__ = ["main"]
