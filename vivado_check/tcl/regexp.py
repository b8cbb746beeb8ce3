# SPDX-License-Identifier: BSD-3-Clause
"""Regular expressions of a script, matched by Tcl itself in a process like the script's."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..confine.start import HostError
from ..record.commands import ToolError
from .arguments import join_list, split_list
from .interpreter import process
from .lines import Limits, Lines, decode, encode
from .trace import StopError

# Of processor time; a pattern of a build script takes a thousandth.
_LIMITS = Limits(seconds=2, silence=10, memory=256 << 20)


def matching(pattern: str, names: Iterable[str], *, nocase: bool) -> list[str]:
    """Return the names that a pattern matches from end to end, as Tcl reads it.

    Raises:
        ToolError: It is no regular expression, or takes too long.
    """
    return list(_matching(pattern, tuple(names), nocase))


@lru_cache(maxsize=256)
def _matching(pattern: str, names: tuple[str, ...], nocase: bool) -> tuple[str, ...]:
    script = process(_LIMITS)
    try:
        lines = Lines(script, _LIMITS)
        lines.read()
        given = join_list(("pattern", pattern, "nocase", str(int(nocase)), "names", join_list(names)))
        script.channel.sendall(b"ok " + encode(given))
        line = lines.read()
        words = [decode(word) for word in line.split()] if line else []
    except (StopError, HostError, OSError):
        words = []
    finally:
        script.end()
    if not words:
        raise ToolError(f"the regular expression {pattern[:80]!r} takes too long", rule="sandbox")
    *_, kind, answer = words
    if kind != "matched":
        raise ToolError(answer, rule="tcl", remedy="Correct the pattern")
    return tuple(split_list(answer))
