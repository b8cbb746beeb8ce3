# SPDX-License-Identifier: BSD-3-Clause
"""Result of a rehearsal."""

from __future__ import annotations

import math
from collections.abc import Sized
from dataclasses import dataclass

from shellgen.counted import counted
from shellgen.model.base import Json
from shellgen.rehearse.pace import Pace

_FAR_BELOW = -30.0  # percent off the estimate: not by the boards


@dataclass
class Acted:
    """A fault of the script.

    Attributes:
        said: Frame and effect.
        seen: Whether it was seen to act.
        at: When it began to act, seconds of a monotonic clock.
        pause_s: Longest time without a result from then on, until the next fault.
        enough: With so many frames, some wait until it has acted; with fewer, all may be through before.
    """

    said: str
    seen: bool
    enough: int = 0
    at: float = 0.0
    pause_s: float = 0.0

    @property
    def text(self) -> str:
        """Return it for people."""
        if not self.seen:
            return f"{self.said}: was never seen to act"
        return f"{self.said}: acted; at most {self.pause_s:.2f} s without a result"


@dataclass(frozen=True)
class Rehearsal:
    """Result of a rehearsal.

    Attributes:
        frames: Frames that were given in.
        wrong: Numbers of those whose result is not the golden one.
        missing: Numbers of those without a result, with the reason.
        disorder: Results that came twice or out of order.
        first_wrong: Text on the first wrong value; empty without one.
        seconds: From the first frame to the last result.
        median_s: Median time from a frame to its result.
        percentile_99_s: The same for the slowest hundredth.
        epochs: Epochs that the last client has begun; 1 if nothing broke.
        clients: Processes of the client, one after the other.
        seed: Of random faults, if the script was drawn.
        faults: Of the script.
        notes: What broke, in order.
        nodes: Counters of each node, as it has reported them last.
        edited: Generated files that are not as they were generated.
        rate: Results a second behind the start.
        pace: What the estimate says of boards, if they were to have their own pace.
    """

    frames: int
    wrong: tuple[int, ...]
    missing: dict[int, str]
    first_wrong: str
    seconds: float
    median_s: float
    percentile_99_s: float
    epochs: int
    faults: tuple[Acted, ...]
    notes: tuple[str, ...]
    nodes: dict[str, dict[str, int]]
    clients: int = 1
    disorder: tuple[str, ...] = ()
    seed: int | None = None
    edited: tuple[str, ...] = ()
    rate: float = 0.0
    pace: Pace | None = None

    @property
    def passed(self) -> bool:
        """Every frame has the right result once, in order, and every fault was seen to act."""
        right = not self.wrong and not self.missing and not self.disorder
        return right and all(fault.seen for fault in self.faults)

    def document(self) -> dict[str, Json]:
        """Return it as JSON."""
        return {
            "passed": self.passed,
            "frames": self.frames,
            "wrong": list(self.wrong),
            "missing": {str(number): why for number, why in self.missing.items()},
            "seconds": self.seconds,
            "frames_per_second": self.frames / self.seconds if self.seconds else 0.0,
            "latency_s": {"median": self.median_s, "percentile_99": self.percentile_99_s},
            "epochs": self.epochs,
            "clients": self.clients,
            "disorder": list(self.disorder),
            "seed": self.seed,
            "faults": [
                {"fault": fault.said, "seen": fault.seen, "pause_s": fault.pause_s} for fault in self.faults
            ],
            "notes": list(self.notes),
            "nodes": self.nodes,
            "edited": list(self.edited),
            "pace": self._pace(),
        }

    def _pace(self) -> dict[str, Json] | None:
        if self.pace is None:
            return None
        estimate = self.pace.frames_per_second
        return {"slower": self.pace.slower, "frames_per_second": self.rate, "estimate": estimate}

    def _paced(self, pace: Pace) -> str:
        slower = "" if pace.slower == 1 else f", {pace.slower:,.10g} times as slow as boards"
        off = 100 * (self.rate / pace.frames_per_second - 1)
        estimate = f"{pace.frames_per_second:,.1f}"
        text = (
            f"{self.rate:,.1f} frames/s behind the start; the estimate is {estimate}{slower} ({off:+.1f} %)"
        )
        if not self.rate or off > _FAR_BELOW:
            return text
        # So much slower that this machine needs no more than half of its time.
        enough = math.ceil(2 * pace.slower * pace.frames_per_second / self.rate)
        return f"{text}: this machine or too few frames limit it; try --pace {enough}, or more --frames"

    def _why(self, fault: Acted) -> str:
        """Say why a fault may not have been seen: with few frames, none waits for it."""
        if fault.seen or self.frames >= fault.enough:
            return ""
        return f"; all frames may have been through before: give --frames {fault.enough} or more"

    def text(self) -> str:
        """Return it for people."""
        right = self.frames - len(self.wrong) - len(self.missing)
        rate = (self.frames - len(self.missing)) / self.seconds if self.seconds else 0.0
        verb = "is" if right == 1 else "are"
        where = "" if self.pace else " in simulation"
        lines = [
            f"{right} of {counted(self.frames, 'frame')} {verb} as in the golden vectors",
            f"{rate:.1f} frames/s{where}; latency {1e3 * self.median_s:.1f} ms "
            f"median, {1e3 * self.percentile_99_s:.1f} ms 99th percentile",
        ]
        if self.pace:
            lines.append(self._paced(self.pace))
        if self.wrong:
            lines.append(f"wrong: {_frames(self.wrong)}, the first is {self.wrong[0]}: {self.first_wrong}")
        if self.missing:
            number = next(iter(self.missing))
            lines.append(f"missing: {_frames(self.missing)}, the first is {number}: {self.missing[number]}")
        lines += [f"out of order: {text}" for text in self.disorder]
        lines += [fault.text + self._why(fault) for fault in self.faults]
        lines += [f"broke: {note}" for note in self.notes]
        if self.edited:
            lines.append(f"edited files: {', '.join(self.edited)}")
        if self.clients > 1:
            lines.append(f"{self.clients} clients, one after the other")
        if self.epochs > 1:
            lines.append(f"{self.epochs} epochs")
        return "\n".join([*lines, "", "PASS" if self.passed else "FAIL"])


def _frames(numbers: Sized) -> str:
    return f"{len(numbers)} frame{'s' * (len(numbers) != 1)}"
