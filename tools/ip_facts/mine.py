# SPDX-License-Identifier: BSD-3-Clause
"""From checkouts to documents: which instances are taken, and what is kept of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vivado_check.ip.asked import asked
from vivado_check.ip.component import Component
from vivado_check.ip.learned import Seen
from vivado_check.ip.named import canonical
from vivado_check.ip.unite import release_key, unite

# So many configurations of one IP say all that there is to learn, and more only take longer.
MOST = 40
KEPT = 3
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
    document["seen"] = seen(document, components)
    document["releases"] = sorted({one.release for one in components if one.release}, key=release_key)
    return document


def seen(document: Mapping[str, Any], components: Sequence[Component]) -> list[list[Any]]:
    """Return a few configurations: what was set, and which ports and interfaces there were.

    The latter are bits, in the order of the document; the test of the data compares them with what it says.
    """
    wanted = asked(dict(document))
    told = [one for one in canonical(components)[0] if one.ports and one.interfaces]
    found = []
    for one in told[:: max(1, len(told) // KEPT)][:KEPT]:
        given = {name: value for name, value in sorted(Seen.of(one).given.items()) if name.lower() in wanted}
        ports = {name for name, port in one.ports.items() if port.present.now}
        mapped = {
            name: {
                *entry["ports"].values(),
                *(one.interfaces[name].ports.values() if name in one.interfaces else ()),
            }
            for name, entry in document["interfaces"].items()
        }
        here = {name for name in _present(one) if not mapped.get(name) or mapped[name] & ports}
        here |= ports
        found.append([given, *(_bits(document[table], here) for table in ("ports", "interfaces"))])
    return found


def _bits(names: Iterable[str], here: set[str]) -> str:
    return f"{int(''.join(str(int(name in here)) for name in names) or '0', 2):x}"


def _present(one: Component) -> Iterator[str]:
    for name, port in one.ports.items():
        if port.present.now:
            yield name
    for name, interface in one.interfaces.items():
        mapped = [one.ports[port].present.now for port in interface.ports.values() if port in one.ports]
        if interface.present.now and (any(mapped) or not interface.ports or not one.ports):
            yield name
