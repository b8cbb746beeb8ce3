# SPDX-License-Identifier: BSD-3-Clause
"""Bring-up of the cards of a cluster over VNx: the steps of the host before the first frame.

The order is that of VNx's own drivers, and where these leave something to chance it is done here: all rows of
the socket table and all entries of the ARP table are written, the mask and the whole MAC address, the link is
polled twice, and an address is believed in only when the right card has answered (docs/vnx.md, Bring-up).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network

from shellgen.links.registers import UnitRegisters
from shellgen.links.vnx_udp.addresses import Cage, Row, cages
from shellgen.links.vnx_udp.options import BEAT_BYTES, IP_AND_UDP
from shellgen.model import Plan, Step, Unit
from shellgen.registers import block_registers

PROBES, ARP_ENTRIES = 12, 256
ADDRESS_BITS = 13  # of both kernels
RS_FEC, CORRECT_AND_INDICATE, RESETS = 3, 7, 0xC000_0000


def units(cage: int, sockets: int) -> tuple[Unit, Unit]:
    """Return the kernels of VNx at a QSFP cage; their stack has so many rows in its socket table."""
    counts = (("PROBES", PROBES), ("SOCKETS", sockets), ("ARP_ENTRIES", ARP_ENTRIES))
    layer, mac = f"networklayer_{cage}", f"cmac_{cage}"
    return (
        Unit(
            name=layer,
            block="networklayer",
            addr_bits=ADDRESS_BITS,
            ip=f"networklayer:{{{layer}}}",
            counts=counts,
        ),
        Unit(name=mac, block="cmac", addr_bits=ADDRESS_BITS, ip=f"{mac}:{{{mac}}}"),
    )


def bring_up(plan: Plan, kind: str) -> tuple[Step, ...]:
    """Return the steps for all cages that links of a kind use."""
    found = cages(plan, kind)
    programs = {row.boundary for cage in found if cage.program for row in cage.rows}
    return (
        *card_steps(found),
        Step(op="barrier", about="every card knows the others"),
        *_sessions(plan, kind, programs),
    )


def card_steps(found: Sequence[Cage]) -> tuple[Step, ...]:
    """Return the steps until every card finds its peers; the port of a program has no registers."""
    cards = [cage for cage in found if not cage.program]
    return (
        *(step for cage in cards for step in _addresses(cage)),
        Step(op="barrier", about="every card has its addresses"),
        *(step for cage in cards for step in _link(cage)),
        *(step for cage in cards for step in _peers(cage, found)),
    )


def _kernels(cage: Cage) -> tuple[UnitRegisters, UnitRegisters]:
    layer, mac = (
        UnitRegisters(cage.node, unit.name, block_registers(unit.block), dict(unit.counts))
        for unit in units(cage.number, cage.options.sockets)
    )
    return layer, mac


def _addresses(cage: Cage) -> Iterator[Step]:
    """Configure a card with its own addresses and those of its peers; no other station is needed."""
    layer, mac = _kernels(cage)
    sockets, octets = cage.options.sockets, bytes.fromhex(cage.mac.replace(":", ""))
    known = layer.block.register("ID").value
    assert known is not None
    yield layer.until("ID", known, "it is VNx's networklayer")
    built = f"VNx was built with MAX_SOCKETS={sockets}, as options.sockets says"
    yield layer.until("NUMBER_SOCKETS", sockets, built)
    if cage.options.rs_fec:
        yield mac.write("RSFEC_ENABLE", RS_FEC, "RS-FEC on")
        yield mac.write("RSFEC_CONFIG", CORRECT_AND_INDICATE, "RS-FEC corrects")
        yield mac.write("RESET", RESETS, "the MAC takes over the change")
        yield mac.write("RESET", 0, "the MAC takes over the change")
    else:
        off = "RS-FEC is off; load the xclbin again where an earlier run has switched it on"
        yield mac.until("RSFEC_ENABLE", 0, off, RS_FEC)
    yield layer.write("IP_ADDRESS", _number(cage.ip), f"its address, {cage.ip}")
    yield layer.write("IP_MASK", int(IPv4Network(cage.options.subnet).netmask), "mask of the subnet")
    yield layer.write(
        "GATEWAY", _number(cage.gateway), f"gateway, {cage.gateway}; nothing is sent without one"
    )
    yield layer.write("MAC_LOW", int.from_bytes(octets[2:], "big"), f"its MAC address, {cage.mac}")
    yield layer.write("MAC_HIGH", int.from_bytes(octets[:2], "big"), f"its MAC address, {cage.mac}")
    for index in range(sockets):
        yield from _row(layer, cage.rows, index)


def _row(layer: UnitRegisters, rows: Sequence[Row], index: int) -> Iterator[Step]:
    """Write a row whole: without a stream it is cleared, since a row receives even if it is not valid."""
    row = rows[index] if index < len(rows) else None
    about = f"row {index}: {row.boundary}" if row else f"row {index} is not used"
    yield layer.write("THEIR_IP", _number(row.peer) if row else 0, about, index=index)
    yield layer.write("THEIR_PORT", row.their_port if row else 0, about, index=index)
    yield layer.write("MY_PORT", row.my_port if row else 0, about, index=index)
    yield layer.write("VALID", int(row is not None), about, index=index)


def _link(cage: Cage) -> Iterator[Step]:
    """The link is up; the first answer is how it was before, so it is asked twice."""
    _, mac = _kernels(cage)
    about = "the link is up: cable, port of the switch, and RS-FEC alike at both ends"
    up = mac.bit("STAT_RX_STATUS", "STATUS")
    yield mac.until("STAT_RX_STATUS", up, about, up, reason="STAT_RX_STATUS")
    yield mac.until("STAT_RX_STATUS", up, about, up, reason="STAT_RX_STATUS")


def _peers(cage: Cage, found: Sequence[Cage]) -> Iterator[Step]:
    """Ask for all addresses until each peer has answered, and compare the answer with the planned MAC.

    The table is indexed by the last octet of an address, and the stack ignores the rest when it sends. It
    ignores a request while it still asks for all others (arp_server.cpp of its HLS sources), so the
    request is repeated during the wait. It does not ask for an address that it has,
    and a sender asks from its first packet on, so an answer from before the barrier may be old.
    """
    layer, _ = _kernels(cage)
    for index in range(ARP_ENTRIES // 4):
        yield layer.write("ARP_VALID", 0, "forget who answered before all had their addresses", index=index)
    for peer in dict.fromkeys(row.peer for row in cage.rows):
        other = next(one for one in found if one.ip == peer)
        index = _number(peer) & 0xFF
        where = f"{other.node}, {peer}"
        for value in (0, 1, 0):
            yield layer.write("ARP_DISCOVERY", value, f"ask for {where}")
        valid = 1 << 8 * (index % 4)
        yield layer.until("ARP_VALID", valid, f"{where} has answered", valid, index=index // 4, again=3)
        swapped = int.from_bytes(IPv4Address(peer).packed, "little")
        yield layer.until("ARP_IP", swapped, f"it was {peer} that answered", index=index)
        if not other.mac:
            continue
        octets = bytes.fromhex(other.mac.replace(":", ""))
        about = f"the MAC address is that of {where}: {other.mac}, and nobody else has its IP address"
        yield layer.until("ARP_MAC", int.from_bytes(octets[:4], "little"), about, index=2 * index)
        high = int.from_bytes(octets[4:], "little")
        yield layer.until("ARP_MAC", high, about, 0xFFFF, index=2 * index + 1)


def _sessions(plan: Plan, kind: str, programs: Container[str]) -> Iterator[Step]:
    """Every sender is in a session with its receiver, or tells what these two do not agree on.

    A program may begin later than the cards: the sender says HELLO until it does, and the program tells what
    they do not agree on.
    """
    for node in plan.nodes:
        for one in node.attachments:
            for end in one.ends if one.link == kind else ():
                if end.direction == "out" and end.boundary not in programs:
                    sender = UnitRegisters(
                        node.name, f"{one.name}_{end.net}", block_registers("vnx_sender"), {}
                    )
                    is_open = sender.bit("STATE", "OPEN")
                    beats = one.detail["packet_beats"]
                    assert isinstance(beats, int)
                    most = IP_AND_UDP + beats * BEAT_BYTES
                    about = f"{end.boundary} has found its receiver, both agree, and {most} bytes pass"
                    yield sender.until("STATE", is_open, about, is_open, reason="REFUSED")


def _number(address: str) -> int:
    return int(IPv4Address(address))
