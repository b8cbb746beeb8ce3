# SPDX-License-Identifier: BSD-3-Clause
"""Verilog and SystemVerilog by syntax tree: what slang (pyslang) makes of a text, as plain records.

slang runs in a process of its own (`vivado_check.syntax.process`); nothing of it is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vivado_check.syntax.process import ask, start, stop
from vivado_check.syntax.records import (
    Elaborated,
    Facts,
    Fault,
    Finding,
    Given,
    Joint,
    Literal,
    Memory,
    Port,
    Unit,
    Use,
)

__all__ = [
    "Elaborated",
    "Facts",
    "Fault",
    "Finding",
    "Given",
    "Joint",
    "Literal",
    "Memory",
    "Port",
    "Unit",
    "Use",
]
__all__ += ["elaborate", "join", "read_facts", "read_includes", "read_lists", "read_ports", "start", "stop"]


def read_facts(text: str, headers: Mapping[str, str], where: str) -> Facts:
    """Return what a text defines and uses, in every branch of its ``ifdef``.

    Args:
        text: Verilog.
        headers: Texts that it may include, by base name; it includes nothing else.
        where: File that an error names.

    Raises:
        InputError: It cannot be read within bounds of time, memory and nesting.
    """
    units, uses, literals, faults, lost, protected = ask(where, "facts", text, dict(headers))
    return Facts(
        tuple(Unit(*unit) for unit in units),
        tuple(Use(*use) for use in uses),
        tuple(Literal(*literal) for literal in literals),
        tuple(Fault(*fault) for fault in faults),
        tuple(lost),
        protected,
    )


def read_includes(text: str, where: str) -> tuple[tuple[int, int], ...]:
    """Return the places of the names that a text includes, with their quotes; errors as of `read_facts`."""
    if "`include" not in text:
        return ()
    return tuple((start, end) for start, end in ask(where, "includes", text))


def read_lists(text: str, headers: Mapping[str, str], where: str) -> tuple[Given, ...]:
    """Return the parameter lists of units and instances; arguments and errors as of `read_facts`."""
    return tuple(Given(*given) for given in ask(where, "lists", text, dict(headers)))


def read_ports(
    text: str, module: str, headers: Mapping[str, str], others: Sequence[str], where: str
) -> tuple[tuple[Port, ...] | None, tuple[Fault, ...]]:
    """Return the ports of a module, or None if the text does not define it, and the text's syntax errors.

    Args:
        text: Verilog.
        module: Name of the module.
        headers: Texts that may be included, by base name.
        others: Texts of packages and interfaces that it uses.
        where: File that an error names.

    Raises:
        InputError: As of `read_facts`.
    """
    ports, faults = ask(where, "ports", text, module, dict(headers), list(others))
    found = None if ports is None else tuple(Port(*port) for port in ports)
    return found, tuple(Fault(*fault) for fault in faults)


def elaborate(
    sources: Sequence[tuple[str, str]],
    headers: Mapping[str, str],
    top: str,
    macros: Sequence[str],
    judge: bool = True,
) -> Elaborated:
    """Return what is wrong with a design, and what fills its memories.

    Args:
        sources: Name and text of each file, in the order in which they are compiled.
        headers: Texts that they may include, by base name.
        top: Module at the top.
        macros: Those that are defined beforehand.
        judge: Whether to look for what is wrong, which takes most of the time.

    Raises:
        InputError: As of `read_facts`.
    """
    given = (list(sources), dict(headers), top, list(macros), judge)
    findings, memories, modules = ask(top, "elaborated", *given)
    return Elaborated(
        tuple(Finding(*one) for one in findings), tuple(Memory(*one) for one in memories), tuple(modules)
    )


def join(
    sources: Sequence[tuple[str, str]], headers: Mapping[str, str], top: str, macros: Sequence[str]
) -> tuple[tuple[Joint, ...], tuple[Finding, ...]]:
    """Return what drives what below a module, and errors, two of a name, wrong indices and widths of ports.

    Arguments are those of `elaborate`.
    """
    joints, errors = ask(top, "joined", list(sources), dict(headers), top, list(macros))
    found = tuple(Joint(one[0], tuple(one[1]), *one[2:]) for one in joints)
    return found, tuple(Finding(*one) for one in errors)
