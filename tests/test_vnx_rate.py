# SPDX-License-Identifier: BSD-3-Clause
"""A loss over VNx costs a packet, not a window: short runs of benchmarks/vnx_link keep to what it demands."""

from __future__ import annotations

import pytest

from benchmarks.vnx_link.__main__ import (
    BURST,
    LEAST_CLEAN,
    LEAST_LOST,
    MOST_TRIPS,
    Setting,
    limit,
    measure,
)

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("vnx")]
MHZ, TRIP_NS, MICROSECONDS = 300, 2000, 300


@pytest.mark.parametrize("mtu", LEAST_CLEAN)
def test_losses_cost_what_the_benchmark_allows(mtu: int) -> None:
    """One percent each way; what waits when the measurement begins makes a short run a little uncertain."""
    most = limit(mtu, MHZ)
    clean = measure(Setting(mtu, MHZ, TRIP_NS, 0), MICROSECONDS, 1)
    assert round(clean.rate / most, 3) >= LEAST_CLEAN[mtu]
    lossy = measure(Setting(mtu, MHZ, TRIP_NS, 1), MICROSECONDS, 1)
    assert lossy.lost
    assert lossy.rate / most >= LEAST_LOST[1] - 0.01
    setting = Setting(mtu, MHZ, TRIP_NS, 0, BURST)
    bursts = measure(setting, MICROSECONDS, 1)
    assert bursts.bursts
    assert bursts.cost(setting, clean.rate, MICROSECONDS) <= MOST_TRIPS
