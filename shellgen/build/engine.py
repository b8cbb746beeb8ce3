# SPDX-License-Identifier: BSD-3-Clause
"""Parallel builds of nodes on this machine, limited by its memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shellgen.build.memory import taken
from shellgen.build.node import NodeBuild

_TICK = 0.05
_WEIGH = 2.0  # seconds between measurements of the memory


@dataclass(frozen=True)
class Limits:
    """Limits of all builds on this machine.

    Attributes:
        jobs: Number of parallel stages.
        memory: Bytes for all running stages together.
    """

    jobs: int
    memory: int


def run_here(
    builds: Sequence[NodeBuild],
    limits: Limits,
    tell: Callable[[Sequence[NodeBuild]], None],
    wanted: Callable[[], bool] = lambda: True,
) -> None:
    """Build all nodes; a stage that fails ends its own node only.

    However this ends, no process is left running, and finished stages stay finished.

    Args:
        builds: The nodes.
        limits: Limits of the machine.
        tell: Called several times per second, and at the end.
        wanted: Called equally often; if it returns False, all builds are ended.
    """
    weighed = 0.0
    try:
        while wanted() and any(one.stage or one.tool for one in builds):
            for one in builds:
                _look(one)
            _start(builds, limits)
            now = time.monotonic()
            if now - weighed > _WEIGH:
                weighed = now
                _weigh(builds)
            tell(builds)
            time.sleep(_TICK)
        tell(builds)
    finally:
        for one in builds:
            one.end()
        for one in builds:
            one.close()


def _look(one: NodeBuild) -> None:
    try:
        one.tick()
    except OSError as error:
        one.fail(error)


def _start(builds: Sequence[NodeBuild], limits: Limits) -> None:
    """Start the stages that fit, in the order of the nodes; smaller stages may pass a larger one."""
    for one in builds:
        if one.tool or not one.stage:
            continue
        busy = [other for other in builds if other.tool]
        if len(busy) >= limits.jobs:
            return
        if busy and sum(other.need for other in busy) + one.need > limits.memory:
            continue
        try:
            one.start()
        except OSError as error:
            one.fail(error)


def _weigh(builds: Sequence[NodeBuild]) -> None:
    running = [one for one in builds if one.tool]
    sizes = taken(one.tool.pid for one in running if one.tool)
    for one in running:
        assert one.tool
        one.note_memory(sizes[one.tool.pid])
