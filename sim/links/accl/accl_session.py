# SPDX-License-Identifier: BSD-3-Clause
"""ACCL's engines and boards in a directed test: bring-up, frames, and waiting until all is at rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from accl_ports import Port
from bench_bring_up import bring_up
from bench_links import complaints
from bench_lite import NodeLite
from bench_registers import look_at_first_values
from bench_run import Watch
from bench_session import Session, reset
from bench_stimulus import write_stimulus
from cocotb.triggers import ClockCycles

KIND = "accl"
LONG = 1 << 24  # cycles of a put that never are
LOOK, LOOKS = 50, 400  # cycles from look to look, and how often
SILENCE = 300  # in which all has come to rest that is not held, beside two frames
FRAMES = 4  # of one phase at most, for which there is always room


class AcclSession:
    """One simulation, whose boards are brought up again for phases that leave frames behind."""

    def __init__(self, dut: Any, session: Session) -> None:
        self.dut, self._session = dut, session
        facts = json.loads(Path(__file__).with_name(f"{KIND}.json").read_text())["nodes"]
        self.ports = [
            Port(
                NodeLite(dut, node),
                facts[node["name"]]["block"],
                tuple(facts[node["name"]]["out"]),
                tuple(facts[node["name"]]["in"]),
                facts[node["name"]]["direct"],
                {one["boundary"]: one["index"] for one in node["streams"] if one["direction"] == "rx"},
                facts[node["name"]]["beats"],
                tuple(facts[node["name"]]["numbered"]),
            )
            for node in session.maps["nodes"]
            if node["name"] in facts
        ]
        self._senders = [port for port in self.ports if port.out]
        self._receivers = [port for port in self.ports if port.into]
        # What they receive does not wait for what they send.
        self.ends = [port for port in self._receivers if not port.out]
        self._sent = 0
        self._silence = 0  # as long as no frame is known
        self._pause = LOOK
        self._watch = Watch(dut, session.bench, session.options, "streams, ACCL's engines at odds")

    def _drive(self, name: str, value: int) -> None:
        getattr(self.dut, f"{KIND}_{name}").value = value

    async def complaints(self) -> None:
        """Raise AssertionError if an engine got an unsupported command."""
        for verdict in complaints(self.dut, self._session.bench):
            assert verdict.name != KIND, verdict.detail

    async def fresh(self) -> None:
        """Reset all boards by their pins, and bring them up."""
        self._session.rested = self._session.up = False
        await reset(self.dut, self._session)
        await look_at_first_values(self.dut, self._session.maps)
        await bring_up(self.dut, self._session)
        write_stimulus(self._session, FRAMES)
        self._sent = 0
        for port in self.ports:
            await port.flagged((), "after the bring-up")
            await port.write("WATCHDOG", LONG)

    async def begin(self) -> None:
        """Let one frame more be sent, and wait for nothing."""
        self._sent += 1
        if self._sent == 1:
            await self._watch.send(1, 0)
        self.dut.frames.value = self._sent

    async def send(self) -> int:
        """Send a frame, and wait until it has arrived and all is at rest; return its cycles."""
        self._sent += 1
        before = int(self.dut.through_cycles.value)
        cycles = await self._watch.send(self._sent) - before
        if not self._silence:
            self._silence = SILENCE + 2 * cycles
            self._pause = max(LOOK, 4 * cycles // LOOKS)
        await self._rest()
        return cycles

    async def _rest(self) -> None:
        await ClockCycles(self.dut.aclk, LOOK)
        for _ in range(LOOKS):
            if (idle := int(self.dut.idle_cycles.value)) >= self._silence:
                return
            await ClockCycles(self.dut.aclk, self._silence - idle)
        raise AssertionError(f"something moves without end after frame {self._sent}")

    async def _stage(self, stage: int) -> list[Port]:
        """Wait until a put stalls at a stage; return the ports where it does, when nothing else moves."""
        for _ in range(LOOKS):
            found = [port for port in self._senders if await port.field("STATE", "STAGE") == stage]
            if found:
                await self._rest()
                break
            await ClockCycles(self.dut.aclk, self._pause)
        held = []
        for port in self._senders:
            shown = await port.field("STATE", "STAGE")
            assert shown in (0, stage), f"{port.name}: STATE.STAGE is {shown}, while engines wait at {stage}"
            assert await port.field("STATE", "END") < len(port.out), f"{port.name}: STATE.END is no stream"
            held += [port] if shown else []
        assert held, f"no put stands at stage {stage} while the engines wait there"
        return held
