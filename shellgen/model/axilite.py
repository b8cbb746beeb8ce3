# SPDX-License-Identifier: BSD-3-Clause
"""The signals of a 32-bit AXI4-Lite slave, once for all who read, wire or write one."""

from __future__ import annotations

# (signal, bits or None for the address, True when the master drives it)
CHANNELS: tuple[tuple[str, int | None, bool], ...] = (
    ("awaddr", None, True),
    ("awprot", 3, True),
    ("awvalid", 1, True),
    ("awready", 1, False),
    ("wdata", 32, True),
    ("wstrb", 4, True),
    ("wvalid", 1, True),
    ("wready", 1, False),
    ("bresp", 2, False),
    ("bvalid", 1, False),
    ("bready", 1, True),
    ("araddr", None, True),
    ("arprot", 3, True),
    ("arvalid", 1, True),
    ("arready", 1, False),
    ("rdata", 32, False),
    ("rresp", 2, False),
    ("rvalid", 1, False),
    ("rready", 1, True),
)

REGISTER_BYTES = 4


def host_channels(addr_bits: int, slot: int) -> tuple[tuple[str, int, bool], ...]:
    """Return signal, bits and driver of a port whose data is ``slot`` bytes wide.

    A host's port has one 32-bit register in each slot, and moves one at a time (ip/axil_slot).
    """
    wide = {"wdata": 8 * slot, "wstrb": slot, "rdata": 8 * slot}
    return tuple((signal, wide.get(signal, bits or addr_bits), driven) for signal, bits, driven in CHANNELS)


# By upper-case name, as in AXI and IP-XACT.
SIGNALS: tuple[str, ...] = tuple(signal.upper() for signal, _, _ in CHANNELS)
