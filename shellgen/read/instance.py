# SPDX-License-Identifier: BSD-3-Clause
"""The parameters of a memory beside a data literal, in an instance or a module."""

from __future__ import annotations

from dataclasses import dataclass

from vivado_check.syntax import Literal

_DEPTHS, _WIDTHS = ("DEPTH", "MEM_DEPTH"), ("WIDTH", "MEM_WIDTH")


@dataclass(frozen=True)
class Beside:
    """A literal's surroundings.

    Attributes:
        numbers: Parameters of the same list that are plain numbers.
        texts: Those that are strings.
    """

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


def beside(literal: Literal) -> Beside:
    """Return the parameter list around a string, ``.NAME("text")`` or ``NAME = "text"``."""
    return Beside(literal.numbers, literal.texts)


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
