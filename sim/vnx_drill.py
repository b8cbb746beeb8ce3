# SPDX-License-Identifier: BSD-3-Clause
"""The drill of links over VNx: the bench is the other end of every row, and misbehaves.

Each core is cut from VNx (sim/vnx_stand_in.sv). In rounds, packets are played to all ends at once; what the
cores have sent is judged then, with their registers. The frames that crossed are compared at the pins of the
partitions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bench_compare as bc
import bench_files
import numpy as np
from bench_host import released
from bench_lite import NodeLite
from bench_records import Boundary
from bench_report import Failed
from bench_run import Watch
from bench_session import Session, reset
from bench_stimulus import most_frames, write_stimulus
from cocotb.triggers import ClockCycles, RisingEdge
from vnx_end import End, Rounds, Script, Seen
from vnx_far_receiver import FarReceiver
from vnx_far_sender import FarSender
from vnx_script import Heard, Said, merged, read_said, write_script

FACTS = Path(__file__).with_name("vnx_udp.json")
SPARE = 64  # cycles of a round behind the last of all ends, since cards have clocks of their own
SETTLE = 16
Key = tuple[str, str]  # a node and one of its attachments


async def drill(dut: Any, session: Session) -> dict[str, Any]:
    """Play all rounds to all ends.

    Returns:
        By block: packets and frames that crossed.

    Raises:
        Failed: A core says or counts what it must not.
    """
    facts = json.loads(FACTS.read_text())
    ends = [End(**one) for one in facts["ends"]]
    await reset(dut, session)
    for name in session.cores:
        getattr(dut, name).value = 0
    await ClockCycles(dut.aclk, SETTLE)
    dut.vnx_udp_alone.value = 1
    await ClockCycles(dut.aclk, SETTLE)
    for name in session.cores:
        getattr(dut, name).value = 1
    frames, full = most_frames(session), session.options.walk == "full"
    random = np.random.default_rng(session.options.seed)
    write_stimulus(session, frames + 1)
    watch = Watch(dut, session.bench, session.options, "streams, the drill of vnx_udp")
    await watch.send(0)
    dut.frames.value = frames
    fars = [
        FarReceiver(end, frames, random, full=full) if end.hello_cycles else FarSender(end, random)
        for end in ends
    ]
    keys = [(far.end.node, far.end.attachment) for far in fars]
    groups = {key: [far.end for far, own in zip(fars, keys, strict=True) if own == key] for key in keys}
    cages = {key: _Cage(dut, session, group) for key, group in groups.items()}
    found = await _play(dut, fars, cages, [far.rounds() for far in fars])
    dut.dump.value = 1
    if not dut.dumped.value:
        await RisingEdge(dut.dumped)
    for far in fars:
        boundary = session.bench.boundaries[far.end.boundary]
        crossed = _made(far, boundary) if isinstance(far, FarReceiver) else _taken(far, boundary)
        if crossed:
            raise far.end.wrong(crossed)
    for node in session.maps["nodes"]:
        lite = NodeLite(dut, node)
        await lite.write("control", lite.mask("control", "RESET"))
        await released(dut, lite)
    await _play(dut, fars, cages, [far.after_reset() for far in fars])
    return {f"{far.end.node}.{far.end.block}": one for far, one in zip(fars, found, strict=True)}


class _Cage:
    """One attachment: what is played to it and what it has said, and the counters of its port."""

    def __init__(self, dut: Any, session: Session, ends: Sequence[End]) -> None:
        one = ends[0]
        node = next(node for node in session.maps["nodes"] if node["name"] == one.node)
        self._name, self._port, self._rows = f"{one.node}_{one.attachment}", one.attachment, one.rows
        self._lite = NodeLite(dut, node)
        self._blocks = {block["name"]: block for block in node["blocks"]}
        self._given = {"received": 0, "bad": 0, "astray": 0, "received_beats": 0}
        self._longest = 0
        self.heard = Heard((), 0, 0, 0, 0, "")

    async def write(self, scripts: Sequence[Script]) -> int:
        """Write what is played, and the CONTROL of those that want it; return how many cycles it takes."""
        entries, late = merged([script.entries for script in scripts])
        write_script(Path(f"{self._name}_script.bin"), entries)
        for script in scripts:
            self._given["received"] += script.good
            self._given["bad"] += script.bad
            self._given["astray"] += script.astray
            self._given["received_beats"] += sum(not entry.hold for entry in script.entries)
            self._longest = max(self._longest, script.longest)
            if script.control is not None:
                await self._lite.write(f"{script.end.block}_control", script.control)
        return max((script.cycles for script in scripts), default=0) + late

    def listen(self) -> Heard:
        """Read what it has said so far."""
        self.heard = read_said(Path(f"{self._name}_said.bin"), self._rows, self.heard)
        return self.heard

    async def registers(self, block: str) -> dict[str, int]:
        """Read all registers of a block that can be read."""
        found = {}
        for register in self._blocks[block]["registers"]:
            if register["access"] != "w1":
                name = register["name"].lower()
                found[name] = await self._lite.read(f"{block}_{name}".lower())
        return found

    def port(self, found: dict[str, int], before: Heard, after: Heard) -> str:
        """Say what the counters of the port have counted wrongly; they were read between the two."""
        low = {"sent": len(before.packets), "sent_beats": before.beats, "sent_waits": before.waits}
        high = {"sent": len(after.packets), "sent_beats": after.beats, "sent_waits": after.waits}
        bounds = {name: (value, high[name]) for name, value in low.items()}
        bounds |= {name: (value, value) for name, value in self._given.items()}
        longest = max((said.beats for said in before.packets), default=0)
        last = max((said.beats for said in after.packets), default=0)
        for name, (least, most) in bounds.items():
            if not least <= found[name] <= most:
                return f"{self._name}: {name.upper()} is {found[name]}, and {least} were there"
        got = found["longest"]
        if got % 512 != self._longest or not longest <= got >> 16 <= last:
            return f"{self._name}: LONGEST is {got:#x}; {self._longest} and {longest} beats were the most"
        return before.wrong


async def _play(
    dut: Any, fars: Sequence[FarReceiver | FarSender], cages: Mapping[Key, _Cage], rounds: Sequence[Rounds]
) -> list[dict[str, int]]:
    """Play the rounds of all ends at once; return what each has to report."""
    keys = [(far.end.node, far.end.attachment) for far in fars]
    scripts: list[Script | None] = [next(one) for one in rounds]
    known = {key: len(cage.heard.packets) for key, cage in cages.items()}
    results: list[dict[str, int]] = [{} for _ in fars]
    while any(scripts):
        cycles = 0
        for key, cage in cages.items():
            own = [script for script, place in zip(scripts, keys, strict=True) if script and place == key]
            cycles = max(cycles, await cage.write(own))
        await _round(dut, cycles + SPARE)
        before = {key: cage.listen() for key, cage in cages.items()}
        registers = [await cages[key].registers(far.end.block) for far, key in zip(fars, keys, strict=True)]
        ports = {key: await cage.registers(key[1]) for key, cage in cages.items()}
        for cage in cages.values():
            await cage.write(())
        await _round(dut, 0)
        after = {key: cage.listen() for key, cage in cages.items()}
        for key, cage in cages.items():
            if wrong := cage.port(ports[key], before[key], after[key]):
                raise Failed(wrong)
        for index, (far, key) in enumerate(zip(fars, keys, strict=True)):
            script = scripts[index]
            if not script:
                continue
            start = before[key].began
            new = _of(far.end, before[key].packets[known[key] :], start)
            later = _of(far.end, after[key].packets[len(before[key].packets) :], start)
            try:
                scripts[index] = rounds[index].send(Seen(new, cycles + SPARE, registers[index], later))
            except StopIteration as end:
                scripts[index], results[index] = None, end.value
        known = {key: len(one.packets) for key, one in before.items()}
    return results


def _of(end: End, packets: Sequence[Said], start: int) -> tuple[Said, ...]:
    """Return the packets of an end, with times from the begin of a round."""
    return tuple(
        Said(one.at - start, one.row, one.datagram, one.beats, one.waits, one.wrong)
        for one in packets
        if one.row == end.row
    )


async def _round(dut: Any, cycles: int) -> None:
    dut.vnx_udp_play.value = 1
    await ClockCycles(dut.aclk, max(2, cycles))
    dut.vnx_udp_play.value = 0
    await ClockCycles(dut.aclk, SETTLE)


def _codes(frames: Sequence[bytes], boundary: Boundary) -> Any:
    raw = np.frombuffer(b"".join(frames), np.uint8).reshape(len(frames), boundary.frame_bytes)
    return bc.from_wire(raw, boundary).reshape(len(frames), -1)


def _made(far: FarReceiver, boundary: Boundary) -> str:
    """Compare the frames that came with what the partition has made."""
    assert boundary.made
    seen = bench_files.read_beats(boundary.made.file, boundary.made.bits)
    codes = bc.codes_at_port(seen.data, boundary, boundary.made)
    for number, frame in sorted(far.frames.items()):
        wanted = codes[number * boundary.elements :][: boundary.elements]
        if not np.array_equal(_codes([frame], boundary)[0], wanted):
            return f"frame {number} is not what the partition has made"
    return ""


def _taken(far: FarSender, boundary: Boundary) -> str:
    """Compare what the partition has taken with the frames that were sent to it."""
    assert boundary.taken
    seen = bench_files.read_beats(boundary.taken.file, boundary.taken.bits)
    codes = bc.codes_at_port(seen.data, boundary, boundary.taken)
    if not far.handed:
        return ""
    wanted = _codes(far.handed, boundary).reshape(-1)
    shared = min(len(codes), len(wanted))
    if not np.array_equal(codes[:shared], wanted[:shared]):
        at = int(np.flatnonzero(codes[:shared] != wanted[:shared])[0]) // boundary.elements
        return f"the partition has got another frame {at} than was sent"
    return ""
