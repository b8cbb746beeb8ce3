# SPDX-License-Identifier: BSD-3-Clause
"""Streams that break the handshake of AXI4-Stream, in sentences: `axis_monitor` and `axis_sink` see them."""

from __future__ import annotations

from shellgen.counted import counted
from shellgen.model.bench_findings import Findings


def handshake_lines(findings: Findings) -> list[str]:
    """Name each stream whose sender takes back or changes a word, once for each signal.

    No comparison fails by a word that is taken back: the core has taken each one that counts. TVALID and
    TDATA stay until the handshake occurs, says Arm IHI 0051 (AMBA AXI-Stream), "Handshake signaling".
    """
    rule = "AXI4-Stream forbids that: the core may cope with it here, other IP may lose or repeat words"
    lines: dict[tuple[str, str], str] = {}
    for run in findings.runs.values():
        for one in run.handshakes:
            what = "tvalid falls" if one.signal == "tvalid" else "tdata changes"
            seen = f"{counted(one.times, 'time')}, first after word {one.words:,}"
            said = f"{one.place}: {what} before tready comes, {seen}. {rule}"
            lines.setdefault((one.place, one.signal), said)
    return list(lines.values())
