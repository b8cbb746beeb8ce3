# SPDX-License-Identifier: BSD-3-Clause
"""A million packets under each fault of the switch, none of which may be silently wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_vnx_cluster import FAULTS, SEEN, cluster, counts, parameters, play

pytestmark = [pytest.mark.sweep, pytest.mark.soak, pytest.mark.xdist_group("vnx_soak")]
PACKETS, FRAMES = 1_000_000, 125_000  # in all, and in a run: a packet is a frame
CASES = {**{name: {name: chance} for name, chance in FAULTS.items()}, "all": FAULTS}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cluster(tmp_path_factory.mktemp("soak") / "out", 2, streams=(("UINT8", 16, 16),))


@pytest.mark.parametrize("fault", CASES)
def test_a_million_packets(fault: str, out: Path) -> None:
    sent = 0
    for seed in range(1, PACKETS // FRAMES + 1):
        report = play(out, FRAMES, settings=parameters(**CASES[fault]), seed=seed, full_rate=False, stall=1)
        sent += counts(report, "data taken", "stalled")
        assert counts(report, SEEN.get(fault, "lost"), "stalled") > 0
    assert sent >= PACKETS
