# SPDX-License-Identifier: BSD-3-Clause
"""The cluster bench: control plane, weights, and three proofs that every stream crosses bit-exactly.

Runs inside the simulator, in a run folder that holds ``options.json`` (`shellgen.simulate.cluster`). Each
test adds its findings to ``findings.json`` there, so a failing run still tells all it has seen.
"""

from __future__ import annotations

import importlib
from functools import partial
from pathlib import Path
from typing import Any

import cocotb
from bench_absent import chosen, without_replica
from bench_bring_up import bring_up
from bench_control import check_registers
from bench_counters import clear
from bench_faults import wrong_transfers
from bench_flight import reset_in_flight
from bench_host import revive, set_counts
from bench_load import load_weights, read_contents
from bench_node_reset import Means, node_reset
from bench_pace import choose_pace
from bench_pins import forget_all
from bench_protocol import check_protocol
from bench_registers import walk_registers
from bench_report import Failed, note, told
from bench_run import Watch
from bench_session import NO_STALLS, drain_limit, open_session, reset
from bench_slaves import check_slaves
from bench_stand import Ended
from bench_stimulus import most_frames, write_stimulus
from bench_streams import STUCK, disturb, stream
from bench_walk import load_monolith, replace_by_noise, walk_memories

SESSION = open_session()
BENCH, MAPS, OPTIONS = SESSION.bench, SESSION.maps, SESSION.options


@cocotb.test(skip=not OPTIONS.control)
async def control(dut: Any) -> None:
    """Every node answers with the plan's build id; its scratch register and its empty space behave."""
    with told("control"):
        await reset(dut, SESSION)
        findings: dict[str, dict[str, Any]] = {
            node["name"]: {"build_id": await check_registers(dut, node)} for node in MAPS["nodes"]
        }
        assert findings, "the memory map names no node"
        watch = Watch(dut, BENCH, OPTIONS, "registers of links")
        places = await walk_registers(dut, MAPS, BENCH, OPTIONS.seed, watch)
        findings = {
            name: {**found, "link_registers": places.get(name, 0)} for name, found in findings.items()
        }
        note("control", findings)
        check_slaves(dut, BENCH)


@cocotb.test(skip=OPTIONS.walk == "none")
async def weights(dut: Any) -> None:
    """Every word of every memory is read, inverted, read back and restored through the emitted map."""
    with told("weights"):
        await reset(dut, SESSION)
        watch = Watch(dut, BENCH, OPTIONS, "memory test")
        findings = await walk_memories(dut, MAPS, BENCH, OPTIONS.walk, watch)
        note("weights", findings)
        check_slaves(dut, BENCH)
        if not all(finding["passed"] for finding in findings):
            raise Failed("a memory did not hold what was written")


@cocotb.test(skip=OPTIONS.walk == "none")
async def protocol(dut: Any) -> None:
    """Hosts that mix up channels and slaves that fail cost what they must, and nothing else."""
    with told("protocol"):
        await reset(dut, SESSION)
        SESSION.up = False  # the lists reset the cores by their pins
        watch = Watch(dut, BENCH, OPTIONS, "protocol")
        findings = await check_protocol(dut, MAPS, BENCH, OPTIONS.walk, OPTIONS.seed, watch)
        note("protocol", findings)
        wrong = [text for one in findings.values() for text in one["wrong"]]
        if wrong:
            more = f"; {len(wrong) - 1} more" if len(wrong) > 1 else ""
            raise Failed(f"{wrong[0]}{more}")
        check_slaves(dut, BENCH)


@cocotb.test(skip=OPTIONS.walk != "full" or not OPTIONS.stalled)
async def faults(dut: Any) -> None:
    """A transfer of wrong length sets a flag until the host clears it."""
    with told("faults"):
        note("faults", await wrong_transfers(dut, SESSION))


@cocotb.test(skip=OPTIONS.walk == "none" or not any(link.directed_test for link in BENCH.links))
async def directed_tests(dut: Any) -> None:
    """Links do what no frame of a run makes them do; each kind brings a test of its own for that."""
    with told("directed_tests"):
        found = {}
        for link in BENCH.links:
            if link.directed_test:
                found[link.kind] = await importlib.import_module(link.directed_test).directed_test(
                    dut, SESSION
                )
                note("directed_tests", found)


@cocotb.test(skip=not OPTIONS.weights)
async def load(dut: Any) -> None:
    """The board's loader replaces wrong weights in every memory, as a host does, and reads them back."""
    with told("load"):
        await reset(dut, SESSION)
        await bring_up(dut, SESSION)
        contents = read_contents(MAPS, Path(OPTIONS.weights))
        watch = Watch(dut, BENCH, OPTIONS, "load")
        changed = await replace_by_noise(dut, MAPS, BENCH, contents, watch)
        if changed:
            await load_monolith(dut, MAPS, BENCH, contents, watch)
        findings = await load_weights(dut, MAPS, contents, lambda: dummy_frame(dut), watch)
        note("loaded", findings)
        note("replaced", changed)
        assert findings, "no node has a memory to load"
    SESSION.replaced.extend(changed)
    if changed and OPTIONS.golden.of_build and OPTIONS.golden.frames:
        text = "golden not run: the vectors are of the build's weights, and other ones were loaded"
        note("golden", f"{text} ({', '.join(changed)}); the monolith has got them too")


async def dummy_frame(dut: Any) -> None:
    """Send one frame and drop its result: FINN's layers may still hold old weights."""
    write_stimulus(SESSION, 1)
    await Watch(dut, BENCH, OPTIONS, "streams, the frame after a load of weights").send(1)


@cocotb.test(skip=OPTIONS.inject.kind != STUCK)
async def stuck(dut: Any) -> None:
    """A stream stalls in the middle of transfers; a host restarts the cores by CONTROL."""
    with told("stuck"):
        await reset(dut, SESSION)
        await bring_up(dut, SESSION)
        write_stimulus(SESSION, most_frames(SESSION) + 1)
        await set_counts(dut, MAPS, (3, 2))
        disturb(dut, SESSION)
        watch = Watch(dut, BENCH, OPTIONS, "streams, until one stalls", 0)
        try:
            await watch.send(most_frames(SESSION))
            raise Failed("no stream stalls")
        except Ended:
            pass
        note("stuck", await revive(dut, MAPS, drain_limit(dut, SESSION), BENCH.cycle_ps))
        dut.inject_kind.value = 0
        SESSION.rested = True


@cocotb.test(skip=not OPTIONS.full_rate)
async def streams_full_rate(dut: Any) -> None:
    """No stalls: the rate of the cluster, from which the turns of the stalled run follow."""
    with told("full_rate"):
        await stream(dut, SESSION, "full_rate", NO_STALLS)
        if OPTIONS.control and OPTIONS.stalled and SESSION.rested:
            await clear(dut, MAPS)


@cocotb.test(skip=not (OPTIONS.control and OPTIONS.stalled and OPTIONS.full_rate))
async def flight(dut: Any) -> None:
    """Hosts reset all cores with frames under way, after which nothing of these may be left."""
    with told("flight"):
        if SESSION.rested:
            pace = choose_pace(OPTIONS, len(BENCH.ports), SESSION.cycles, SESSION.frames or 0, SESSION.first)
            note("flight", await reset_in_flight(dut, SESSION, pace))


@cocotb.test(skip=not OPTIONS.stalled)
async def streams_stalled(dut: Any) -> None:
    """Back-pressure at every port in turns; after a reset, so that nothing of the other run helps."""
    with told("stalled"):
        known = SESSION.cycles, SESSION.frames or 0, SESSION.first
        await stream(dut, SESSION, "stalled", choose_pace(OPTIONS, len(BENCH.ports), *known))


@cocotb.test(skip=not (OPTIONS.control and (OPTIONS.stalled or OPTIONS.full_rate)))
async def pins(dut: Any) -> None:
    """After the streams, the pin of each core clears what they have left in its registers."""
    SESSION.rested = SESSION.up = False
    with told("pins"):
        note("pins", await forget_all(dut, SESSION))


@cocotb.test(skip=not OPTIONS.reset_node)
async def reset_control(dut: Any) -> None:
    """One board is reset by its host in mid-frame; the others run on, and later frames are right."""
    with told("reset_control"):
        await node_reset(dut, SESSION, OPTIONS.reset_node, "control", partial(note, "reset_control"))


@cocotb.test(skip=not OPTIONS.reset_node)
async def reset_pin(dut: Any) -> None:
    """The same by the pin of its core, which resets its DMAs too."""
    with told("reset_pin"):
        await node_reset(dut, SESSION, OPTIONS.reset_node, "pin", partial(note, "reset_pin"))


@cocotb.test(skip=not (BENCH.spares and OPTIONS.control) or (OPTIONS.walk == "none" and not OPTIONS.absent))
async def absent(dut: Any) -> None:
    """A replica of each stage has no turns, and its board is gone: the others do its work."""
    with told("absent"):
        found = []
        for name in chosen(SESSION):
            found.append(await without_replica(dut, SESSION, name))
            note("absent", found)
        for one in found:
            wrong = [verdict for verdict in one["verdicts"] if not verdict["passed"]]
            assert not wrong, f"without {one['node']}, {wrong[0]['name']}: {wrong[0]['detail']}"


@cocotb.test(
    skip=not (BENCH.meets and OPTIONS.control and (OPTIONS.stalled or OPTIONS.full_rate))
    or OPTIONS.walk == "none"
)
async def meets(dut: Any) -> None:
    """Boards on each side of where numbered frames meet are reset: results are right or marked."""
    with told("meets"):
        found: list[dict[str, Any]] = []

        def tell(by: Means, record: dict[str, Any]) -> None:
            found.append({"by": by, "reset": record})
            note("meets", found)

        for number, name in enumerate(BENCH.meets, OPTIONS.seed):
            by: Means = "pin" if number % 2 else "control"
            await node_reset(dut, SESSION, name, by, partial(tell, by))
