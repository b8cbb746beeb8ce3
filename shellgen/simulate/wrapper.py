# SPDX-License-Identifier: BSD-3-Clause
"""The wrapper of a separately compiled partition: a module for the bench and the C++ behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.render import render

_PORT = re.compile(r"\bVL_(IN|OUT|INOUT)(?:8|16|64|W)?\((.*)\);")
_VECTOR = re.compile(r"&(\w+),(\d+),(\d+)(?:,\d+)?$")
_LARGEST_C_TYPES = ((8, "CData"), (16, "SData"), (32, "IData"), (64, "QData"))


@dataclass(frozen=True)
class Pin:
    """A port of a model.

    Attributes:
        cpp_name: As Verilator writes it in C++.
        is_input: Direction.
        bits: Width.
    """

    cpp_name: str
    is_input: bool
    bits: int

    @property
    def name(self) -> str:
        """Name in HDL; Verilator writes two underscores in a row as one and ``__05F``."""
        return self.cpp_name.replace("___05F", "__")

    @property
    def span(self) -> str:
        """Range of the declaration."""
        return f"[{self.bits - 1}:0] " if self.bits > 1 else ""

    @property
    def cpp_type(self) -> str:
        """The type that Verilator gives a port of this width."""
        fitting = (name for most, name in _LARGEST_C_TYPES if self.bits <= most)
        return next(fitting, f"VlWide<{-(-self.bits // 32)}>")

    @property
    def cpp_input(self) -> str:
        """Type of the argument as an input of DPI."""
        return "const svBitVecVal*" if self.bits > 1 else "svBit"

    @property
    def cpp_output(self) -> str:
        """Type of the argument as an output of DPI."""
        return "svBitVecVal*" if self.bits > 1 else "svBit*"


def read_pins(header: Path) -> tuple[Pin, ...] | None:
    """Return the ports in the header of a model, sorted by name.

    Returns:
        None if one is more than an input or output of bits.
    """
    pins = []
    for direction, arguments in _PORT.findall(header.read_text()):
        match = _VECTOR.match(arguments)
        if match is None or direction == "INOUT":
            return None
        high, low = int(match[2]), int(match[3])
        pins.append(Pin(match[1], direction == "IN", abs(high - low) + 1))
    return tuple(sorted(pins, key=lambda pin: pin.name))


def wrapper(top: str, pins: Sequence[Pin], clocks: Sequence[str]) -> dict[str, str]:
    """Return the module (``.sv``) and the C++ (``.cpp``) that take the place of module ``top``.

    Both are named by ``top`` alone, so that a bench does not depend on the inside of a partition.

    Args:
        top: Module.
        pins: Its ports.
        clocks: Those at whose edges its registers change.
    """
    answers = {
        "top": top,
        "symbol": symbol(top),
        "prefix": prefix(top),
        "ports": list(pins),
        "clocks": [pin for pin in pins if pin.name in clocks],
        "inputs": [pin for pin in pins if pin.is_input and pin.name not in clocks],
        "outputs": [pin for pin in pins if not pin.is_input],
    }
    return {kind: render(f"simulate/block.{kind}.j2", **answers) for kind in ("sv", "cpp")}


def symbol(top: str) -> str:
    """Return what the C functions of a block begin with."""
    return f"shellgen_{top}"


def prefix(top: str) -> str:
    """Return Verilator's prefix of the C++ of a block."""
    return f"Vblock_{top}"
