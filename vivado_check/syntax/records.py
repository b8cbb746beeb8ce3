# SPDX-License-Identifier: BSD-3-Clause
"""Facts from the syntax trees of a Verilog text; offsets count characters of the text as it was read."""

from __future__ import annotations

from typing import Literal as Word
from typing import NamedTuple

Role = Word["definition", "instance", "package", "interface"]


class Unit(NamedTuple):
    """A definition that has a global name.

    Attributes:
        kind: ``module``, ``macromodule``, ``package``, ``interface``, ``program`` or ``primitive``.
        name: Its name, without the backslash of an escaped one.
        start: Offset of its keyword.
        end: Offset after its end label, or after its end.
    """

    kind: str
    name: str
    start: int
    end: int


class Use(NamedTuple):
    """A name of a unit, where it is defined or used.

    Attributes:
        name: The name, without the backslash of an escaped one.
        start: Offset of its first character; -1 if it is in a header, -2 if a macro has put it together.
        end: Offset after its last character; negative as ``start`` is.
        unit: Unit that contains it; empty outside of all.
        role: What the name is of.
        certain: Whether no ``generate`` and no ``ifdef`` inside the unit chooses it.
    """

    name: str
    start: int
    end: int
    unit: str
    role: Role
    certain: bool


class Literal(NamedTuple):
    """A string of code; those in attributes, comments and directives are none.

    Attributes:
        start: Offset of the first quote.
        end: Offset after the last one.
        whole: Whether it can be a whole path: no part of a concatenation, no argument of ``$display``.
        parameter: Parameter that it is given to, or an empty string.
        numbers: Parameters of the same list that are plain numbers.
        texts: Those that are strings.
    """

    start: int
    end: int
    whole: bool
    parameter: str
    numbers: dict[str, int]
    texts: dict[str, str]


class Given(NamedTuple):
    """A list of parameters, of an instance or of a unit.

    Attributes:
        unit: Unit that contains it.
        numbers: Parameters that are plain numbers.
        texts: Those that are strings.
    """

    unit: str
    numbers: dict[str, int]
    texts: dict[str, str]


class Fault(NamedTuple):
    """An error of the parser.

    Attributes:
        start: Offset.
        found: A sentence without a final stop.
    """

    start: int
    found: str


class Port(NamedTuple):
    """A port of a module.

    Attributes:
        name: As it is written; an escaped one with its backslash and the blank that ends it.
        direction: ``in``, ``out`` or ``inout``.
        bits: Width; 0 if it is not a constant or no vector.
    """

    name: str
    direction: str
    bits: int


class Facts(NamedTuple):
    """Facts of one file.

    Attributes:
        units: Definitions in order.
        uses: All names of units in order of place.
        literals: Strings in order.
        faults: Syntax errors, if no choice of ``ifdef`` branches is without, or if something is lost by them.
        lost: Modules and packages that it begins, and that no tree has because of its errors.
        protected: Whether a part of it is encrypted.
    """

    units: tuple[Unit, ...]
    uses: tuple[Use, ...]
    literals: tuple[Literal, ...]
    faults: tuple[Fault, ...]
    lost: tuple[str, ...]
    protected: bool


class Finding(NamedTuple):
    """A fault of a design, or a possible one.

    Attributes:
        file: As it was named; the base name of a header.
        line: From 1.
        code: Slang's name for it (``UndrivenNet``), or ``MultipleNetDrivers``.
        text: In words.
        error: Whether the language forbids it.
        idle: Whether no output of the design hangs on it: nothing drives a signal that nothing needs, as that
            of a feature that is switched off.
    """

    file: str
    line: int
    code: str
    text: str
    error: bool
    idle: bool = False


class Memory(NamedTuple):
    """A call that fills a memory when the device is configured, in one instance.

    Attributes:
        file: Where the call stands.
        line: From 1.
        memory: Path of the memory below the top.
        name: File that it is filled from; empty if that is not known before a simulation runs.
        words: Words that it has, 0 if not known.
        bits: Bits of a word, 0 if not known.
        base: 16, or 2 for ``$readmemb``.
    """

    file: str
    line: int
    memory: str
    name: str
    words: int
    bits: int
    base: int


class Elaborated(NamedTuple):
    """A design below its top.

    Attributes:
        findings: In order of files and lines.
        memories: Calls that fill memories, once for each instance.
        modules: Those that have instances, sorted, the top among them; none if there is no such module.
    """

    findings: tuple[Finding, ...]
    memories: tuple[Memory, ...]
    modules: tuple[str, ...]


class Joint(NamedTuple):
    """A driver of a net, a variable, a member of an interface, or an input of an instance.

    Attributes:
        target: Its whole name, from the top down.
        sources: Whole names of what the value is made of; an instance's output under its own name.
        constant: The value, if it is one that never changes; empty otherwise, and for an input that is open.
        inverted: Whether something of it is inverted.
        part: Whether only a part of the target is driven.
        file: As it was named; the base name of a header.
        line: From 1.
    """

    target: str
    sources: tuple[str, ...]
    constant: str
    inverted: bool
    part: bool
    file: str
    line: int
