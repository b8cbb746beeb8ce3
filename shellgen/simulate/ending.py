# SPDX-License-Identifier: BSD-3-Clause
"""Exit status of a program that left no message, in words."""

from __future__ import annotations

import signal


def ending(exit_code: int) -> str:
    """Say how a program ended that left no word."""
    if exit_code >= 0:
        return f"it ended with {exit_code} and no message"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"the system ended it with {name}"


def memory_remedy(exit_code: int) -> str:
    """Return what to do then: Linux ends the largest program when memory runs out."""
    if -exit_code == signal.SIGKILL:
        return "Memory ran out, most likely: close other programs, or simulate on a machine with more"
    return "Run it again; if it ends the same way, look at the system log"
