# SPDX-License-Identifier: BSD-3-Clause
"""Processor time of another process: on a busy machine seconds of the clock say nothing about a program."""

from __future__ import annotations

import time


def processor_seconds(pid: int) -> float:
    """Return the processor time that all threads of a process have used; 0 if it has ended."""
    # The clock of another process, as clock_getcpuclockid(3) composes its number.
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0
