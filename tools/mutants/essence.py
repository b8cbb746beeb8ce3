# SPDX-License-Identifier: BSD-3-Clause
"""What a recording comes to: two scripts with the same essence make the same project."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shellgen.check.recording import Call, Recording
from shellgen.check.report import Message, Origin

# Calls that only ask.
ASKING = re.compile(r"(ipx::)?(get_|current_|version|list_)|puts")
# Calls that build a block design: their order is of no consequence if the same comes of it.
BUILDING = re.compile(r"(create_bd|connect_bd|assign_bd|exclude_bd|include_bd|make_bd)_|set_property$")


# Where a sandbox keeps what a script writes: another folder in each check.
OVERLAY = re.compile(r"^.*/shellgen_check_[^/]+(?=/)")


def essence(recording: Recording) -> tuple[Any, ...]:
    """Return what was built, and in which order what has one was done; no lines of scripts are in it."""
    steps: list[Any] = []
    for call in recording.calls:
        if ASKING.match(call.command):
            continue
        if not BUILDING.match(call.command):
            steps.append((call.command, call.words, call.failed))
        elif steps and isinstance(steps[-1], Counter):
            steps[-1][_key(call)] += 1
        else:
            steps.append(Counter([_key(call)]))
    made = [tuple(sorted(step.items())) if isinstance(step, Counter) else step for step in steps]
    state = plain(
        [recording.projects, recording.designs, recording.packages, recording.params, recording.message_rules]
    )
    return (tuple(made), state, recording.ended)


def _key(call: Call) -> tuple[str, tuple[str, ...]]:
    return call.command, call.words


def plain(value: Any) -> Any:
    """Return a record without the lines that it comes from, as something that can be compared."""
    if isinstance(value, Origin | Message):
        return None
    if dataclasses.is_dataclass(value):
        return tuple((field.name, plain(getattr(value, field.name))) for field in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return tuple(sorted(((str(key), plain(one)) for key, one in value.items()), key=lambda pair: pair[0]))
    if isinstance(value, list | tuple):
        return tuple(plain(one) for one in value)
    return OVERLAY.sub("", str(value)) if isinstance(value, Path | str) else value
