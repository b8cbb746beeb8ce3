# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of the cages of a cluster, and the rows of their socket tables: what only the host knows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from shellgen.errors import PlanError, Problem
from shellgen.links.vnx_udp.options import VnxOptions
from shellgen.model import Boundary, End, NodePlan, Plan
from shellgen.model.attachment import Direction

FIRST_HOST = 10  # of the addresses that are given out
HOST = "host"  # no node has this name
# Locally administered (IEEE 802c), then the IP address: VNx itself varies the last byte only, so two cards of
# different subnets at one switch could get the same.
MAC_PREFIX = "02:53"


@dataclass(frozen=True)
class Row:
    """One row of a socket table; its number is TDEST.

    Attributes:
        boundary: What crosses there.
        peer: Address of the cage at the other side.
        their_port: UDP port there.
        my_port: UDP port here.
    """

    boundary: str
    peer: str
    their_port: int
    my_port: int


@dataclass(frozen=True)
class Cage:
    """One QSFP cage in use, or the Ethernet port of a program.

    Attributes:
        node: Its card; HOST for the host of the cluster.
        number: On the card.
        ip: Its address.
        gateway: In its subnet.
        mac: Six bytes as text; empty for a program's port if `mac` does not give it.
        rows: Of its socket table, from row 0; of a program, its sockets.
        options: Those of its node; of the host, those of the first card with a stream to it.
        program: A program is there, with the addresses that its operating system gives the port.
    """

    node: str
    number: int
    ip: str
    gateway: str
    mac: str
    rows: tuple[Row, ...]
    options: VnxOptions
    program: bool = False


@dataclass(frozen=True)
class _Port:
    """A cage or a program's port, with the ends of streams there: boundary and direction.

    ``node`` is the card, the program's board, or for the host a card with a stream to it.
    """

    name: str
    node: NodePlan
    slot: int
    ends: tuple[tuple[str, Direction], ...]
    program: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return self.name, self.slot


def _ports(plan: Plan, kind: str) -> Iterator[_Port]:
    for node in plan.nodes:
        for one in node.attachments:
            if one.link == kind:
                yield _Port(node.name, node, one.slot, _ways(one.ends))
        others = (end for one in node.attachments if one.link != kind for end in one.ends)
        ends = tuple(end for end in others if plan.boundary(end.boundary).link == kind)
        if ends:
            yield _Port(node.name, node, 0, _ways(ends), program=True)
    if own := host_streams(plan, kind):
        ways = tuple((one.name, _way(one)) for one in own)
        yield _Port(HOST, plan.node(card_of(own[0])), 0, ways, program=True)


def _ways(ends: Iterable[End]) -> tuple[tuple[str, Direction], ...]:
    return tuple((end.boundary, end.direction) for end in ends)


def _way(boundary: Boundary) -> Direction:
    return "out" if boundary.producer is None else "in"


def host_streams(plan: Plan, kind: str) -> tuple[Boundary, ...]:
    """Return the streams of the host that links of a kind carry."""
    return tuple(one for one in plan.boundaries if one.link == kind and None in (one.producer, one.consumer))


def card_of(boundary: Boundary) -> str:
    """Return the card of a stream of the host."""
    return str(boundary.consumer_node or boundary.producer_node)


def cages(plan: Plan, kind: str) -> tuple[Cage, ...]:
    """Return the cages that links of a kind use, in the order of the nodes.

    Raises:
        PlanError: Addresses that are outside of their subnet, given twice, missing, or of no use; more cages
            than the subnet has addresses; cards that could not reach one another; ends that do not agree on
            the MTU or on RS-FEC.
    """
    used = tuple(_ports(plan, kind))
    if problems := [*_host_addresses(plan, kind), *_idle_options(plan, used, kind)]:
        raise PlanError(*problems)
    options = {one.name: _options(one, kind) for one in used}
    replicas = {**_replicas(plan), HOST: [HOST]}
    if problems := list(_uneven(used, replicas, options, kind)):
        raise PlanError(*problems)
    options = {name: _of_replica(one, name, replicas[name]) for name, one in options.items()}
    programs = {one.name for one in used if one.program}
    problems = [*_few_addresses(used, options, kind), *_ends_disagree(plan, kind, programs)]
    if problems:
        raise PlanError(*problems)
    found = {one.key: ip for one, ip in zip(used, _given_out(used, options, kind), strict=True)}
    macs = {
        one.key: _mac(options[one.name], one.slot, found[one.key])
        for one in used
        if not one.program or options[one.name].mac
    }
    problems = [*_wrong_addresses(found, options, kind), *_twice(found, macs, kind)]
    if problems:
        raise PlanError(*problems)
    places = {end: (one, row) for one in used for row, end in enumerate(one.ends)}
    return tuple(
        Cage(
            node=one.name,
            number=one.slot,
            ip=found[one.key],
            gateway=_gateway(options[one.name]),
            mac=macs.get(one.key, ""),
            rows=tuple(_rows(one, places, found, options)),
            options=options[one.name],
            program=one.program,
        )
        for one in used
    )


def _options(port: _Port, kind: str) -> VnxOptions:
    node = port.node
    found = VnxOptions.from_data(node.link_options.get(kind, {}), f"node {node.name}", f"options.{kind}")
    return found.model_copy(update={"ip": (found.host,), "mac": ()}) if port.name == HOST else found


def _host_addresses(plan: Plan, kind: str) -> Iterator[Problem]:
    """Find streams of the host without its address, or with two of them."""
    told = {one.name: options_at(plan.node(card_of(one)), kind, one).host for one in host_streams(plan, kind)}
    where, given = f"links.{kind}.host", list(dict.fromkeys(told.values()))
    if missing := [name for name, address in told.items() if address is None]:
        found = f"a program of the host is an end of {', '.join(missing)}, and nothing tells its address"
        remedy = f'Give that of its port in the network of the cards: host = "192.168.0.9" in [links.{kind}]'
        yield Problem(where, found, remedy)
    elif len(given) > 1:
        found = f"the host has the address {given[0]} for one card, and {given[1]} for another"
        yield Problem(where, found, f"Give one in [links.{kind}]: it is one program")


def _idle_options(plan: Plan, used: tuple[_Port, ...], kind: str) -> Iterator[Problem]:
    """Find options of programs where no program is an end: nothing would say that they have no effect."""
    streams = f"stream over {kind}"
    idle = {
        "host": (
            not host_streams(plan, kind),
            f"no {streams} goes between the host and {{}} or another card, and this is the host's address",
            f'Say kind = "{kind}" in the [[link]] of such a stream, or remove it',
        ),
        "window": (
            not any(one.program for one in used),
            f"it limits a program, and none is an end of a {streams} of {{}} or of another card",
            "Remove it; see round_trip_ns",
        ),
    }
    for field, (unused, found, remedy) in idle.items():
        given = (one.name for one in used if field in one.node.link_options.get(kind, {}))
        if unused and (name := next(given, None)):
            yield Problem(_where(name, kind, field), found.format(name), remedy)


def _replicas(plan: Plan) -> dict[str, list[str]]:
    """Return the nodes of one [[node]], by the name of each: replicas share its options."""
    groups: dict[str, list[str]] = {}
    for node in plan.nodes:
        part = plan.partition(node.partitions[0])
        groups.setdefault(part.copy_of or part.name, []).append(node.name)
    return {name: group for group in groups.values() for name in group}


def _of_replica(options: VnxOptions, name: str, group: list[str]) -> VnxOptions:
    """Return the options with the addresses of one replica: those of the first come first."""
    at, count = group.index(name), len(group)
    own = {
        field: given[at * len(given) // count : (at + 1) * len(given) // count]
        for field, given in (("ip", options.ip), ("mac", options.mac))
    }
    return options.model_copy(update=own)


def _uneven(
    used: Iterable[_Port], replicas: dict[str, list[str]], options: dict[str, VnxOptions], kind: str
) -> Iterator[Problem]:
    for one in used:
        name, count = one.name, len(replicas[one.name])
        if name != replicas[name][0]:
            continue
        for field, given in (("ip", options[name].ip), ("mac", options[name].mac)):
            if len(given) % count:
                remedy = f"Give as many for each of the {count}, replica by replica"
                remedy += "" if one.program and field == "ip" else ", or none at all"
                yield Problem(_where(name, kind, field), f"{len(given)} given for {count} replicas", remedy)


def options_at(node: NodePlan, kind: str, boundary: Boundary) -> VnxOptions:
    """Return the options of a stream at one of its ends."""
    table = {**node.link_options.get(kind, {}), **boundary.options}
    return VnxOptions.from_data(table, f"node {node.name}", f"options.{kind}")


def _where(node: str, kind: str, field: str) -> str:
    return f"links.{kind}.host" if node == HOST else f"node {node}: options.{kind}.{field}"


def _gateway(options: VnxOptions) -> str:
    return options.gateway or str(IPv4Network(options.subnet)[1])


def _mac(options: VnxOptions, cage: int, ip: str) -> str:
    if cage < len(options.mac):
        return options.mac[cage]
    return f"{MAC_PREFIX}:{IPv4Address(ip).packed.hex(':')}"


def _few_addresses(used: Iterable[_Port], options: dict[str, VnxOptions], kind: str) -> Iterator[Problem]:
    for one in used:
        name = one.name
        for field, given in (("ip", options[name].ip), ("mac", options[name].mac)):
            if given and len(given) <= one.slot:
                found = f"{len(given)} given, and cage {one.slot} is in use"
                remedy = "Give one for each cage of the card in order, or none at all"
                yield Problem(_where(name, kind, field), found, remedy)


def _given_out(used: Iterable[_Port], options: dict[str, VnxOptions], kind: str) -> Iterator[str]:
    """Return the address of each cage: its own, or the next one that is free."""
    taken = {address for one in options.values() for address in one.ip}
    taken |= {_gateway(one) for one in options.values()}
    for one in used:
        own = options[one.name]
        if own.ip:
            yield own.ip[one.slot]
            continue
        network = IPv4Network(own.subnet)
        hosts = (str(network[k]) for k in range(FIRST_HOST, 255))
        free = next((address for address in hosts if address not in taken), None)
        if free is None:
            found = f"no address from {network[FIRST_HOST]} on is left in {network} for cage {one.slot}"
            remedy = "Put cards that are not joined into subnets of their own, or give addresses"
            raise PlanError(Problem(_where(one.name, kind, "subnet"), found, remedy))
        taken.add(free)
        yield free


def _wrong_addresses(
    found: dict[tuple[str, int], str], options: dict[str, VnxOptions], kind: str
) -> Iterator[Problem]:
    for (node, _), ip in found.items():
        network = IPv4Network(options[node].subnet)
        for field, address in (("ip", ip), ("gateway", _gateway(options[node]))):
            if IPv4Address(address) not in network or address in (str(network[0]), str(network[-1])):
                text = f"{address} is not the address of a host in {network}"
                yield Problem(
                    _where(node, kind, field), text, "Take one inside the subnet, not its first or last"
                )
        if ip == _gateway(options[node]):
            text = f"{ip} is the gateway's address, too"
            yield Problem(_where(node, kind, "ip"), text, "Give one of them another")


def _twice(
    found: dict[tuple[str, int], str], macs: dict[tuple[str, int], str], kind: str
) -> Iterator[Problem]:
    for field, table in (("ip", found), ("mac", macs)):
        first: dict[str, tuple[str, int]] = {}
        for key, address in table.items():
            # Equal IP addresses have been reported, and MAC addresses that nobody gave follow from them.
            if address in first and (field == "ip" or found[first[address]] != found[key]):
                other = first[address]
                text = f"{address} belongs to cage {other[1]} of {other[0]} and to cage {key[1]} of {key[0]}"
                yield Problem(_where(key[0], kind, field), text, "Give each cage an address of its own")
            first.setdefault(address, key)


def _ends_disagree(plan: Plan, kind: str, programs: Container[str]) -> Iterator[Problem]:
    both = (
        ("subnet", "Cards find one another within a subnet only: give both the same"),
        ("mtu", "Give both the same"),
    )
    cards = (
        ("sockets", "Build VNx alike for all cards"),
        ("rs_fec", "Give both the same: without RS-FEC at both ends the link stays down"),
    )
    program = (("window", "Give both the same, or say it in the [[link]] of the stream"),)
    for boundary in plan.boundaries:
        if boundary.link != kind or None in (boundary.producer, boundary.consumer):
            continue
        ends = [str(node) for node in (boundary.producer_node, boundary.consumer_node)]
        one, two = (options_at(plan.node(node), kind, boundary) for node in ends)
        for field, remedy in (*both, *(program if any(node in programs for node in ends) else cards)):
            ours, theirs = (str(getattr(end, field)) for end in (one, two))
            if ours != theirs:
                text = f"stream {boundary.name} comes from {boundary.producer_node}, whose {field} is "
                text += f"{ours.lower()}, and that of {boundary.consumer_node} is {theirs.lower()}"
                yield Problem(_where(str(boundary.consumer_node), kind, field), text, remedy)


def _rows(
    port: _Port,
    places: dict[tuple[str, Direction], tuple[_Port, int]],
    found: dict[tuple[str, int], str],
    options: dict[str, VnxOptions],
) -> Iterator[Row]:
    for row, (boundary, direction) in enumerate(port.ends):
        theirs, their_row = places[boundary, "out" if direction == "in" else "in"]
        yield Row(
            boundary=boundary,
            peer=found[theirs.key],
            their_port=options[theirs.name].port + their_row,
            my_port=options[port.name].port + row,
        )
