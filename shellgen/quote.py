# SPDX-License-Identifier: BSD-3-Clause
"""Quoting of free text as a word, string or comment: one function for each generated language.

Names have a grammar that is checked when they are read (`shellgen.model.names`) and need no quotes. Free text
(`Line`) passes one of these functions wherever it is emitted; tests/test_quote.py fills every such field with
text that breaks each language and runs the result.
"""

from __future__ import annotations

import html
import json
import re
import shlex
from functools import lru_cache

_LONG_WORD = re.compile(r"[^\s<>]{21,}")
_PIECE = re.compile(r".{1,20}?(?:(?<=[_.])|(?<=[a-z])(?=[A-Z])|$)|.{20}")
_PLAIN_TCL = re.compile(r"[A-Za-z0-9_./:*+-]+")


def tcl_quote(value: object) -> str:
    """Return one Tcl word, for a command or a list; pure ASCII, independent of Vivado's encoding."""
    text = str(value)
    if _PLAIN_TCL.fullmatch(text):
        return text
    return '"' + "".join(map(_tcl_char, text)) + '"'


def _tcl_char(char: str) -> str:
    if (char.isalnum() and char.isascii()) or char in " _./:*+-,;=<>@!?%&'()|^~":
        return char
    if char.isascii() and char.isprintable():
        return "\\" + char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _escaped(but: str) -> tuple[str, ...]:
    """Return what stands for each byte in a literal: itself, or three octal digits."""
    return tuple(chr(b) if 32 <= b < 127 and chr(b) not in but else f"\\{b:03o}" for b in range(256))


_C_BYTES, _VERILOG_BYTES = _escaped('"\\?'), _escaped('"\\')


def _printable_ascii(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() and char.isascii() else "?" for char in text)


def c_quote(value: object) -> str:
    """Return a C string literal: UTF-8 bytes in three-digit octal; no trigraphs."""
    return '"' + "".join(map(_C_BYTES.__getitem__, str(value).encode())) + '"'


def comment(value: object) -> str:
    """Return text for a comment in Verilog, C, RDL, Tcl or TOML: one line that does not end the comment.

    A backslash at its end would continue a comment of ``//`` or ``#`` on the next line.
    """
    text = _printable_ascii(str(value))
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("`", "'")


def verilog_quote(value: object) -> str:
    """Return a Verilog string literal; callers that print it with ``$display`` double ``%``."""
    return '"' + "".join(map(_VERILOG_BYTES.__getitem__, str(value).encode())) + '"'


_RDL_PLAIN = str.maketrans('\\"<>[]`*~&$', "/'()()'x-+?")


def rdl_quote(value: object) -> str:
    """Return a SystemRDL string literal without Markdown markup, because its text is rendered as HTML.

    Escaping with backslashes would show them in the output of other tools.
    """
    return _rdl_quote(str(value))


@lru_cache(maxsize=1024)  # every board repeats the texts of its registers
def _rdl_quote(value: str) -> str:
    text = _printable_ascii(value)
    text = text.translate(_RDL_PLAIN)
    text = re.sub(r"(?<![A-Za-z0-9_])_+|_+(?![A-Za-z0-9_])", lambda edge: "-" * len(edge[0]), text)
    text = re.sub(r"^\s*([-#+!:=]+|\d+[.)])(?=\s|$)", r"(\1)", " ".join(text.split()))
    return f'"{text}"'


def html_quote(value: object) -> str:
    """Return text for HTML, also for a quoted attribute."""
    return html.escape(str(value), quote=True)


def html_broken(value: object) -> str:
    """Return text for HTML whose long words may be broken: behind _ . and between parts of CamelCase.

    What has no such place for 20 letters may be broken there.
    """
    words = _LONG_WORD.sub(lambda found: "\0".join(_PIECE.findall(found[0])), str(value).replace("\0", ""))
    return html_quote(words).replace("\0", "<wbr>")


def xml_quote(value: object) -> str:
    """Return text for XML, also for a quoted attribute."""
    text = str(value)
    if not text.isprintable():
        text = "".join(char for char in text if char.isprintable())
    return html.escape(text, quote=False).replace('"', "&quot;").replace("'", "&apos;")


def toml_quote(value: object) -> str:
    """Return a TOML basic string; JSON's escapes are valid in TOML except for surrogate halves."""
    text = str(value).encode("utf-8", "replace").decode()
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def python_quote(value: object) -> str:
    """Return a Python string literal in ASCII."""
    return ascii(str(value))


def shell_quote(value: object) -> str:
    """Return one word of a POSIX shell, for commands in messages and scripts."""
    return shlex.quote(str(value))
