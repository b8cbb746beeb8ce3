# SPDX-License-Identifier: BSD-3-Clause
"""How far a run has come, while it runs: a live line on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any, TextIO

FILE = "progress.json"
PLAIN_SECONDS = 15.0
# A bench that is ended by --timeout still writes down what it has seen.
GRACE_SECONDS = 60.0
# The bench tells every second or so; the first frame of a slow model on a busy machine may take a while.
SILENT_SECONDS = 900.0


class Display:
    """Shows one line: the same place again on a terminal, else a new line at most every `PLAIN_SECONDS`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._shown = -PLAIN_SECONDS
        self._length = 0

    def show(self, text: str) -> None:
        """Show the line."""
        now = time.monotonic()
        if self._live:
            text = text[: max(20, shutil.get_terminal_size().columns - 1)]
            self._stream.write("\r" + text.ljust(self._length))
            self._stream.flush()
            self._length = len(text)
        elif now - self._shown >= PLAIN_SECONDS:
            self._shown = now
            print(text, file=self._stream, flush=True)

    def clear(self) -> None:
        """Take the live line away."""
        if self._live and self._length:
            self._stream.write("\r" + " " * self._length + "\r")
            self._stream.flush()
        self._length = 0


class RunWatch:
    """Follows one run: shows what the bench tells, and ends a run that goes on beyond its time."""

    def __init__(self, run_dir: Path, simulator: str, timeout: float | None, display: Display | None) -> None:
        self._file = run_dir / FILE
        self._simulator, self._timeout, self._display = simulator, timeout, display
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
            if self._display:
                spent = now - self._began
                self._display.show(f"{self._simulator}, {spent:.0f} s: {describe(self._last)}")
        at = f"; last heard: {describe(self._last)}" if self._last else ""
        if self._timeout and now - self._began > self._timeout + GRACE_SECONDS:
            return f"--timeout ended the run, which is no result: {self._timeout:g} s were up{at}"
        if now - self._heard > SILENT_SECONDS:
            return f"the model has not been heard of for {SILENT_SECONDS:g} s, and was ended{at}"
        return ""


def describe(state: dict[str, Any]) -> str:
    """Say where a run is."""
    if state.get("of") is None:
        done, total = state["accesses"]
        return (
            f"{state['phase']}: {done:,} of {total:,} accesses"
            if total
            else f"{state['phase']}: {done:,} accesses"
        )
    text = f"{state['phase']}: {state['frames']} of {state['of']} frames, {state['cycles']:,} cycles"
    if state["idle"] > max(10_000, state["idle_limit"] // 10):
        text += f", silent for {state['idle']:,} (limit {state['idle_limit']:,})"
    return text
