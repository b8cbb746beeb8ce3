# SPDX-License-Identifier: BSD-3-Clause
"""Warnings that are kept beside a result, to be said again with it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def heard() -> Iterator[list[tuple[str, str]]]:
    """Listen to the warnings of the block."""
    said: list[tuple[str, str]] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append((record.name, record.getMessage()))

    listener, logger = Listener(logging.WARNING), logging.getLogger("shellgen")
    logger.addHandler(listener)
    try:
        yield said
    finally:
        logger.removeHandler(listener)


def say_again(said: Iterable[tuple[str, str]]) -> None:
    """Give warnings once more, each by its logger."""
    for logger, text in said:
        logging.getLogger(logger).warning("%s", text)
