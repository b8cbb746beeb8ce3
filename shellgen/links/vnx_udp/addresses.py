# SPDX-License-Identifier: BSD-3-Clause
"""Addresses of the cages of a cluster, and the rows of their socket tables: what only the host knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from shellgen.errors import PlanError, Problem
from shellgen.links.vnx_udp.options import VnxOptions
from shellgen.model import Attachment, NodePlan, Plan

FIRST_HOST = 10  # of the addresses that are given out
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
    """One QSFP cage in use.

    Attributes:
        node: Its card.
        number: On the card.
        ip: Its address.
        gateway: In its subnet.
        mac: Six bytes as text.
        rows: Of its socket table, from row 0.
        options: Those of its node.
    """

    node: str
    number: int
    ip: str
    gateway: str
    mac: str
    rows: tuple[Row, ...]
    options: VnxOptions


def cages(plan: Plan, kind: str) -> tuple[Cage, ...]:
    """Return the cages that links of a kind use, in the order of the nodes.

    Raises:
        PlanError: Addresses that are outside of their subnet, given twice, or missing; more cages than the
            subnet has addresses; cards that could not reach one another; ends that do not agree on the MTU or
            on RS-FEC.
    """
    used = [(node, one) for node in plan.nodes for one in node.attachments if one.link == kind]
    options = {node.name: _options(node, kind) for node, _ in used}
    problems = [*_few_addresses(used, options), *_ends_disagree(plan, kind, options)]
    if problems:
        raise PlanError(*problems)
    found = {
        (node.name, one.slot): ip for (node, one), ip in zip(used, _given_out(used, options), strict=True)
    }
    macs = {key: _mac(options[key[0]], key[1], ip) for key, ip in found.items()}
    problems = [*_wrong_addresses(found, options, kind), *_twice(found, macs, kind)]
    if problems:
        raise PlanError(*problems)
    return tuple(
        Cage(
            node=node.name,
            number=one.slot,
            ip=found[node.name, one.slot],
            gateway=_gateway(options[node.name]),
            mac=macs[node.name, one.slot],
            rows=tuple(_rows(plan, node, one, found, options)),
            options=options[node.name],
        )
        for node, one in used
    )


def _options(node: NodePlan, kind: str) -> VnxOptions:
    return VnxOptions.from_data(node.link_options.get(kind, {}), f"node {node.name}", f"options.{kind}")


def _where(node: str, kind: str, field: str) -> str:
    return f"node {node}: options.{kind}.{field}"


def _gateway(options: VnxOptions) -> str:
    return options.gateway or str(IPv4Network(options.subnet)[1])


def _mac(options: VnxOptions, cage: int, ip: str) -> str:
    if cage < len(options.mac):
        return options.mac[cage]
    return f"{MAC_PREFIX}:{IPv4Address(ip).packed.hex(':')}"


def _few_addresses(
    used: Iterable[tuple[NodePlan, Attachment]], options: dict[str, VnxOptions]
) -> Iterator[Problem]:
    for node, one in used:
        for field, given in (("ip", options[node.name].ip), ("mac", options[node.name].mac)):
            if given and len(given) <= one.slot:
                found = f"{len(given)} given, and cage {one.slot} is in use"
                remedy = "Give one for each cage of the card in order, or none at all"
                yield Problem(_where(node.name, one.link, field), found, remedy)


def _given_out(used: Iterable[tuple[NodePlan, Attachment]], options: dict[str, VnxOptions]) -> Iterator[str]:
    """Return the address of each cage: its own, or the next one that is free."""
    taken = {address for one in options.values() for address in one.ip}
    taken |= {_gateway(one) for one in options.values()}
    for node, one in used:
        own = options[node.name]
        if own.ip:
            yield own.ip[one.slot]
            continue
        network = IPv4Network(own.subnet)
        hosts = (str(network[k]) for k in range(FIRST_HOST, 255))
        free = next((address for address in hosts if address not in taken), None)
        if free is None:
            found = f"no address from {network[FIRST_HOST]} on is left in {network} for cage {one.slot}"
            remedy = "Put cards that are not joined into subnets of their own, or give addresses"
            raise PlanError(Problem(_where(node.name, one.link, "subnet"), found, remedy))
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
            if address in first:
                other = first[address]
                text = f"{address} belongs to cage {other[1]} of {other[0]} and to cage {key[1]} of {key[0]}"
                yield Problem(_where(key[0], kind, field), text, "Give each cage an address of its own")
            first.setdefault(address, key)


def _ends_disagree(plan: Plan, kind: str, options: dict[str, VnxOptions]) -> Iterator[Problem]:
    for boundary in plan.boundaries:
        if boundary.link != kind:
            continue
        one, two = options[str(boundary.producer_node)], options[str(boundary.consumer_node)]
        for field, remedy in (
            ("subnet", "Cards find one another within a subnet only: give both the same"),
            ("mtu", "Give both the same"),
            ("sockets", "Build VNx alike for all cards"),
            ("rs_fec", "Give both the same: without RS-FEC at both ends the link stays down"),
        ):
            ours, theirs = (str(getattr(end, field)) for end in (one, two))
            if ours != theirs:
                text = f"stream {boundary.name} comes from {boundary.producer_node}, whose {field} is "
                text += f"{ours.lower()}, and here it is {theirs.lower()}"
                yield Problem(_where(str(boundary.consumer_node), kind, field), text, remedy)


def _rows(
    plan: Plan,
    node: NodePlan,
    attachment: Attachment,
    found: dict[tuple[str, int], str],
    options: dict[str, VnxOptions],
) -> Iterator[Row]:
    for row, end in enumerate(attachment.ends):
        boundary = plan.boundary(end.boundary)
        other = boundary.producer_node if end.direction == "in" else boundary.consumer_node
        theirs, their_row = next(
            (one, index)
            for one in plan.node(str(other)).attachments
            for index, their_end in enumerate(one.ends)
            if their_end.boundary == end.boundary and their_end.direction != end.direction
        )
        yield Row(
            boundary=boundary.name,
            peer=found[str(other), theirs.slot],
            their_port=options[str(other)].port + their_row,
            my_port=options[node.name].port + row,
        )
