# SPDX-License-Identifier: BSD-3-Clause
"""Actions of a host besides moving frames: frames per transfer, reset of the cores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bench_budget import reset_cycles
from bench_hold import end_of_transfers
from bench_lite import NodeLite
from bench_records import Bench
from cocotb.simtime import get_sim_time
from cocotb.triggers import ClockCycles
from cocotb_bus.drivers.amba import AXIProtocolError

LOOK_CYCLES = 100  # from one look at CONTROL to the next
# Frames of a transfer, in and out, with the fewest frames that give whole transfers of both.
COUNTS = ((3, 2), (4, 2), (2, 1))
LONG_COUNTS = ((9, 18), (5, 10))  # a frame then begins at each byte of a beat of eight, or of four


def choose_counts(maps: dict[str, Any], frames: int, seed: int, *, long: bool = False) -> tuple[int, int]:
    """Return the frames of a transfer at receivers and at senders, as different as so few frames allow.

    With ``long`` they are more, so that frames begin at many places of a beat.
    """
    data = [s for node in maps["nodes"] for s in node["streams"] if s["role"] != "weights"]
    most = min((s["most_frames"] for s in data if s["most_frames"] > 1), default=1)
    pairs = (*LONG_COUNTS, *COUNTS) if long else COUNTS
    fit = [pair for pair in pairs if math.lcm(*pair) <= frames and max(pair) <= most]
    first, second = fit[0] if fit else (1, 1)
    return (first, second) if seed % 2 else (second, first)


def set_transfers(dut: Any, received: Sequence[int], sent: Sequence[int]) -> None:
    """Tell DMAs how many frames a transfer has, for each kind of stream (`set_counts`)."""
    for port, counts in ((dut.rx_frames, received), (dut.tx_frames, sent)):
        port.value = sum(count << 16 * place for place, count in enumerate(counts))


def longest_transfer(dut: Any) -> int:
    """Return the most frames that a transfer of any stream has."""
    told = [
        int(port.value) >> 16 * place & 0xFFFF
        for port in (dut.rx_frames, dut.tx_frames)
        for place in range(3)
    ]
    return max(told)


async def set_counts(dut: Any, maps: dict[str, Any], counts: tuple[int, int], wrong: int = 0) -> None:
    """Tell cores and DMAs how many frames a transfer has; nothing may be under way.

    Neighbouring streams of a board have different numbers, so that none can have that of another: one has
    ``counts``, the next one the two in turn, the one after it transfers of one frame.

    Args:
        dut: The bench.
        maps: The memory map.
        counts: At receivers and at senders, of links that have transfers.
        wrong: So many more than that in the transfers that DMAs make, which is a fault.
    """
    kinds = (counts, counts[::-1], (1, 1))
    set_transfers(dut, [rx + wrong for rx, _ in kinds], [tx for _, tx in kinds])
    for node in maps["nodes"]:
        lite = NodeLite(dut, node)
        for stream in node["streams"]:
            own = kinds[stream["index"] % len(kinds)]
            wanted = own[stream["direction"] == "tx"] if stream["role"] != "weights" else 1
            wanted = min(wanted, stream["most_frames"])
            await lite.write(f"frames_per_transfer_{stream['index']}", wanted)
            held = await lite.read(f"frames_per_transfer_{stream['index']}")
            assert held == wanted, f"{node['name']}: frames of a transfer are {held}, {wanted} was written"


async def hold_cores(dut: Any, maps: dict[str, Any], cycles: int, blocked: int = 0) -> bool:
    """Drain and reset what is inside all cores as a host does, and hold it in reset.

    Args:
        dut: The bench.
        maps: The memory map.
        cycles: For which draining is waited for (`bench_budget.drain_cycles`).
        blocked: For which ports that stall go on, so that cores must wait for them.

    Returns:
        Whether all of them have been drained in time; else they are held without.
    """
    lites = [NodeLite(dut, node) for node in maps["nodes"]]
    for lite in lites:
        await _ask(lite)
    if dut.jam.value:
        # A core that has offered a beat has to wait until it is taken.
        await ClockCycles(dut.aclk, blocked)
        dut.jam.value = 0
    busy = True
    for _ in range(looks(cycles)):
        await ClockCycles(dut.aclk, LOOK_CYCLES)
        busy = any([await resets(lite) for lite in lites])
        if not busy:
            break
    for lite in lites:
        await lite.write("control", lite.mask("control", "HOLD"))
        assert await resets(lite), f"{lite.name}: CONTROL.RESET reads 0 while CONTROL.HOLD is 1"
    return not busy


async def revive(dut: Any, maps: dict[str, Any], cycles: int, cycle_ps: int) -> dict[str, int]:
    """Reset stalled cores while accessing the memories behind them; no access may hang.

    A core whose neighbour does not accept its data cannot be drained, and is reset without draining after
    ``cycles`` of the bench's clock.

    Returns:
        Accesses to memories, those of them that were refused, and the cores that could not be drained.
    """
    found = {"answered": 0, "refused": 0, "forced": 0}
    reach = [(NodeLite(dut, node), node["regions"]) for node in maps["nodes"]]
    for lite, _ in reach:
        await lite.write("control", lite.mask("control", "RESET"))
    for lite, memories in reach:
        busy, began = True, get_sim_time("ps")
        while busy and get_sim_time("ps") - began < cycles * cycle_ps:
            busy = await resets(lite)
            for memory in memories:
                found["answered"] += 1
                found["refused"] += int(await refused(lite, memory))
        found["forced"] += int(busy)
        for memory in memories:
            assert not await refused(lite, memory), f"{memory['name']} is refused when no reset is on"
        await lite.write("control", lite.mask("control", "HOLD"))
        for memory in memories:
            assert await refused(lite, memory), f"{memory['name']} is answered in reset"
        await lite.write("control", 0)
        await released(dut, lite, cycles)
        for memory in memories:
            assert not await refused(lite, memory), f"{memory['name']} is refused after the reset"
    return found


async def resets(lite: NodeLite) -> bool:
    """Return whether a reset that was asked for is under way."""
    return bool(await lite.read("control") & lite.mask("control", "RESET"))


async def refused(lite: NodeLite, region: dict[str, Any]) -> bool:
    """Return whether a read of a memory is answered with an error; a bridge keeps it, and is cleared."""
    direct = region["access"] == "direct"
    if not direct:
        await lite.write("bridge_address", region["base"])
    try:
        await (lite.read_at(region["base"]) if direct else lite.read("bridge_data"))
    except AXIProtocolError:
        if not direct:
            await lite.write("bridge_error", lite.mask("bridge_error", "KEPT"))
        return True
    return False


async def release_cores(dut: Any, maps: dict[str, Any], bench: Bench, cycles: int) -> None:
    """Let what `hold_cores` holds go on, and wait until its memories can be reached.

    Transfers beyond the pins of the cores end within ``cycles``.
    """
    lites = [NodeLite(dut, node) for node in maps["nodes"]]
    await end_of_transfers(dut, bench, cycles)
    for lite, node in zip(lites, maps["nodes"], strict=True):
        for region in node["regions"]:
            text = f"{lite.name}: {region['name']} is answered while CONTROL.HOLD is 1"
            assert await refused(lite, region), text
    for lite in lites:
        await lite.write("control", 0)
    for lite, node in zip(lites, maps["nodes"], strict=True):
        await released(dut, lite, reset_cycles(bench))
        for region in node["regions"]:
            text = f"{lite.name}: {region['name']} is refused after a reset by CONTROL"
            assert not await refused(lite, region), text


async def reset_idle(dut: Any, maps: dict[str, Any], cycles: int) -> None:
    """Reset idle cores; the reset ends within ``cycles``."""
    lites = [NodeLite(dut, node) for node in maps["nodes"]]
    for lite in lites:
        await _ask(lite)
    for lite in lites:
        await released(dut, lite, cycles)


async def _ask(lite: NodeLite) -> None:
    """Ask for a reset, which takes longer than to look for it."""
    await lite.write("control", lite.mask("control", "RESET"))
    assert await resets(lite), f"{lite.name}: a reset was asked for, and CONTROL does not tell of it"


async def released(dut: Any, lite: NodeLite, cycles: int) -> None:
    """Wait until a core is out of the reset that CONTROL no longer asks for.

    Raises:
        AssertionError: The reset exceeds ``cycles`` (`bench_budget.reset_cycles`) and one more poll.
    """
    for _ in range(1 + looks(cycles)):
        if not await resets(lite):
            return
        await ClockCycles(dut.aclk, LOOK_CYCLES)
    text = f"CONTROL reads a reset, and it does not end within {cycles:,} cycles"
    raise AssertionError(f"{lite.name}: {text}")


def looks(cycles: int) -> int:
    """Return the number of register polls, each after `LOOK_CYCLES`, that last at least ``cycles``."""
    return -(-cycles // LOOK_CYCLES)
