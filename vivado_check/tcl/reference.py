# SPDX-License-Identifier: BSD-3-Clause
"""Names and options of commands, as UG835 has them: what tells a misspelt one from another release."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from ..ip.names import slip

_FILE = Path(__file__).with_name("ug835.json")
# Two words that differ in a letter or two; names of the same family differ in more.
_CLOSE, _CLOSE_OPTION = 0.88, 0.8
# Commands of Tcl 8.5 itself, but for those so short that a name of somebody's own may be near.
_TCL = frozenset(
    {
        *("after", "append", "apply", "array", "binary", "break", "catch", "clock", "close", "concat"),
        *("continue", "dict", "encoding", "error", "eval", "exec", "exit", "expr", "fconfigure", "file"),
        *("fileevent", "flush", "foreach", "format", "gets", "glob", "global", "incr", "info", "interp"),
        *("join", "lappend", "lassign", "lindex", "linsert", "list", "llength", "lrange", "lrepeat"),
        *("lreplace", "lreverse", "lsearch", "lset", "lsort", "namespace", "open", "package", "proc", "puts"),
        *("read", "regexp", "regsub", "rename", "return", "scan", "source", "split", "string", "subst"),
        *("switch", "trace", "unset", "uplevel", "upvar", "variable", "while"),
    }
)


@cache
def reference() -> dict[str, frozenset[str]]:
    """Return the options of every command in UG835 (v2020.2)."""
    commands = json.loads(_FILE.read_text())["commands"]
    return {name: frozenset(word.rstrip("=") for word in text.split()) for name, text in commands.items()}


def meant_command(name: str, known: frozenset[str]) -> str | None:
    """Return the command that a name is a misspelling of; None if it may well be a command.

    Args:
        name: What was called; of namespaces nothing is said.
        known: Commands besides those of UG835.
    """
    if "::" in name or name in reference():
        return None
    near = get_close_matches(name, [*reference(), *known], 1, _CLOSE)
    return near[0] if near else _slipped(name, _TCL)


def meant_option(command: str, option: str, known: frozenset[str]) -> str | None:
    """Return the option that one is a misspelling of; None if the command may well have it."""
    listed = reference().get(command)
    if listed is None:
        return _slipped(option, known)
    if any(one.startswith(option) for one in listed):
        return None
    near = get_close_matches(option, [*listed, *known], 1, _CLOSE_OPTION)
    return near[0] if near else None


def _slipped(name: str, known: Iterable[str]) -> str | None:
    """Return the one known word from which this differs by a typo."""
    near = [one for one in sorted(known) if slip(name, one)]
    return near[0] if len(near) == 1 else None
