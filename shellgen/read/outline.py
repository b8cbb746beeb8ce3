# SPDX-License-Identifier: BSD-3-Clause
"""Outlines of sources: names that they define and use, which is all that planning asks of them.

It is kept with the partition (`shellgen.read.kept`), so that nothing need be parsed again.
"""

from __future__ import annotations

from collections.abc import Mapping

from shellgen.model import Partition
from shellgen.model.base import Frozen
from shellgen.read.verilog import Verilog, decoded

_TEXTS = ("verilog", "systemverilog", "header")


class Instance(Frozen):
    """A module that a unit instantiates.

    Attributes:
        name: Of the module.
        certain: Whether no ``generate`` and no ``ifdef`` inside the unit chooses it.
        start: Offset of its name.
    """

    name: str
    certain: bool
    start: int


class Outline(Frozen):
    """Names that a source defines and uses.

    Attributes:
        defined: Names of its units, in order.
        needs: Names of modules, packages and interfaces that it uses, and of headers that it includes.
        inside: What each unit instantiates, in order: each module once, and once more where it becomes
            certain.
    """

    defined: tuple[str, ...]
    needs: tuple[str, ...]
    inside: dict[str, tuple[Instance, ...]]

    @classmethod
    def of(cls, verilog: Verilog) -> Outline:
        """Return the outline of a source.

        Raises:
            InputError: It cannot be read.
        """
        return verilog.kept("outline", lambda: cls._of(verilog))

    @classmethod
    def _of(cls, verilog: Verilog) -> Outline:
        own: dict[str, set[str]] = {unit: set() for unit in verilog.units}
        inside: dict[str, dict[tuple[str, bool], Instance]] = {unit: {} for unit in verilog.units}
        for use in verilog.facts.uses:
            if use.role == "definition" and use.name != use.unit:
                own.setdefault(use.unit, set()).add(use.name)
        for use in verilog.facts.uses:
            if use.role == "instance" and use.unit in inside and use.name not in own[use.unit]:
                found = Instance(name=use.name, certain=use.certain, start=use.start)
                inside[use.unit].setdefault((use.name, use.certain), found)
        return cls(
            defined=tuple(verilog.units),
            needs=tuple(sorted(verilog.used | set(verilog.included))),
            inside={unit: tuple(found.values()) for unit, found in inside.items() if found},
        )

    def instances(self, unit: str) -> tuple[Instance, ...]:
        """Return what one of its units instantiates."""
        return self.inside.get(unit, ())


Outlines = Mapping[str, Outline]  # of the sources of a partition, by sha256


def texts(partition: Partition, files: Mapping[str, bytes]) -> dict[str, Verilog]:
    """Return the sources of a partition that are Verilog, headers among them, by name.

    Args:
        partition: The partition.
        files: Content by sha256.
    """
    known = {entry.name: decoded(files[entry.sha256]) for entry in partition.sources if entry.kind in _TEXTS}
    return {name: Verilog(text, f"{partition.name}: {name}", known) for name, text in known.items()}


def outlines(partition: Partition, files: Mapping[str, bytes]) -> dict[str, Outline]:
    """Return the outlines of the sources of a partition, by sha256; arguments as of `texts`.

    Raises:
        InputError: One cannot be read.
    """
    found = texts(partition, files)
    return {entry.sha256: Outline.of(found[entry.name]) for entry in partition.sources if entry.name in found}
