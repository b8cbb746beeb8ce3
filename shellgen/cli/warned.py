# SPDX-License-Identifier: BSD-3-Clause
"""What the rooms warn of by `logging`, as lines of the command line and in its record."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

from shellgen.cli.command import Answer
from shellgen.errors import printable


class Warnings(logging.Handler):
    """Prints each warning at once, once, and keeps it; a context manager."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning."""
        text = record.getMessage()
        if text not in self._said:
            self._said.append(text)
            with suppress(OSError):  # nobody reads stderr any more, which is no reason to stop working
                print(f"shellgen: note: {printable(text)}", file=sys.stderr, flush=True)

    def added_to(self, answer: Answer) -> Answer:
        """Return the answer with the warnings in its record, if there were any."""
        return replace(answer, data={**answer.data, "warnings": self._said}) if self._said else answer

    def __enter__(self) -> None:
        logging.getLogger("shellgen").addHandler(self)

    def __exit__(self, *_: Any) -> None:
        logging.getLogger("shellgen").removeHandler(self)
