# SPDX-License-Identifier: BSD-3-Clause
"""The cluster bench: control plane, weights, and three proofs that every stream crosses bit-exactly.

Runs inside the simulator, in a run folder that holds ``options.json`` (`shellgen.simulate.cluster`). Each
test adds its findings to ``report.json`` there, so a failing run still tells all it has seen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bench_compare as bc
import bench_files
import cocotb
import numpy as np
from bench_lite import NodeLite, mark_memories, walk_memories
from bench_load import load_weights
from cocotb.triggers import ClockCycles, First, RisingEdge, Timer, ValueChange

BENCH: dict[str, Any] = json.loads((Path(__file__).parent / "bench.json").read_text())
MAPS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "memory_map.json").read_text())
OPTIONS: dict[str, Any] = json.loads(Path("options.json").read_text())
REPORT = Path("report.json")
MAGIC = 0x5348474E
SCRATCH = 0x5AC3_1E87


def note(section: str, content: Any) -> None:
    report = json.loads(REPORT.read_text()) if REPORT.exists() else {}
    report[section] = content
    REPORT.write_text(json.dumps(report, indent=1))


async def reset(dut: Any) -> None:
    """Start over: nothing of an earlier run may remain in the cluster or in a recorder."""
    dut.aresetn.value = 0
    for name in ("start", "dump", "bulk", "bulk_start", "inject_kind", "inject_at", "inject_beat"):
        getattr(dut, name).value = 0
    # A master holds its valids low in reset (AXI); undriven, they would be unknown after it too.
    for node in MAPS["nodes"]:
        for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
            getattr(dut, f"s_axil_{node['name']}_{name}").value = 0
    dut.stall.value = 0
    dut.frames.value = OPTIONS["frames"]
    await ClockCycles(dut.aclk, 16)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 16)


@cocotb.test(skip=not OPTIONS["control"])
async def control(dut: Any) -> None:
    """Every node answers with the plan's build id; its scratch register and its empty space behave."""
    await reset(dut)
    findings = {}
    for node in MAPS["nodes"]:
        lite = NodeLite(dut, node)
        build = f"{await lite.read('build_id_high'):08x}{await lite.read('build_id_low'):08x}"
        assert await lite.read("magic") == MAGIC, f"{node['name']}: no shellgen core answers"
        assert build == MAPS["build_id"], f"{node['name']}: build id {build}, map is for {MAPS['build_id']}"
        await lite.write("scratch", SCRATCH)
        assert await lite.read("scratch") == SCRATCH, f"{node['name']}: scratch register does not hold"
        if node["slot_bytes"] == 8:
            assert await lite.refuses("scratch", 4), (
                f"{node['name']}: a write to half a slot was answered OKAY"
            )
            assert await lite.read("scratch") == SCRATCH, f"{node['name']}: it was taken for the other half"
        if node["bridge"]:
            geometry = await lite.read("bridge_geometry")
            # The bridge counts its own bytes, of which the upper half are the aperture.
            assert 1 << (geometry & 0xFF) == 2 * node["bridge"]["aperture_bytes"], (
                f"{node['name']}: bridge {geometry:#x}"
            )
            assert await lite.read("bridge_error") == 0, f"{node['name']}: the bridge has seen an error"
        findings[node["name"]] = {"build_id": build}
    assert findings, "the memory map names no node"
    note("control", findings)


@cocotb.test(skip=not OPTIONS["walk"])
async def weights(dut: Any) -> None:
    """Every word of every memory is read, inverted, read back and restored through the emitted map."""
    await reset(dut)
    findings = await walk_memories(dut, MAPS, BENCH)
    note("weights", findings)
    failed = [f"{f['region']}: {f['detail']}" for f in findings if not f["passed"]]
    assert not failed, "; ".join(failed)


@cocotb.test(skip=not OPTIONS["weights"])
async def load(dut: Any) -> None:
    """The board's loader replaces wrong weights in every memory, as a host does, and reads them back."""
    await reset(dut)
    await mark_memories(dut, MAPS, BENCH)
    findings = await load_weights(dut, MAPS, Path(OPTIONS["weights"]), lambda: dummy_frame(dut))
    note("loaded", findings)
    assert findings, "no node has a memory to load"


async def dummy_frame(dut: Any) -> None:
    """Send one frame and drop its result: FINN's layers may still hold old weights."""
    load_players({index: codes[:1] for index, codes in stimulus().items()})
    dut.frames.value = 1
    dut.start.value = 1
    await settled(dut)
    assert dut.arrived.value, "the frame after the load never arrived"


def stimulus() -> dict[int, Any]:
    """Codes (frames, elements) of every host input: the golden input, repeated if need be, or noise.

    External weights are one frame, which the players repeat: those that the host gets, or noise.
    """
    sent = {}
    random = np.random.default_rng(OPTIONS["seed"])
    for index, boundary in enumerate(BENCH["boundaries"]):
        shape = (OPTIONS["frames"], boundary["elements"])
        if "sent" not in boundary:
            continue
        if boundary["role"] == "weights":
            sent[index] = external_weights(boundary, random)
        elif boundary["golden"]:
            sent[index] = bc.encode(golden(boundary), boundary)
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


def golden(boundary: dict[str, Any]) -> Any:
    """Return the known frames of a host stream, from the first again if more are sent than there are."""
    values = np.load(Path(__file__).parent / boundary["golden"])
    frames = np.arange(OPTIONS["frames"]) % len(values)
    return values[frames].reshape(len(frames), -1)


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


async def stream(dut: Any, name: str, stall: int) -> None:
    """Send all frames, wait for silence, record, compare; a run that compared nothing fails."""
    await reset(dut)
    sent = stimulus()
    load_players(sent)
    dut.stall.value = stall
    inject = OPTIONS["inject"]
    dut.inject_at.value = inject["boundary"]
    dut.inject_kind.value = inject["kind"]
    dut.inject_beat.value = inject["beat"]
    dut.start.value = 1
    await settled(dut)
    arrived = bool(dut.arrived.value)
    cycles = int(dut.run_cycles.value)
    if arrived:
        # Two average frames and the depth of any pipeline more, so that words after the last frame are seen.
        await ClockCycles(dut.aclk, 2 * cycles // OPTIONS["frames"] + 1024)
    dut.dump.value = 1
    if not dut.dumped.value:
        await RisingEdge(dut.dumped)
    verdicts = judge(sent)
    if dut.dma_error.value:
        verdicts.append(bc.Verdict("DMA", 1, 1, "a packet was longer than S2MM was armed for (DMAIntErr)"))
    records = [verdict.record() for verdict in verdicts]
    note(name, {"arrived": arrived, "cycles": cycles, "stall": stall, "verdicts": records})
    failed = [f"{v.name}: {v.detail or 'nothing crossed'}" for v in verdicts if not v.passed]
    failed += await miscounted(dut)
    assert arrived or failed, "some frames never arrived"
    assert not failed, "; ".join(failed)
    assert verdicts, "no boundary was compared"


async def settled(dut: Any) -> None:
    """Wait until every frame has reached every sink, or never will."""
    limit_ns = OPTIONS["idle_limit"] * 1e9 / BENCH["clock_hz"]
    while not dut.arrived.value:
        overrun = bool(dut.overrun.value)
        await First(ValueChange(dut.arrived), Timer(round(limit_ns), "ns"))
        # A system that stands still, or that has long handed out more than there is, will not recover.
        if overrun or int(dut.idle_cycles.value) >= OPTIONS["idle_limit"] // 2:
            break


async def miscounted(dut: Any) -> list[str]:
    """Compare the frame counters of the cores, and their error flags, with what was sent."""
    faults = []
    for node in MAPS["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            frames = await lite.read(f"frames_{stream['index']}")
            flags = await lite.read(f"flags_{stream['index']}")
            sent = OPTIONS["frames"] * stream["passes"]
            if frames != sent or flags:
                counted = f"{frames} frames of {sent}, error flags {flags:#x}"
                faults.append(f"status of {node['name']}, {stream['boundary']}: {counted}")
    return faults


@cocotb.test(skip=not OPTIONS["stalled"])
async def streams_stalled(dut: Any) -> None:
    """Random back-pressure at every port."""
    await stream(dut, "stalled", OPTIONS["stall"])


@cocotb.test(skip=not OPTIONS["full_rate"])
async def streams_full_rate(dut: Any) -> None:
    """No stalls: the rate of the cluster; after a reset, so that nothing of the stalled run helps."""
    await stream(dut, "full_rate", 0)


def judge(sent: dict[int, Any]) -> list[bc.Verdict]:
    """The three proofs on what the recorders wrote."""
    verdicts = []
    outputs = {}
    for index, boundary in enumerate(BENCH["boundaries"]):
        made, words = at(boundary, "made")
        taken, words_taken = at(boundary, "taken")
        count = OPTIONS["frames"] * boundary["passes"]
        if made is None:
            repeat = count if boundary["role"] == "weights" else 1
            made, words = np.tile(sent[index].reshape(-1), repeat), words_taken
        if taken is None:
            taken, detail = received(boundary)
            outputs[index] = taken
            if detail:
                verdicts.append(bc.Verdict(f"framing of {boundary['name']}", words, 1, detail))
        verdicts.append(bc.compare(boundary["name"], words, taken, made))
        inner, words_inner = at(boundary, "inner")
        if inner is not None:
            verdicts.append(bc.compare(f"inside {boundary['name']}", words_inner, inner, made))
        whole = count * boundary["elements"]
        if len(made) != whole:
            detail = f"{len(made)} elements instead of {count} frames of {boundary['elements']}"
            verdicts.append(
                bc.Verdict(f"frames of {boundary['name']}", words, abs(len(made) - whole), detail)
            )
    for output in BENCH["monolith"]["outputs"]:
        boundary = BENCH["boundaries"][output["boundary"]]
        data, _, _, count = bench_files.read_beats(output["file"], output["bits"])
        alone = bc.codes_at_port(data, boundary, output)
        which = f" of {boundary['name']}" if len(BENCH["monolith"]["outputs"]) > 1 else ""
        verdicts.append(bc.compare(f"monolith{which}", count, outputs[output["boundary"]], alone))
        if boundary["golden"]:
            wanted = bc.encode(golden(boundary), boundary).reshape(-1)
            verdicts.append(bc.compare(f"golden{which}", count, outputs[output["boundary"]], wanted))
            np.save("result.npy", bc.decode(outputs[output["boundary"]], boundary))
    return verdicts


def at(boundary: dict[str, Any], side: str) -> tuple[Any, int]:
    """Elements that crossed the pins of a partition, and the number of words (seen, not only stored)."""
    if side not in boundary:
        return None, 0
    port = boundary[side]
    data, _, _, count = bench_files.read_beats(port["file"], port["bits"])
    codes = bc.codes_at_port(data, boundary, port)
    missing = np.full((count - len(data)) * (port["word_bits"] // boundary["element_bits"]), -1)
    return np.concatenate([codes, missing]), count


def received(boundary: dict[str, Any]) -> tuple[Any, str]:
    """Elements in the byte strings that the host's S2MM channel stored, and what is wrong with the frames."""
    sink = boundary["received"]
    data, keep, last, count = bench_files.read_beats(sink["file"], sink["bits"])
    frames = bc.split_frames(data, keep, last)
    odd = [len(frame) for frame in frames if len(frame) != boundary["frame_bytes"]]
    detail = f"a frame of {odd[0]} bytes instead of {boundary['frame_bytes']}" if odd else ""
    if len(last) and not last[-1]:
        detail = "the last frame has no TLAST; S2MM would never complete"
    if count > len(data):
        detail = f"{count} beats, more than the {len(data)} that the recorder holds"
    size = boundary["frame_bytes"]
    whole = [frame.ljust(size, b"\0")[:size] for frame in frames]
    raw = np.frombuffer(b"".join(whole), np.uint8).reshape(len(whole), size)
    return bc.from_wire(raw, boundary).reshape(-1) if whole else np.zeros(0, np.int64), detail
