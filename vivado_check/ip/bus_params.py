# SPDX-License-Identifier: BSD-3-Clause
"""Known parameters of a bus: a rule for each; those that propagation sets are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .component import InterfaceFact, Value
from .expression import Atom, UnknownError, evaluate, number
from .facts import AXIMM, AXIS
from .learned import Seen, quote

# Of a net and not of an IP, unless the IP has a rule for it.
_OF_THE_NET = {"FREQ_HZ", "PHASE", "CLK_DOMAIN", "FREQ_TOLERANCE_HZ", "INSERT_VIP", "LAYERED_METADATA"}
_PROPAGATED = (
    "propagated",
    "user_prop",
    "ip_propagated",
    "default_prop",
    "user",
    "user_init",
    "weak",
    "strong",
)
# Widths by the port that carries them, presence by the port: ARM IHI 0022 and 0051, as Vivado names them.
_WIDTHS = {
    "DATA_WIDTH": (("WDATA", "RDATA"), "({left}) + 1"),
    "ADDR_WIDTH": (("AWADDR", "ARADDR"), "({left}) + 1"),
    "ID_WIDTH": (("AWID", "ARID"), "({left}) + 1"),
    "TDATA_NUM_BYTES": (("TDATA",), "(({left}) + 1) / 8"),
    "TDEST_WIDTH": (("TDEST",), "({left}) + 1"),
    "TID_WIDTH": (("TID",), "({left}) + 1"),
    "TUSER_WIDTH": (("TUSER",), "({left}) + 1"),
    "AWUSER_WIDTH": (("AWUSER",), "({left}) + 1"),
    "ARUSER_WIDTH": (("ARUSER",), "({left}) + 1"),
    "WUSER_WIDTH": (("WUSER",), "({left}) + 1"),
    "RUSER_WIDTH": (("RUSER",), "({left}) + 1"),
    "BUSER_WIDTH": (("BUSER",), "({left}) + 1"),
}
_FLAGS = {f"HAS_{name}": name for name in ("TREADY", "TSTRB", "TKEEP", "TLAST")}


def bus_params(
    newest: InterfaceFact,
    known: Sequence[tuple[Seen, InterfaceFact]],
    ports: Mapping[str, Sequence[Any]],
) -> dict[str, str]:
    """Return a rule for each parameter of an interface that no propagation changes.

    Args:
        newest: The interface; of a packaged IP its texts are taken as they are.
        known: It in every configuration in which it is there.
        ports: Of the document: direction, left, right, condition, default.
    """
    found = {}
    names = {name for _, it in known for name in it.params} | set(newest.params)
    for name in sorted(names):
        values = [(seen, it.params[name]) for seen, it in known if name in it.params]
        rule = _rule(name, newest, values, ports)
        if rule is not None and rule != '""':
            found[name] = rule
    return found


def _rule(
    name: str,
    newest: InterfaceFact,
    values: Sequence[tuple[Seen, Value]],
    ports: Mapping[str, Sequence[Any]],
) -> str | None:
    last = newest.params.get(name) or values[-1][1]
    if last.rule:
        return last.rule
    if not values and newest.vlnv in (AXIMM, AXIS):
        return None  # a bus that no configuration had on: its parameters are those of any bus
    if name in _OF_THE_NET and (last.resolve or last.permission):
        return None
    by_port = _by_port(name, newest, ports)
    if by_port and _holds(by_port, values):
        return by_port
    sources = {value.source for _, value in values}
    if sources & set(_PROPAGATED):
        return None
    texts = {value.text for _, value in values} or {last.text}
    return quote(texts.pop()) if len(texts) == 1 else None


def _by_port(name: str, it: InterfaceFact, ports: Mapping[str, Sequence[Any]]) -> str | None:
    if name in _FLAGS:
        if _FLAGS[name] not in it.ports:
            return "0"
        condition = ports.get(it.ports[_FLAGS[name]], ("", "", "", None))[3]
        return "1" if condition == "" else f"({condition}) ? 1 : 0" if condition else None
    if name not in _WIDTHS:
        return None
    logicals, form = _WIDTHS[name]
    for logical in logicals:
        entry = ports.get(it.ports.get(logical, ""))
        if entry is None or entry[1] is None or entry[3] is None:
            continue
        width = form.format(left=entry[1]) if entry[1] else form.format(left="0")
        return width if entry[3] == "" else f"({entry[3]}) ? ({width}) : 0"
    return None


def _holds(rule: str, values: Sequence[tuple[Seen, Value]]) -> bool:
    """Whether a rule of the user's parameters gives what was seen; one of HDL parameters is believed."""
    for seen, value in values:

        def lookup(_: str, name: str, seen: Seen = seen) -> str | None:
            return seen.values.get(name.lower())

        try:
            found: Atom = evaluate(rule, lookup)
            if number(found) != number(value.text):
                return False
        except UnknownError:
            continue
    return bool(values)
