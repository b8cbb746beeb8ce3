# SPDX-License-Identifier: BSD-3-Clause
"""The cluster bench: control plane, weights, and three proofs that every stream crosses bit-exactly.

Runs inside the simulator, in a run folder that holds ``options.json`` (`shellgen.simulate.cluster`). Each
test adds its findings to ``report.json`` there, so a failing run still tells all it has seen.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import bench_compare as bc
import bench_files
import cocotb
import numpy as np
from bench_host import choose_counts, hold_cores, release_cores, revive, set_counts
from bench_judge import Run, golden, judge
from bench_lite import NodeLite
from bench_load import load_weights, read_contents
from bench_pace import Pace, choose_pace
from bench_report import Failed, note, told
from bench_run import Watch
from bench_stand import Ended
from bench_verdict import Verdict
from bench_walk import load_monolith, replace_by_noise, walk_memories
from cocotb.triggers import ClockCycles, RisingEdge

FOLDER = Path(__file__).parent
MAPS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "memory_map.json").read_text())
OPTIONS: dict[str, Any] = json.loads(Path("options.json").read_text())
GOLDEN = Path(OPTIONS["golden"]["folder"])
BENCH: dict[str, Any] = json.loads((FOLDER / "bench.json").read_text())
for _index, _boundary in enumerate(BENCH["boundaries"]):
    _boundary["golden"] = f"golden_{_index}.npy" if (GOLDEN / f"golden_{_index}.npy").exists() else None
MAGIC = 0x5348474E
SCRATCH = 0x5AC3_1E87
CHOSEN: dict[str, int] = {}  # what an earlier test of this run has found out
REPLACED: list[str] = []  # memories that have got other weights than the build's
# Faults that are no harm done to one beat of a link: see `Injection` of shellgen.
STUCK, MISCOUNT = 5, 6
# Without --frames: all golden frames, or so many without them, as far as they fit into so many cycles.
NOISE_FRAMES, LEAST_FRAMES, CYCLES = 8, 2, 2_000_000


async def reset(dut: Any, pace: Pace = Pace()) -> None:  # noqa: B008 - frozen
    """Start over: nothing of an earlier run may remain in the cluster or in a recorder.

    What came to rest in the run before is reset as a host does it, by CONTROL of each core.
    """
    held = bool(CHOSEN.pop("rested", 0))
    if held:
        assert await hold_cores(dut, MAPS), "CONTROL does not tell that the links are drained"
    dut.keep_cores.value = held
    dut.aresetn.value = 0
    idle = ("start", "dump", "probe", "bulk", "bulk_start", "mono_load", "frames", "awaited")
    for name in (*idle, "inject_kind", "inject_at", "inject_beat"):
        getattr(dut, name).value = 0
    pace.apply(dut)
    # A master holds its valids low in reset (AXI); undriven, they would be unknown after it too.
    for node in MAPS["nodes"]:
        for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
            getattr(dut, f"s_axil_{node['name']}_{name}").value = 0
    await ClockCycles(dut.aclk, 16)
    dut.rx_frames.value = dut.tx_frames.value = 1
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 16)
    if held:
        await release_cores(dut, MAPS)
        dut.keep_cores.value = 0


@cocotb.test(skip=not OPTIONS["control"])
async def control(dut: Any) -> None:
    """Every node answers with the plan's build id; its scratch register and its empty space behave."""
    with told("control"):
        await reset(dut)
        findings = {node["name"]: {"build_id": await check_registers(dut, node)} for node in MAPS["nodes"]}
        assert findings, "the memory map names no node"
        note("control", findings)


async def check_registers(dut: Any, node: dict[str, Any]) -> str:
    """Check the registers of one core; return its build id."""
    lite = NodeLite(dut, node)
    build = f"{await lite.read('build_id_high'):08x}{await lite.read('build_id_low'):08x}"
    assert await lite.read("magic") == MAGIC, f"{node['name']}: no shellgen core answers"
    assert build == MAPS["build_id"], f"{node['name']}: build id {build}, map is for {MAPS['build_id']}"
    await lite.write("scratch", SCRATCH)
    assert await lite.read("scratch") == SCRATCH, f"{node['name']}: scratch register does not hold"
    if node["slot_bytes"] == 8:
        assert await lite.refuses("scratch", 4), f"{node['name']}: a write to half a slot was answered OKAY"
        assert await lite.read("scratch") == SCRATCH, f"{node['name']}: it was taken for the other half"
    if node["bridge"]:
        geometry = await lite.read("bridge_geometry")
        # The bridge counts its own bytes, of which the upper half are the aperture.
        assert 1 << (geometry & 0xFF) == 2 * node["bridge"]["aperture_bytes"], (
            f"{node['name']}: bridge {geometry:#x}"
        )
        assert await lite.read("bridge_error") == 0, f"{node['name']}: the bridge has seen an error"
    return build


@cocotb.test(skip=OPTIONS["walk"] == "none")
async def weights(dut: Any) -> None:
    """Every word of every memory is read, inverted, read back and restored through the emitted map."""
    with told("weights"):
        await reset(dut)
        watch = Watch(dut, BENCH, OPTIONS, "walk")
        findings = await walk_memories(dut, MAPS, BENCH, OPTIONS["walk"], watch)
        note("weights", findings)
        if not all(finding["passed"] for finding in findings):
            raise Failed("a memory did not hold what was written")


@cocotb.test(skip=not OPTIONS["weights"])
async def load(dut: Any) -> None:
    """The board's loader replaces wrong weights in every memory, as a host does, and reads them back."""
    with told("load"):
        await reset(dut)
        contents = read_contents(MAPS, Path(OPTIONS["weights"]))
        watch = Watch(dut, BENCH, OPTIONS, "load")
        changed = await replace_by_noise(dut, MAPS, BENCH, contents, watch)
        if changed:
            await load_monolith(dut, MAPS, BENCH, contents, watch)
        findings = await load_weights(dut, MAPS, contents, lambda: dummy_frame(dut), watch)
        note("loaded", findings)
        note("replaced", changed)
        assert findings, "no node has a memory to load"
    REPLACED.extend(changed)
    if changed and OPTIONS["golden"]["of_build"] and OPTIONS["golden"]["frames"]:
        text = "golden not run: the vectors are of the build's weights, and other ones were loaded"
        note("golden", f"{text} ({', '.join(changed)}); the monolith has got them too")


def disturb(dut: Any) -> None:
    """Turn on the fault that was asked for."""
    inject = OPTIONS["inject"]
    dut.inject_at.value = inject["boundary"]
    dut.inject_kind.value = inject["kind"]
    dut.inject_beat.value = inject["beat"]


@cocotb.test(skip=OPTIONS["inject"]["kind"] != STUCK)
async def stuck(dut: Any) -> None:
    """A stream stands still in the middle of transfers; a host gets the cores going again by CONTROL."""
    with told("stuck"):
        await reset(dut)
        load_players(stimulus(most_frames() + 1))
        await set_counts(dut, MAPS, (3, 2))
        disturb(dut)
        watch = Watch(dut, BENCH, OPTIONS, "streams, until one stands still", 0)
        try:
            await watch.send(most_frames())
            raise Failed("nothing stands still")
        except Ended:
            pass
        findings = await revive(dut, MAPS)
        note("stuck", findings)
        dut.inject_kind.value = 0
        CHOSEN["rested"] = 1


async def dummy_frame(dut: Any) -> None:
    """Send one frame and drop its result: FINN's layers may still hold old weights."""
    load_players(stimulus(1))
    await Watch(dut, BENCH, OPTIONS, "streams, the frame after a load of weights").send(1)


def most_frames() -> int:
    """Return how many frames are sent at most, the one that follows the others not counted."""
    if OPTIONS["frames"]:
        return int(OPTIONS["frames"])
    return max(LEAST_FRAMES, min(BENCH["frames"], OPTIONS["golden"]["frames"] or NOISE_FRAMES))


def stimulus(frames: int) -> dict[int, Any]:
    """Codes (frames, elements) of every host input: the golden input, repeated if need be, or noise.

    External weights are one frame, which the players repeat: those that the host gets, or noise.
    """
    sent = {}
    random = np.random.default_rng(OPTIONS["seed"])
    for index, boundary in enumerate(BENCH["boundaries"]):
        shape = (frames, boundary["elements"])
        if "sent" not in boundary:
            continue
        if boundary["role"] == "weights":
            sent[index] = external_weights(boundary, random)
        elif boundary["golden"]:
            sent[index] = bc.encode(golden(GOLDEN, boundary, frames), boundary)
        else:
            sent[index] = random.integers(0, 1 << boundary["element_bits"], shape)
    return sent


def external_weights(boundary: dict[str, Any], random: Any) -> Any:
    """Codes (1, elements) of one pass, from the very file that goes into the DMA's buffer."""
    if boundary["weights"] is None:
        return random.integers(0, 1 << boundary["element_bits"], (1, boundary["elements"]))
    frame = np.fromfile(Path(__file__).parents[1] / boundary["weights"], np.uint8)
    assert len(frame) == boundary["frame_bytes"], f"{boundary['weights']}: {len(frame)} bytes"
    return bc.from_wire(frame.reshape(1, -1), boundary)


def load_players(sent: dict[int, Any]) -> None:
    """Write what the players play: DMA beats for the cluster, partition words for the monolith."""
    for index, codes in sent.items():
        boundary = BENCH["boundaries"][index]
        source = boundary["sent"]
        bench_files.write_beats(source["file"], bc.wire_bytes(codes, boundary), source["bits"])
    for source in BENCH["monolith"]["inputs"]:
        boundary = BENCH["boundaries"][source["boundary"]]
        words = bc.port_words(sent[source["boundary"]], boundary, source)
        bench_files.write_beats(source["file"], words, source["bits"])


async def stream(dut: Any, name: str, pace: Pace) -> None:
    """Send all frames, and one more when they are through; record, compare; nothing compared fails."""
    await reset(dut, pace)
    sent = stimulus(most_frames() + 1)
    load_players(sent)
    inject = OPTIONS["inject"]
    at_link = inject["kind"] not in (STUCK, MISCOUNT)
    if at_link:
        disturb(dut)
    watch = Watch(dut, BENCH, OPTIONS, f"streams, {name.replace('_', ' ')}", pace.hold)
    counts = (1, 1)
    if pace.stall and (not inject["kind"] or not at_link):
        counts = choose_counts(MAPS, OPTIONS["frames"] or CHOSEN.get("frames", 0), OPTIONS["seed"])
        await set_counts(dut, MAPS, counts, inject["beat"] if inject["kind"] == MISCOUNT else 0)
        watch.whole = math.lcm(*counts)
    frames, cycles, turns = 0, 0, 0
    ended: Ended | None = None
    rested: list[list[int]] = []
    try:
        with told(name):
            frames, cycles = await send_frames(watch, math.lcm(*counts))
            turns = int(dut.turns.value)
            dut.stall.value = 0  # what comes to rest now does so by itself
            if not pace.stall:
                CHOSEN["cycles"], CHOSEN["first"] = cycles, watch.first
            rested = await bring_to_rest(dut, watch, frames, counts)
    except Ended as why:
        ended = why
    dut.dump.value = 1
    if not dut.dumped.value:
        await RisingEdge(dut.dumped)
    known = None if REPLACED and OPTIONS["golden"]["of_build"] else GOLDEN
    verdicts = judge(BENCH, Run(sent, watch.frames, ended is not None, rested, known))
    if dut.dma_error.value:
        text = "a packet was not as long as S2MM was armed for (longer: DMAIntErr)"
        verdicts.append(Verdict("DMA", 1, 1, text, proof="status"))
    rate = (
        {"frames": frames or watch.frames, "cycles": cycles, "arrived": not ended}
        | pace.record()
        | {"turns": turns, "per_transfer": counts}
    )
    note(name, {**rate, "verdicts": [verdict.record() for verdict in verdicts]})
    verdicts += await miscounted(dut, None if ended else watch.frames)
    note(name, {**rate, "verdicts": [verdict.record() for verdict in verdicts]})
    if ended:
        raise ended
    if not verdicts or not all(verdict.passed for verdict in verdicts):
        raise Failed("a comparison failed, or there was none")


async def bring_to_rest(dut: Any, watch: Watch, frames: int, counts: tuple[int, int]) -> list[list[int]]:
    """Wait until nothing moves, send what did not make whole transfers, then one frame more.

    Returns:
        Words at each recorder and monitor before and after that frame.
    """
    words, late = await watch.quiet(CHOSEN.get("late"))
    CHOSEN["late"] = max(late, CHOSEN.get("late", 0))
    if counts != (1, 1) and not dut.overrun.value:
        await set_counts(dut, MAPS, (1, 1))
        watch.whole = 1
        if frames < CHOSEN["frames"]:
            await watch.send(CHOSEN["frames"])
            words = (await watch.quiet(CHOSEN["late"]))[0]
    if dut.overrun.value:
        return [words]
    await watch.send(CHOSEN["frames"] + 1)
    after = (await watch.quiet(CHOSEN["late"]))[0]
    CHOSEN["rested"] = int(OPTIONS["control"] and not dut.overrun.value)
    return [words, after]


async def send_frames(watch: Watch, of: int) -> tuple[int, int]:
    """Send the frames asked for, or as many as fit; return their number and the cycles they took.

    Args:
        watch: Waits for them.
        of: Their number is a multiple of this; what is left of them is for later.
    """
    most = most_frames()
    if OPTIONS["frames"] or "frames" in CHOSEN:
        frames = CHOSEN.get("frames", most)
        watch.first_frame(await watch.send(frames - frames % of, 1))
    else:
        first = await watch.send(LEAST_FRAMES, 1)
        watch.first_frame(first)
        each = max(1, await watch.send(LEAST_FRAMES) - first)
        CHOSEN["frames"] = frames = max(LEAST_FRAMES, min(most, (CYCLES - first) // each))
    CHOSEN["frames"] = frames
    return frames - frames % of, await watch.send(frames - frames % of)


async def miscounted(dut: Any, sent_frames: int | None) -> list[Verdict]:
    """Compare the frame counters with what was sent, if that went through; look at the error flags too."""
    faults = []
    for node in MAPS["nodes"]:
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


@cocotb.test(skip=not OPTIONS["full_rate"])
async def streams_full_rate(dut: Any) -> None:
    """No stalls: the rate of the cluster, from which the turns of the stalled run follow."""
    with told("full_rate"):
        await stream(dut, "full_rate", Pace())


@cocotb.test(skip=not OPTIONS["stalled"])
async def streams_stalled(dut: Any) -> None:
    """Back-pressure at every port in turns; after a reset, so that nothing of the other run helps."""
    with told("stalled"):
        ports = len(BENCH["ports"])
        known = (CHOSEN.get(name, 0) for name in ("cycles", "frames", "first"))
        await stream(dut, "stalled", choose_pace(OPTIONS, ports, *known))
