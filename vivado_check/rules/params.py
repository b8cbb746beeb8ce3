# SPDX-License-Identifier: BSD-3-Clause
"""CONFIG values: of parameters that there are, in their range, and not in Vivado's hands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..design import Cell, Setting
from ..ip.facts import Ip, Parameter
from ..ip.names import slip
from ..ip.unite import release_key
from ..report import Message, Verdict
from .base import Context, rule
from .walk import ip_name

_Entry = tuple[Cell, str, Setting, Ip]


def _settings(context: Context) -> Iterator[_Entry]:
    """Yield every CONFIG value of a cell whose IP is known, without those of VALUE_SRC."""
    for path, cell in context.graph.design.cells.items():
        ip = context.graph.ip(path)
        for name, setting in cell.config.items() if ip else ():
            if ip and "." not in name and name != "Component_Name":
                yield cell, name, setting, ip


def _say(
    name: str, verdict: Verdict, entry: _Entry, texts: tuple[str, str, str], vivado: str = ""
) -> Message:
    cell, parameter, setting, _ = entry
    return Message(name, verdict, setting.origin, f"{cell.path}: CONFIG.{parameter}", *texts, vivado)


@rule("parameter-unknown", scope="design", source="IEEE 1685-2009: the IP's own IP-XACT lists its parameters")
def parameter_unknown(context: Context) -> Iterator[Message]:
    """Find parameters that an IP does not have: Vivado says so and goes on without them."""
    for entry in _settings(context):
        cell, name, _, ip = entry
        if ip.parameter(name, context.graph.config(cell.path)) is not None:
            continue
        if not ip.complete or not (ip.closed or _misspelt(name, ip)):
            texts = ("not known whether the IP has it", "a parameter of the IP", "look it up in its manual")
            yield _say("parameter-unknown", Verdict.NOT_MODELLED, entry, texts)
            continue
        texts = (
            "there is no such parameter, and its value is dropped",
            f"a parameter of {ip.vlnv}",
            "correct its name",
        )
        yield _say("parameter-unknown", Verdict.FINDING, entry, texts, "BD 41-1276")


def _misspelt(name: str, ip: Ip) -> bool:
    """Return whether a name differs from a parameter by a typo; public projects do not show all."""
    return any(slip(name, known) for known in ip.parameter_names())


@rule("parameter-range", scope="design", source="IEEE 1685-2009: choices, minimum and maximum")
def parameter_range(context: Context) -> Iterator[Message]:
    """Find values that a parameter cannot have."""
    for entry in _settings(context):
        cell, name, setting, ip = entry
        known = ip.parameter(name, context.graph.config(cell.path))
        if known is None or known.enabled is False or _is_later(context.release, known):
            continue
        if allowed := _outside(known, setting.value):
            texts = (f"it is {setting.value}", allowed, "give it a value that it can have")
            yield _say("parameter-range", Verdict.ERROR, entry, texts, "IP_Flow 19-3461")


def _is_later(release: str, known: Parameter) -> bool:
    """Return whether a release is later than all that the choices are known of: lists grow."""
    later = known.until and release_key(release)[:2] > release_key(known.until)[:2]
    return known.choices is not None and bool(later)


def _outside(known: Parameter, value: str) -> str:
    """Return the permitted values of a parameter if this value is not one of them, else nothing."""
    if known.choices is not None:
        # A preset that was changed afterwards is written back with a star.
        return _no_choice(known.name, known.choices, value.removesuffix("*"))
    number = _integer(value)
    low, high = known.lowest, known.highest
    default = _integer(known.default or "")
    broken = default is not None and (
        (low is not None and default < low) or (high is not None and default > high)
    )
    if broken or (high is not None and high < 0):
        return ""  # limits that its own default breaks, or that stand for "not used", are no limits
    if number is None or ((low is None or number >= low) and (high is None or number <= high)):
        return ""
    return f"{'' if low is None else low} to {'' if high is None else high}".strip()


def _no_choice(name: str, choices: tuple[str, ...], value: str) -> str:
    """Return the choices if a value is not one of them.

    One choice is what was left of several in the designs that the facts come from, and what is offered of
    a card has the names of that card. Scripts of old releases give the place of a word in place of the word.
    """
    if len(choices) == 1 or name.endswith("BOARD_INTERFACE"):
        return ""
    number = _integer(value)
    if number is not None and all(_integer(choice) is None for choice in choices):
        return ""
    legal = value.strip().lower() in {choice.strip().lower() for choice in choices}
    legal = legal or (number is not None and number in {_integer(choice) for choice in choices})
    return "" if legal else "one of " + ", ".join(choices[:24])


def _integer(text: str) -> int | None:
    """Return an integer as IP-XACT or scripts write it (``16``, ``0x10``, ``16.0``), None for other texts."""
    plain = text.strip()
    try:
        if re.fullmatch(r"\d{1,18}\.0*", plain):
            return int(plain.partition(".")[0])
        return int(plain, 10 if plain.isdecimal() else 0)
    except ValueError:
        return None


@rule("parameter-disabled", scope="design", source="NeilVeira/GrandTheftAuto", ours=True)
def parameter_disabled(context: Context) -> Iterator[Message]:
    """Find values in a generated design that an IP ignores, because another parameter switches them off.

    Vivado only warns, and scripts that it wrote itself are full of them.
    """
    for entry in _settings(context):
        cell, name, setting, ip = entry
        known = ip.parameter(name, context.graph.config(cell.path))
        if known is None or known.enabled is not False or known.derived:
            continue
        if known.default is not None and known.default.lower() != setting.value.lower():
            texts = (
                f"it is set to {setting.value}, and the IP ignores it in this configuration",
                "a parameter that is switched on",
                "set what it depends on first, or leave it out",
            )
            yield _say("parameter-disabled", Verdict.FINDING, entry, texts, "BD 41-721")


@rule("parameter-derived", scope="design", source="fastmachinelearning/hls4ml: VALUE_SRC", ours=True)
def parameter_derived(context: Context) -> Iterator[Message]:
    """Find values in a generated design that were not taken over, so that validation may derive them again.

    Others set such values, too: to some parameters, as to the polarities of a Processor System Reset, that
    alone makes them the user's.
    """
    for entry in _settings(context):
        cell, name, _, ip = entry
        if ip_name(cell) == "proc_sys_reset":
            continue
        known = ip.parameter(name, context.graph.config(cell.path))
        source = cell.config.get(f"{name}.VALUE_SRC")
        if known and known.derived and (source is None or source.value.upper() != "USER"):
            texts = (
                "it is set, but Vivado derives it",
                "a parameter of the user's",
                f"set CONFIG.{name}.VALUE_SRC to USER first",
            )
            yield _say("parameter-derived", Verdict.FINDING, entry, texts, "BD 41-737")
