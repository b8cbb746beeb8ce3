# SPDX-License-Identifier: BSD-3-Clause
"""Tutorials: pages of commands and their outputs, which a test runs and compares.

A block ``console`` has commands behind ``$`` (``>`` continues one), each followed by its output. The word
``sweep`` in its first line says that it runs in the long tests only, ``exits 1`` that its commands end with
this code. A block with a title is a file, which is written before the commands behind it run.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shellgen.cache import default_cache_dir
from shellgen.cache.contents import FOLDERS

ROOT = Path(__file__).parents[2]
# By name: the tutorials, and further pages with outputs.
PAGES = {path.stem: path for path in sorted((ROOT / "docs" / "tutorials").glob("*.md"))} | {
    "verification": ROOT / "docs" / "verification.md"
}
# Parts of an output that differ from run to run or with every change of a generated file, and what replaces
# them when outputs are compared.
VOLATILE = (
    (re.compile(r"\b\d+(?:\.\d+)? s\b"), "# s"),
    (re.compile(r"\b\d+ files written(?:, \d+ unchanged)?"), "# files written"),
    (re.compile(r"\bcluster [0-9a-f]{16}\b"), "cluster #"),
)
_BLOCK = re.compile(
    r"^```(?P<kind>console|\w+ title=\"(?P<file>[^\"]+)\")(?P<more>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S
)
_PROGRESS = re.compile(r"^\[ *[\d.]+ s\] .*\n", re.M)

__all__ = ["PAGES", "ROOT", "VOLATILE", "Block", "Stale", "blocks", "masked", "run_page"]


@dataclass(frozen=True)
class Command:
    """A command of a page.

    Attributes:
        typed: As it is on the page, with prompts.
        line: For a shell.
        output: As it is on the page.
    """

    typed: str
    line: str
    output: str


@dataclass(frozen=True)
class Block:
    """A block of a page that is run or written.

    Attributes:
        span: Where its text is on the page.
        text: Of the block.
        file: Name of the file that it is; empty for commands.
        sweep: It takes long.
        code: Exit code of its commands.
    """

    span: tuple[int, int]
    text: str
    file: str = ""
    sweep: bool = False
    code: int = 0


@dataclass(frozen=True)
class Stale:
    """An output that is not that of the page."""

    typed: str
    wanted: str
    found: str


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page in order."""
    for found in _BLOCK.finditer(text):
        code = re.search(r"exits (\d+)", found["more"])
        yield Block(
            found.span("text"),
            found["text"],
            found["file"] or "",
            " sweep" in found["more"],
            int(code[1]) if code else 0,
        )


def commands(block: Block) -> Iterator[Command]:
    """Yield the commands of a block; raise ValueError if it begins with none."""
    parts = re.split(r"^(?=\$ )", block.text, flags=re.M)
    if parts[0].strip():
        raise ValueError(f"a console block begins with {parts[0].splitlines()[0]!r}, not with a command")
    for part in parts[1:]:
        lines = part.splitlines(keepends=True)
        count = 1
        while count < len(lines) and lines[count].startswith("> "):
            count += 1
        typed = "".join(lines[:count])
        yield Command(typed, "".join(line[2:] for line in lines[:count]), "".join(lines[count:]))


def masked(text: str) -> str:
    """Return an output without its volatile parts."""
    for pattern, mark in VOLATILE:
        text = pattern.sub(mark, text)
    return text


def run_page(page: Path, folder: Path, *, sweep: bool) -> tuple[list[Stale], str]:
    """Run the commands of a page.

    Args:
        page: The page.
        folder: Empty folder to run in; ``shellgen`` in it becomes this repository.
        sweep: Also run what takes long; otherwise a page ends at its first such block.

    Returns:
        The outputs that differ, and the page with the outputs found.

    Raises:
        RuntimeError: A command ended with another code.
    """
    (folder / "shellgen").symlink_to(ROOT)
    text, stale, pieces, end = page.read_text(), [], [], 0
    with _cache() as cache:
        for block in blocks(text):
            if block.sweep and not sweep:
                break
            if block.file:
                (folder / block.file).write_text(block.text)
                continue
            shown = []
            for command in commands(block):
                found = _run(command.line, folder, cache, block.code)
                if masked(found) != masked(command.output):
                    stale.append(Stale(command.typed, command.output, found))
                    shown += [command.typed, found]
                else:
                    shown += [command.typed, command.output]
            pieces += [text[end : block.span[0]], "".join(shown)]
            end = block.span[1]
    return stale, "".join([*pieces, text[end:]])


@contextmanager
def _cache() -> Iterator[Path]:
    """Yield a cache with all that the machine's has but reports: runs on a page are made, not looked up.

    Other processes use the machine's at the same time, so nothing of it is removed.
    """
    with tempfile.TemporaryDirectory() as name:
        for folder, (kind, _) in FOLDERS.items():
            own = default_cache_dir() / folder
            if kind == "models":
                own.mkdir(parents=True, exist_ok=True)
            if kind != "reports" and own.is_dir():
                Path(name, folder).symlink_to(own)
        yield Path(name)


def _run(line: str, folder: Path, cache: Path, code: int) -> str:
    around = {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
    around |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "110"}
    around |= {"SHELLGEN_CACHE": str(cache)}
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=around,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != code:
        raise RuntimeError(f"{line.rstrip()}: exit code {done.returncode}, not {code}\n{done.stdout}")
    found = _PROGRESS.sub("", done.stdout)
    return "".join(f"{row.rstrip()}\n" for row in found.splitlines())
