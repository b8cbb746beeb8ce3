# SPDX-License-Identifier: BSD-3-Clause
"""The registers of the cores: who answers, and what they hold."""

from __future__ import annotations

from typing import Any

from bench_lite import NodeLite

SCRATCH = 0x5AC3_1E87


async def check_registers(dut: Any, node: dict[str, Any]) -> str:
    """Check the registers of one core; return its build id."""
    lite, name, build_id = NodeLite(dut, node), node["name"], node["build_id"]
    build = f"{await lite.read('build_id_high'):08x}{await lite.read('build_id_low'):08x}"
    for register, value in lite.fixed.items():
        found = await lite.read(register)
        assert found == value, f"{name}: no shellgen core answers: {register} is {found:#x}, not {value:#x}"
    assert build == build_id, f"{name}: build id {build}, map is for {build_id}"
    await lite.write("scratch", SCRATCH)
    found = await lite.read("scratch")
    assert found == SCRATCH, f"{name}: SCRATCH is {found:#x}, and {SCRATCH:#x} was written"
    await _keeps_to_itself(lite, node)
    if node["slot_bytes"] == 8:
        assert await lite.refuses("scratch", 4), f"{name}: a write to half a slot was answered OKAY"
        assert await lite.read("scratch") == SCRATCH, f"{name}: it was taken for the other half"
    if node["aperture"]:
        # The bridge counts its own bytes, of which the upper half are the aperture.
        window = lite.field("bridge_geometry", "WINDOW", await lite.read("bridge_geometry"))
        assert 1 << window == 2 * node["aperture"]["bytes"], f"{name}: bridge of {window} address bits"
        assert await lite.read("bridge_error") == 0, f"{name}: the bridge has seen an error"
    return build


async def _keeps_to_itself(lite: NodeLite, node: dict[str, Any]) -> None:
    """Write where nothing can be written, read where nothing is, and give each stream a count of its own."""
    status = next(block for block in node["blocks"] if block["name"] == "status")
    places = {
        status["base"] + register["offset"] + index * (register["stride"] or 0): register
        for register in status["registers"]
        for index in range(register["count"] or 1)
    }
    for place, register in places.items():
        if register["access"] == "r":
            await lite.write_at(place, 0xFFFF_FFFF)
    step, end = node["slot_bytes"], status["base"] + status["size"]
    empty = [place for place in range(status["base"], end, step) if place not in places]
    for place in {*empty[:: len(empty) // 16 or 1], *empty[-1:]}:
        found = await lite.read_at(place)
        assert found == 0, f"{node['name']}: {place:#x} reads {found:#x}, and no register is there"
    counts = {
        f"frames_per_transfer_{stream['index']}": min(3 + stream["index"], stream["most_frames"])
        for stream in node["streams"]
    }
    for register, value in counts.items():
        await lite.write(register, value)
    for register, value in counts.items():
        found = await lite.read(register)
        assert found == value, f"{node['name']}: {register} is {found}, and {value} was written"
        await lite.write(register, 1)
    found = await lite.read("scratch")
    assert found == SCRATCH, f"{node['name']}: a write elsewhere has changed SCRATCH to {found:#x}"
    for register, value in lite.fixed.items():
        found = await lite.read(register)
        assert found == value, f"{node['name']}: a write has changed {register} to {found:#x}"
