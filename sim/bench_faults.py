# SPDX-License-Identifier: BSD-3-Clause
"""Transfers that are longer or shorter than programmed: the core sets the right flag until it is cleared.

Where the right and the wrong length end in the same beat, only TKEEP distinguishes them: the flag is KEEP.
"""

from __future__ import annotations

from typing import Any

from bench_bring_up import bring_up
from bench_host import set_counts
from bench_lite import NodeLite
from bench_records import Boundary
from bench_run import Watch
from bench_session import Session, reset
from bench_stand import Ended
from bench_stimulus import most_frames, write_stimulus

COUNT, FRAMES = 2, 4  # frames of a transfer, and sent
FLAGS = {1: "LONG", -1: "SHORT"}  # by the frames that a transfer has too many


async def wrong_transfers(dut: Any, session: Session) -> list[dict[str, Any]]:
    """Send transfers of a frame too many, and of one too few.

    Returns:
        wrong: frames too many; streams: number of receivers that set a flag.
    """
    found = []
    for wrong, flag in FLAGS.items():
        await reset(dut, session)
        await bring_up(dut, session)
        write_stimulus(session, most_frames(session) + 1)
        await set_counts(dut, session.maps, (COUNT, COUNT), wrong)
        watch = Watch(dut, session.bench, session.options, "streams, transfers of wrong length")
        sent = min(FRAMES, most_frames(session))
        try:
            await watch.send(sent)
            await watch.quiet()
        except Ended:
            pass  # what came is not what was awaited
        told = 0
        flags = {
            one.name: "KEEP" if _one_beat(one, COUNT + min(wrong, 0)) else flag
            for one in session.bench.boundaries
        }
        for node in session.maps["nodes"]:
            told += await _told(NodeLite(dut, node), node, flags, sure=sent > max(COUNT, COUNT + wrong))
        found.append({"wrong": wrong, "streams": told})
    await set_counts(dut, session.maps, (1, 1))
    return found


def _one_beat(boundary: Boundary, frames: int) -> bool:
    """Whether so many frames, and one more, end in the same beat of the link."""
    least = frames * boundary.frame_bytes
    beat = boundary.link_bytes
    return bool(beat) and -(-least // beat) == -(-(least + boundary.frame_bytes) // beat)


async def _told(lite: NodeLite, node: dict[str, Any], true: dict[str, str], *, sure: bool) -> int:
    """Return how many receivers of a node have set a flag; ERRORS must agree, and clear them.

    ``true`` has the flag of each boundary.
    Receivers of host streams must have set it if enough frames were sent to be ``sure``; others may be
    stalled.
    """
    receivers = [stream for stream in node["streams"] if stream["direction"] == "rx"]
    flagged = {}
    for stream in receivers:
        register, flag = f"flags_{stream['index']}", true[stream["boundary"]]
        flags = await lite.read(register)
        others = flags & ~lite.mask("flags", flag)
        where = f"{lite.name}, {stream['boundary']}"
        assert not others, f"{where}: FLAGS are {flags:#x}, but the transfer's only fault is {flag}"
        flagged[stream["index"]] = bool(flags)
        whole = stream["most_frames"] > 1 and stream["role"] != "weights"
        text = "transfers have another length than programmed, and FLAGS do not have"
        assert flags or not (sure and stream["host"] and whole), f"{where}: {text} {flag}"
    for word in range(-(-len(receivers) // 32)):
        wanted = sum(flagged[k] << k % 32 for k in flagged if k // 32 == word)
        errors = await lite.read(f"errors_{word}")
        assert errors == wanted, f"{lite.name}: ERRORS is {errors:#x}, and by the flags it is {wanted:#x}"
        await lite.write(f"errors_{word}", 0)
        kept = await lite.read(f"errors_{word}")
        assert kept == wanted, f"{lite.name}: a write of 0 to ERRORS leaves {kept:#x} of {wanted:#x}"
        await lite.write(f"errors_{word}", wanted)
        left = await lite.read(f"errors_{word}")
        assert not left, f"{lite.name}: ERRORS is {left:#x} when all of it was cleared"
    return sum(flagged.values())
