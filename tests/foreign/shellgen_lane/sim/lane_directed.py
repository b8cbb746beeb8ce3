# SPDX-License-Identifier: BSD-3-Clause
"""A lane whose cable is cut carries nothing, and its registers are there all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench_bring_up import bring_up
from bench_lite import NodeLite
from bench_run import Watch
from bench_session import Session, reset
from bench_stimulus import write_stimulus
from cocotb.triggers import ClockCycles

CYCLES = 2000  # in which a frame crosses a lane that is whole


async def directed_test(dut: Any, session: Session) -> dict[str, int]:
    """Send a frame over lanes that are cut; return what was sent and received, by board."""
    names = json.loads(Path(__file__).with_name("lane.json").read_text())["nodes"]
    await reset(dut, session)
    await bring_up(dut, session)
    write_stimulus(session, 1)
    dut.lane_cut.value = 1
    await Watch(dut, session.bench, session.options, "streams, a lane that is cut").send(0)
    dut.frames.value = 1
    await ClockCycles(dut.aclk, CYCLES)
    found = {}
    for node in session.maps["nodes"]:
        if node["name"] in names:
            lite = NodeLite(dut, node)
            found[node["name"]] = await lite.read("lane_sent") + await lite.read("lane_received")
    assert not any(found.values()), f"packets passed lanes that are cut: {found}"
    return found
