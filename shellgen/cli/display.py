# SPDX-License-Identifier: BSD-3-Clause
"""Progress display: a redrawn line on a terminal, occasional plain lines elsewhere."""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from shellgen.errors import printable
from shellgen.progress import listening

# A shorter command needs no display, and does not import the drawing code.
LIVE_AFTER, PLAIN_AFTER = 0.4, 1.0
# Intervals of plain lines: for a new phase, for the same phase, and without change. The last prevents a CI
# system from killing a job without output.
NEW_PHASE, SAME_PHASE, UNCHANGED = 1.0, 10.0, 60.0
_TICK = 0.1


@contextmanager
def showing(stream: TextIO, *, quiet: bool, as_json: bool) -> Iterator[None]:
    """Show the steps of the block on ``stream``; at the end the live line is always erased.

    Args:
        stream: stderr, so that stdout contains only the answer.
        quiet: Show nothing.
        as_json: Whether a program reads the output, possibly both streams as one: no plain lines then.
    """
    live = _is_live(stream)
    if quiet or (as_json and not live):
        yield
        return
    display = Live(stream) if live else Plain(stream)
    try:
        with listening(display.hear, display.watch):
            yield
    finally:
        display.close()


def _is_live(stream: TextIO) -> bool:
    """Return whether a line may be redrawn: the terminal of some CI systems is a log."""
    able = os.getenv("TERM", "dumb") not in ("", "dumb", "unknown") and not os.getenv("CI")
    return able and stream.isatty()


class Display(ABC):
    """Tracks the steps; a thread checks the time, since a step may take minutes without output."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._began = time.monotonic()
        self._phase = self._detail = ""
        self._rows: tuple[str, ...] = ()
        self._news: list[str] = []
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def hear(self, phase: str, detail: str) -> None:
        """Receive a step."""
        with self._lock:
            self._phase, self._detail = printable(phase), printable(detail)
            self._begin()

    def watch(self, lines: Sequence[str], news: str) -> None:
        """Receive the list of parallel activities."""
        with self._lock:
            self._rows = tuple(map(printable, lines))
            self._news += [printable(news)] if news else []
            self._begin()

    def close(self) -> None:
        """Show nothing more."""
        self._over.set()
        if self._thread:
            self._thread.join()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
            self._thread.start()

    def line(self) -> tuple[str, str]:
        """Return the time and the current activity."""
        spent = time.monotonic() - self._began
        return f"[{spent:4.{0 if spent > 99.9 else 1}f} s]", f"{self._phase} {self._detail}".rstrip()

    @property
    def rows(self) -> tuple[str, ...]:
        """Return the parallel activities, one line each."""
        return self._rows

    @abstractmethod
    def look(self, spent: float) -> None:
        """Update the display after the given number of seconds; called several times per second."""

    def tell(self) -> None:  # noqa: B027 - a line that is drawn again and again has said it
        """Print new permanent lines."""

    def leave(self) -> None:  # noqa: B027 - most have nothing to tidy up
        """Tidy up."""

    def _run(self) -> None:
        try:
            while not self._over.wait(_TICK):
                with self._lock:
                    self.look(time.monotonic() - self._began)
            self.tell()
        except (OSError, ValueError):  # stderr is closed, which does not end the work
            pass
        finally:
            self.leave()


class Plain(Display):
    """Display with occasional plain lines."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._shown = -UNCHANGED
        self._text = ""
        self._phases: set[str] = set()

    def look(self, spent: float) -> None:
        """Print a line if one is due."""
        self.tell()
        stamp, text = self.line()
        since = spent - self._shown
        pause = UNCHANGED if text == self._text else SAME_PHASE if self._phase in self._phases else NEW_PHASE
        if spent >= PLAIN_AFTER and since >= pause:
            print(f"{stamp} {text}", file=self._stream, flush=True)
            self._shown, self._text = spent, text
            self._phases.add(self._phase)
            for row in self._rows:
                print(f"  {row}", file=self._stream, flush=True)

    def tell(self) -> None:
        """Print the new lines."""
        while self._news:
            print(f"{self.line()[0]} {self._news.pop(0)}", file=self._stream, flush=True)


class Live(Display):
    """Display with redrawn lines by rich: one line, or one per parallel activity."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._drawn: Any = None

    def look(self, spent: float) -> None:
        """Redraw the line."""
        if spent < LIVE_AFTER:
            return
        if self._drawn is None:
            self._drawn = _live_line(self, self._stream)
            self._drawn.start()
        self._drawn.refresh()

    def leave(self) -> None:
        """Erase the line."""
        if self._drawn is not None:
            self._drawn.stop()


def _live_line(display: Display, stream: TextIO) -> Any:
    from rich.console import Console, Group
    from rich.live import Live as RichLive
    from rich.text import Text

    class _Console(Console):
        """Does not hide the cursor: a killed or suspended command could not restore it."""

        def show_cursor(self, show: bool = True) -> bool:  # noqa: ARG002 - rich's signature
            return False

    def draw() -> Group:
        stamp, text = display.line()
        lines = [Text.assemble((stamp, "dim"), " ", text, no_wrap=True, overflow="crop")]
        lines += [Text(f"  {row}", no_wrap=True, overflow="crop") for row in display.rows]
        return Group(*lines)

    console = _Console(file=stream)
    # Only stderr passes through the live display; stdout may be a file.
    return RichLive(
        console=console, get_renderable=draw, auto_refresh=False, transient=True, redirect_stdout=False
    )
