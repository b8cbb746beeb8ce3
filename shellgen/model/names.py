# SPDX-License-Identifier: BSD-3-Clause
"""Grammars of texts that reach a generated file: what is not of them is refused where it is read.

A record whose texts have these types can be emitted. `Line` is free text, which every template quotes
(`shellgen.quote`); the others need no quotes in any language.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated

from pydantic import AfterValidator

from shellgen.model.element import ElementType
from shellgen.model.file_names import FILE, is_file_name

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,254}")
# Words of SystemRDL 2.0, which takes any other name as it is.
_RDL = """
abstract accesstype addressingtype addrmap alias all alternate bit boolean bothedge byte compact
component componentwidth constraint default encode enum external false field fullalign hw inside int
internal level longint mem na negedge nonsticky number onreadtype onwritetype posedge precedencetype
property r rclr real ref reg regalign regfile rset ruser rw rw1 shortint shortreal signal signed string
struct sw this true type unsigned w w1 wclr with within woclr woset wot wr wset wuser wzc wzs wzt
"""
RDL_WORDS = frozenset(_RDL.split())


def _matches(pattern: str, what: str) -> Callable[[str], str]:
    fits = lru_cache(maxsize=4096)(re.compile(pattern).fullmatch)  # a name is in many records

    def check(value: str) -> str:
        if not fits(value):
            raise ValueError(f"expected {what}")
        return value

    return check


def is_name(text: str) -> bool:
    """Whether a text is a Verilog identifier that C and Tcl take, too."""
    return bool(_NAME.fullmatch(text))


def safe_file_name(text: str) -> str:
    """Return a file name of our own choice for a source of this name."""
    name = re.sub(r"[^A-Za-z0-9_.+-]", "_", text)[-200:]
    return name if is_file_name(name) else f"f{name[-199:]}"


def _line(value: str) -> str:
    if not value.isprintable():
        raise ValueError("expected one line without control characters")
    return value


def _path(value: str) -> str:
    if not all(is_file_name(part) for part in value.split("/")):
        raise ValueError("expected a path below the folder, of letters, digits and _ . + -")
    return value


def _data_type(value: str) -> str:
    ElementType.parse(value)
    return value


_FREE = "letters, digits and"
Name = Annotated[str, AfterValidator(_matches(_NAME.pattern, "a Verilog identifier"))]
FileName = Annotated[str, AfterValidator(_matches(FILE.pattern, f"a file name of {_FREE} _ . + -"))]
FilePath = Annotated[str, AfterValidator(_path)]
Line = Annotated[str, AfterValidator(_line)]
Word = Annotated[str, AfterValidator(_matches(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", f"{_FREE} _ . -"))]
Pattern = Annotated[str, AfterValidator(_matches(r"[A-Za-z0-9_.:*-]{1,200}", f"{_FREE} _ . : * -"))]
Parameter = Annotated[str, AfterValidator(_matches(r"\w+(\.\w+)*", "a parameter's name, without CONFIG."))]
Digest = Annotated[str, AfterValidator(_matches(r"[0-9a-f]{64}", "64 hexadecimal digits"))]
Generator = Annotated[
    str, AfterValidator(_matches(r"[A-Za-z]+ [A-Za-z0-9_.+-]{1,40}", "a name and a version"))
]
BuildId = Annotated[str, AfterValidator(_matches(r"([0-9a-f]{16})?", "16 hexadecimal digits"))]
Contract = Annotated[str, AfterValidator(_matches(r"([0-9a-f]{16})?", "16 hexadecimal digits"))]
DataType = Annotated[str, AfterValidator(_data_type)]
