# SPDX-License-Identifier: BSD-3-Clause
"""The Tcl scripts of a platform for a node, in the order in which Vivado runs them."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.names import FilePath, Line, Word


class Script(Frozen):
    """A script that Vivado is given, as `shellgen check` runs it; later ones see what earlier ones wrote.

    Attributes:
        file: Below the node's folder.
        arguments: As after ``-tclargs``.
        opened: Part of the project that somebody else's flow has open when it sources the script; empty if
            the script makes its own.
        design: Block design that is open in that project, if any.
        left: Path below the node's folder of a closed project of that part, which the script opens by itself.
        given: Third-party files that the script reads: path below the node's folder, and text.
        inside: ``session``, or ``run``: sourced in the process of a run, where no project is open.
    """

    file: FilePath
    arguments: tuple[Line, ...] = ()
    opened: Word | Literal[""] = ""
    design: Word | Literal[""] = ""
    left: FilePath | Literal[""] = ""
    given: tuple[tuple[FilePath, str], ...] = ()
    inside: Literal["session", "run"] = "session"
