# SPDX-License-Identifier: BSD-3-Clause
"""A vendor's tool that runs under its keeper, all it says in a log."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from shellgen.build import keeper

GRACE = 5.0  # seconds that tools have to end by themselves
# Of a make that runs us: they would make the tools' own make a part of it.
_NOT_FOR_TOOLS = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CLICOLOR_FORCE")


class Tool:
    """A command that has been started.

    Args:
        command: Program and arguments.
        folder: Where it runs.
        log: File to which all that it prints is added; nothing is asked for, since its input is empty.
        held: Files that stay open, and locked, as long as anything of the tool is alive.
    """

    def __init__(self, command: Sequence[str], folder: Path, log: Path, held: Sequence[int] = ()) -> None:
        env = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_TOOLS}
        with log.open("ab") as said:
            self._keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", keeper.__file__, str(GRACE), *command],
                cwd=folder,
                env={**env, "TERM": "dumb", "NO_COLOR": "1"},
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for us, who then end the tools
                pass_fds=tuple(held),
            )

    @property
    def pid(self) -> int:
        """Process of the keeper, which all others descend from."""
        return self._keeper.pid

    def poll(self) -> int | None:
        """Return the exit code once nothing of the tool is left, None before."""
        return self._keeper.poll()

    def end(self) -> None:
        """Ask it to end; `poll` tells when it has."""
        assert self._keeper.stdin
        with suppress(OSError):
            self._keeper.stdin.close()

    def wait(self) -> int:
        """End it, and return when nothing of it is left."""
        self.end()
        return self._keeper.wait()
