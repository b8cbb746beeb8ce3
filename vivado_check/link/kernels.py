# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of kernels: kernel.xml, alone or inside a .xo, and a few kernels that are known by name."""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element

from ..errors import InputError, Problem
from ..formats.files import file_bytes
from ..formats.xml import XmlError, parse_xml

_DESCRIPTION = "kernel.xml"
_MOST_BYTES = 1 << 24  # of a description inside a .xo
_REMEDY = "Give the kernel.xml of a kernel, its .xo, or a folder with them"


@dataclass(frozen=True)
class Stream:
    """A stream of a kernel: whether beats leave it, and bits of TDATA, 0 if unknown."""

    leaves: bool
    bits: int = 0


@dataclass(frozen=True)
class Kernel:
    """A kernel as its description has it (UG1393, RTL kernel XML file).

    Attributes:
        name: Of the kernel.
        streams: Its streams by name.
        memory: Names that ``sp`` may give: masters, and arguments at a master.
        whole: Whether all ports are here; of kernels known by name, only the streams are.
    """

    name: str
    streams: Mapping[str, Stream]
    memory: frozenset[str] = frozenset()
    whole: bool = field(default=True, kw_only=True)


@cache
def known_kernels() -> Mapping[str, Kernel]:
    """Return the kernels that are known by name."""
    text = Path(__file__).with_name("kernels.toml").read_text(encoding="utf-8")
    return {
        name: Kernel(name, {port: Stream(**fields) for port, fields in ports.items()}, whole=False)
        for name, ports in tomllib.loads(text).items()
    }


def kernel_of(element: Element) -> Kernel:
    """Return a kernel from the element of that name."""
    streams, masters = {}, set()
    for port in element.iter("port"):
        name, mode = port.get("name", ""), port.get("mode", "")
        bits = port.get("dataWidth", "")
        if port.get("portType") == "stream":
            streams[name] = Stream(mode == "write_only", int(bits) if bits.isdecimal() else 0)
        elif mode == "master":
            masters.add(name)
    arguments = {one.get("name", "") for one in element.iter("arg") if one.get("port") in masters}
    return Kernel(element.get("name", ""), streams, frozenset(masters | arguments))


def read_kernels(paths: Sequence[Path]) -> dict[str, Kernel]:
    """Return the kernels that files and folders describe, by name.

    Args:
        paths: Each a kernel.xml, a .xo, or a folder with them at any depth.

    Raises:
        InputError: A path has no description, or one that cannot be read.
    """
    found: dict[str, Kernel] = {}
    for path in paths:
        kernels = [kernel_of(one) for where, content in _contents(path) for one in _elements(where, content)]
        if not kernels:
            raise InputError(Problem(str(path), "it describes no kernel", _REMEDY))
        found |= {kernel.name: kernel for kernel in kernels}
    return found


def _contents(path: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield each description below a path."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files:
        if file.suffix == ".xo" and file.is_file():
            yield file, _packed(file)
        elif file.is_file() and (file == path or file.name == _DESCRIPTION):
            yield file, file_bytes(file)


def _packed(path: Path) -> bytes:
    """Return the description inside a .xo, which is a zip archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [one for one in archive.infolist() if Path(one.filename).name == _DESCRIPTION]
            if names and names[0].file_size <= _MOST_BYTES:
                with archive.open(names[0]) as packed:
                    return packed.read(_MOST_BYTES)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise InputError(Problem(str(path), f"it is no .xo: {error}", _REMEDY)) from error
    raise InputError(Problem(str(path), f"it has no {_DESCRIPTION} of at most 16 MiB", _REMEDY))


def _elements(path: Path, content: bytes) -> Iterator[Element]:
    try:
        yield from parse_xml(content).iter("kernel")
    except XmlError as error:
        raise InputError(Problem(str(path), str(error), _REMEDY)) from error
