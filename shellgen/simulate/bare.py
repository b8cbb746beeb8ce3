# SPDX-License-Identifier: BSD-3-Clause
"""Partitions under the names that they have in the bench, where modules with gates have theirs.

Of the file that defines a partition's top module, a copy is compiled in which that name is another; all else
is as it was, byte for byte. The generated folder stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from shellgen.cache import digest, once
from shellgen.errors import InputError, Problem, SimulationError
from shellgen.model.bench import BenchBlock
from vivado_check.syntax import read_facts

_AS_TEXT = ("utf-8", "surrogateescape")  # bytes that are no text survive


def bare_sources(out: Path, blocks: Sequence[BenchBlock], cache: Path) -> dict[Path, Path]:
    """Return by its own path what is compiled in place of each file that defines a partition's top module.

    Args:
        out: The generated folder.
        blocks: The partitions.
        cache: Where the copies are kept.

    Raises:
        InputError: A source cannot be read, or a macro puts the name together.
    """
    names = {block.top: block.bare for block in blocks}
    copies: dict[Path, Path] = {}
    for block in blocks:
        word = re.compile(rf"\b{re.escape(block.top)}\b".encode())
        headers = [(out / name).resolve() for name in block.headers]
        for path in ((out / name).resolve() for name in block.sources):
            if path not in copies and word.search(content := path.read_bytes()):
                copies[path] = _copy(path, content, headers, names, cache)
    return copies


@contextmanager
def told_of_originals(copies: Mapping[Path, Path]) -> Iterator[None]:
    """Let an error name the user's file, and not the copy of it that was compiled; lines are the same."""
    try:
        yield
    except SimulationError as error:

        def told(text: str) -> str:
            for original, copy in copies.items():
                text = text.replace(str(copy), str(original))
            return text

        problems = (replace(one, where=told(one.where), found=told(one.found)) for one in error.problems)
        raise type(error)(*problems) from error


def _copy(path: Path, content: bytes, headers: Sequence[Path], names: Mapping[str, str], cache: Path) -> Path:
    included = {header.name: header.read_bytes() for header in headers}
    parts: list[str | bytes] = [content]
    for old, new in sorted(names.items()):
        parts += [old, new]
    for name, header in sorted(included.items()):
        parts += [name, header]
    folder = cache / "bare" / digest(parts)

    def make(scratch: Path) -> None:
        texts = {name: data.decode(*_AS_TEXT) for name, data in included.items()}
        text = renamed(content.decode(*_AS_TEXT), texts, names, str(path))
        (scratch / path.name).write_bytes(text.encode(*_AS_TEXT))

    return once(folder, make).folder / path.name


def renamed(text: str, headers: Mapping[str, str], names: Mapping[str, str], where: str) -> str:
    """Return a Verilog text with modules renamed where they are defined and used; all else is untouched.

    Raises:
        InputError: It cannot be read, or a macro puts such a name together.
    """
    pieces, done = [], 0
    for use in sorted(set(read_facts(text, headers, where).uses), key=lambda use: use.start):
        if use.name not in names or use.start == -1:  # in a header
            continue
        if use.start < 0:
            found = f"a macro puts the name of the module {use.name} together"
            raise InputError(Problem(where, found, "Write the name out"))
        escape = "\\" if text[use.start] == "\\" else ""
        pieces += [text[done : use.start], f"{escape}{names[use.name]}"]
        done = use.end
    return "".join((*pieces, text[done:]))
