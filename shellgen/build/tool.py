# SPDX-License-Identifier: BSD-3-Clause
"""A vendor's tool that runs under its keeper, all it says in a log."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from shellgen.process.kept import Kept

GRACE = 5.0  # seconds that tools have to end by themselves
# Of a make that runs us: they would make the tools' own make a part of it.
_NOT_FOR_TOOLS = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CLICOLOR_FORCE")


class Tool(Kept):
    """A command that has been started.

    Args:
        command: Program and arguments.
        folder: Where it runs.
        log: File to which all that it prints is added; nothing is asked for, since its input is empty.
        held: Files that stay open, and locked, as long as anything of the tool is alive.
    """

    def __init__(self, command: Sequence[str], folder: Path, log: Path, held: Sequence[int] = ()) -> None:
        env = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_TOOLS}
        env |= {"TERM": "dumb", "NO_COLOR": "1"}
        with log.open("ab") as said:
            # Ctrl-C is for us, who then end the tools.
            super().__init__(command, folder, env, said, grace=GRACE, held=held, alone=True)
