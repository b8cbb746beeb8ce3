# SPDX-License-Identifier: BSD-3-Clause
"""The ends of a node's streams as the estimate asks links of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from shellgen.links import Link, link_registry
from shellgen.links.base import Medium, Place
from shellgen.links.figures import Figures, values_of
from shellgen.model import EstimateSpec, Inner, NodePlan
from shellgen.platforms import platform_registry
from shellgen.platforms.docks import offered


def places_of(node: NodePlan, ends: frozenset[str] = frozenset()) -> Iterator[tuple[Link, Place]]:
    """Return each end of a stream with its link, for each consumer of its frames.

    ``ends`` are boundaries whose far end is the host.
    """
    docks = offered(platform_registry()[node.platform], node.board)
    for attachment in node.attachments:
        link = link_registry()[attachment.link]
        for end in attachment.ends:
            for one in end.each:
                copy, host = one.boundary in end.copies, one.boundary in ends
                yield link, Place(node, attachment, one, docks[attachment.dock], host, copy)


def figures_of(link: Link, asked: EstimateSpec | None) -> Figures:
    """Return the figures of a link kind, those of cluster.toml first."""
    return values_of(link.figures(), asked.links.get(link.kind, {}) if asked else {})


def media_of(node: NodePlan, asked: EstimateSpec | None) -> Iterator[tuple[Place, tuple[Medium, ...]]]:
    """Return the media of each end of a node's streams."""
    for link, place in places_of(node):
        yield place, link.media(place, figures_of(link, asked))


def rings_of(node: NodePlan, asked: EstimateSpec | None) -> Iterator[tuple[Inner, tuple[Medium, ...]]]:
    """Return the media of each stream that is kept in the memory of a node."""
    keepers = [link_registry()[one.link] for one in node.attachments if one.memories]
    for inner in node.inner:
        if (ring := inner.ring) is not None:
            memory = f"{platform_registry()[node.platform].memory_at(node, ring.port)} of {node.name}"
            found = (one.ring_media(memory, ring, figures_of(one, asked)) for one in keepers)
            yield inner, tuple(chain.from_iterable(found))
