# SPDX-License-Identifier: BSD-3-Clause
"""A program that runs under its keeper: nothing of it is left when it has ended, or when we have."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from shellgen.process import keeper

_GRACE = 2.0  # seconds in which a compiler takes away its temporary files
_RUNNING: set[Kept] = set()


class Kept:
    """A program that has been started.

    Args:
        command: Program and arguments.
        folder: Where it runs; the present one if None.
        env: Its environment; ours if None.
        output: What takes all that it prints, a file or ``subprocess.PIPE``; its input is empty.
        grace: Seconds that its processes have to end by themselves, once they are asked to.
        held: Files that stay open, and locked, as long as anything of the program is alive.
        alone: Ctrl-C and Ctrl-Z of a terminal do not reach it.
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
        """Process of the keeper, which all others descend from."""
        return self._keeper.pid

    def poll(self) -> int | None:
        """Return the exit code once nothing of the program is left, None before."""
        code = self._keeper.poll()
        return None if code is None else keeper.code_of(code)

    def end(self) -> None:
        """Ask it to end; `poll` tells when it has."""
        assert self._keeper.stdin
        with suppress(OSError):
            self._keeper.stdin.close()

    def wait(self, seconds: float | None = None) -> int:
        """Return the exit code when nothing of it is left.

        Raises:
            subprocess.TimeoutExpired: It still runs after so many seconds.
        """
        return keeper.code_of(self._keeper.wait(seconds))

    def read(self) -> bytes:
        """Return all that it prints, to the end."""
        assert self._keeper.stdout
        with self._keeper.stdout as said:
            return said.read()


def run_kept(command: Sequence[str], env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run a program to its end; return its exit code and all that it printed."""
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
    """End what other threads have begun by `run_kept`, since nobody wants it any more."""
    for program in list(_RUNNING):
        program.end()
