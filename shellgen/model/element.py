# SPDX-License-Identifier: BSD-3-Clause
"""Element types as FINN and QONNX name them: UINT4, INT16, BIPOLAR, BINARY, TERNARY."""

from __future__ import annotations

import re
from dataclasses import dataclass

_INTEGER = re.compile(r"(U?)INT([1-9][0-9]{0,3})")
_NAMED = {"BINARY": (1, False), "BIPOLAR": (1, False), "TERNARY": (2, True)}


@dataclass(frozen=True)
class ElementType:
    """One element of a stream.

    Attributes:
        name: As in the ONNX annotation.
        bits: Bits of one element.
        signed: Two's complement. BIPOLAR is stored unsigned: -1 as 0, +1 as 1.

    Source: docs/finn-builds.md, words of a stream.
    """

    name: str
    bits: int
    signed: bool

    @staticmethod
    def parse(name: str) -> ElementType:
        """Parse a QONNX data type name.

        Raises:
            ValueError: The name is not an integer type; floats do not cross a FINN stream packed.
        """
        if name in _NAMED:
            bits, signed = _NAMED[name]
            return ElementType(name, bits, signed)
        match = _INTEGER.fullmatch(name)
        if not match:
            kinds = "UINTn, INTn with n of 1 to 9999, BINARY, BIPOLAR, TERNARY"
            raise ValueError(f"data type {name!r} is not an integer type ({kinds})")
        return ElementType(name, int(match[2]), match[1] == "")

    @property
    def low(self) -> int:
        """Smallest value."""
        if self.name == "BIPOLAR":
            return -1
        if self.name == "TERNARY":
            return -1
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """Largest value."""
        if self.name in _NAMED:
            return 1
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1
