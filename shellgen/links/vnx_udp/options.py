# SPDX-License-Identifier: BSD-3-Clause
"""Options of streams over VNx in cluster.toml (docs/vnx.md)."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated

from pydantic import AfterValidator, Field

from shellgen.model.base import Frozen
from shellgen.model.names import Line

IP_AND_UDP = 28  # bytes of their headers, which an MTU includes
BEAT_BYTES = 64
ETHERNET = 18  # bytes of header and FCS, which a frame includes
# VNx leaves the maximum frame length of its MAC at the default, which is CTL_RX_MAX_PACKET_LEN = 15'h2580 in
# AMD's CMACE4; the receiver truncates longer frames (PG203).
MOST_FRAME = 9600
LEAST_MTU, MOST_MTU = IP_AND_UDP + 2 * BEAT_BYTES, MOST_FRAME - ETHERNET
LEAST_WINDOW, MOST_WINDOW = 4, 256
PROGRAM_ROUND_TRIP_NS = 200_000  # assumed: Gigabit Ethernet, and the kernel and program of a slow processor


def _subnet(value: str) -> str:
    try:
        network = IPv4Network(value)
    except ValueError as error:
        raise ValueError(f"expected a network such as 192.168.0.0/24: {error}") from None
    if network.prefixlen != 24:
        raise ValueError("expected a /24: the stack finds its peers by the last byte of their address")
    return value


def _mtu(value: int) -> int:
    if value > MOST_MTU:
        built = f"VNx builds its MAC for frames of at most {MOST_FRAME} bytes"
        raise ValueError(
            f"{built}, so packets of at most {MOST_MTU}; of a longer one only the beginning would arrive"
        )
    return value


def _address(value: str) -> str:
    try:
        return str(IPv4Address(value))
    except ValueError as error:
        raise ValueError(f"expected an address such as 192.168.0.10: {error}") from None


def _mac(value: str) -> str:
    if not re.fullmatch(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}", value):
        raise ValueError("expected an address such as 00:0a:35:02:9d:05")
    if int(value[:2], 16) & 1:
        raise ValueError("expected the address of one card: this is a group's, its first byte is odd")
    return value.lower()


def _window(value: int) -> int:
    if not LEAST_WINDOW <= value <= MOST_WINDOW or value & value - 1:
        raise ValueError(
            f"expected a power of two from {LEAST_WINDOW} to {MOST_WINDOW}, the packets of which an ACK tells"
        )
    return value


Window = Annotated[int, AfterValidator(_window)]
Mtu = Annotated[int, Field(ge=LEAST_MTU), AfterValidator(_mtu)]
Subnet = Annotated[Line, AfterValidator(_subnet)]
Address = Annotated[Line, AfterValidator(_address)]
Mac = Annotated[Line, AfterValidator(_mac)]
Cage = Annotated[int, Field(ge=0, le=1)]


class VnxOptions(Frozen):
    """Options of ``vnx_udp``; those from ``subnet`` on concern only the host.

    Attributes:
        mtu: Largest IP packet on the way, bytes; all ends must agree.
        round_trip_ns: From a short packet to its answer; sizes the buffer of what can be sent again. 1070 ns
            were measured between two U280 at one cable (VNx, notebook of its benchmark). 2000, or 200000
            where a program is one end, if left out.
        window: Packets under way where a program is one end, a power of two: its port is slower than the
            card's, and the switch must have room for them.
        reorder: Packets by which the network may change the order: a packet is lost when so many and one that
            were sent after it have come. 0 for a cable.
        qsfp: Cage through which a stream leaves and enters, unless the next two say otherwise.
        from_qsfp: Cage through which it leaves.
        to_qsfp: Cage through which it enters.
        subnet: Of the cage, a /24.
        gateway: In the subnet; its first address, if left out.
        ip: Of a node's cages, in their order, replica by replica; given out from .10 on, if left out.
        mac: The same; 02:53 and the IP address, if left out.
        host: Address of the machine that sends and receives the host's streams of this kind.
        port: UDP port of the first row; the others follow.
        sockets: Rows that the stack was built with (MAX_SOCKETS of VNx).
        rs_fec: Switch on error correction in the MAC; cards that are joined must agree.
    """

    mtu: Mtu = 1500
    round_trip_ns: int = Field(default=2000, ge=100, le=1_000_000)
    window: Window = 32
    reorder: int = Field(default=3, ge=0, le=255)
    qsfp: Cage = 0
    from_qsfp: Cage | None = None
    to_qsfp: Cage | None = None
    subnet: Subnet = "192.168.0.0/24"
    gateway: Address | None = None
    ip: tuple[Address, ...] = ()
    mac: tuple[Mac, ...] = ()
    host: Address | None = None
    port: int = Field(default=50_000, ge=1, le=65_535 - 63)
    sockets: int = Field(default=16, ge=1, le=63)
    rs_fec: bool = False

    def cage(self, direction: str) -> int:
        """Return the cage of a stream that goes ``out`` or comes ``in``."""
        own = self.from_qsfp if direction == "out" else self.to_qsfp
        return self.qsfp if own is None else own

    @property
    def packet_beats(self) -> int:
        """Beats of a full packet: what the MTU holds, from 64 on a power of two, so that slots are full."""
        beats = (self.mtu - IP_AND_UDP) // BEAT_BYTES
        return beats if beats < 64 else 1 << beats.bit_length() - 1


class ProgramOptions(VnxOptions):
    """Options of a stream with a program at one end: buffers of ``window`` packets, and a long way."""

    @classmethod
    def of(cls, options: VnxOptions) -> ProgramOptions:
        """Return them for what cluster.toml says."""
        given = {name: getattr(options, name) for name in options.model_fields_set}
        return cls(**{"round_trip_ns": PROGRAM_ROUND_TRIP_NS, **given})


# Addresses of boards of which nobody has said theirs, beside those that cards are given.
STAND_INS = tuple(str(IPv4Network("192.168.0.0/24")[20 + number]) for number in range(64))
HOST_OPTIONS = frozenset({"subnet", "gateway", "ip", "mac", "host", "port", "sockets", "rs_fec"})
# What belongs to a node and not to a stream.
NODE_OPTIONS = HOST_OPTIONS | {"mtu"}
