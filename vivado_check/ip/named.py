# SPDX-License-Identifier: BSD-3-Clause
"""Ports that a parameter names: ``clk_out1`` of a clocking wizard is called what CLK_OUT1_PORT says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .component import Component

_SUFFIX = "_port"


def canonical(components: Sequence[Component]) -> tuple[list[Component], dict[str, str]]:
    """Return the files with such ports under their usual name, and the parameter by usual name."""
    values: dict[str, Counter[str]] = {}
    for one in components:
        for name, fact in one.parameters.items():
            if name.lower().endswith(_SUFFIX):
                values.setdefault(name, Counter())[fact.value.text] += 1
    usual = {name: min(counter, key=lambda text: (-counter[text], text)) for name, counter in values.items()}
    named = {
        port: name
        for name, port in usual.items()
        if any(port in one.ports for one in components) and not _chosen(name, port, components)
    }
    return [_renamed(one, named) for one in components], dict(sorted(named.items()))


def _chosen(name: str, usual: str, components: Sequence[Component]) -> bool:
    """Whether the names are of ports that there are side by side: ``reset`` and ``resetn``."""
    values = {one.parameters[name].value.text for one in components if name in one.parameters}
    return any(usual in one.ports and value in one.ports for one in components for value in values - {usual})


def _renamed(one: Component, named: Mapping[str, str]) -> Component:
    away = {
        one.parameters[parameter].value.text: port
        for port, parameter in named.items()
        if parameter in one.parameters and one.parameters[parameter].value.text in one.ports
    }
    if all(old == new for old, new in away.items()):
        return one
    ports = {away.get(name, name): fact for name, fact in one.ports.items()}
    interfaces = {
        name: replace(fact, ports={logical: away.get(port, port) for logical, port in fact.ports.items()})
        for name, fact in one.interfaces.items()
    }
    return replace(one, ports=ports, interfaces=interfaces)
