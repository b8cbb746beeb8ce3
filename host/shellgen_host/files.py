# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams and weights on the operator's machine, as a node takes them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shellgen_host.errors import InputError
from shellgen_host.folder import refuse_changed

# In the order in which they are looked for.
_SUFFIXES = (".bit.bin", ".bin", ".bit", ".xclbin", ".so")
_ELF = b"\x7fELF"  # a core of `shellgen rehearse`
_XCLBIN = b"xclbin"  # of a card: XRT takes it as it is
_BIT = bytes.fromhex("00090ff00ff00ff00ff000000161")
_SYNC, _SWAPPED = bytes.fromhex("aa995566"), bytes.fromhex("665599aa")
_SYNC_WITHIN = 4096  # bytes from the begin
_MOST_REGISTERS = 1 << 24


def read_bitstream(folder: Path, node: str) -> bytes:
    """Return the bitstream of a node.

    Linux's FPGA manager takes it with the bytes of each word swapped, XRT as it is.

    Args:
        folder: With ``NODE.bit``, ``NODE.bin`` or ``NODE.xclbin``, or a folder ``NODE`` with such a file.
        node: Name of the node.

    Raises:
        InputError: There is none, or it is none.

    Sources: Linux, drivers/fpga/zynq-fpga.c (order of bytes); PYNQ, which converts in the same way.
    """
    places = [base / f"{node}{suffix}" for base in (folder, folder / node) for suffix in _SUFFIXES]
    path = next((path for path in places if path.is_file()), None)
    if path is None:
        names = ", ".join(f"{node}{suffix}" for suffix in _SUFFIXES[:4])
        raise InputError(f"{folder}: there is no bitstream of node {node}; it needs one of {names}")
    data = path.read_bytes()
    if data.startswith((_ELF, _XCLBIN)):
        return data
    if data.startswith(_BIT):
        data = _payload(path, data)
    start = data[:_SYNC_WITHIN]
    if _SWAPPED in start:
        return data
    if _SYNC in start and len(data) % 4 == 0:
        return np.frombuffer(data, ">u4").astype("<u4").tobytes()
    raise InputError(
        f"{path}: it is no bitstream, since it has no sync word; give what `shellgen build` made"
    )


def _payload(path: Path, data: bytes) -> bytes:
    """Return what follows the header of a ``.bit``: fields a to d with 16-bit lengths, e with 32 bits."""
    at = len(_BIT) - 1
    for key in b"abcd":
        if data[at : at + 1] != bytes([key]):
            break
        at += 3 + int.from_bytes(data[at + 1 : at + 3])
    size = int.from_bytes(data[at + 1 : at + 5])
    payload = data[at + 5 : at + 5 + size]
    if data[at : at + 1] != b"e" or len(payload) != size or size % 4:
        raise InputError(f"{path}: its header is damaged, or it is cut off; build it again")
    return payload


def read_weights(out: Path, folder: Path, node: str) -> bytes | None:
    """Return the registers of all memories of a node; None if it has no memory that the host writes.

    Args:
        out: Folder that ``shellgen generate`` wrote.
        folder: That ``shellgen weights`` wrote.
        node: Name of the node.

    Raises:
        InputError: A file is missing or wrong.
    """
    found = json.loads((out / "memory_map.json").read_bytes())
    (entry,) = (one for one in found["nodes"] if one["name"] == node)
    regions = [region for region in entry["regions"] if region["memory"]]
    if not regions:
        return None
    own = folder / node if (folder / node).is_dir() else folder
    files = [own / region["dat"] for region in regions]
    packed = [file.relative_to(folder).as_posix() for file in files]
    refuse_changed(folder, packed, "pack the weights again with `shellgen weights`")
    return b"".join(_registers(*each) for each in zip(files, regions, strict=True))


def _registers(path: Path, region: Mapping[str, Any]) -> bytes:
    """Return the registers of one memory, as `host/shellgen_load.py` of a generated folder reads them."""
    memory, layer = region["memory"], region["layer"] or region["name"]
    count = memory["words"] * memory["lanes"]
    try:
        text = path.read_text(encoding="ascii", errors="replace")
    except OSError as error:
        text = f"{path}: {error.strerror}; pack the weights of this build with `shellgen weights`"
        raise InputError(text) from None
    lines = text.splitlines()
    if lines and lines[0].startswith("//"):
        _check_folding(path, lines[0], memory, layer)
        lines[0] = ""
    words = list[str]()
    for number, line in enumerate(lines, 1):
        words += (found := line.split())
        if any(not re.fullmatch(r"[0-9a-fA-F]{1,8}", word) for word in found):
            said = f"{path}:{number}: this line is no hexadecimal number of 32 bits; pack the weights again"
            raise InputError(said)
    if len(words) != count or count > _MOST_REGISTERS:
        said = f"{path}: {len(words)} registers, and layer {layer} has {count}"
        raise InputError(f"{said}; pack the weights of this build with `shellgen weights`")
    registers = np.array([int(word, 16) for word in words], "<u4")
    _check_bits(path, registers.reshape(-1, memory["lanes"]), memory["word_bits"], layer)
    return registers.tobytes()


def _check_bits(path: Path, registers: npt.NDArray[np.uint32], bits: int, layer: str) -> None:
    """Refuse registers (words, lanes) with more bits than a word, but for a sign: no flops hold them."""
    room = np.clip(bits - 32 * np.arange(registers.shape[1]), 0, 32).astype(np.uint64)
    above = registers.astype(np.uint64) >> room
    wrong = (above != 0) & (above != (1 << (32 - room)) - 1)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        said = (
            f"{path}: register {at} is {registers.flat[at]:08x}, and a word of layer {layer} has {bits} bits"
        )
        raise InputError(f"{said}; pack the weights of this build with `shellgen weights`")


def _check_folding(path: Path, comment: str, memory: Mapping[str, Any], layer: str) -> None:
    try:
        packed = json.loads(comment[comment.index("{") :])
    except ValueError:
        return
    if not isinstance(packed, dict):
        return
    if wrong := [key for key in sorted(packed) if packed[key] != memory.get(key, packed[key])]:
        said = f"{path}: packed for {wrong[0]} {packed[wrong[0]]}, and layer {layer} has {memory[wrong[0]]}"
        raise InputError(f"{said}; pack the weights of this build with `shellgen weights`")
