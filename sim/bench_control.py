# SPDX-License-Identifier: BSD-3-Clause
"""The registers of the cores: who answers, what they hold, and what they counted."""

from __future__ import annotations

from typing import Any

from bench_lite import NodeLite
from bench_run import Watch
from bench_verdict import Verdict

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
    assert await lite.read("scratch") == SCRATCH, f"{name}: scratch register does not hold"
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
    assert await lite.read("scratch") == SCRATCH, f"{node['name']}: what was written elsewhere is in SCRATCH"
    for register, value in lite.fixed.items():
        found = await lite.read(register)
        assert found == value, f"{node['name']}: a write has changed {register} to {found:#x}"


Meters = list[dict[str, int]]


async def metered(dut: Any, maps: dict[str, Any], watch: Watch) -> Meters:
    """Return what registers and bench have counted of each stream, while nothing moves.

    Returns:
        beats_low and stalls (cycles in which a beat waited), own_beats and own_stalls; and valid: a beat
        waits now, so stalls are counted on.
    """
    found = []
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            at = stream["index"]
            found.append({name: await lite.read(f"{name}_{at}") for name in ("beats_low", "stalls")})
    own = (await watch.probe())["meters"]
    return [
        {**one, "own_beats": meter["beats"], "own_stalls": meter["stalls"], "valid": meter["valid"]}
        for one, meter in zip(found, own, strict=True)
    ]


def mismetered(maps: dict[str, Any], before: Meters, after: Meters) -> list[Verdict]:
    """Compare what the registers have counted in a run with what the bench has."""
    faults = []
    names = [(node["name"], stream["boundary"]) for node in maps["nodes"] for stream in node["streams"]]
    for (node, boundary), was, now in zip(names, before, after, strict=True):
        for register, own in (("beats_low", "own_beats"), ("stalls", "own_stalls")):
            if register == "stalls" and (was["valid"] or now["valid"]):
                continue
            counted, wanted = ((now[one] - was[one]) % (1 << 32) for one in (register, own))
            if counted != wanted:
                text = f"{register.upper()} counted {counted:,} of {wanted:,}"
                verdict = Verdict(
                    f"status of {node}, {boundary}", wanted, max(1, abs(counted - wanted)), text
                )
                faults.append(verdict.about("status", boundary))
    return faults


async def miscounted(dut: Any, maps: dict[str, Any], sent_frames: int | None) -> list[Verdict]:
    """Compare the frame counters with what was sent, if that went through; look at the error flags too."""
    faults = []
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            frames = await lite.read(f"frames_{stream['index']}")
            flags = await lite.read(f"flags_{stream['index']}")
            sent = frames if sent_frames is None else sent_frames * stream["passes"]
            if frames != sent or flags:
                text = f"counted {frames} frames of {sent}, error flags {flags:#x}"
                name = f"status of {node['name']}, {stream['boundary']}"
                verdict = Verdict(name, frames, max(1, abs(frames - sent)), text)
                faults.append(verdict.about("status", stream["boundary"]))
    return faults
