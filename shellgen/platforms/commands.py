# SPDX-License-Identifier: BSD-3-Clause
"""Commands of a node's Makefile, as words that `shellgen check` searches in its lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Words = tuple[str, ...]

# Folder of the Makefile in these commands; `clone` names folders of third-party sources.
HERE = "/out"
PACKAGE: Words = ("vivado", "-mode", "batch", "-source", "package.tcl")
STOPS: Words = ("||", "{", "exit", "1", ";", "}")
# A memory file that was not found. Source: public logs of Synth 8-4445.
NO_MEMORY_FILE = r"^\(CRITICAL WARNING\|ERROR\): \[Synth 8-4445\]"


@dataclass(frozen=True)
class Commands:
    """The commands of a build, each as words that occur in one line in this order.

    Attributes:
        ordered: One after the other.
        anywhere: Those whose order make finds by itself.
        given: Those that stand besides where SETTINGS has a text, by that text.
        printed: What a script of the node prints, by its file: a command looks for it.
    """

    ordered: tuple[Words, ...] = ()
    anywhere: tuple[Words, ...] = ()
    given: Mapping[str, tuple[Words, ...]] = field(default_factory=dict)
    printed: Mapping[str, str] = field(default_factory=dict)


def clone(name: str) -> str:
    """Return the folder of third-party sources, by the variable of the Makefile that names it."""
    return f"/{name.lower()}"
