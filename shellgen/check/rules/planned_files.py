# SPDX-License-Identifier: BSD-3-Clause
"""Files beside the scripts, as rules look at them: the text, the folder of a node, the line of a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shellgen.errors import InputError, Problem
from vivado_check.report import Origin

from .base import Context
from .planned import Planned, planned

# A setting of CMake: names of commands have no case, and a value may be quoted. Source: CMake manual, set().
CMAKE_SET = re.compile(r"^[ \t]*set[ \t]*\(\s*(\w+)\s+\"?([^\s\")]+)\"?\s*\)", re.MULTILINE | re.IGNORECASE)
RENEW = "write it as the plan has it, or generate the folder again"


@dataclass(frozen=True)
class Text:
    """A file of a node.

    Attributes:
        name: Relative to what is checked.
        text: Of it.
    """

    name: str
    text: str

    def line_of(self, word: str) -> Origin:
        """Return the first line that has a word, the file itself if none has."""
        at = self.text.find(word) if word else -1
        return Origin(self.name, len(self.text[: at + 1].splitlines())) if at >= 0 else Origin(self.name)


def texts(context: Context, pattern: str) -> Iterator[tuple[Planned, Text]]:
    """Yield what is wanted of the node, and each of its files of a pattern, such as ``*/link.cfg``."""
    wanted = planned(context)
    if wanted is None:
        return
    for path in sorted((context.folder / wanted.node.name).glob(pattern)):
        name = path.relative_to(context.folder).as_posix()
        try:
            text = path.read_text(errors="replace")
        except OSError as error:
            found = error.strerror or str(error)
            raise InputError(Problem(name, found, "Generate the folder again")) from error
        yield wanted, Text(name, text)


@dataclass(frozen=True)
class Register:
    """A register of the core itself: its name, the host's bytes from the core's base, what a host may do."""

    name: str
    offset: int
    access: str


def core_registers(wanted: Planned) -> Iterator[Register]:
    """Yield the core's own registers as memory_map.json has them; of several alike each by its number."""
    for block in wanted.map.blocks:
        for found in block.registers if block.name == wanted.node.status.name else ():
            for name, offset in found.elements:
                yield Register(name, block.base - wanted.map.base + offset, found.access)
