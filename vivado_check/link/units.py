# SPDX-License-Identifier: BSD-3-Clause
"""Compute units: those that ``nk`` makes, and one of each kernel that no ``nk`` names (UG1393)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .config import Option


@dataclass(frozen=True)
class Made:
    """The units of one ``nk``: what it says is wrong with the option, else nothing."""

    option: Option
    kernel: str
    names: tuple[str, ...]
    wrong: str = ""


@dataclass(frozen=True)
class Units:
    """All units of a configuration.

    Attributes:
        made: By option, in order.
        kernels: Kernel of each unit by name.
    """

    made: tuple[Made, ...]
    kernels: Mapping[str, str]

    def kernel_that_may_have(self, unit: str) -> str:
        """Return the kernel whose only unit would have this name, empty if ``nk`` names its units."""
        kernel, _, number = unit.rpartition("_")
        named = {one.kernel for one in self.made}
        return kernel if number == "1" and kernel and kernel not in named else ""


def units_of(options: Sequence[Option], described: Iterable[str]) -> Units:
    """Return the units that a configuration links.

    Args:
        options: Of the file.
        described: Names of the kernels that are linked for certain.
    """
    made = tuple(_made(options))
    named = {one.kernel for one in made}
    kernels = {name: one.kernel for one in made for name in one.names}
    alone = {f"{kernel}_1": kernel for kernel in described if kernel not in named}
    return Units(made, {**alone, **kernels})


def _made(options: Sequence[Option]) -> Iterator[Made]:
    for option in options:
        if option.key == "nk":
            kernel, _, rest = option.value.replace(" ", "").partition(":")
            count, _, names = rest.partition(":")
            listed = tuple(name for name in re.split(r"[.,]", names) if name)
            if not re.fullmatch(r"\d{1,4}", count):  # none is legal: the kernel stays out
                yield Made(option, kernel, listed, f"{count or 'nothing'} as the number of units")
            elif len(listed) not in (0, int(count)):
                yield Made(option, kernel, listed, f"{count} units, and {len(listed)} names")
            else:
                numbered = tuple(f"{kernel}_{k}" for k in range(1, int(count) + 1))
                yield Made(option, kernel, listed or numbered)
