# SPDX-License-Identifier: BSD-3-Clause
"""What stands beside a data literal, in an instance or a module: the parameters of the memory."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shellgen.read.verilog import Verilog

_READERS = {"$readmemh", "$readmemb"}
_NUMBER = re.compile(r"(?:\d*\s*'[sS]?[dD])?\s*(\d[\d_]*)")
_DEPTHS, _WIDTHS = ("DEPTH", "MEM_DEPTH"), ("WIDTH", "MEM_WIDTH")


@dataclass(frozen=True)
class Beside:
    """A literal's surroundings.

    Attributes:
        name: Parameter that takes the literal, or an empty string.
        numbers: Parameters of the same list that are plain numbers.
        texts: Those that are strings.
    """

    name: str
    numbers: dict[str, int]
    texts: dict[str, str]

    @property
    def tells_size(self) -> bool:
        """Whether the parameters say how large the memory is."""
        return self.shape is not None or bool(tree_shapes(self.numbers))

    @property
    def shape(self) -> tuple[int, int] | None:
        """Words and bits of a memstream, as its file has them: two halves a word if it is double-pumped."""
        words = next((self.numbers[name] for name in _DEPTHS if name in self.numbers), 0)
        bits = next((self.numbers[name] for name in _WIDTHS if name in self.numbers), 0)
        if not words or not bits:
            return None
        return (2 * words, -(-bits // 2)) if self.numbers.get("PUMPED_MEMORY") else (words, bits)


def beside(verilog: Verilog, index: int) -> Beside:
    """Read the parameter list around a string, ``.NAME("text")`` or ``NAME = "text"``."""
    code = verilog.code
    start = _opening(code, index)
    if start > 1 and code[start - 2] == ".":
        name = code[start - 1]
        start = _opening(code, start)
    else:
        name = code[index - 2] if index > 1 and code[index - 1] == "=" else ""
    numbers, texts = {}, {}
    depth = 0
    for at in range(start + 1, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth < 0:
            break
        value = _value_at(code, at)
        if value is not None and (match := _NUMBER.fullmatch(value)):
            numbers[code[at]] = int(match[1].replace("_", ""))
            negative = code[at + 2] == "-"
            numbers[code[at]] *= -1 if negative else 1
        elif value is not None and value[0] == '"':
            texts[code[at]] = value[1:-1]
    return Beside(name, numbers, texts)


def _opening(code: tuple[str, ...], index: int) -> int:
    """Return the place of the parenthesis that encloses a token, or -1."""
    depth = 0
    for at in range(index - 1, -1, -1):
        if code[at] == ";":
            break
        depth += {")": 1, "(": -1}.get(code[at], 0)
        if depth < 0:
            return at
    return -1


def _value_at(code: tuple[str, ...], at: int) -> str | None:
    """Return what a parameter's name at this place is given: a number or a string, a sign left out."""
    after = code[at + 1 : at + 4]
    if len(after) < 3 or not (after[0] == "=" or (after[0] == "(" and at and code[at - 1] == ".")):
        return None
    return after[2] if after[1] == "-" else after[1]


def is_path(verilog: Verilog, index: int) -> bool:
    """Whether a literal can be a whole path: no part of a name, no argument of ``$display`` or ``$fopen``.

    memstream glues names, ``{MEM_INIT, "memblock_0.dat"}``; HLS writes ``$fopen("deadlock_db.dat")``.
    """
    if index and verilog.code[index - 1] == "`include":
        return False
    depth = 0
    for at in range(index - 1, -1, -1):
        word = verilog.code[at]
        if word == ";":
            return True
        depth += {")": 1, "}": 1, "(": -1, "{": -1}.get(word, 0)
        if depth < 0:
            caller = verilog.code[at - 1] if at else ""
            return word == "(" and (not caller.startswith("$") or caller in _READERS)
    return True


def tree_shapes(numbers: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Words and bits of each file of a threshold tree, from the parameters of the RTL.

    N is the number of thresholds, and was the bits of the result in FINN 0.10; O_BITS tells which.
    """
    if not {"N", "PE", "C", "WT"} <= set(numbers):
        return {}
    pe, folds = numbers["PE"], numbers["C"] // max(numbers["PE"], 1)
    steps, bias = numbers["N"], numbers.get("BIAS", 0)
    told = numbers.get("O_BITS")
    if (
        told is not None
        and told != _result_bits(steps, bias)
        and told == _result_bits((1 << steps) - 1, bias)
    ):
        steps = (1 << steps) - 1
    return {
        f"threshs_{at}_{stage}.dat": (folds << stage, numbers["WT"])
        for at in range(pe)
        for stage in range(steps.bit_length())
    }


def _result_bits(steps: int, bias: int) -> int:
    """Bits of the sum of that many comparisons and a bias, as FINN computes them."""
    highest = steps + bias
    if bias >= 0:
        return highest.bit_length()
    reach = -bias if 2 * -bias >= steps + 1 else highest + 1
    return 1 + (reach - 1).bit_length()
