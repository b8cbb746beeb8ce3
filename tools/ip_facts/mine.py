# SPDX-License-Identifier: BSD-3-Clause
"""From checkouts to documents: which instances are taken, and what is kept of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shellgen.check.ip.component import Component
from shellgen.check.ip.learned import Seen
from shellgen.check.ip.unite import release_key, unite

# So many configurations of one IP say all that there is to learn, and more only take longer.
MOST = 40
_MINED = re.compile(r"xilinx\.com:(ip|inline_hdl):[\w]+:[\w.]+")


def by_vlnv(components: Iterable[Component]) -> dict[str, list[Component]]:
    """Return the configurations of each IP of the vendor, those that say the same only once."""
    found: dict[str, list[Component]] = {}
    for one in components:
        if _MINED.fullmatch(one.vlnv):
            found.setdefault(one.vlnv, []).append(one)
    return {vlnv: chosen(found[vlnv]) for vlnv in sorted(found)}


def chosen(components: Sequence[Component]) -> list[Component]:
    """Return up to `MOST` configurations that differ, IP-XACT first, of as many releases as there are."""
    groups: dict[tuple[bool, str], dict[str, Component]] = {}
    for one in sorted(components, key=lambda one: one.origin):
        said = repr((sorted(Seen.of(one).given.items()), sorted(_present(one))))
        groups.setdefault((not one.whole, one.release), {}).setdefault(said, one)
    order = sorted(groups, key=lambda key: (key[0], tuple(-part for part in release_key(key[1]))))
    found: list[Component] = []
    queues = [list(groups[key].values()) for key in order]
    while any(queues) and len(found) < MOST:
        for queue in queues:
            if queue and len(found) < MOST:
                found.append(queue.pop(0))
    return found


def mined(components: Sequence[Component]) -> dict[str, Any]:
    """Return the document of one IP, with its sources and releases."""
    document = unite(components)
    document["sources"] = sorted(one.origin for one in components)
    document["releases"] = sorted({one.release for one in components if one.release}, key=release_key)
    return document


def _present(one: Component) -> Iterator[str]:
    for name, port in one.ports.items():
        if port.present.now:
            yield name
    for name, interface in one.interfaces.items():
        if interface.present.now:
            yield name
