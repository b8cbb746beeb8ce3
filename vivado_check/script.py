# SPDX-License-Identifier: BSD-3-Clause
"""Whether a file is a Tcl script at all: Tcl takes any text for commands, all "not modelled"."""

from __future__ import annotations

from pathlib import Path

from vivado_check.errors import InputError, Problem

from .coverage import built_by
from .record.session import all_commands
from .recording import Recording
from .tcl.reference import reference

REMEDY = "Give a Tcl script for Vivado"
# Control characters that no text has.
_BINARY = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1a\x1b")


def script_text(path: Path) -> str:
    """Return the text of a script.

    Raises:
        InputError: It cannot be read, is empty or is no text.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(str(path), error.strerror or str(error), "Check the path")) from error
    if not data.strip():
        raise InputError(Problem(str(path), "the file is empty", REMEDY))
    if _BINARY.intersection(data):
        raise InputError(Problem(str(path), "it is a binary file and no Tcl script", REMEDY))
    return data.decode(errors="replace")


def refuse_prose(path: Path, recording: Recording) -> None:
    """Refuse a file of which no line is a command of Vivado: TOML, Markdown, a source in another language.

    Raises:
        InputError: It is no script.
    """
    known = all_commands().keys() | reference().keys()
    called = built_by(recording)
    nowhere = [call for call in called if call.command not in known and "::" not in call.command]
    misspelt = any(one.rule in ("unknown-command", "unknown-option") for one in recording.messages)
    broken = any(one.rule == "tcl" for one in recording.messages)
    if path.suffix.lower() in ("", ".tcl"):
        prose = len(nowhere) == len(called) and not misspelt and bool(nowhere)
    else:  # a word or two of prose may be a command
        prose = 2 * len(nowhere) > len(called) or (broken and not called)
    if prose:
        word = " ".join(nowhere[0].command.split())[:40] if nowhere else ""
        line = f", as {word!r} in line {nowhere[0].origin.line}" if nowhere else ""
        found = f"it is no Tcl script for Vivado: it calls what Vivado does not have{line}"
        raise InputError(Problem(str(path), found, REMEDY))
