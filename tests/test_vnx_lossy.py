# SPDX-License-Identifier: BSD-3-Clause
"""The smallest lossy cluster over VNx, in the default run: packets are lost, sent again, every word is exact.

Everything else about clusters over VNx belongs to the sweep (test_vnx_cluster.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster_bench import report_text, run
from test_vnx_cluster import FIVE_PERCENT, SIMULATOR, cluster, counts, parameters, play

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
    # A switch for shorter packets: HELLOs are as long as these, and no session opens.
    few: dict[str, Any] = {"frames": 2, "walk": "none", "idle_limit": 20_000, "full_rate": False}
    few["control"] = False
    report = run(out, SIMULATOR, settings=parameters(mtu=LEAST["mtu"] - 1), **few)
    assert not report["passed"]
    assert "has found its receiver, both agree, and 156 bytes pass" in report_text(report)
