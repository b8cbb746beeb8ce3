# SPDX-License-Identifier: BSD-3-Clause
"""Causes in other logs: those that the printed log names."""

from __future__ import annotations

import re
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from shellgen.build.messages import Weight
from shellgen.build.scan import Counts, Follower, Place

_LAST = 1 << 22  # bytes of the output that are searched for names of logs
_MOST = 32  # maximum number of logs
_NAMED = re.compile(rb"(?:^|[\s'\"(:=])((?:\.{0,2}/)?[\w.+@~-]+(?:/[\w.+@~-]+)*\.(?:log|vds|vdi|txt))\b")
_SLACK = 2.0  # resolution of file times, in seconds


def named_logs(log: Path, begin: int, places: Collection[Path], since: float) -> Iterator[Path]:
    """Yield the logs that a part of a log names and that were written after a given time.

    Args:
        log: Log of the command's output.
        begin: First relevant byte of it.
        places: Base folders for relative names.
        since: Seconds since the epoch; older logs belong to another run.
    """
    text = b""
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(begin, file.seek(0, 2) - _LAST))
        text = file.read(_LAST)
    seen = {log.resolve()}
    for name in dict.fromkeys(found[1].decode(errors="replace") for found in _NAMED.finditer(text)):
        for path in dict.fromkeys(place / name for place in places):
            with suppress(OSError, ValueError):
                told = path.stat()
                whole = path.resolve()
                if stat.S_ISREG(told.st_mode) and told.st_mtime >= since - _SLACK and whole not in seen:
                    seen.add(whole)
                    yield path
        if len(seen) > _MOST:
            return


def cause_in(logs: Iterator[Path]) -> Place | None:
    """Return the place of the first cause in the logs; None if they contain none."""
    for path in logs:
        follower = Follower(path)
        follower.read(Counts(), to_end=True)
        if place := follower.first.get(Weight.CAUSE):
            return place
    return None
