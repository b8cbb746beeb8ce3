# SPDX-License-Identifier: BSD-3-Clause
"""State shared by all tests of one simulation: descriptions, results so far, and the reset between tests."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import axil
from bench_budget import answer_cycles, drain_cycles, reset_cycles
from bench_host import hold_cores, longest_transfer, release_cores, set_counts, set_transfers
from bench_pace import Pace
from bench_records import Bench, Options, read_record
from cocotb.triggers import ClockCycles, Timer

FOLDER = Path(__file__).parent
OUT = FOLDER.parent
NO_STALLS = Pace()
_IDLE = (
    "start",
    "dump",
    "probe",
    "bulk",
    "bulk_start",
    "bulk_strict",
    "mono_load",
    "anew",
    "since",
    "frames",
    "awaited",
)
_AT_REST = ("wind", "jam")
_NO_FAULT = ("inject_kind", "inject_at", "inject_beat")


@dataclass
class Session:
    """One simulation, in the working folder that `shellgen.simulate.cluster` has made.

    Attributes:
        bench: ``bench.json``, with the golden vectors that are compared with.
        maps: ``memory_map.json``.
        options: ``options.json``.
        frames: Frames of a run, the one that follows not counted; None until that is chosen.
        cycles: Of the run at full rate; 0 if there was none.
        first: Of these, until the first frame had arrived.
        times: The same for each of the first frames, where all follow one another.
        late: Cycles in which something still moved after a run; None if that was not seen.
        rested: Nothing is under way, and a host can reset the cores by CONTROL.
        replaced: Memories that have got other weights than the build's.
        ticking: The clocks run.
        up: What the links need before the first frame was done since the cores were last reset by their pin.
    """

    bench: Bench
    maps: dict[str, Any]
    options: Options
    frames: int | None = None
    cycles: int = 0
    first: int = 0
    times: list[int] = field(default_factory=list)
    late: int | None = None
    rested: bool = False
    replaced: list[str] = field(default_factory=list)
    ticking: bool = False

    @property
    def cores(self) -> tuple[str, ...]:
        """The reset pins of the cores."""
        return tuple(f"aresetn_{node.name}" for node in self.bench.nodes)

    up: bool = False

    @property
    def golden(self) -> Path | None:
        """Folder of the golden vectors; None if they are not of the weights that are loaded."""
        options = self.options.golden
        return None if self.replaced and options.of_build else Path(options.folder)


def open_session() -> Session:
    """Read what the package has written."""
    options = read_record(Options, Path("options.json"))
    bench = read_record(Bench, FOLDER / "bench.json")
    boundaries = tuple(
        replace(boundary, golden=name if name in options.golden.files else None)
        for boundary, name in ((b, f"golden_{index}.npy") for index, b in enumerate(bench.boundaries))
    )
    own = bench.own_frames if options.own_frames else 0
    maps = json.loads((OUT / "memory_map.json").read_text())
    crossing = {boundary.name: boundary.passes for boundary in boundaries}
    for stream in (one for node in maps["nodes"] for one in node["streams"]):
        stream["passes"] = crossing[stream["boundary"]]  # all that a run counts is epochs
    axil.answered_within(answer_cycles(bench))
    return Session(replace(bench, boundaries=boundaries, own_frames=own), maps, options)


async def start_clocks(dut: Any, session: Session) -> None:
    """Let the clocks of all boards run, as they were set."""
    if session.ticking:
        return
    session.ticking = True
    dut.clocks_run.value = 0
    for port, value in session.options.inputs.items():
        getattr(dut, port).value = value
    await Timer(1, "ps")
    dut.clocks_run.value = 1


async def reset(dut: Any, session: Session, pace: Pace = NO_STALLS) -> None:
    """Start over: nothing of an earlier run may remain in the cluster or in a sink.

    What came to rest in the run before is reset as a host does it, by CONTROL of each core.
    """
    await start_clocks(dut, session)
    held, session.rested = session.rested, False
    session.up &= held
    cycles = drain_limit(dut, session) if held else 0
    if held:
        text = f"CONTROL does not tell that the links are drained, after {cycles:,} cycles"
        assert await hold_cores(dut, session.maps, cycles, reset_cycles(session.bench)), text
    for name in session.cores:
        getattr(dut, name).value = held
    dut.aresetn.value = 0
    test_inputs = [name for link in session.bench.links for name in link.test_inputs]
    for name in (*_IDLE, *_AT_REST, *_NO_FAULT, *test_inputs):
        getattr(dut, name).value = 0
    pace.apply(dut)
    # A master holds its valids low in reset (AXI); undriven, they would be unknown after it too.
    for node in session.maps["nodes"]:
        ports = [f"s_axil_{node['name']}", *(f"s_axil_{node['name']}_{u['name']}" for u in node["units"])]
        for name in ("awvalid", "wvalid", "bready", "arvalid", "rready"):
            for port in ports:
                getattr(dut, f"{port}_{name}").value = 0
    await ClockCycles(dut.aclk, 16)
    for node in session.maps["nodes"]:
        why = "CONTROL.HOLD is 1" if held else "the pin of its core is low"
        found = f"{node['name']}: a partition is not in reset while {why}"
        assert getattr(dut, f"running_{node['name']}").value == 0, found
    set_transfers(dut, (1, 1, 1), (1, 1, 1))
    for name in ("aresetn", *session.cores):
        getattr(dut, name).value = 1
    await ClockCycles(dut.aclk, 16)
    if held:
        await release_cores(dut, session.maps, session.bench, cycles)
        await set_counts(dut, session.maps, (1, 1))  # a reset by CONTROL keeps those of the test before


def drain_limit(dut: Any, session: Session, frame_cycles: int = 0) -> int:
    """Return the cycles in which all that is under way on links comes to its end, as transfers are now.

    Args:
        dut: The bench top.
        session: The simulation.
        frame_cycles: As `bench_budget.drain_cycles` has it.
    """
    frames = max(longest_transfer(dut), 1)
    return drain_cycles(session.bench, session.options.inputs, frames, frame_cycles)
