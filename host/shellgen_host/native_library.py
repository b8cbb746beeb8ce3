# SPDX-License-Identifier: BSD-3-Clause
"""libshellgen_host by ctypes, where there is one.

It is that of environment variable SHELLGEN_HOST_LIBRARY (empty: none), or lies beside this file, or where
the system finds libraries. Where there is none, `library` returns None, and what has a version in Python
uses that.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

from shellgen_host.errors import InputError
from shellgen_host.native_types import VERSION, declare

NAME = "libshellgen_host.so"
VARIABLE = "SHELLGEN_HOST_LIBRARY"


@cache
def library() -> Any:
    """Return the library, or None where there is none.

    Raises:
        InputError: It is named and not there, cannot be loaded, or has another version.
    """
    named = os.environ.get(VARIABLE)
    beside = Path(__file__).with_name(NAME)
    if named == "":
        return None
    place = named or (str(beside) if beside.exists() else NAME)
    try:
        found = ctypes.CDLL(place)
    except OSError as error:
        if place == NAME and "No such file" in str(error):
            return None
        remedy = f"compile it for this machine (docs/host.md), or set {VARIABLE}= to do without"
        raise InputError(f"{place}: it cannot be loaded: {error}; {remedy}") from None
    try:
        declare(found)
        version = int(found.shellgen_version())
    except AttributeError:
        raise InputError(
            f"{place}: it is no libshellgen_host; {VARIABLE} names the library of docs/host.md"
        ) from None
    if version != VERSION:
        text = f"{place}: its version is {version}, and this package is for {VERSION}"
        raise InputError(f"{text}; compile that of this release")
    return found


def used() -> str:
    """Return which implementation is used, for messages."""
    found = library()
    return f"C++ ({found._name})" if found else "Python"
