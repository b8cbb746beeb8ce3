# SPDX-License-Identifier: BSD-3-Clause
"""Nets of all hierarchies joined to what is one wire."""

from __future__ import annotations

from collections.abc import Iterable

from .design import Net
from .report import Origin


class Joins:
    """Members of nets, joined wherever two nets have one in common (the pin of a hierarchy).

    Attributes:
        origins: Line that first joined a member to a net.
    """

    def __init__(self, nets: Iterable[Net]) -> None:
        self.origins: dict[str, Origin] = {}
        growing: dict[str, list[str]] = {}
        for net in nets:
            for member, origin in net.members.items():
                self.origins.setdefault(member, origin)
            _join(growing, net.members)
        frozen = {id(group): tuple(group) for group in growing.values()}
        self._groups = {member: frozen[id(growing[member])] for member in self.origins}

    def group(self, member: str) -> tuple[str, ...]:
        """Return all that a member is joined to, itself among them; empty if it is in no net."""
        return self._groups.get(member, ())

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return every group once, in the order of the script."""
        return tuple({id(group): group for group in self._groups.values()}.values())


def _join(groups: dict[str, list[str]], members: Iterable[str]) -> None:
    """Put members into one group: the smaller ones move, so that no member moves often."""
    found = {id(group): group for member in members if (group := groups.get(member))}
    into = max(found.values(), key=len, default=[])
    for group in found.values():
        if group is not into:
            into.extend(group)
            groups.update(dict.fromkeys(group, into))
    for member in members:
        if member not in groups:
            into.append(member)
            groups[member] = into
