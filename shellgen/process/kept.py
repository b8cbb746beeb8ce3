# SPDX-License-Identifier: BSD-3-Clause
"""A program under its keeper: none of its processes outlives it or the calling process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from shellgen.process import keeper

_GRACE = 2.0  # grace period for a compiler to remove its temporary files, in seconds
_RUNNING: set[Kept] = set()


class Kept:
    """A running program.

    Args:
        command: Program and arguments.
        folder: Working directory; the current one if None.
        env: Its environment; that of the caller if None.
        output: Target of its output, a file or ``subprocess.PIPE``; its input is empty.
        grace: Grace period of its processes after a request to end, in seconds.
        held: Files that stay open and locked while any process of the program is alive.
        alone: Whether it is detached from Ctrl-C and Ctrl-Z of the terminal.
    """

    def __init__(  # noqa: PLR0913 - what subprocess takes, the rest by keyword
        self,
        command: Sequence[str],
        folder: Path | None = None,
        env: Mapping[str, str] | None = None,
        output: IO[bytes] | int | None = None,
        *,
        grace: float,
        held: Sequence[int] = (),
        alone: bool = False,
    ) -> None:
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(grace), *command],
            cwd=folder,
            env=None if env is None else dict(env),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=alone,
            pass_fds=tuple(held),
        )

    @property
    def pid(self) -> int:
        """Process id of the keeper, the ancestor of all others."""
        return self._keeper.pid

    def poll(self) -> int | None:
        """Return the exit code once all processes of the program have ended, None before."""
        code = self._keeper.poll()
        return None if code is None else keeper.code_of(code)

    def end(self) -> None:
        """Ask it to end; `poll` returns the exit code when it has."""
        assert self._keeper.stdin
        with suppress(OSError):
            self._keeper.stdin.close()

    def wait(self, seconds: float | None = None) -> int:
        """Wait until all its processes have ended; return the exit code.

        Raises:
            subprocess.TimeoutExpired: It still runs after the time limit.
        """
        return keeper.code_of(self._keeper.wait(seconds))

    def read(self) -> bytes:
        """Return its complete output."""
        assert self._keeper.stdout
        with self._keeper.stdout as said:
            return said.read()


def run_kept(command: Sequence[str], env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run a program to its end; return its exit code and output."""
    program = Kept(command, env=env, output=subprocess.PIPE, grace=_GRACE)
    _RUNNING.add(program)
    try:
        said = program.read()
        return program.wait(), said.decode(errors="replace")
    finally:
        _RUNNING.discard(program)
        program.end()
        program.wait()


def end_running() -> None:
    """End the programs that other threads run by `run_kept`, if their results are not needed."""
    for program in list(_RUNNING):
        program.end()
