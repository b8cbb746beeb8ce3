# SPDX-License-Identifier: BSD-3-Clause
"""A vendor tool that runs under its keeper, with its output in a log."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from shellgen.process.kept import Kept

GRACE = 5.0  # grace period of tools in seconds
# Variables of a make that runs shellgen: they would attach the tools' own make to it.
_NOT_FOR_TOOLS = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CLICOLOR_FORCE")


class Tool(Kept):
    """A running command.

    Args:
        command: Program and arguments.
        folder: Working directory.
        log: File to which its output is appended; its input is empty.
        held: Files that stay open and locked while any process of the tool is alive.
    """

    def __init__(self, command: Sequence[str], folder: Path, log: Path, held: Sequence[int] = ()) -> None:
        env = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_TOOLS}
        env |= {"TERM": "dumb", "NO_COLOR": "1"}
        with log.open("ab") as said:
            # Ctrl-C goes to shellgen, which then ends the tools.
            super().__init__(command, folder, env, said, grace=GRACE, held=held, alone=True)
