# SPDX-License-Identifier: BSD-3-Clause
"""``[[link]]`` to routes: endpoints by number or name, joins, copies, streams of the host."""

from __future__ import annotations

from collections import Counter

from shellgen.counted import counted
from shellgen.errors import Problem, offer
from shellgen.model import Endpoint, LinkSpec
from shellgen.plan.draft import Draft, Route
from shellgen.plan.place import find_partition, known_partitions

# The value of `from` or `to` in a [[link]] for the host.
HOST = "host"
MOST_JOINED = 16  # inputs of ip/axis_concat and ip/axis_add
_MOST_COPIES = 32  # outputs of ip/axis_broadcast


def link_routes(draft: Draft, problems: list[Problem]) -> list[Route]:
    """Return a route for each pair of producer and consumer that the [[link]] entries name."""
    routes: list[Route] = []
    for index, link in enumerate(draft.spec.link):
        where = f"{draft.where}: link[{index}]"
        wrong = _contradictions(draft, link, where)
        problems.extend(wrong)
        if not wrong:
            routes.extend(_routes(draft, link, where, problems))
    if any(HOST in (*link.from_, *link.to) for link in draft.spec.link):
        problems.extend(_named_host(draft))
    problems.extend(_connected_twice(routes))
    problems.extend(_unlike_copies(draft, routes))
    return routes


def _contradictions(draft: Draft, link: LinkSpec, where: str) -> list[Problem]:
    """Return fields of a [[link]] that exclude each other."""
    problems = []
    if link.from_ == link.to == (HOST,):
        problems.append(Problem(where, "both ends are the host", "Name a partition in one of the two"))
    elif HOST in link.from_ and HOST in link.to:
        problems.append(Problem(where, "the host is on both sides", "Give each stream a [[link]] of its own"))
    if len(link.from_) > 1 and link.join is None:
        found = f"{len(link.from_)} streams, and join does not say how they become one"
        problems.append(Problem(f"{where}.from", found, 'Add join = "concat" or join = "sum"'))
    if link.join is not None and not 2 <= len(link.from_) <= MOST_JOINED:
        found = f"{counted(len(link.from_), 'stream')} to join"
        problems.append(Problem(f"{where}.join", found, f"List 2 to {MOST_JOINED} in from"))
    if link.join is not None and HOST in link.from_:
        remedy = "Name ports of partitions: nothing tells the type of a stream that the host would send there"
        problems.append(Problem(f"{where}.from", "a join of a stream of the host", remedy))
    if link.join is not None and len(link.to) > 1:
        found = f"a join with {len(link.to)} consumers"
        problems.append(Problem(f"{where}.to", found, "Give each consumer a [[link]] of its own"))
    if len(link.to) > _MOST_COPIES:
        found = f"{len(link.to)} consumers of one stream"
        problems.append(Problem(f"{where}.to", found, f"List at most {_MOST_COPIES}"))
    problems.extend(_host_fields(draft, link, where))
    return problems


def _host_fields(draft: Draft, link: LinkSpec, where: str) -> list[Problem]:
    """Check the fields that only a stream of the host has."""
    problems = []
    for field, value in (("name", link.name), ("at", link.at)):
        if value is not None and HOST not in (*link.from_, *link.to):
            found = f"{field} is for streams of the host, and both ends are partitions"
            problems.append(Problem(f"{where}.{field}", found, "Remove it"))
    if link.buffer is not None and HOST in (*link.from_, *link.to):
        remedy = "Remove it: no FIFO is on the way of a stream of the host"
        problems.append(Problem(f"{where}.buffer", "buffer is for streams between partitions", remedy))
    if link.via and HOST in (*link.from_, *link.to):
        remedy = "Name one node in at: the stream enters or leaves there"
        problems.append(Problem(f"{where}.via", "via is for streams between partitions", remedy))
    names = [node.name for node in draft.nodes]
    stage, _, number = (link.at or "").rpartition("_")
    copied = next((one for one in draft.spec.node if one.name == stage and number.isdecimal()), None)
    if link.at is not None and link.at not in names and copied:
        found = f"{link.at} would be a replica of {stage}, which has replicas = {copied.replicas}"
        remedy = f'Write "{stage}": a stream of the host enters and leaves at each of its replicas'
        problems.append(Problem(f"{where}.at", found, remedy))
    elif link.at is not None and link.at not in names:
        remedy = offer(link.at, names, "Name one of")
        problems.append(Problem(f"{where}.at", f"there is no node {link.at!r}", remedy))
    return problems


def _routes(draft: Draft, link: LinkSpec, where: str, problems: list[Problem]) -> list[Route]:
    sides = []
    for names, side, field in ((link.from_, "out", "from"), (link.to, "in", "to")):
        at = [f"{where}.{field}" if len(names) == 1 else f"{where}.{field}[{k}]" for k in range(len(names))]
        sides.append(
            [
                (name == HOST, None if name == HOST else _endpoint(name, side, place, draft, problems))
                for name, place in zip(names, at, strict=True)
            ]
        )
    pairs = [(made, taken) for made in sides[0] for taken in sides[1]]
    if not all(host or end for pair in pairs for host, end in pair):
        return []
    weights = [end for _, (_, end) in pairs if end and draft.port(end).carries_weights]
    if link.at is not None and weights:
        found = f"{weights[0]} is a weight port, which the memory beside it feeds"
        problems.append(Problem(f"{where}.at", found, "Remove at from its [[link]]"))
        return []
    shared = _shared_name(draft, link, [taken for _, (_, taken) in pairs])
    return [
        Route(
            made,
            taken,
            link.kind,
            link.packing,
            link.depth,
            link.buffer,
            where,
            link.options,
            tensor=None if made and taken else shared,
            join=link.join,
            at=None if made and taken else link.at,
            via=link.via,
        )
        for (_, made), (_, taken) in pairs
    ]


def _shared_name(draft: Draft, link: LinkSpec, consumers: list[Endpoint | None]) -> str | None:
    """Return the name of the host's streams; several that carry the same frames have one in any case."""
    if link.name is not None or link.from_ != (HOST,) or len(consumers) == 1:
        return link.name
    first = consumers[0]
    assert first is not None
    return draft.tensors.get(first, str(first))


def _named_host(draft: Draft) -> list[Problem]:
    """Refuse a partition with the reserved name of the host."""
    if all(partition.name != HOST for partition in draft.partitions):
        return []
    found = f"{HOST!r} is the host, and there is a partition of that name"
    return [Problem(f"{draft.where}: link", found, "Rename the partition")]


def _of_a_node(name: str, where: str, draft: Draft) -> Problem | None:
    """Return the problem that a stream's end is named by its node."""
    node = next((one for one in draft.spec.node if one.name == name), None)
    if node is None:
        return None
    inside = ", ".join(map(str, node.partitions)) or "none"
    found = f"{name!r} is a node, and a stream begins and ends at a partition"
    return Problem(where, found, f"Name one of the partitions of that node: {inside}")


def _endpoint(
    text: str, direction: str, where: str, draft: Draft, problems: list[Problem]
) -> Endpoint | None:
    """Resolve ``<partition>`` or ``<partition>.<port>``."""
    name, _, port_name = text.partition(".")
    partition = find_partition(name, draft.partitions)
    if partition is None:
        known = f"The build has {known_partitions(draft.partitions)}"
        problems.append(
            _of_a_node(name, where, draft) or Problem(where, f"there is no partition {name!r}", known)
        )
        return None
    ports = partition.inputs if direction == "in" else partition.outputs
    side = "input" if direction == "in" else "output"
    choices = ", ".join(port.name for port in ports) or "none"
    if not port_name and len(ports) == 1:
        return Endpoint(partition=partition.name, port=ports[0].name)
    if not port_name:
        found = f"partition {partition.name} has {len(ports)} {side} streams"
        problems.append(Problem(where, found, f"Write {partition.name}.<port>, with one of: {choices}"))
    elif port_name not in {port.name for port in ports}:
        found = f"partition {partition.name} has no {side} stream {port_name!r}"
        problems.append(Problem(where, found, f"Its {side} streams are: {choices}"))
    else:
        return Endpoint(partition=partition.name, port=port_name)
    return None


def _connected_twice(routes: list[Route]) -> list[Problem]:
    """Find consumers that several [[link]] entries feed, and streams that several entries carry."""
    fed: dict[tuple[Endpoint | None, Endpoint | None], dict[str, None]] = {}
    for route in routes:
        fed.setdefault(_fed(route), {})[route.where] = None
    problems = []
    for (producer, consumer), places in fed.items():
        if len(places) > 1:
            found = f"stream port {consumer or producer} is connected {len(places)} times"
            remedy = "Keep one of the two; several streams that become one are one [[link]] with a join"
            problems.append(Problem(list(places)[-1], found, remedy))
    repeated = Counter((route.producer, route.consumer) for route in routes if not route.join)
    for (producer, consumer), count in repeated.items():
        (where, *others) = fed[None if consumer else producer, consumer]
        if count > 1 and not others:
            found = f"it names {consumer or producer} {count} times"
            problems.append(Problem(where, found, "Name each port once"))
    return problems


def _fed(route: Route) -> tuple[Endpoint | None, Endpoint | None]:
    """Return the port that one [[link]] must feed: the consumer's, or the producer's towards the host."""
    return (None, route.consumer) if route.consumer else (route.producer, None)


def _unlike_copies(draft: Draft, routes: list[Route]) -> list[Problem]:
    """Refuse one name for streams of the host with different frames."""
    problems = []
    named = [route for route in routes if route.tensor and not (route.producer and route.consumer)]
    first: dict[str, Route] = {}
    for route in named:
        assert route.tensor
        other = first.setdefault(route.tensor, route)
        if other is route:
            continue
        ends = [(one.producer or one.consumer) for one in (other, route)]
        ports = [draft.port(end) for end in ends if end]
        same = (
            len({(port.datatype, port.elements_per_frame if port.folded_shape else 0) for port in ports}) == 1
        )
        if (other.producer is None) != (route.producer is None) or route.producer or not same:
            found = (
                f"{ends[0]} and {ends[1]} are both called {route.tensor!r}, and their frames are not the same"
            )
            problems.append(Problem(f"{route.where}.name", found, "Give each stream a name of its own"))
    return problems
