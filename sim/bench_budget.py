# SPDX-License-Identifier: BSD-3-Clause
"""Time limits of the bench, derived from the cluster and the run.

All are in cycles of the bench's clock, the clock of the slowest board. A limit decides between slow and
stuck, so it may be generous, and it must never be too short: it grows with the beats of a frame, the frames
of a transfer, the number of streams and the delays set in the models of the links.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench_records import Bench

# What no plan changes: registers, FIFOs and crossings of clocks, in which no frame waits for another.
REST = 20_000
# Times what the plan says: with pauses that models make by themselves, a beat may come in every fourth cycle.
MARGIN = 4
# Attempts of two ends to synchronise, each of which may meet a fault injected by a model.
ATTEMPTS = 12
LEAST_BRING_UP = 200_000  # for what is no link: a MAC that comes up, an address that is asked for


def pauses(bench: Bench, inputs: Mapping[str, int]) -> int:
    """Return the cycles by which a frame is late at most, on all streams one after another.

    Args:
        bench: ``bench.json``.
        inputs: Inputs of the top, as this run has set them.
    """
    found = 0
    for link in bench.links:
        streams = sum(boundary.link == link.kind for boundary in bench.boundaries)
        found += streams * sum(inputs.get(port, 0) * cycles for port, cycles in link.pauses.items())
    return found


def transfer_cycles(bench: Bench, inputs: Mapping[str, int], frames: int) -> int:
    """Return the cycles in which a transfer of so many frames crosses each link, one link after another."""
    waits = {
        link.kind: sum(inputs.get(port, 0) * cycles for port, cycles in link.beat_pauses.items())
        for link in bench.links
    }
    return sum(
        frames * one.passes * one.link_beats * (1 + waits.get(one.link or "", 0)) for one in bench.boundaries
    )


def drain_cycles(bench: Bench, inputs: Mapping[str, int], frames: int, frame_cycles: int = 0) -> int:
    """Return the cycles in which all that is under way on links comes to its end.

    Args:
        bench: ``bench.json``.
        inputs: Inputs of the top.
        frames: Of a transfer at most.
        frame_cycles: In which a frame comes where its sender is not reset at the same time; 0 where all are.
    """
    crossing = transfer_cycles(bench, inputs, frames) + frames * frame_cycles
    return REST + MARGIN * (crossing + pauses(bench, inputs))


def reset_cycles(bench: Bench) -> int:
    """Return the cycles in which a reset is over where nothing is under way."""
    return max(node.reset_cycles for node in bench.nodes)


def silence(bench: Bench, inputs: Mapping[str, int]) -> int:
    """Return the cycles in which nothing moves at any partition or host, and still something is under way."""
    apart = max((link.silence for link in bench.links), default=0)
    return apart + pauses(bench, inputs)


def bring_up_cycles(bench: Bench, inputs: Mapping[str, int]) -> int:
    """Return the cycles in which a register has the value that a step of the bring-up waits for."""
    return LEAST_BRING_UP + ATTEMPTS * silence(bench, inputs)


def answer_cycles(bench: Bench) -> int:
    """Return the cycles in which every access to a register is answered."""
    return max(node.answer_cycles for node in bench.nodes)
