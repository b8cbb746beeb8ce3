# SPDX-License-Identifier: BSD-3-Clause
"""Numbers for the frames of networks where streams of different links meet, or that cross several links.

A reset of one board loses frames of one stream and not of another. Without numbers later frames would meet
the wrong partners. A truncated frame is filled with zeros, and the board that fills it knows; a board two
links on learns of it from the mark that travels with the number. In a network of one link nothing can meet,
and the board that fills is the one that the host asks: its frames have no numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from shellgen import costs
from shellgen.links import link_registry
from shellgen.model import Boundary, NodePlan, Plan, Usage
from shellgen.plan.docks import in_hardware
from shellgen.plan.draft import Draft
from shellgen.plan.junction import by_number


def number_frames(draft: Draft) -> Draft:
    """Number the frames of every network whose streams meet or cross several links, if these carry numbers.

    The host's streams must enter the network at one node, since only those count from the same reset on, and
    several must meet in a join.
    """
    data = [one for one in draft.boundaries if not one.carries_weights]
    carry = {one.name for one in data if crosses(one) and _carries(draft, one)}
    chosen: set[str] = set()
    for network in _networks(data):
        can = _one_origin(draft, network) and _all_carry(network, carry) and _gathers_whole(draft, network)
        if can and _needs(network):
            chosen |= {one.name for one in network}
    numbered = tuple(
        one.model_copy(update={"numbered": True}) if one.name in chosen else one for one in draft.boundaries
    )
    return _by_number(replace(draft, boundaries=numbered))


def _gathers_whole(whole: Draft | Plan, network: Iterable[Boundary]) -> bool:
    """Return whether each gather gets all frames: their numbers follow each other there."""
    kinds = {part.name: part.junction for part in whole.partitions}
    made = [one for one in network if one.producer and kinds[one.producer.partition] == "gather"]
    return all(len(one.places) == whole.epoch for one in made)


def _by_number(draft: Draft) -> Draft:
    """Let gathers go by the numbers of their frames where these have any."""
    numbered = {one.consumer.partition for one in draft.boundaries if one.numbered and one.consumer}
    found = {
        part.name: by_number(part)
        for part in draft.partitions
        if part.junction == "gather" and part.name in numbered
    }
    if not found:
        return draft
    nodes = tuple(
        replace(node, partitions=tuple(found.get(part.name, part) for part in node.partitions))
        for node in draft.nodes
    )
    return replace(draft, partitions=tuple(found.get(p.name, p) for p in draft.partitions), nodes=nodes)


def _networks(data: Iterable[Boundary]) -> list[list[Boundary]]:
    """Return the boundaries of each set of partitions that streams join."""
    ends = [(one, [end.partition for end in (one.producer, one.consumer) if end]) for one in data]
    beside: dict[str, list[str]] = {}
    for _, names in ends:
        beside.setdefault(names[0], []).append(names[-1])
        beside.setdefault(names[-1], []).append(names[0])
    number: dict[str, int] = {}
    for at, start in enumerate(beside):
        waiting = [start]
        while waiting:
            name = waiting.pop()
            if name not in number:
                number[name] = at
                waiting += beside[name]
    groups: dict[int, list[Boundary]] = {}
    for one, names in ends:
        groups.setdefault(number[names[0]], []).append(one)
    return list(groups.values())


def _one_origin(whole: Draft | Plan, network: Iterable[Boundary]) -> bool:
    """Return whether the host's frames all enter one node, whose reset begins an epoch of all its streams.

    Several streams of the host must meet in a join as well. Where none brings them together, a reset of that
    node may find them at different frames, and numbers would let one wait for the other.
    """
    entering = [one for one in network if one.producer is None]
    if len(entering) == 1:
        return True
    joins = {part.name for part in whole.partitions if part.junction in ("concat", "sum")}
    meet = any(one.consumer and one.consumer.partition in joins for one in network)
    return meet and len({one.consumer_node for one in entering}) == 1


def crosses(boundary: Boundary) -> bool:
    """Return whether a stream goes from one node to another."""
    return None not in (boundary.producer_node, boundary.consumer_node) and boundary.link is not None


def _carries(draft: Draft, boundary: Boundary) -> bool:
    """Return whether numbers pass a link: a DMA between core and program has no place for them."""
    link = link_registry()[str(boundary.link)]
    return link.numbers and in_hardware(link, draft.ends(draft.route_of(boundary)))


def _all_carry(network: Iterable[Boundary], carry: set[str]) -> bool:
    return all(one.name in carry for one in network if crosses(one))


def _needs(network: list[Boundary]) -> bool:
    """Return whether streams meet of which some, but not all, depend on a link, or one crosses two links."""
    into: dict[str, list[Boundary]] = {}
    for one in network:
        if one.consumer:
            into.setdefault(one.consumer.partition, []).append(one)
    meets = any(len(streams) > 1 and _apart(streams, into) for streams in into.values())
    return meets or _crosses_again(network)


def _crosses_again(network: list[Boundary]) -> bool:
    """Return whether a link carries what depends on another link."""
    left = [one for one in network if crosses(one)]
    out: dict[str, list[Boundary]] = {}
    for one in network:
        if one.producer:
            out.setdefault(one.producer.partition, []).append(one)
    behind: set[str] = set()
    while left:
        one = left.pop()
        for after in out.get(one.consumer.partition, []) if one.consumer else []:
            if crosses(after):
                return True
            if after.name not in behind:
                behind.add(after.name)
                left.append(after)
    return False


def _apart(streams: list[Boundary], into: Mapping[str, list[Boundary]]) -> bool:
    ways = [_before(one, into) for one in streams]
    shared = set.intersection(*(set(way) for way in ways))
    return any(crosses(one) for way in ways for name, one in way.items() if name not in shared)


def _before(stream: Boundary, into: Mapping[str, list[Boundary]]) -> dict[str, Boundary]:
    """Return a stream and all that it is made of, by name."""
    found: dict[str, Boundary] = {}
    left = [stream]
    while left:
        one = left.pop()
        if one.name not in found:
            found[one.name] = one
            left += into.get(one.producer.partition, []) if one.producer else []
    return found


def order_notes(plan: Plan) -> Iterator[str]:
    """Return a note for each network whose frames need numbers and have none.

    Programs at both ends of a link count frames themselves, and begin again together.
    """
    for network in _networks(one for one in plan.boundaries if not one.carries_weights):
        over = [one for one in network if crosses(one)]
        if network[0].numbered or not _needs(network):
            continue
        kinds = {str(one.link): link_registry()[str(one.link)] for one in over}
        if bare := sorted(name for name, link in kinds.items() if link.together and not link.numbers):
            yield (
                f"frames over {' and '.join(bare)} have no numbers: if one card is reset alone, frames "
                "go wrong without a flag or stay out, so stop the host and reset all cards"
            )
        if not all(link.numbers for link in kinds.values()) or not _in_cores(plan, over):
            continue
        way, field = "some replicas send to some others", "via in the [[link]] between them"
        if not _one_origin(plan, network):
            nodes = sorted({str(one.consumer_node) for one in network if one.producer is None})
            if len(nodes) == 1:
                yield (
                    f"frames of the host's streams at {nodes[0]} go by their order: the reset of one card "
                    "may shift them against each other without a flag, so stop the host and reset all cards"
                )
                continue
            way, field = f"they enter at {' and '.join(nodes)}", "through in [host]"
        yield (
            f"frames go by their order, since {way}: the reset of one card shifts them against each other "
            f"without a flag; {field}, with a card that has no replicas, gives them numbers"
        )


def _in_cores(plan: Plan, over: Iterable[Boundary]) -> bool:
    """Return whether links end in the cores of both boards, and not in programs beside them."""
    found: dict[str, set[str]] = {}
    for node in plan.nodes:
        for one in node.attachments:
            for end in one.ends:
                found.setdefault(end.boundary, set()).add(one.link)
    return all(found.get(one.name) == {one.link} for one in over)


def tags_usage(plan: Plan) -> dict[str, Usage]:
    """Return the resources of the numbers of frames on each node, by its name."""
    numbered = {one.name: one for one in plan.boundaries if one.numbered}
    taken = Counter(one.consumer.partition for one in numbered.values() if one.consumer)
    given = Counter(one.producer.partition for one in numbered.values() if one.producer)
    turns = {part.name for part in plan.partitions if part.takes_turns}
    return {node.name: _tags_usage(node, set(numbered), taken, given, turns) for node in plan.nodes}


def _tags_usage(
    node: NodePlan,
    numbered: set[str],
    taken: Mapping[str, int],
    given: Mapping[str, int],
    turns: set[str],
) -> Usage:
    total = Usage()
    for end in node.ends:
        if end.boundary in numbered:
            fifo = costs.fifo_cdc if node.apart else costs.fifo
            total += costs.frame_tag() if end.direction == "in" else costs.frame_label()
            total += costs.mark() if end.direction == "out" else Usage()
            total += fifo(costs.TAG_BITS, costs.TAGS)
    for inner in node.inner:
        if inner.boundary in numbered:
            total += costs.fifo(costs.TAG_BITS, costs.tags(-(-inner.depth // inner.producer_words)))
    for name in node.partitions:
        takes, gives = taken[name], given[name]
        total += costs.frame_match(takes, name in turns) if takes > 1 else Usage()
        if gives > 1:
            total += costs.tag_deal(gives) if name in turns else costs.broadcast(gives, costs.TAG_BITS)
    return total
