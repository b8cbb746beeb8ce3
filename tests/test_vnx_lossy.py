# SPDX-License-Identifier: BSD-3-Clause
"""The smallest lossy cluster over VNx, in the default run: packets are lost, sent again, every word is exact.

Everything else about clusters over VNx belongs to the sweep (test_vnx_cluster.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_vnx_cluster import FIVE_PERCENT, cluster, counts, parameters, play

FRAMES, PACKETS = 6, 16  # and one frame more; of 96 bytes, in two beats
STREAM = ("UINT8", 16, PACKETS * 96)
LEAST = {"mtu": 156, "sockets": 1}  # the shortest packets and the smallest table: what a simulation costs


@pytest.mark.recorded
def test_lost_packets_are_sent_again(tmp_path: Path) -> None:
    out = cluster(tmp_path / "out", 2, streams=(STREAM,), options=LEAST)
    report = play(out, FRAMES, settings=parameters(loss=FIVE_PERCENT), full_rate=False, control=False)
    assert counts(report, "lost", "stalled") > 0
    assert counts(report, "sent again", "stalled") > 0
    assert counts(report, "data taken", "stalled") == (FRAMES + 1) * PACKETS
