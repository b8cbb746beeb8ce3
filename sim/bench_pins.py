# SPDX-License-Identifier: BSD-3-Clause
"""The reset of a core by its pin: every register has its first value again, whatever was in it."""

from __future__ import annotations

from typing import Any

from bench_host import refused
from bench_lite import NodeLite
from bench_session import Session
from cocotb.triggers import ClockCycles

COUNTERS = ("frames", "beats_low", "beats_high", "stalls", "flags")


async def forget_all(dut: Any, session: Session) -> int:
    """Reset all cores by their pins when nothing moves any more; return how many counters had counted.

    Raises:
        AssertionError: A register keeps what it had.
    """
    dut.start.value = 0
    lites = [(NodeLite(dut, node), node) for node in session.maps["nodes"]]
    before = 0
    for lite, node in lites:
        await lite.write("scratch", 0xFFFF_FFFF)
        for stream in node["streams"]:
            await lite.write(f"frames_per_transfer_{stream['index']}", stream["most_frames"])
            for name in COUNTERS:
                before += bool(await lite.read(f"{name}_{stream['index']}"))
        await lite.write("control", lite.mask("control", "HOLD"))
    for name in session.cores:
        getattr(dut, name).value = 0
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 32)
    for name in ("aresetn", *session.cores):
        getattr(dut, name).value = 1
    await ClockCycles(dut.aclk, 32)
    for lite, node in lites:
        first = {"scratch": 0, "control": 0}
        for stream in node["streams"]:
            at = stream["index"]
            # A partition that hands out words before its first frame has a beat that waits.
            first |= {f"{name}_{at}": 0 for name in COUNTERS if name not in ("beats_low", "stalls")}
            first[f"frames_per_transfer_{at}"] = 1
        for register, value in first.items():
            found = await lite.read(register)
            assert found == value, f"{lite.name}: the reset by its pin leaves {register} at {found:#x}"
        for region in node["regions"][:1]:
            text = f"{region['name']} is refused after a reset by the pin while CONTROL.HOLD was 1"
            assert not await refused(lite, region), f"{lite.name}: {text}"
    return before
