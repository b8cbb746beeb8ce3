# SPDX-License-Identifier: BSD-3-Clause
"""Width of text without a browser: an upper bound over the usual fonts, so that no text leaves its box."""

from __future__ import annotations

import unicodedata

_NARROW, _WIDE = set("ijlI.,:;|!' /-"), set("mwMW@%&")
_MONO = 0.62  # of the font size; 0.60 in DejaVu, Liberation, Menlo and SF Mono
_ELLIPSIS = "..."
_ROUNDING = 0.001  # of a room that was measured by the same text


def text_width(text: str, size: float, *, mono: bool = False) -> float:
    """Return the width in pixels that a text needs at most."""
    if text.isascii():
        return size * sum([_MONO] * len(text) if mono else map(_ASCII.__getitem__, text))
    return size * sum(_char(char, mono) for char in text)


def _char(char: str, mono: bool) -> float:
    if not char.isascii():
        full = unicodedata.east_asian_width(char) in "WFA" or ord(char) > 0xFFFF
        return 0.0 if unicodedata.combining(char) else 1.3 if full else 1.0
    if mono:
        return _MONO
    return 0.38 if char in _NARROW else 1.0 if char in _WIDE else 0.7 if char.isupper() else 0.64


_ASCII = {chr(code): _char(chr(code), mono=False) for code in range(128)}


def shortened(text: str, room: float, size: float, *, mono: bool = False) -> str:
    """Return the text if it fits; otherwise its beginning and its end, which distinguish names."""
    if text_width(text, size, mono=mono) <= room + _ROUNDING:
        return text
    for kept in range(len(text) - 1, 1, -1):
        head, tail = kept - kept // 2, kept // 2
        short = f"{text[:head]}{_ELLIPSIS}{text[len(text) - tail :]}"
        if text_width(short, size, mono=mono) <= room:
            return short
    return _ELLIPSIS
