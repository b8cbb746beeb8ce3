# SPDX-License-Identifier: BSD-3-Clause
"""Run the host's own ``host/shellgen_bring_up.py`` against the simulated cores, before anything is sent."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

from bench_budget import bring_up_cycles
from bench_lite import NodeLite, UnitLite
from bench_load import HOST, SimulatedBus
from bench_report import note
from bench_run import Watch
from bench_session import Session
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles

LOOK_CYCLES = 100  # from one look at a register to the next


class NotUp(Exception):  # noqa: N818 - what has happened
    """A step could not be done."""


class _Cycles:
    """Patience in cycles of the model, so that a run is the same on any machine."""

    def __init__(self, dut: Any, most: int) -> None:
        self._most = self._left = self._next = most
        self._pause = resume(lambda: _pause(dut))

    def start(self) -> None:
        """Begin to wait for a register."""
        self._left = self._most
        self._next = self._most - self._most // 10

    def again(self) -> bool:
        """Wait a little and return True, or return False when the cycles are up."""
        self._left -= LOOK_CYCLES
        if self._left < 0:
            return False
        self._pause()
        return True

    def lapsed(self) -> bool:
        """Return whether a tenth of the cycles is over since it last did, or since the start."""
        if self._left > self._next:
            return False
        self._next = self._left - self._most // 10
        return True

    def __str__(self) -> str:
        return f"within {self._most:,} cycles"


async def _pause(dut: Any) -> None:
    await ClockCycles(dut.aclk, LOOK_CYCLES)


async def bring_up(dut: Any, session: Session, nodes: Sequence[str] | None = None) -> None:
    """Do the steps of the map on nodes that have lost their configuration.

    Args:
        dut: The bench top.
        session: Knows whether the cores were reset by their pin since.
        nodes: Those that were reset alone; None for all after `bench_session.reset`.

    Raises:
        NotUp: A register never got the value that is waited for; the text is the program's.
    """
    await _arm(dut, session, nodes)
    steps = session.maps.get("bring_up")
    if not steps:
        session.up = True
        return
    reset = _forgetful(session) if nodes is None else tuple(nodes)
    session.up = True
    if not reset:
        return
    host = _program("shellgen_bring_up")
    watch = Watch(dut, session.bench, session.options, "bring-up")
    entries = [entry for entry in session.maps["nodes"] if entry["name"] in reset]
    buses = {entry["name"]: _bus(dut, host, entry, watch) for entry in entries}
    most = bring_up_cycles(session.bench, session.options.inputs)
    patience = _Cycles(dut, session.options.idle_limit or most)
    phases = 1 + sum(step["op"] == "barrier" for step in steps["steps"])

    def program() -> None:
        try:
            for phase in range(1, phases + 1):
                host.bring_up(session.maps, buses, phase, session.options.values, patience)
        except host.HostError as error:
            raise NotUp(f"before the first frame: {error}") from None

    await bridge(program)()
    if set(steps["nodes"]) <= set(reset):
        count = sum(step["op"] != "barrier" for step in steps["steps"])
        note("bring_up", {"nodes": steps["nodes"], "steps": count, "values": session.options.values})


async def sessions(dut: Any, session: Session) -> None:
    """Wait for the sessions of programs, which do not hold up a bring-up: time in a run is of frames.

    A session that never opens is no error here: nothing of its stream arrives, and the run says so.
    """
    left = bring_up_cycles(session.bench, session.options.inputs)
    for link in session.bench.links:
        for name, register, field in link.sessions:
            lite = NodeLite(dut, next(entry for entry in session.maps["nodes"] if entry["name"] == name))
            while left > 0 and not await lite.read(register) & lite.mask(register, field):
                left -= LOOK_CYCLES
                await _pause(dut)


async def _arm(dut: Any, session: Session, nodes: Sequence[str] | None) -> None:
    """Give the rings of cores their memory, as a runner does, where a reset by the pin has taken it."""
    names = [] if session.up and nodes is None else nodes
    kept = {node.name: node.memories for node in session.bench.nodes if node.memories}
    reset = [name for name in kept if names is None or name in names]
    if not reset:
        return
    watch = Watch(dut, session.bench, session.options, "arming rings")
    rings, plain = _program("shellgen_ring"), _program("shellgen_bus")
    entries = [entry for entry in session.maps["nodes"] if entry["name"] in reset]
    found = [rings.Rings(entry, _bus(dut, plain, entry, watch)) for entry in entries]

    def program() -> None:
        for one, entry in zip(found, entries, strict=True):
            one.place(kept[entry["name"]])

    await bridge(program)()


def _bus(dut: Any, host: Any, entry: dict[str, Any], watch: Watch) -> Any:
    """Return how the program reaches a node: its core, and what has registers beside it."""
    core = SimulatedBus(host, NodeLite(dut, entry), watch)
    parts = [(entry["base"], entry["span"], core)]
    parts += [
        (unit["base"], unit["size"], SimulatedBus(host, UnitLite(dut, entry["name"], unit), watch))
        for unit in entry["units"]
    ]
    return host.WindowBus(parts)


def _program(name: str) -> Any:
    """Import an emitted program, the very file that runs on the host."""
    if str(HOST) not in sys.path:
        sys.path.insert(0, str(HOST))
    return importlib.import_module(name)


def _forgetful(session: Session) -> tuple[str, ...]:
    """Return the nodes to bring up again: all, or if the cores were kept, those with a unit outside."""
    entries = session.maps["nodes"]
    if not session.up:
        return tuple(entry["name"] for entry in entries)
    outside = {(e["name"], b["name"]) for e in entries for b in e["blocks"] if b["block"] is None}
    told = ((step["node"], step["unit"]) for step in session.maps["bring_up"]["steps"])
    return tuple(dict.fromkeys(node for node, unit in told if (node, unit) in outside))
