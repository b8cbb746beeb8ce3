# SPDX-License-Identifier: BSD-3-Clause
"""Shows progress: a live line on a terminal, a plain line now and then elsewhere."""

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

# A command that is done by then needs no display; and does not import what draws it.
LIVE_AFTER, PLAIN_AFTER = 0.4, 1.0
# Between plain lines: of another phase, of the same, and of something that goes on unchanged. The last is for
# those who end jobs that say nothing for minutes.
NEW_PHASE, SAME_PHASE, UNCHANGED = 1.0, 10.0, 60.0
_TICK = 0.1


@contextmanager
def showing(stream: TextIO, *, quiet: bool, as_json: bool) -> Iterator[None]:
    """Show the steps of the block on ``stream``; whatever ends it, the live line is gone afterwards.

    Args:
        stream: stderr, so that stdout is the answer alone.
        quiet: Show nothing.
        as_json: A program is listening, and may read both streams as one: a live line at most.
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
    """Whether a line may be drawn again and again: some CI systems have a terminal that is a log."""
    able = os.getenv("TERM", "dumb") not in ("", "dumb", "unknown") and not os.getenv("CI")
    return able and stream.isatty()


class Display(ABC):
    """Follows the steps; a thread looks at the clock, since a step may take minutes without a word."""

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
        """Take a step."""
        with self._lock:
            self._phase, self._detail = printable(phase), printable(detail)
            self._begin()

    def watch(self, lines: Sequence[str], news: str) -> None:
        """Take what goes on at the same time."""
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
        """Return the time, and what is being done."""
        spent = time.monotonic() - self._began
        return f"[{spent:4.{0 if spent > 99.9 else 1}f} s]", f"{self._phase} {self._detail}".rstrip()

    @property
    def rows(self) -> tuple[str, ...]:
        """What goes on at the same time, a line for each."""
        return self._rows

    @abstractmethod
    def look(self, spent: float) -> None:
        """Show what is to be shown after so many seconds; called some times a second."""

    def tell(self) -> None:  # noqa: B027 - a line that is drawn again and again has said it
        """Print what is new and stays."""

    def leave(self) -> None:  # noqa: B027 - most have nothing to tidy up
        """Tidy up."""

    def _run(self) -> None:
        try:
            while not self._over.wait(_TICK):
                with self._lock:
                    self.look(time.monotonic() - self._began)
            self.tell()
        except (OSError, ValueError):  # nobody reads stderr any more, which is no reason to stop working
            pass
        finally:
            self.leave()


class Plain(Display):
    """A line now and then."""

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
        """Print what is new."""
        while self._news:
            print(f"{self.line()[0]} {self._news.pop(0)}", file=self._stream, flush=True)


class Live(Display):
    """One line, or one for each thing that goes on, that are drawn again and again, by rich."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._drawn: Any = None

    def look(self, spent: float) -> None:
        """Draw the line anew."""
        if spent < LIVE_AFTER:
            return
        if self._drawn is None:
            self._drawn = _live_line(self, self._stream)
            self._drawn.start()
        self._drawn.refresh()

    def leave(self) -> None:
        """Take the line away."""
        if self._drawn is not None:
            self._drawn.stop()


def _live_line(display: Display, stream: TextIO) -> Any:
    from rich.console import Console, Group
    from rich.live import Live as RichLive
    from rich.text import Text

    class _Console(Console):
        """Leaves the cursor alone: a killed or suspended command cannot bring it back."""

        def show_cursor(self, show: bool = True) -> bool:  # noqa: ARG002 - rich's signature
            return False

    def draw() -> Group:
        stamp, text = display.line()
        lines = [Text.assemble((stamp, "dim"), " ", text, no_wrap=True, overflow="crop")]
        lines += [Text(f"  {row}", no_wrap=True, overflow="crop") for row in display.rows]
        return Group(*lines)

    console = _Console(file=stream)
    # Only stderr goes through the line; stdout may be a file.
    return RichLive(
        console=console, get_renderable=draw, auto_refresh=False, transient=True, redirect_stdout=False
    )
