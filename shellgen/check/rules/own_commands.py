# SPDX-License-Identifier: BSD-3-Clause
"""Commands of a namespace that generated scripts create, and that no script defines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vivado_check.report import Message, Verdict

from .base import Context, rule

_SPACE = re.compile(r"^\s*namespace eval (?:::)?(\w+)", re.MULTILINE)


@rule(
    "own-commands",
    scope="session",
    source="Tcl, namespace: a name with :: is looked for where it says",
    ours=True,
)
def own_commands(context: Context) -> Iterator[Message]:
    """Find calls of a procedure that is not in its namespace: Tcl stops there."""
    files = {message.origin.file for message in context.recording.messages} - {""}
    paths = [path for name in sorted(files) if (path := context.folder / name).is_file()]
    spaces = {found for path in paths for found in _SPACE.findall(path.read_text(errors="replace"))}
    for message in context.recording.messages:
        space, parts, _ = message.where.removeprefix("::").partition("::")
        if message.rule == "not-modelled" and parts and space in spaces:
            yield Message(
                "own-commands",
                Verdict.ERROR,
                message.origin,
                message.where,
                f"namespace {space} has no such procedure",
                "one that is defined before it is called",
                "correct the name",
            )
