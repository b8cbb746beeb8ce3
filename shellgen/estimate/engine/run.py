# SPDX-License-Identifier: BSD-3-Clause
"""Choice of the way to compute: by wavefronts, or in the order of time where stages share media."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shellgen.estimate.engine.arcs import FINISH, LEAVE, START, arcs_of
from shellgen.estimate.engine.queues import queues, shared
from shellgen.estimate.engine.system import System, Timeline
from shellgen.estimate.engine.wavefront import wavefront


def run(system: System, frames: int) -> Timeline:
    """Return the times of the first frames, all of which are there at time 0.

    Raises:
        DeadlockError: No frame comes through.
    """
    if frames < 1:
        raise ValueError("no frame to run")
    contested = set(shared(system))
    alone = tuple(
        one if one.medium in contested or one.medium is None else replace(one, medium=None)
        for one in system.stages
    )
    system = replace(system, stages=alone)
    arcs = arcs_of(system)
    held = (queues if contested else wavefront)(system, arcs, frames)
    rows = np.ascontiguousarray(held).reshape(len(alone), 3, frames)
    names = tuple(stage.name for stage in alone)
    return Timeline(names, rows[:, START], rows[:, FINISH], rows[:, LEAVE])
