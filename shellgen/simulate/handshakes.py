# SPDX-License-Identifier: BSD-3-Clause
"""Streams that break the handshake of AXI4-Stream, in sentences: `axis_monitor` and `axis_sink` see them."""

from __future__ import annotations

from shellgen.counted import counted
from shellgen.model.bench_findings import Findings


def handshake_lines(findings: Findings) -> list[str]:
    """Name each stream whose sender takes back a word, once.

    No comparison fails by it: the core has taken each word that counts. TVALID stays asserted until the
    handshake occurs, says Arm IHI 0051 (AMBA AXI-Stream), "Handshake signaling".
    """
    rule = "AXI4-Stream forbids that: the core copes with it here, other IP may lose or repeat words"
    lines: dict[str, str] = {}
    for run in findings.runs.values():
        for one in run.withdrawn:
            seen = f"{counted(one.times, 'time')}, first after word {one.words:,}"
            lines.setdefault(one.place, f"{one.place}: tvalid falls before tready comes, {seen}. {rule}")
    return list(lines.values())
