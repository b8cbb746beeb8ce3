# SPDX-License-Identifier: BSD-3-Clause
"""The registers of the cores: who answers, and what they hold."""

from __future__ import annotations

from typing import Any

from bench_lite import NodeLite

SCRATCH = 0x5AC3_1E87
# What FRAMES_PER_TRANSFER holds after a write: a transfer has a frame at least, and the register 16 bits.
COUNTS = {0: 1, 0x0001_0000: 0xFFFF, 0x8000_0001: 0xFFFF, 0xFFFF: 0xFFFF, 0xA5C3: 0xA5C3}


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
    await _takes_whole_counts(lite, node)
    found = await lite.read("scratch")
    assert found == SCRATCH, f"{node['name']}: a write elsewhere has changed SCRATCH to {found:#x}"
    for register, value in lite.fixed.items():
        found = await lite.read(register)
        assert found == value, f"{node['name']}: a write has changed {register} to {found:#x}"


async def _takes_whole_counts(lite: NodeLite, node: dict[str, Any]) -> None:
    """Write counts that no transfer can have, and parts of registers, of which CONTROL wants the lowest."""
    reset = lite.mask("control", "RESET") | lite.mask("control", "HOLD")
    # Of a slot of 64 bits, none of the lower bytes is a write to the upper half, which is refused.
    for strobe in (0b1110, 0b0000) if node["slot_bytes"] == 4 else (0b1110,):
        await lite.write_bytes("control", reset * 0x0101_0101, strobe)
        found = await lite.read("control")
        assert found == 0, f"{lite.name}: CONTROL reads {found:#x}, and its lowest byte was not written"
    for stream in (stream for stream in node["streams"] if stream["most_frames"] > 1):
        register = f"frames_per_transfer_{stream['index']}"
        for value, held in COUNTS.items():
            await lite.write(register, value)
            found = await lite.read(register)
            assert found == held, f"{lite.name}: {register} is {found:#x} after a write of {value:#x}"
        for left in range(4):
            await lite.write_bytes(register, 0x1234, 0b1111 ^ 1 << left)
            found = await lite.read(register)
            assert found == held, f"{lite.name}: a part of {register} was written, and it is {found:#x}"
        await lite.write(register, 1)
