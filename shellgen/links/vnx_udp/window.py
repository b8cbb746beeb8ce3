# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of both ends over VNx: packets under way and in the buffers, and times (docs/vnx.md, Rate)."""

from __future__ import annotations

import math

from shellgen import costs
from shellgen.links.base import Site
from shellgen.links.vnx_udp.options import BEAT_BYTES, LEAST_WINDOW, MOST_WINDOW, ProgramOptions, VnxOptions
from shellgen.model.attachment import Direction

LEAST_SLOTS, MOST_SLOTS = LEAST_WINDOW, MOST_WINDOW
HELLO_CYCLES = 4096
ACK_CYCLES = 256
STORES = 5  # blocks and kernels between a sender and its answer that store a packet before they hand it on
# Round trips that a buffer covers: until a loss is known, until it has come again, another one for what is
# lost twice, and most of one more, since what is lost is known only when ACK_EVERY others have come.
WINDOW = 3.9
ULTRA_WORDS = 4096  # of 512 bits, from which a buffer fills UltraRAMs (UG573)
ACK_EVERY = 4
IDLE_CYCLES = 330_000  # a millisecond at the fastest clock
GIGABYTES_PER_SECOND = 12.5  # of the line
WIRE_BYTES = 66  # of Ethernet, IP and UDP around a datagram, preamble and gap included (IEEE 802.3)


def sizes(options: VnxOptions) -> dict[Direction, dict[str, int]]:
    """Return what the options make of the parameters of a sender (``out``) and of a receiver (``in``)."""
    timeout = max(256, options.round_trip_ns * 2 // 3)  # two round trips at the fastest clock, 322 MHz
    slots = buffers(options)
    return {
        "out": {
            "SLOTS": slots,
            "HELLO_CYCLES": HELLO_CYCLES,
            "TIMEOUT_CYCLES": timeout,
            "IDLE_CYCLES": max(timeout, IDLE_CYCLES),
            "REORDER": options.reorder,
            "FLIGHT": flight(options),
        },
        "in": {"SLOTS": slots, "ACK_EVERY": ACK_EVERY if slots > 8 else 1, "ACK_CYCLES": ACK_CYCLES},
    }


def under_way(options: VnxOptions) -> float:
    """Return the full packets that are sent in the time from one to its answer, in which STORES store it."""
    packet_bytes = options.packet_beats * BEAT_BYTES
    nanoseconds = options.round_trip_ns + STORES * packet_bytes / GIGABYTES_PER_SECOND
    return nanoseconds * GIGABYTES_PER_SECOND / (packet_bytes + WIRE_BYTES)


def longest_way(options: VnxOptions, packets: int) -> int:
    """Return the round trip at which so many packets are under way, in ns."""
    packet_bytes = options.packet_beats * BEAT_BYTES
    stored = STORES * packet_bytes / GIGABYTES_PER_SECOND
    return int(packets * (packet_bytes + WIRE_BYTES) / GIGABYTES_PER_SECOND - stored)


def flight(options: VnxOptions) -> int:
    """Return the packets that a sender has under way: more would only wait in the FIFOs of the stack.

    They are those of a round trip, and what an ACK tells of. What two tell of would wait in these FIFOs, and
    each loss would be known that much later. Towards a program they are those of its window.
    """
    if isinstance(options, ProgramOptions):
        return max(options.window, options.reorder + 1)
    return max(math.ceil(under_way(options)) + ACK_EVERY, options.reorder + 2)


def buffers(options: VnxOptions) -> int:
    """Return the packets that either end has room for.

    While a packet is missing, all behind it stay: for a round trip until it has come again, and for another
    one if it is lost twice. The blocks have room for MOST_SLOTS.
    """
    if isinstance(options, ProgramOptions):
        return options.window
    least = max(LEAST_SLOTS, math.ceil(WINDOW * under_way(options)))
    return min(MOST_SLOTS, 1 << (least - 1).bit_length())


def memory_of(site: Site, options: VnxOptions) -> dict[str, str]:
    """Put a deep buffer into UltraRAM, if those of the card take at most half of what it has."""
    deep = [one for one in site.options if isinstance(one, VnxOptions) and _fills_ultra(one)]
    takes = sum(costs.packets(buffers(one), one.packet_beats, ultra=True).uram for one in deep)
    return {"ULTRA": "1"} if options in deep and takes <= site.uram // 2 else {}


def _fills_ultra(options: VnxOptions) -> bool:
    """Whether the buffer of an end is so deep that it fills UltraRAMs."""
    return buffers(options) << (options.packet_beats - 1).bit_length() >= ULTRA_WORDS
