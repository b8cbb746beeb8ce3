# SPDX-License-Identifier: BSD-3-Clause
"""Latency of the blocks of ``ip/`` in cycles, from a beat that is taken to what it makes.

The heads of the blocks' sources say the same in words; `tests/test_latencies.py` compares these functions
with the latencies that their benches measure (``ip/*/costs.toml``).
"""

from __future__ import annotations

from math import gcd

FRAMER = 1  # axis_frame_rx, axis_frame_tx, axis_run_rx, axis_run_tx
REGISTER = 1  # axis_broadcast and relays; accl_gate
FIFO = 2  # axis_fifo
DDR_FIFO = 4  # axis_ddr_fifo while nothing is in memory
GATHER = 2  # axis_concat, axis_gather
CROSSING = 3  # axis_fifo_cdc with two flops, of the clock of its output
_LUTRAM_DEPTH = 64  # up to which a FIFO takes LUTs
_MOST_UNITS = 64  # of a beat, which one row of multiplexers takes
_ROW_UNITS = 8  # the same, where words of another size are packed


def width(bits_in: int, bits_out: int, fast: bool = False) -> int:
    """Return the cycles of axis_width with a slice, from the last beat that a word needs."""
    if fast:
        return 3
    if bits_in == bits_out:
        return 1
    unit = gcd(bits_in, bits_out)
    units, made = bits_in // unit, bits_out // unit
    if bits_in < bits_out:
        return 1 if units == 1 else 2 + (units > _ROW_UNITS)
    if made == 1 and units <= _MOST_UNITS:
        return 1
    return 2 + (units > _MOST_UNITS)


def frame_fifo(depth: int) -> int:
    """Return the cycles of axis_frame_fifo with OUT_REG from the last beat of a frame to its first."""
    return 2 if depth <= _LUTRAM_DEPTH else 3


def add(ways: int) -> int:
    """Return the cycles of axis_add: a row of flops behind each row of adders."""
    return (ways - 1).bit_length()
