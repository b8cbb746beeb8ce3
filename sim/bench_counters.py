# SPDX-License-Identifier: BSD-3-Clause
"""Counters in the registers of the cores, compared with those of the bench."""

from __future__ import annotations

from typing import Any

from bench_lite import NodeLite
from bench_run import Watch
from bench_verdict import Verdict
from cocotb.triggers import ClockCycles

MOST = (1 << 32) - 1  # of FRAMES, which goes on with 0, and of STALLS, which stays
# What `wind` of the bench leaves in the counters of each stream: a run's frames carry over from there.
WOUND = {"frames": MOST - 1, "beats": (1 << 48) - 2, "stalls": MOST - 7}
Meters = list[dict[str, int]]


async def metered(dut: Any, maps: dict[str, Any], watch: Watch) -> Meters:
    """Return what registers and bench have counted of each stream, while nothing moves.

    Returns:
        beats and stalls (cycles in which a beat waited), own_beats and own_stalls; and valid: a beat waits
        now, so stalls are counted on.
    """
    found = []
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            found.append(await _counted(lite, stream["index"]))
    own = (await watch.probe())["meters"]
    return [
        {**one, "own_beats": meter["beats"], "own_stalls": meter["stalls"], "valid": meter["valid"]}
        for one, meter in zip(found, own, strict=True)
    ]


async def _counted(lite: NodeLite, at: int) -> dict[str, int]:
    low = await lite.read(f"beats_low_{at}")
    high = await lite.read(f"beats_high_{at}")
    return {"beats": high << 32 | low, "stalls": await lite.read(f"stalls_{at}")}


def mismetered(maps: dict[str, Any], before: Meters, after: Meters) -> list[Verdict]:
    """Compare what the registers have counted in a run with what the bench has."""
    faults = []
    names = [(node["name"], stream["boundary"]) for node in maps["nodes"] for stream in node["streams"]]
    for (node, boundary), was, now in zip(names, before, after, strict=True):
        own = {name: (now[f"own_{name}"] - was[f"own_{name}"]) % (1 << 32) for name in ("beats", "stalls")}
        wanted = {
            "beats": (was["beats"] + own["beats"]) % (1 << 64),
            "stalls": min(MOST, was["stalls"] + own["stalls"]),
        }
        for name, value in wanted.items():
            if now[name] == value or (name == "stalls" and (was["valid"] or now["valid"])):
                continue
            text = f"{name.upper()} are {now[name]:,}, and {value:,} by what has crossed"
            verdict = Verdict(f"status of {node}, {boundary}", value, abs(now[name] - value), text)
            faults.append(verdict.about("status", boundary))
    return faults


async def miscounted(
    dut: Any, maps: dict[str, Any], sent_frames: int | None, since: int = 0
) -> list[Verdict]:
    """Compare the frame counters with what was sent, if that went through; look at the error flags too.

    Args:
        dut: The bench top.
        maps: The memory map.
        sent_frames: Inferences that were sent; None if they did not get through.
        since: What the counters were before.
    """
    faults = []
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            frames = await lite.read(f"frames_{stream['index']}")
            flags = await lite.read(f"flags_{stream['index']}")
            counted = (frames - since) % (1 << 32)
            sent = counted if sent_frames is None else sent_frames * stream["passes"]
            if counted != sent or flags:
                text = f"counted {counted} frames of {sent}, error flags {flags:#x}"
                name = f"status of {node['name']}, {stream['boundary']}"
                verdict = Verdict(name, counted, max(1, abs(counted - sent)), text)
                faults.append(verdict.about("status", stream["boundary"]))
    return faults


async def wind(dut: Any, maps: dict[str, Any]) -> None:
    """Wind the counters of all streams close to where they carry over, or stop; no run gets there by itself.

    Raises:
        AssertionError: A register does not show it.
    """
    dut.wind.value = 1
    await ClockCycles(dut.aclk, 8)
    dut.wind.value = 0
    await ClockCycles(dut.aclk, 8)
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            at = stream["index"]
            found = {"frames": await lite.read(f"frames_{at}"), **await _counted(lite, at)}
            wrong = [name for name in ("frames", "beats") if found[name] != WOUND[name]]
            if found["stalls"] < WOUND["stalls"]:  # a beat may wait
                wrong.append("stalls")
            for name in wrong:
                text = f"{name.upper()} shows {found[name]:#x} of a counter at {WOUND[name]:#x}"
                raise AssertionError(f"{lite.name}, {stream['boundary']}: {text}")


async def clear(dut: Any, maps: dict[str, Any]) -> None:
    """Let CONTROL clear the counters of all nodes, while nothing moves.

    Raises:
        AssertionError: One is not zero afterwards, or a register that counts nothing has changed.
    """
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        kept = {"scratch": (node["base"] ^ 0x3C96_A55A) & 0xFFFF_FFFF}
        kept |= {f"frames_per_transfer_{stream['index']}": 1 for stream in node["streams"]}
        await lite.write("scratch", kept["scratch"])
        stalls = {s["index"]: await lite.read(f"stalls_{s['index']}") for s in node["streams"]}
        await lite.write("control", lite.mask("control", "CLEAR"))
        for stream in node["streams"]:
            at = stream["index"]
            counted = {"frames": await lite.read(f"frames_{at}"), **await _counted(lite, at)}
            if counted["stalls"] < stalls[at]:  # of a beat that waits, counted on
                counted["stalls"] = 0
            for name, value in counted.items():
                where = f"{lite.name}, {stream['boundary']}"
                assert not value, f"{where}: CONTROL.CLEAR leaves {name.upper()} at {value}"
        for register, value in kept.items():
            found = await lite.read(register)
            assert found == value, f"{lite.name}: CONTROL.CLEAR leaves {register} at {found:#x}"
