# SPDX-License-Identifier: BSD-3-Clause
"""Tests that wait for another process: for a state that only it can bring about, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import Popen
from typing import Any

# Nothing takes that long: it only ends a test that would hang, on a slow machine under load as well.
PATIENCE = 1200.0


def until(condition: Callable[[], object], process: Popen[Any] | None = None) -> None:
    """Wait for a condition; fail at once if the process that is to meet it has ended without."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if process is not None and process.poll() is not None:
            assert condition(), f"the process has ended with {process.returncode} before"
            return
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.02)


@contextmanager
def killed_at_the_end(process: Popen[Any]) -> Iterator[Popen[Any]]:
    """Kill a process at the end of the block, however that is left: a failure does not wait for it."""
    with process:
        try:
            yield process
        finally:
            process.kill()
