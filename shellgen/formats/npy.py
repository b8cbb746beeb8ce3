# SPDX-License-Identifier: BSD-3-Clause
"""A ``.npy`` file of numbers. The header is matched with a grammar and compared with the size of the file
before anything else is read: nothing in it is evaluated, and nothing but numbers is taken.

Source: NEP 1, the format and its three versions.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from shellgen.errors import InputError, Problem
from vivado_check.formats.files import open_file
from vivado_check.formats.looks import size_of

_MAGIC = b"\x93NUMPY"
_LENGTHS = {1: "<H", 2: "<I", 3: "<I"}
_LONGEST_HEADER = 1 << 16
_NUMBER = re.compile(r"[<>|=][biuf](1|2|4|8)")
_SHAPE = r"\(\s*(?:\d{1,19}L?\s*(?:,\s*\d{1,19}L?\s*)*,?\s*)?\)"
_PLAIN = r"[^'\"\\]{0,40}"
_FIELDS = {
    "descr": rf"'({_PLAIN})'",
    "fortran_order": r"(True|False)",
    "shape": rf"({_SHAPE})",
}


@dataclass(frozen=True)
class Header:
    """Header of a file: type, shape and order of its elements."""

    descr: str
    fortran: bool
    shape: tuple[int, ...]


def read_npy(path: Path, where: str, *, missing: str = "Correct the path") -> npt.NDArray[Any]:
    """Read an array of booleans, integers or floating-point numbers.

    Args:
        path: The file.
        where: Its name in messages.
        missing: What to do if it is not there.

    Raises:
        InputError: It is missing, or no ``.npy`` file, or of something else than numbers, or its header does
            not fit its size.
    """
    try:
        size = size_of(path)
        with open_file(path) as file:
            header = _header(file, where)
            kind = _kind(header, where)
            begin = file.tell()
            wanted = prod(header.shape) * kind.itemsize
            if size - begin != wanted:
                found = f"shape {header.shape} of {kind} is {wanted} bytes, and the file has {size - begin}"
                raise InputError(Problem(where, found, "Write it again with numpy.save"))
            data = file.read(wanted)
    except FileNotFoundError:
        raise InputError(Problem(where, "the file is missing", missing)) from None
    except OSError as error:
        raise InputError(Problem(where, f"cannot be read: {error.strerror}", missing)) from None
    if len(data) != wanted:
        raise _no_npy(where)
    array: npt.NDArray[Any] = np.frombuffer(data, kind)
    return array.reshape(header.shape, order="F" if header.fortran else "C")


def _header(file: BinaryIO, where: str) -> Header:
    start = file.read(8)
    version = _LENGTHS.get(start[6]) if len(start) == 8 and start[:6] == _MAGIC else None
    if version is None:
        raise _no_npy(where)
    length = file.read(struct.calcsize(version))
    if len(length) != struct.calcsize(version):
        raise _no_npy(where)
    (count,) = struct.unpack(version, length)
    text = file.read(min(count, _LONGEST_HEADER + 1))
    if len(text) != count:
        raise _no_npy(where)
    return _parse(text.decode("utf-8" if start[6] == 3 else "latin-1", "replace").strip(), where)


def _parse(text: str, where: str) -> Header:
    """Take the three fields, in any order, and nothing else."""
    rest = text.removeprefix("{").removesuffix("}").strip().removesuffix(",")
    found: dict[str, str] = {}
    while rest:
        for name, grammar in _FIELDS.items():
            match = re.match(rf"\s*'{name}'\s*:\s*{grammar}\s*(?:,|$)", rest)
            if match and name not in found:
                found[name], rest = match[1], rest[match.end() :].strip()
                break
        else:
            if re.match(r"\s*'descr'\s*:\s*\[", rest):
                raise _no_numbers(where, "records")
            raise _no_npy(where)
    if set(found) != set(_FIELDS) or not (text.startswith("{") and text.endswith("}")):
        raise _no_npy(where)
    shape = tuple(int(size) for size in re.findall(r"\d+", found["shape"]))
    return Header(found["descr"], found["fortran_order"] == "True", shape)


def _kind(header: Header, where: str) -> np.dtype[Any]:
    if not _NUMBER.fullmatch(header.descr) or len(header.shape) > 32:
        raise _no_numbers(where, f"shape {header.shape} of {header.descr!r}")
    try:
        return np.dtype(header.descr)
    except TypeError:  # a float of one byte
        raise _no_numbers(where, f"shape {header.shape} of {header.descr!r}") from None


def _no_npy(where: str) -> InputError:
    return InputError(Problem(where, "it is not a .npy file", "Write it with numpy.save"))


def _no_numbers(where: str, what: str) -> InputError:
    remedy = "Save an array of numbers, without pickled objects"
    return InputError(Problem(where, f"it holds {what}, not numbers", remedy))
