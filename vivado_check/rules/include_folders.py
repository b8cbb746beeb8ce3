# SPDX-License-Identifier: BSD-3-Clause
"""Folders in which a project looks for included files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..report import Message, Verdict
from ..tcl.arguments import ListError, split_list
from .base import Context, rule


@rule("include-folder", scope="session", source="UG901, Include directories", ours=True)
def include_folders(context: Context) -> Iterator[Message]:
    """Every include folder of a generated project exists: Vivado ignores missing ones without a message."""
    root = Path.cwd() / context.folder
    written = [root / path for path in context.recording.written]
    for project in context.recording.projects:
        for properties in project.filesets.values():
            setting = properties.get("include_dirs")
            try:
                folders = split_list(setting.value) if setting else []
            except ListError:
                continue
            for folder in map(Path, folders):
                there = folder.is_dir() or any(path.is_relative_to(folder) for path in written)
                if setting and not there:
                    shown = folder.relative_to(root) if folder.is_relative_to(root) else folder
                    yield Message(
                        "include-folder",
                        Verdict.FINDING,
                        setting.origin,
                        str(shown),
                        "there is no such folder",
                        "a folder with the headers of the sources",
                        "Name the folder in which they lie",
                    )
