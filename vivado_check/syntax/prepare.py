# SPDX-License-Identifier: BSD-3-Clause
"""A Verilog text as slang takes it: every character in its place, and what slang does not take blanked.

Slang counts bytes, opens what is included, and refuses attributes where Vivado writes them and with the line
breaks that their strings have. So the text becomes ASCII, an include names a header that was given or
nothing, and attributes are blanked, as is what tools have encrypted (IEEE 1735).

Source: IEEE 1800-2017, 5.9 and 5.12 (strings, attributes), 22.4 and 22.5 (includes, macros), 34 (envelopes).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from vivado_check.syntax.choices import Step

# It begins with the characters that all begin with: the search skips to them.
_SCAN = re.compile(
    r"""[/`("\\](?:
    (?<=/)(?P<comment>/[^\r\n]*|\*.*?(?:\*/|\Z))
    |(?<=\()(?P<attribute>\*(?!\s*\))(?:"(?:[^"\\]|\\.)*"|[^"])*?\*\))
    |(?<=")(?P<string>(?:[^"\\\r\n]|\\.)*"?)
    |(?<=\\)(?P<escaped>\S+)
    |(?<=`)(?:
        (?P<protected>pragma\s+protect\s+begin_protected\b.*?(?:`pragma\s+protect\s+end_protected\b|\Z)
            |protected\b.*?(?:`endprotected\b|\Z))
        |(?P<include>include\b[ \t]*(?:"(?P<header>[^"\r\n]*)"|[^\r\n]*))
        |(?P<define>define\b[ \t]*(?P<macro>\w+)(?:\([^()\r\n]*\))?
            (?P<body>(?:\\\r?\n|"(?:[^"\\\r\n]|\\.)*"|(?!//)[^\r\n])*))
        |(?P<undef>undef\b[ \t]*(?P<forgotten>\w+))
        |(?P<choice>(?P<which>ifdef|ifndef|elsif)\b[ \t]*(?P<asked>\w+)?|(?P<plain>else|endif)\b)))""",
    re.DOTALL | re.VERBOSE,
)
_BEGUN = re.compile(r"\b(?:macromodule|module|package)\s+(?:automatic\s+|static\s+)?([A-Za-z_]\w*)")
_NO_BREAK = re.compile(r"[^\r\n]")
_NO_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass
class Prepared:
    """A text and what its directives say.

    Attributes:
        text: As slang takes it; as long as it was.
        includes: Place of each included name, quotes and all.
        bodies: Places of the bodies of macros.
        steps: Directives that choose and that define, in order.
        protected: Whether a part of it is encrypted.
    """

    text: str = ""
    includes: list[tuple[int, int]] = field(default_factory=list)
    bodies: list[tuple[int, int]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    protected: bool = False


def prepare(text: str, headers: Collection[str] = ()) -> Prepared:
    """Read the directives of a text and make it one that slang takes.

    Args:
        text: As it was read.
        headers: Base names that an include may name; any other include is blanked.
    """
    found = Prepared()
    pieces: list[str] = []
    done = 0
    for match in _SCAN.finditer(text):
        new = _change(match, headers)
        if new is not None:
            pieces += (text[done : match.start()], new)
            done = match.end()
        elif match["macro"]:
            found.bodies.append(match.span("body"))
        found.protected = found.protected or bool(match["protected"])
        if match["header"] is not None:
            start, end = match.span("header")
            found.includes.append((start - 1, end + 1))
        if match["choice"] or match["macro"] or match["forgotten"]:
            found.steps.append(_step(match))
    whole = "".join((*pieces, text[done:]))
    found.text = _NO_ASCII.sub(lambda char: " " if char[0] == "\ufeff" else "?", whole)
    return found


def only_bodies(found: Prepared) -> str | None:
    """Return the text with nothing left but the bodies of macros, each ended; None if there are none."""
    spans = [(start, end) for start, end in found.bodies if found.text[start:end].strip("\\ \t\r\n")]
    if not spans:
        return None
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += (_NO_BREAK.sub(" ", found.text[done:start]), found.text[start:end].replace("\\", " "), ";")
        done = end + 1
    return "".join((*pieces, _NO_BREAK.sub(" ", found.text[done:])))[: len(found.text)]


def promised(found: Prepared) -> frozenset[str]:
    """Return the modules and packages that a text begins, by its words: to compare with its tree."""
    words = _SCAN.sub(lambda match: " " if match["comment"] or match["string"] else match[0], found.text)
    return frozenset(_BEGUN.findall(words))


def _change(match: re.Match[str], headers: Collection[str]) -> str | None:
    """Return the replacement for slang, or None if it may stay."""
    text = match[0]
    if match["protected"] or match["attribute"]:
        return _NO_BREAK.sub(" ", text)
    if not match["include"]:
        return None
    name = re.split(r"[/\\]", match["header"] or "")[-1]
    if name not in headers:
        return _NO_BREAK.sub(" ", text)
    return "`include" + f'"{name}"'.rjust(len(text) - len("`include"))


def _step(match: re.Match[str]) -> Step:
    if match["macro"] or match["forgotten"]:
        return Step(
            match.start(), "define" if match["macro"] else "undef", match["macro"] or match["forgotten"]
        )
    return Step(match.start(), match["which"] or match["plain"], match["asked"] or "")
