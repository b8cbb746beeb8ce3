# SPDX-License-Identifier: BSD-3-Clause
"""Warnings from `logging`, as lines on stderr and in the record of a command."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

from shellgen.cli.command import Answer
from shellgen.errors import printable


class Warnings(logging.Handler):
    """Context manager that prints each warning once, immediately, and stores it."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning."""
        text = record.getMessage()
        if text not in self._said:
            self._said.append(text)
            with suppress(OSError):  # stderr is closed, which does not end the work
                print(f"shellgen: note: {printable(text)}", file=sys.stderr, flush=True)

    def added_to(self, answer: Answer) -> Answer:
        """Return the answer with the warnings in its record, if there were any."""
        return replace(answer, data={**answer.data, "warnings": self._said}) if self._said else answer

    def __enter__(self) -> None:
        logging.getLogger("shellgen").addHandler(self)

    def __exit__(self, *_: Any) -> None:
        logging.getLogger("shellgen").removeHandler(self)
