# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a run, while it runs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from shellgen.progress import step

FILE = "progress.json"
# A bench that is ended by --timeout still writes down what it has seen.
GRACE_SECONDS = 60.0
# The bench tells every second or so; the first frame of a slow model on a busy machine may take a while.
SILENT_SECONDS = 900.0


class RunWatch:
    """Follows one run: forwards the bench's progress, and ends a run that exceeds its time."""

    def __init__(self, run_dir: Path, simulator: str, timeout: float | None) -> None:
        self._file = run_dir / FILE
        self._simulator, self._timeout = simulator, timeout
        step(f"{simulator}: starting")
        self._began = self._heard = time.monotonic()
        self._stamp = 0
        self._last: dict[str, Any] = {}

    def __call__(self) -> str:
        """Look once; return why the run must end, or an empty string."""
        now = time.monotonic()
        try:
            stamp = self._file.stat().st_mtime_ns
        except OSError:
            stamp = 0
        if stamp != self._stamp:
            self._stamp, self._heard = stamp, now
            self._last = json.loads(self._file.read_text())
            step(f"{self._simulator}: {self._last['phase']}:", _where(self._last))
        at = f"; last progress: {describe(self._last)}" if self._last else ""
        if self._timeout and now - self._began > self._timeout + GRACE_SECONDS:
            return f"--timeout ended the run, so there is no result: {self._timeout:g} s were up{at}"
        if now - self._heard > SILENT_SECONDS:
            return f"the model has not responded for {SILENT_SECONDS:g} s, and was ended{at}"
        return ""


def describe(state: dict[str, Any]) -> str:
    """Say where a run is."""
    return f"{state['phase']}: {_where(state)}"


def _where(state: dict[str, Any]) -> str:
    if state.get("of") is None:
        done, total = state["accesses"]
        return f"{done:,} of {total:,} accesses" if total else f"{done:,} accesses"
    text = f"frame {state['frames']} of {state['of']}, {rounded(state['cycles'])} cycles"
    if state["idle"] > max(10_000, state["idle_limit"] // 10):
        text += f", silent for {rounded(state['idle'])} (limit {rounded(state['idle_limit'])})"
    return text


def rounded(number: int) -> str:
    """Return a count that is read at a glance: 950, 12,345, 1.2 M."""
    return f"{number / 1e6:,.1f} M" if number >= 1_000_000 else f"{number:,}"
