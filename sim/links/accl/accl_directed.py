# SPDX-License-Identifier: BSD-3-Clause
"""Directed test of the kernel side of ACCL's engines: cases that no frame exercises, and their registers.

The engines refuse commands, stop at each stage of a put, send unrequested responses, truncate a frame, and
send beats without a receiver; hosts disable streams, clear counters, and reset a core in the middle of a
put. All boards do so at once: a frame crosses all, and an event on one board must not show on another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from accl_ports import Port, try_strobes
from accl_session import FRAMES, KIND, LONG, LOOK, LOOKS, AcclSession
from bench_host import resets
from bench_links import link_meters, mismetered_links
from bench_session import Session
from cocotb.triggers import ClockCycles

COMMAND, DATA, STATUS = range(3)  # what an engine is silent about: bits of the test input `halt`
STAGES = {COMMAND: 1, DATA: 2, STATUS: 3}  # of STATE, then
CODES = (0x5AC3, 0xA53C, 0x0FF1)  # of statuses: between them, every bit is 0 and 1
BEFORE, LOOK_AT = (
    300,
    100,
)  # cycles in which a put is not late yet; that a look at the registers of a node may take
SET = ("COMMUNICATOR", "ARITHMETIC", "WATCHDOG", "ENABLE", "OUT_0", "IN_0")  # by the host
NOBODY = 255  # of IN
MOST_IDS = 247
AT_REST = 5  # phases that do not examine stalled puts while engines are silent
# Cycles of a frame above which only `--walk full` has the phases that need frames: there are some twenty.
CHEAP = 10_000


async def directed_test(dut: Any, session: Session) -> dict[str, Any]:
    """Try all of it.

    Returns:
        phases: their names; left_out: why some were not tried, or an empty string.

    Raises:
        AssertionError: A register is not what the engines did, or an engine complains of the core.
    """
    asked = {port: value for port, value in session.options.inputs.items() if port.startswith(f"{KIND}_")}
    for port in asked:  # an engine that is slow by itself would hide what is tried
        getattr(dut, port).value = 0
    found = await _phases(_DirectedTest(dut, session), session)
    for port, value in asked.items():
        getattr(dut, port).value = value
    return found


async def _phases(this: _DirectedTest, session: Session) -> dict[str, Any]:
    await this.fresh()
    await try_strobes(this.dut, session, this.ports)
    await this.fresh()
    early = await this.strays()
    first = await this.send()
    await this.complaints()
    left_out = ""
    phases: list[Callable[[], Any]] = [
        this.refusals,
        this.clear,
        this.numbers,
        this.torn,
        this.strangers,
        this.waits,
        this.enables,
        *(lambda port=port: this.held(port) for port in this.ends),
        *(lambda what=what: this.cut(what) for what in STAGES),
    ]
    if first > CHEAP and session.options.walk != "full":
        left_out, phases = f"frames take {first:,} cycles; --walk full tries all", []
    elif early:  # a put waits for its frame before anything was sent, as it may there
        left_out, phases = "a direct stream begins before its first frame", phases[:AT_REST]
    for phase in phases:
        await this.fresh()
        await phase()
        await this.complaints()
    return {"phases": len(phases), "left_out": left_out}


class _DirectedTest(AcclSession):
    """The phases."""

    async def strays(self) -> bool:
        """A status without a put sets a flag, and changes nothing else; return whether puts are early."""
        early = [port for port in self._senders if port.direct and await port.field("STATE", "STAGE")]
        if early:
            return True
        self._drive("code", CODES[0])
        self._drive("stray", 1)
        await ClockCycles(self.dut.aclk, LOOK)
        self._drive("stray", 0)
        self._drive("code", 0)
        for port in self._senders:
            for register in ("STATUS", "REFUSAL", "PUTS", "REFUSED_PUTS", "STATE"):
                await port.wants(register, 0, "after a status that nobody waits for")
            await port.flagged(("STRAY",), "after a status that nobody waits for")
        return False

    async def refusals(self) -> None:
        """Statuses that are not 0: the last one, the first one, where and how many."""
        words = [(~code & 0xFFFF) << 16 | code for code in CODES]
        kept = {}
        for turn, (code, word) in enumerate(zip(CODES, words, strict=True)):
            before = {port.name: await port.read("REFUSED_PUTS") for port in self._senders}
            puts = {port.name: await port.read("PUTS") for port in self._senders}
            self._drive("code", code)
            await self.send()
            for port in self._senders:
                await port.wants("STATUS", word, "which the engine gave")
                if turn != 1:
                    kept[port.name] = await port.field("STATE", "REFUSED_END")
                    assert kept[port.name] < len(port.out), f"{port.name}: REFUSED_END is no stream"
                await port.wants("REFUSAL", words[turn and turn - turn % 2], "the first since it was cleared")
                shown = await port.field("STATE", "REFUSED_END")
                assert shown == kept[port.name], f"{port.name}: REFUSED_END has changed to {shown}"
                now = await port.read("REFUSED_PUTS"), await port.read("PUTS")
                more = now[0] - before[port.name], now[1] - puts[port.name]
                assert more[0] == more[1] > 0, f"{port.name}: of {more[1]} puts {more[0]} are refused"
                if turn == 1:
                    await port.flagged(("REFUSED",), "after statuses that are not 0")
                else:
                    await port.wants("FLAGS", port.mask("FLAGS", "REFUSED"), "after a status that is not 0")
        self._drive("code", 0)
        for port in self._senders:
            await port.flagged(("REFUSED",), "after statuses that are not 0")
        await self.send()
        for port in self.ports:
            await port.wants("STATUS", 0, "after a status of 0")
            await port.flagged((), "after a status of 0")

    async def waits(self) -> None:
        """An engine that is silent at a stage: STATE names it, and LATE comes when WATCHDOG is over."""
        late = 8 * BEFORE + 4 * LOOK_AT * len(self.ports) + 4 * self._pause
        for what, stage in STAGES.items():
            for port in self.ports:
                await port.write("WATCHDOG", late)
            self._drive("halt", 1 << what)
            await self.begin()
            for _ in range(LOOKS):
                if any([await port.field("STATE", "STAGE") == stage for port in self._senders]):
                    break
                await ClockCycles(self.dut.aclk, self._pause)
            await ClockCycles(self.dut.aclk, BEFORE)
            for port in self.ports:
                await port.wants("FLAGS", 0, f"while WATCHDOG is not over at stage {stage}")
            held = await self._stage(stage)
            await ClockCycles(self.dut.aclk, 2 * late)
            for port in self.ports:
                await port.flagged(
                    ("LATE",) if port in held else (), f"after {2 * late} cycles at stage {stage}"
                )
            for port in self.ports:
                await port.write("WATCHDOG", LONG)
            self._drive("halt", 0)
            await self._watch.send(self._sent)
            await self._rest()
            for port in self.ports:  # what came later in the same frame had the short one
                await port.write("FLAGS", 0xFFFF_FFFF)

    async def enables(self) -> None:
        """Without ENABLE.SEND frames wait in the core, without ENABLE.RECEIVE before it."""
        for name in ("SEND", "RECEIVE"):
            counter = {"SEND": "PUTS", "RECEIVE": "RECEIVED_BEATS"}[name]
            ports = self._senders if name == "SEND" else self._receivers
            was = {}
            for port in self.ports:
                was[port.name] = await port.read("ENABLE"), await port.read(counter)
                await port.write("ENABLE", was[port.name][0] & ~port.mask("ENABLE", name))
            waits = {port.name: await port.read("RECEIVED_WAITS") for port in ports}
            await self.begin()
            await ClockCycles(self.dut.aclk, self._silence)
            await self._rest()
            for port in ports:
                await port.wants(counter, was[port.name][1], f"without ENABLE.{name}")
                if name == "SEND" or port not in self._senders:  # a put of its own may wait for another card
                    await port.wants("STATE", await port.read("STATE") & ~port.mask("STATE", "STAGE"), "then")
            if name == "RECEIVE":
                more = [await port.read("RECEIVED_WAITS") - waits[port.name] for port in ports]
                assert any(more), "nothing waits before a core without ENABLE.RECEIVE"
            for port in self.ports:
                await port.write("ENABLE", was[port.name][0])
            await self._watch.send(self._sent)
            await self._rest()

    async def held(self, port: Port) -> None:
        """A board that its host holds in reset takes all that comes, at once, and holds up no other one."""
        beats = sum(port.beats[name] for name in port.into)
        await port.lite.write("control", port.lite.mask("control", "HOLD"))
        for _ in range(FRAMES):
            await self.begin()
        for _ in range(LOOKS):
            if await port.read("RECEIVED_BEATS") >= FRAMES * beats:
                break
            await ClockCycles(self.dut.aclk, self._pause)
        why = f"of {FRAMES} frames that came while CONTROL.HOLD was 1"
        await port.wants("RECEIVED_BEATS", FRAMES * beats, why)
        await port.wants("RECEIVED_WAITS", 0, why)
        for boundary in port.into:
            frames = await port.lite.read(f"frames_{port.flags[boundary]}")
            assert not frames, f"{port.name}, {boundary}: {frames} frames were forwarded {why}"

    async def clear(self) -> None:
        """CONTROL.CLEAR: all counters begin at 0, and nothing else changes."""
        counters = [one for link in self._session.bench.links for one in link.metered.get("accl_port", ())]
        counters.append("UNKNOWN_BEATS")
        kept = (
            "COMMUNICATOR",
            "ARITHMETIC",
            "WATCHDOG",
            "STATUS",
            "ENABLE",
            "FLAGS",
            "TORN",
            "STATE",
            "OUT_0",
        )
        await self.send()
        before = await link_meters(self.dut, self._session, self._watch)
        for port in self.ports:
            assert any([await port.read(name) for name in counters]), f"{port.name}: nothing has counted"
            held = {name: await port.read(name) for name in kept}
            await port.write("CONTROL", port.mask("CONTROL", "CLEAR"))
            for name in counters:
                await port.wants(name, 0, "after CONTROL.CLEAR")
            for name, value in held.items():
                await port.wants(name, value, "after CONTROL.CLEAR")
        before = {place: (0, own, goes_on) for place, (_, own, goes_on) in before.items()}
        await self.send()
        faults = mismetered_links(before, await link_meters(self.dut, self._session, self._watch))
        assert not faults, f"{faults[0].name}, after CONTROL.CLEAR: {faults[0].detail}"

    async def numbers(self) -> None:
        """Streams have other numbers at their receivers: every bit of them counts."""
        for turn in (0x55, 0x2A, 0x80):
            for sender in self._senders:
                for k, boundary in enumerate(sender.out):
                    receiver = next(port for port in self._receivers if boundary in port.into)
                    at = receiver.into.index(boundary)
                    number = (turn + at) % MOST_IDS
                    mask = sender.mask("OUT", "STREAM")
                    rank = await sender.read(f"OUT_{k}") & ~mask
                    await sender.write(f"OUT_{k}", rank | number * (mask & -mask))
                    await receiver.write(f"IN_{at}", number)
            await self.send()
            for port in self.ports:
                await port.flagged((), "when streams have other numbers")
                await port.wants("UNKNOWN_BEATS", 0, "when streams have other numbers")

    async def torn(self) -> None:
        """Frames whose last beat has no TLAST: each stream tells of it, until it is cleared."""
        self._drive("torn", 1)
        await self.send()
        self._drive("torn", 0)
        for port in self._receivers:
            all_torn = (1 << len(port.into)) - 1
            await port.wants("TORN", all_torn, "when no frame ended with a message")
            for k, boundary in enumerate(port.into):
                told = await port.lite.read(f"flags_{port.flags[boundary]}")
                assert told, f"{port.name}, {boundary}: FLAGS are 0 of a stream that is torn"
                all_torn &= ~(1 << k)
                await port.write("TORN", 1 << k)
                await port.wants("TORN", all_torn, f"when bit {k} was cleared")
            await port.flagged((), "when frames were torn")
        await self.send()
        for port in self.ports:
            await port.wants("TORN", 0, "after a frame that ended with a message")

    async def strangers(self) -> None:
        """Beats of a stream that no IN has are dropped, flagged and counted."""
        for port in self._receivers:
            for k in range(len(port.into)):
                await port.write(f"IN_{k}", NOBODY)
        await self.begin()
        for _ in range(LOOKS):
            if any([await port.read("UNKNOWN_BEATS") for port in self._receivers]):
                break
            await ClockCycles(self.dut.aclk, self._pause)
        await self._rest()
        dropped = 0
        for port in self._receivers:
            beats = await port.read("RECEIVED_BEATS")
            dropped += beats
            await port.wants("UNKNOWN_BEATS", beats, "when no IN has the number of a stream")
            await port.flagged(("UNKNOWN",) if beats else (), "when no IN has the number of a stream")
            for boundary in port.into:
                frames = await port.lite.read(f"frames_{port.flags[boundary]}")
                assert not frames, f"{port.name}, {boundary}: a frame came of a stream that no IN has"
        assert dropped, "no beats came of streams that no IN has"

    async def cut(self, what: int) -> None:
        """A reset by CONTROL in the middle of a put waits for its end, and leaves the registers alone."""
        self._drive("halt", 1 << what)
        await self.begin()
        held = await self._stage(STAGES[what])
        before = {port.name: [await port.read(name) for name in SET] for port in held}
        for port in held:
            await port.lite.write("control", port.lite.mask("control", "RESET"))
        await ClockCycles(self.dut.aclk, self._silence)
        for port in held:
            assert await resets(port.lite), (
                f"{port.name}: a reset did not wait for a put at stage {STAGES[what]}"
            )
            shown = await port.field("STATE", "STAGE")
            assert shown == STAGES[what], f"{port.name}: STATE.STAGE has become {shown} in a reset"
        self._drive("halt", 0)
        for _ in range(LOOKS):
            if not any([await resets(port.lite) for port in held]):
                break
            await ClockCycles(self.dut.aclk, self._pause)
        for port in held:
            assert not await resets(port.lite), f"{port.name}: a reset does not end when its put has ended"
        await self._rest()
        for port in held:
            shown = await port.field("STATE", "STAGE")
            assert shown == 0, f"{port.name}: STATE.STAGE is {shown} after a reset"
            puts = await port.read("PUTS")
            more = sum(name in port.numbered for name in port.out)  # each may say what will not come
            assert 1 <= puts <= 1 + more, f"{port.name}: {puts} puts, after one that a reset has met"
            for name, value in zip(SET, before[port.name], strict=True):
                await port.wants(name, value, "after a reset by CONTROL")
