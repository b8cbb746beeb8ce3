# SPDX-License-Identifier: BSD-3-Clause
"""TOML and JSON to plain data: numbers that fit 64 bits, printable texts, bounded depth."""

from __future__ import annotations

import json
import math
import re
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

from vivado_check.errors import InputError, Problem
from vivado_check.formats.files import file_text
from vivado_check.formats.looks import size_of

LARGEST = (1 << 63) - 1
DEEPEST = 64
MOST_BYTES = 1 << 28
_RENEW = "Correct that line"
_JOIN = "Write [[{0}]] for each table of a list, or make one [{0}] of the two"
_KEPT = "Cannot overwrite a value"  # [node] and [[node]], or a key that is a table as well
_BRACKETS = "Correct that line; a table that may occur several times has two brackets each time, as [[node]]"
_TWICE = re.compile(r"Cannot declare \('([^']+)',\) twice")  # of tomllib


def read_toml(path: Path, where: str) -> dict[str, object]:
    """Read a TOML file.

    Args:
        path: The file.
        where: Its name in messages.

    Raises:
        InputError: It is missing, not readable, not UTF-8 or not TOML (with the line), or out of bounds.
    """
    return parse_toml(read_text(path, where, "Check the path"), where)


def parse_toml(text: str, where: str) -> dict[str, object]:
    """Return what a TOML text says.

    Args:
        text: The text.
        where: Its name in messages.

    Raises:
        InputError: It is not TOML (with the line), or out of bounds.
    """
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))  # as Notepad begins a file
    except tomllib.TOMLDecodeError as error:
        twice = _TWICE.search(str(error))
        remedy = _JOIN.format(twice[1]) if twice else _BRACKETS if _KEPT in str(error) else _RENEW
        raise InputError(Problem(where, f"is not TOML: {error}", remedy)) from None
    except ValueError:  # Python converts no more than 4300 digits
        raise InputError(Problem(where, "has a number with thousands of digits", _RENEW)) from None
    except RecursionError:
        raise _too_deep(where) from None
    bounded(data, where)
    return data


def read_json(path: Path, where: str, missing: str, remedy: str = "Correct the file") -> Any:
    """Read a JSON file.

    Args:
        path: The file.
        where: Its name in messages.
        missing: What to do if it is not there.
        remedy: What to do if it is not JSON.

    Raises:
        InputError: It is missing, not readable, not UTF-8 or not JSON, or out of bounds.
    """
    return parse_json(read_text(path, where, missing), where, remedy)


def parse_json(text: str, where: str, remedy: str) -> Any:
    """Return what a JSON text says.

    Raises:
        InputError: It is not JSON, or out of bounds.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(Problem(where, f"is not JSON: {error}", remedy)) from None
    except ValueError:
        raise InputError(Problem(where, "has a number with thousands of digits", remedy)) from None
    except RecursionError:
        raise _too_deep(where) from None
    bounded(data, where)
    return data


def read_text(path: Path, where: str, remedy: str) -> str:
    """Read a text file in UTF-8.

    Raises:
        InputError: It is missing, not readable, larger than any that is meant to be read, or not UTF-8.
    """
    try:
        if size_of(path) > MOST_BYTES:
            raise InputError(Problem(where, f"has more than {MOST_BYTES >> 20} MiB", remedy))
        return file_text(path)
    except FileNotFoundError:
        raise InputError(Problem(where, "there is no such file", remedy)) from None
    except OSError as error:
        raise InputError(Problem(where, f"cannot be read: {error.strerror}", remedy)) from None
    except UnicodeDecodeError:
        raise InputError(Problem(where, "is not a text in UTF-8", "Save it as UTF-8")) from None


def bounded(data: object, where: str) -> None:
    """Check plain data.

    Raises:
        InputError: Integers beyond 64 bits, NaN, strings that no file can hold or that hide
            something on a screen, tables deeper than `DEEPEST`; every one of them with its field.
    """
    problems: list[Problem] = []
    pending: list[tuple[str, object, int]] = [("", data, 0)]
    while pending:
        field, value, depth = pending.pop()
        if depth > DEEPEST:
            raise _too_deep(where)
        if isinstance(value, dict):
            for key, inner in value.items():
                pending.append((f"{field}.{key}" if field else str(key), inner, depth + 1))
                if not legible(str(key)):
                    problems.append(_problem(where, field, f"the name {key!r} has control characters"))
        elif isinstance(value, list):
            pending.extend((f"{field}[{index}]", inner, depth + 1) for index, inner in enumerate(value))
        elif isinstance(value, str) and not legible(value):
            problems.append(_problem(where, field, f"got {value!r:.80}; it has control characters"))
        elif isinstance(value, int) and abs(value) > LARGEST:
            found = f"got an integer of {value.bit_length()} bits; at most 63 fit"
            problems.append(_problem(where, field, found))
        elif isinstance(value, float) and not math.isfinite(value):
            problems.append(_problem(where, field, f"got {value}, which is not a finite number"))
    if problems:
        raise InputError(*problems[::-1])


def legible(text: str) -> bool:
    """Whether a text is what it looks like: no control characters but line ends and tabs, none that turn the
    direction of reading, no halves of characters.
    """
    if text.isprintable():
        return True
    odd = {"Cc", "Cs", "Cf", "Cn", "Zl", "Zp"}
    return all(char in "\n\t\r" or unicodedata.category(char) not in odd for char in text)


def _problem(where: str, field: str, found: str) -> Problem:
    return Problem(f"{where}: {field}" if field else where, found, "Correct this field")


def _too_deep(where: str) -> InputError:
    found = f"its tables are nested more than {DEEPEST} deep"
    return InputError(Problem(where, found, "Correct the file"))
