# SPDX-License-Identifier: BSD-3-Clause
"""Judge of a configuration file: sections, units, regions, memory, clocks; streams are in `streams`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..report import Message, Origin, Verdict
from .config import Option
from .kernels import Kernel
from .streams import StreamJudge
from .units import Units, units_of

RULE = "kernel-link"
SOURCE = "UG1393, v++ linking options and RTL kernel XML file; Xilinx/xup_vitis_network_example, config_files"
REMEDY = "Write one name in all places"
_LEARN = "Give its kernel.xml or .xo with --learn"
# Sections of options. Source: UG1393, v++ linking options.
_SECTIONS = {
    **dict.fromkeys(("nk", "sp", "slr", "stream_connect"), "connectivity"),
    **dict.fromkeys(("freqHz", "defaultFreqHz", "defaultId"), "clock"),
    "prop": "vivado",
}
_BANK = re.compile(r"([A-Za-z]\w*?)\[(\d+)(?::(\d+))?\]")
_RATE = re.compile(r"(\d+:)?\d+(\|\d+:\d+)*")


@dataclass(frozen=True)
class Card:
    """The card of a target platform.

    Attributes:
        slrs: Number of its super logic regions; 0 if unknown.
        near: SLR beside the transceivers; None: kernels of a network may be anywhere.
        banks: Number of its memory banks by kind.
    """

    slrs: int = 0
    near: int | None = None
    banks: Mapping[str, int] | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Card:
        """Return a card from its entry in boards.toml."""
        return cls(facts.get("slrs", 0), facts.get("network"), facts.get("banks"))


@dataclass(frozen=True)
class Link:
    """A configuration, and what it is judged by.

    Attributes:
        options: Of the configuration file.
        kernels: Descriptions by name.
        linked: Names of the kernels that are linked for certain.
        card: Of the target platform.
        network: Kernels that belong beside the transceivers.
        remedy: For all messages.
        ours: Whether the caller has generated the file: then every stream is connected, and both of its ends
            are equally wide. In another file v++ adds a converter, and an output may be meant to be open.
    """

    options: Sequence[Option]
    kernels: Mapping[str, Kernel]
    linked: frozenset[str]
    card: Card = Card()
    network: frozenset[str] = frozenset()
    remedy: str = REMEDY
    ours: bool = False

    def messages(self) -> Iterator[Message]:
        """Yield everything that is wrong, or unknown."""
        units = units_of(self.options, self.linked)
        yield from self._sections()
        yield from self._units(units)
        yield from self._regions(units)
        yield from self._memory(units)
        yield from self._clocks(units)
        yield from StreamJudge(self, units).messages()

    def said(self, option: Option, where: str, found: str, expected: str) -> Message:
        """Return an error of this rule."""
        return self.message(Verdict.ERROR, option.origin, where, found, expected)

    def message(self, verdict: Verdict, origin: Origin, where: str, found: str, expected: str) -> Message:
        """Return a message of this rule."""
        remedy = _LEARN if verdict is Verdict.NOT_MODELLED else self.remedy
        return Message(RULE, verdict, origin, where, found, expected, remedy)

    def of(self, *keys: str) -> Iterator[Option]:
        """Yield the options of some keys."""
        return (one for one in self.options if one.key in keys)

    def unit(self, units: Units, option: Option, name: str) -> Iterator[Message]:
        """Yield why there is no such unit: an error, or that nothing is known of its kernel."""
        if name in units.kernels:
            return
        if kernel := units.kernel_that_may_have(name):
            found = f"no nk and no description names the kernel {kernel}"
            yield self.message(Verdict.NOT_MODELLED, option.origin, name, found, "")
        else:
            yield self.said(option, name, "no nk makes such a unit", f"one of {', '.join(units.kernels)}")

    def _sections(self) -> Iterator[Message]:
        for option in self.options:
            wanted = _SECTIONS.get(option.key)
            if wanted is not None and option.section != wanted:
                place = f"[{option.section}]" if option.section else "the head of the file"
                yield self.said(option, option.key, f"it is in {place}", f"section [{wanted}]")

    def _units(self, units: Units) -> Iterator[Message]:
        seen: set[str] = set()
        for made in units.made:
            if made.wrong:
                yield self.said(made.option, made.kernel, made.wrong, "a number, and a name for each unit")
            for name in made.names:
                if name in seen:
                    yield self.said(made.option, name, "two units have this name", "one")
                seen.add(name)

    def _regions(self, units: Units) -> Iterator[Message]:
        placed: set[str] = set()
        for option in self.of("slr"):
            unit, _, region = option.value.replace(" ", "").partition(":")
            yield from self.unit(units, option, unit)
            if unit in placed:
                yield self.said(option, unit, "it is placed twice", "once")
            placed.add(unit)
            number = re.fullmatch(r"SLR(\d+)", region)
            if number is None or (self.card.slrs and int(number[1]) >= self.card.slrs):
                last = f"SLR{self.card.slrs - 1}" if self.card.slrs else "the last of the card"
                yield self.said(option, unit, f"it is in {region or 'no region'}", f"SLR0 to {last}")
            elif self._is_far(units, unit, int(number[1])):
                expected = f"SLR{self.card.near}, beside the transceivers"
                yield self.said(option, unit, f"it is in {region}", expected)
        for made in units.made if self.card.near is not None else ():
            for name in made.names:
                if made.kernel in self.network and name not in placed:
                    expected = f"SLR{self.card.near}, beside the transceivers"
                    yield self.said(made.option, name, "no slr places it", expected)

    def _is_far(self, units: Units, unit: str, region: int) -> bool:
        return units.kernels.get(unit) in self.network and self.card.near not in (None, region)

    def _memory(self, units: Units) -> Iterator[Message]:
        for option in self.of("sp"):
            end, colon, bank = option.value.replace(" ", "").partition(":")
            unit, dot, name = end.partition(".")
            yield from self.unit(units, option, unit)
            kernel = self.kernels.get(units.kernels.get(unit, ""))
            if not (colon and dot and bank):
                yield self.said(
                    option, option.value, "it has no unit, argument and memory", "unit.argument:DDR[0]"
                )
                continue
            if kernel is not None and kernel.whole and name not in kernel.memory:
                known = ", ".join(sorted(kernel.memory)) or "none: it has no memory port"
                yield self.said(option, end, f"{kernel.name} has no argument or port {name} at memory", known)
            yield from self._bank(option, bank)

    def _bank(self, option: Option, bank: str) -> Iterator[Message]:
        parts = _BANK.fullmatch(bank)
        first, last = (int(parts[2]), int(parts[3] or parts[2])) if parts else (0, 0)
        if parts and first > last:
            yield self.said(option, bank, "its range runs backwards", f"{parts[1]}[{last}:{first}]")
        if parts and parts[1] == "HOST" and max(first, last) > 0:
            yield self.said(option, bank, "the memory of the host is one bank", "HOST[0]")
        banks = self.card.banks or {}
        if (
            parts
            and parts[1] in ("DDR", "HBM")
            and self.card.banks
            and max(first, last) >= banks.get(parts[1], 0)
        ):
            there = " and ".join(f"{kind}[0] to {kind}[{count - 1}]" for kind, count in banks.items())
            yield self.said(option, bank, "the card has no such bank", there)

    def _clocks(self, units: Units) -> Iterator[Message]:
        for option in self.of("freqHz"):
            rate, _, ends = option.value.replace(" ", "").partition(":")
            if not rate.isdecimal() or not ends:
                yield self.said(option, option.key, option.value, "Hz:unit or Hz:unit.clock")
                continue
            for end in ends.split(","):
                yield from self.unit(units, option, end.partition(".")[0])
        for option in self.of("kernel_frequency"):
            if not _RATE.fullmatch(option.value.replace(" ", "")):
                yield self.said(option, option.key, option.value, "MHz, or number:MHz|number:MHz")
