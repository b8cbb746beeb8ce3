# SPDX-License-Identifier: BSD-3-Clause
"""Place of a Tcl error in a script, from Tcl's own report (``errorInfo``)."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..report import Origin
from .sandbox import Sandbox

_FILE = re.compile(r'^\s*\(file "(.*)" line (\d+)\)$')
_PROCEDURE = re.compile(r'^\s*\(procedure "(.*)" line (\d+)\)$')


class StopError(Exception):
    """The sandbox ends the script."""

    def __init__(self, text: str, origin: Origin | None = None) -> None:
        self.origin = origin
        super().__init__(text)


def line_of(trace: str, sandbox: Sandbox, scripts: Collection[str]) -> Origin | None:
    """Return the innermost line of a script in a trace.

    Of an error that a script raises by itself, it is the line of what it objects to, and not of ``error``.
    A trace counts lines of a procedure from its body; one of the scripts that were read says where that is.
    """
    raised = re.search(r'^[ \t]*while executing\n"(?:error|return) ', trace, re.MULTILINE)
    procedure: tuple[str, int] | None = None
    for text in trace.splitlines():
        called = _PROCEDURE.match(text)
        if called and procedure is None and not raised:
            procedure = called[1], int(called[2])
        sourced = _FILE.match(text)
        if not sourced:
            continue
        file = _whole(sourced[1], scripts)
        if procedure is not None:
            for other in dict.fromkeys((file, *scripts)):
                found = _in_procedure(*procedure, other, sandbox)
                if found:
                    return found
        return Origin(sandbox.shown(file), int(sourced[2]))
    return None


def _whole(file: str, scripts: Collection[str]) -> str:
    """Return the script that a trace means, which cuts long names off."""
    head = file.removesuffix("...")
    return next((script for script in scripts if head != file and script.startswith(head)), file)


def _in_procedure(name: str, line: int, file: str, sandbox: Sandbox) -> Origin | None:
    """Return a line of a procedure, if this file defines it."""
    try:
        text = sandbox.read_text(file)
    except OSError:
        return None
    last = re.escape(name.rpartition("::")[2])
    found = re.search(rf"^[ \t]*proc[ \t]+(?:[\w:]*::)?{last}[ \t]", text, re.MULTILINE)
    return Origin(sandbox.shown(file), text.count("\n", 0, found.start()) + line) if found else None
