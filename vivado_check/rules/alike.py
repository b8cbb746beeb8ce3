# SPDX-License-Identifier: BSD-3-Clause
"""Nodes whose scripts do the same: what is tried under other conditions is tried for one of them."""

from __future__ import annotations

import re
from pathlib import Path

from ..recording import Recording
from .base import Context

_ITEM = re.compile(
    r"^\s*(?:\[file join \S+ )?\S+\.(?:s?v|v?hd?l?|dat|mem|hex)\]? ?\\?$|^# Generated .*$", re.MULTILINE
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def of_design(recording: Recording, file: str) -> bool:
    """Tell whether a script makes cells: what it does is judged by itself, and it went well."""
    return any(call.command == "create_bd_cell" and call.origin.file == file for call in recording.calls)


def alike(context: Context, *, designs: bool = False) -> str:
    """Return the scripts of a node without what is its own: name, files and, without designs, the part.

    Args:
        context: Of a node's session.
        designs: Whether scripts of block designs count, with the ports of the modules in them.
    """
    expected, recording = context.expectation, context.recording
    scripts = sorted(Path(file) for file in {call.origin.file for call in recording.calls} if file)
    texts = []
    for file in scripts:
        path = context.folder / file
        if path.is_file() and (designs or not of_design(recording, str(file))):
            kept = [
                line for line in _ITEM.sub("", path.read_text(errors="replace")).splitlines() if line.strip()
            ]
            texts.append("\n".join((file.name, *kept)))
    if designs:
        buses = sorted((name, sorted(found)) for name, found in expected.buses.items())
        texts += [*_heads(recording), expected.board, expected.part, f"{expected.loaded} {buses}"]
    text = "\n".join((context.release, *expected.raised, *texts))
    text = text.replace(expected.home, "@") if expected.home else text
    return text if designs or not expected.part else text.replace(expected.part, "@")


def _heads(recording: Recording) -> list[str]:
    """Return the ports of the modules that cells refer to, without comments."""
    cells = [cell for design in recording.designs.values() for cell in design.cells.values()]
    names = {cell.reference for cell in cells if cell.reference}
    files = {file.path.stem: file.path for project in recording.projects for file in project.files}
    found = []
    for name in sorted(names):
        path = files.get(name)
        text = path.read_text(errors="replace") if path and path.is_file() else ""
        found.append(name + _COMMENT.sub("", text).partition(");")[0])
    return found
