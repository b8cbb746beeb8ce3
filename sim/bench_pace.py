# SPDX-License-Identifier: BSD-3-Clause
"""Length of the turns in the stalled run (``sim/bench_pressure.sv``), from the speed of the model itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from bench_records import Options

# Where nothing is known of the pace: longer than the FIFOs of a core, and short.
LEAST_HOLD, LEAST_SPELL = 64, 16
DEEP_HOLD = 1024  # where all is asked for: small frames leave FIFOs half empty after four of them
HOLD_FRAMES = 4  # a pause of so many frames empties or fills all that lies between two ports
SHARE = 10  # all starving together takes a tenth of the run, where that leaves enough for each port


@dataclass(frozen=True)
class Pace:
    """Turns of the stalled run.

    Attributes:
        stall: Mean chance of a stall in random turns, in 1/256; 0 for a run without stalls.
        hold: Cycles for which one port starves, or floods.
        spell: Cycles of a random turn.
        reach: Pauses in random turns are shorter than 2**reach cycles.
        seed: Of the stalls.
        frame: Cycles from frame to frame without stalls; 0 if that is not known.
        of: Turns until each port has starved and flooded once.
        ports: Of the bench.
    """

    stall: int = 0
    hold: int = 0
    spell: int = 0
    reach: int = 0
    seed: int = 0
    frame: int = 0
    of: int = 0
    ports: int = 0

    @property
    def frames(self) -> int:
        """Frames that the model takes in all turns at most; 0 where its pace is not known."""
        return -(-(self.hold + self.spell) * self.of // (2 * self.frame)) if self.frame else 0

    def record(self) -> dict[str, int]:
        """Return plain data for the report."""
        return asdict(self)

    def apply(self, dut: Any) -> None:
        """Drive the inputs of the bench; only in reset."""
        for name in ("stall", "hold", "spell", "reach", "seed"):
            getattr(dut, name).value = getattr(self, name)


def choose_pace(options: Options, ports: int, total: int, frames: int, first: int) -> Pace:
    """Choose the turns so that each port has starved and flooded once by the end of the run.

    Args:
        options: ``options.json``.
        ports: Of the bench.
        total: Cycles of the run without stalls; 0 if there was none.
        frames: Its frames.
        first: Cycles until the first of them had arrived.
    """
    frame = max(1, (total - first) // max(1, frames - 1)) if total else 0
    least = DEEP_HOLD if options.walk == "full" else LEAST_HOLD
    hold = max(least, min(HOLD_FRAMES * frame, total // (SHARE * ports)))
    if options.idle_limit:  # a pause of the bench must not look like a stuck cluster
        hold = max(1, min(hold, options.idle_limit // 4))
    turns = 4 * ports  # a random one before each
    spell = max(LEAST_SPELL, total // (2 * ports) - hold)
    return Pace(
        stall=options.stall,
        hold=hold,
        spell=spell,
        reach=min(12, max(4, min(hold, frame).bit_length() - 1)),
        seed=options.seed,
        frame=frame,
        of=turns,
        ports=ports,
    )
