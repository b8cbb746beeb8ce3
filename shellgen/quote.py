# SPDX-License-Identifier: BSD-3-Clause
"""Free text as one word, string or comment of each language that we write: one function for each.

Names have a grammar that is checked when they are read (`shellgen.model.names`) and need no quotes. What is
free text there (`Line`) goes through one of these wherever it is emitted; tests/test_quote.py puts what
breaks each language into every such field and runs the result.
"""

from __future__ import annotations

import html
import json
import re
import shlex

_PLAIN_TCL = re.compile(r"[A-Za-z0-9_./:*+-]+")


def tcl_quote(value: object) -> str:
    """Return one Tcl word, in a command as well as in a list; pure ASCII, whatever Vivado's encoding is."""
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


def c_quote(value: object) -> str:
    """Return a C string literal: bytes of UTF-8 in octal, which ends by itself; ``?`` as no trigraph."""
    plain = {byte for byte in range(32, 127) if chr(byte) not in '"\\?'}
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in str(value).encode()) + '"'


def comment(value: object) -> str:
    """Return text for inside a comment of Verilog, C, RDL, Tcl or TOML: on its line, and it ends no comment.

    A backslash at its end would carry a comment of ``//`` or ``#`` over to the next line.
    """
    text = "".join(char if char.isprintable() and char.isascii() else "?" for char in str(value))
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").replace("`", "'")


def verilog_quote(value: object) -> str:
    """Return a Verilog string literal; ``%`` is doubled for ``$display`` by those who print it."""
    plain = {byte for byte in range(32, 127) if chr(byte) not in '"\\'}
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in str(value).encode()) + '"'


_RDL_PLAIN = str.maketrans('\\"<>[]`*~&$', "/'()()'x-+?")


def rdl_quote(value: object) -> str:
    """Return a SystemRDL string literal, whose text reaches HTML as Markdown: no markup is left in it.

    Backslashes before markup would stand in what other tools make of the text.
    """
    text = "".join(char if char.isprintable() and char.isascii() else "?" for char in str(value))
    text = text.translate(_RDL_PLAIN)
    text = re.sub(r"(?<![A-Za-z0-9_])_+|_+(?![A-Za-z0-9_])", lambda edge: "-" * len(edge[0]), text)
    text = re.sub(r"^\s*([-#+!:=]+|\d+[.)])(?=\s|$)", r"(\1)", " ".join(text.split()))
    return f'"{text}"'


def html_quote(value: object) -> str:
    """Return text of HTML, and of an attribute in quotes."""
    return html.escape(str(value), quote=True)


def xml_quote(value: object) -> str:
    """Return text of XML, and of an attribute in quotes."""
    text = html.escape("".join(char for char in str(value) if char.isprintable()), quote=False)
    return text.replace('"', "&quot;").replace("'", "&apos;")


def toml_quote(value: object) -> str:
    """Return a basic string of TOML; JSON's escapes are TOML's, but not its halves of characters."""
    text = str(value).encode("utf-8", "replace").decode()
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def python_quote(value: object) -> str:
    """Return a string literal of Python, of ASCII only."""
    return ascii(str(value))


def shell_quote(value: object) -> str:
    """Return one word of a POSIX shell, for commands in messages and scripts."""
    return shlex.quote(str(value))
