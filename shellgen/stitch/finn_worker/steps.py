# SPDX-License-Identifier: BSD-3-Clause
"""Says where the worker is, through the pipe that its caller reads."""

from __future__ import annotations

import os

_PIPES: list[int] = []


def tell_through(pipe: int) -> None:
    """Use this file descriptor from now on; FINN's own programs do not inherit it."""
    os.set_inheritable(pipe, False)
    _PIPES[:] = [pipe]


def tell(phase: str, detail: str = "") -> None:
    """Say what is being done, as `shellgen.progress.step`."""
    for pipe in _PIPES:
        try:
            os.write(pipe, f"{phase}\t{detail}\n".encode())
        except OSError:  # the caller is gone, or does not care
            _PIPES.clear()
