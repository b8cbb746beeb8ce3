# SPDX-License-Identifier: BSD-3-Clause
"""Essence of a recording: two scripts with the same essence create the same project."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vivado_check.recording import Call, File, Recording
from vivado_check.report import Message, Origin
from vivado_check.tcl.arguments import ListError, split_list

# Calls that only ask.
ASKING = re.compile(r"(ipx::)?(get_|current_|version|list_)|puts")
# Calls that build something: how often and in which order they come is of no consequence if the same comes of
# it, as long as nothing else is called in between. A strategy of a run clears what was set before.
BUILDING = re.compile(
    r"((create_bd|connect_bd|assign_bd|exclude_bd|include_bd|make_bd)_|set_property$|set_p|set_m)"
)
CLEARING = re.compile(r"\b(strategy|STEPS\.)", re.IGNORECASE)
# Calls that change nothing if they come once more.
AGAIN = re.compile(
    r"set_property$|(save|validate)_bd_design|update_|generate_target|ipx::(update|check|save|create_xgui)"
)
# Calls that take lists of files, whose order Vivado finds out itself.
FILES = re.compile(r"(read|add|import)_")
# Where a sandbox keeps what a script writes: another folder in each check.
OVERLAY = re.compile(r"^.*/vivado_check_[^/]+(?=/)")


def essence(recording: Recording) -> tuple[object, ...]:
    """Return what was built, and in which order what has one was done; no lines of scripts are in it."""
    steps: list[Any] = []
    for call in recording.calls:
        if ASKING.match(call.command):
            continue
        key = _key(call)
        if not BUILDING.match(call.command) or CLEARING.search(" ".join(call.words)):
            if not (steps and steps[-1] == key and AGAIN.match(call.command)):
                steps.append(key)
        elif steps and isinstance(steps[-1], set):
            steps[-1].add(key)
        else:
            steps.append({key})
    made = [tuple(sorted(step)) if isinstance(step, set) else step for step in steps]
    state = [
        recording.projects,
        recording.designs,
        recording.packages,
        recording.params,
        recording.message_rules,
    ]
    return (tuple(made), plain(state), recording.ended)


def _key(call: Call) -> tuple[str, tuple[str, ...], bool]:
    words = call.words
    if FILES.match(call.command):
        words = tuple(" ".join(sorted(set(_list(word)))) for word in words)
    elif "-dict" in words:
        words = tuple(" ".join(sorted(set(_pairs(word)))) for word in words)
    return call.command, words, call.failed


def _list(word: str) -> list[str]:
    try:
        return split_list(word)
    except ListError:
        return [word]


def _pairs(word: str) -> list[str]:
    found = _list(word)
    return [f"{name} {value}" for name, value in zip(found[::2], found[1::2], strict=False)] or [word]


def plain(value: Any) -> Any:
    """Return a record without the lines that it comes from, as something that can be compared."""
    if isinstance(value, Origin | Message):
        return None
    if dataclasses.is_dataclass(value):
        return tuple((field.name, plain(getattr(value, field.name))) for field in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return tuple(sorted(((str(key), plain(one)) for key, one in value.items()), key=lambda pair: pair[0]))
    if isinstance(value, list | tuple):
        found = [plain(one) for one in value]
        return tuple(sorted(set(found), key=str) if value and isinstance(value[0], File) else found)
    return OVERLAY.sub("", str(value)) if isinstance(value, Path | str) else value
