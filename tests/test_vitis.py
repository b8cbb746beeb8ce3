# SPDX-License-Identifier: BSD-3-Clause
"""The Vitis platform: what a card offers, what it refuses, and what it says is slow."""

from __future__ import annotations

import pytest

from shellgen.platforms import platform_registry
from shellgen.platforms.vitis_network import cycles, payload_rate, slowest_clock, wire_rate
from shellgen.read import read_board


@pytest.mark.parametrize(
    ("payload", "clocks", "gigabits", "mhz"),
    [
        (18, 2, 21.429, 300),
        (64, 3, 49.231, 290),
        (1408, 24, 95.522, 205),
        (1472, 25, 95.709, 205),
        (8192, 130, 99.201, 200),
    ],
)
def test_what_ethernet_permits_and_the_stack_does(
    payload: int, clocks: int, gigabits: float, mhz: int
) -> None:
    """VNx's own notebook has the same rates for its traffic generator at 300 MHz."""
    assert cycles(payload) == clocks
    assert wire_rate(payload) / 1e9 == pytest.approx(gigabits, abs=1e-3)
    assert slowest_clock(payload) == mhz
    assert payload_rate(payload, mhz * 1_000_000) == wire_rate(payload)
    assert payload_rate(payload, (mhz - 5) * 1_000_000) < wire_rate(payload)


def test_the_clock_of_the_three_card_network() -> None:
    """ResNet-50 on three U280s ran at 200 MHz."""
    assert payload_rate(1472, 200_000_000) / 1e9 == pytest.approx(94.2, abs=0.05)


@pytest.mark.parametrize(("name", "qsfps"), [("u50", 1), ("u55c", 2), ("u200", 2), ("u250", 2), ("u280", 2)])
def test_what_a_card_offers(name: str, qsfps: int) -> None:
    board, platform = read_board(name), platform_registry()["vitis"]
    docks = platform.docks(board)
    assert (docks["udp"].ports, docks["udp"].slots, docks["udp"].bits) == (qsfps, 16 * qsfps, 512)
    window = platform.window(board)
    assert (window.base, window.bytes, window.slot, window.bus) == (0, 0x1_0000, 4, "xrt")
