# SPDX-License-Identifier: BSD-3-Clause
"""Throughput of VNx: the limits of Ethernet, and of its pipeline at a kernel clock (docs/vitis.md)."""

from __future__ import annotations

LINE_BITS = 100_000_000_000
# Around a UDP payload: 8 bytes preamble, 14 Ethernet, 20 IP, 8 UDP, 4 checksum, 12 gap.
WIRE_OVERHEAD = 66
# Ethernet, IP and UDP headers, which shift the payload in the stack's beats of 64 bytes.
HEADERS = 42
BEAT_BYTES = 64
# What XRT makes of the scalable clocks of a card: the next lower step (XRT, clock.c, frequency_table).
STEP_MHZ = 5
# A UDP payload of 23 whole beats: the largest within an MTU of 1500 bytes.
FULL_PACKET = 1472


def cycles(payload: int) -> int:
    """Return how many kernel clocks the stack takes for a packet; read in its HLS source and run."""
    return 1 + -(-(HEADERS + payload) // BEAT_BYTES)


def wire_rate(payload: int) -> float:
    """Return the bits of payload that Ethernet carries in a second, in packets of ``payload`` bytes."""
    return LINE_BITS * payload / (payload + WIRE_OVERHEAD)


def payload_rate(payload: int, clock_hz: int) -> float:
    """Return the same for the stack at a clock, which no cable makes faster."""
    return min(wire_rate(payload), 8 * payload * clock_hz / cycles(payload))


def slowest_clock(payload: int) -> int:
    """Return the slowest clock in MHz, of those that XRT sets, at which Ethernet is the limit."""
    hz = -(-cycles(payload) * LINE_BITS // (8 * (payload + WIRE_OVERHEAD)))
    return -(-hz // (STEP_MHZ * 1_000_000)) * STEP_MHZ
