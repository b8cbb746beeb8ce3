# SPDX-License-Identifier: BSD-3-Clause
"""Causes that stand elsewhere: logs that the printed one names, and nobody has read yet."""

from __future__ import annotations

import re
import stat
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from shellgen.build.messages import Weight
from shellgen.build.scan import Counts, Follower, Place

_LAST = 1 << 22  # bytes of what was printed in which names are looked for
_MOST = 32  # logs
_NAMED = re.compile(rb"(?:^|[\s'\"(:=])((?:\.{0,2}/)?[\w.+@~-]+(?:/[\w.+@~-]+)*\.(?:log|vds|vdi|txt))\b")
_SLACK = 2.0  # seconds by which clocks of disks are coarse


def named_logs(log: Path, begin: int, places: Collection[Path], since: float) -> Iterator[Path]:
    """Yield the logs that a part of a log names, as far as they were written since a time.

    Args:
        log: What was printed.
        begin: Its first byte that counts.
        places: Folders that relative names may be in.
        since: Seconds since the epoch; what is older tells of another run.
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
    """Return where the first cause stands in logs; None if they tell of none."""
    for path in logs:
        follower = Follower(path)
        follower.read(Counts(), to_end=True)
        if place := follower.first.get(Weight.CAUSE):
            return place
    return None
