# SPDX-License-Identifier: BSD-3-Clause
"""A rewriting of a node's scripts, and the public source that shows its form."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

BD, BUILD = "vivado/bd.tcl", "vivado/build.tcl"


class Texts:
    """The files of a node that a rewriting changes; what it looks for must be there."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def swap(self, old: str, new: str, file: str = BD, *, every: bool = False) -> None:
        """Replace a text, once or wherever it stands."""
        text = self.texts[file]
        if old not in text:
            raise ValueError(f"{file} has no {old!r}")
        self.texts[file] = text.replace(old, new) if every else text.replace(old, new, 1)

    def sub(self, pattern: str, new: str | Callable[[re.Match[str]], str], file: str = BD) -> None:
        """Replace whatever matches, line by line."""
        text, count = re.subn(pattern, new, self.texts[file], flags=re.MULTILINE)
        if not count:
            raise ValueError(f"{file} has nothing like {pattern!r}")
        self.texts[file] = text

    def cut(self, pattern: str, file: str = BD) -> None:
        """Remove whole lines."""
        self.sub(rf"^.*(?:{pattern}).*\n", "", file)

    def section(self, title: str, change: Callable[[list[str]], list[str]]) -> None:
        """Change the statements of one section of bd.tcl."""
        text = self.texts[BD]
        start = text.index("\n", text.index(f"# ---- {title} -")) + 1
        stop = text.index("# ---- ", start)
        new = "".join(change(statements(text[start:stop])))
        self.texts[BD] = text[:start] + new + "\n" + text[stop:]

    def before(self, mark: str, text: str) -> None:
        """Put lines before a line of bd.tcl."""
        self.swap(f"\n{mark}", f"\n{text}\n{mark}")


def statements(text: str) -> list[str]:
    """Cut a text into statements, each with the end of its line; comments stay with what follows."""
    found, held, depth = [], "", 0
    for line in text.splitlines(keepends=True):
        held += line
        depth += line.count("{") - line.count("}")
        if not depth and line.strip() and not line.startswith("#"):
            found.append(held)
            held = ""
    return found + ([held] if held.strip() else [])


@dataclass(frozen=True)
class Variant:
    """A rewriting.

    Attributes:
        name: What is different.
        source: Public place that shows the form.
        rewrite: Changes the texts.
        node: Whose scripts.
        ours: Whether it is still what the plan says, so that it must pass in our output folder as well.
        release: Of Vivado, or that of the check.
    """

    name: str
    source: str
    rewrite: Callable[[Texts], None]
    node: str = "zedboard"
    ours: bool = False
    release: str = ""


VARIANTS: dict[str, Variant] = {}


def variant(
    name: str, source: str, *, node: str = "zedboard", ours: bool = False, release: str = ""
) -> Callable[[Callable[[Texts], None]], Callable[[Texts], None]]:
    """Register a rewriting."""

    def register(rewrite: Callable[[Texts], None]) -> Callable[[Texts], None]:
        if name in VARIANTS:
            raise ValueError(f"two variants are called {name!r}")
        VARIANTS[name] = Variant(name, source, rewrite, node, ours, release)
        return rewrite

    return register
