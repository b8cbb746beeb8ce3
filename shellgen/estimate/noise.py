# SPDX-License-Identifier: BSD-3-Clause
"""Networks that delay frames and lose some: drawn by a seed, so that the same options give the same times."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shellgen.estimate.engine import System

FRAMES = 1_000  # for a 99th percentile that ten frames exceed
BEYOND = 99  # percentile


@dataclass(frozen=True)
class Noise:
    """Disturbance of each frame at each network port.

    Attributes:
        jitter: Mean of an exponential delay, in seconds.
        loss: Share of frames that are lost there and sent again, each time for as long as the first time.
        seed: Of the draws.
    """

    jitter: float = 0.0
    loss: float = 0.0
    seed: int = 1

    def __bool__(self) -> bool:
        return bool(self.jitter or self.loss)


def disturbed(system: System, networks: frozenset[str], noise: Noise, frames: int) -> System:
    """Return the system with the drawn delays of so many frames at its network ports."""
    stages = []
    for number, stage in enumerate(system.stages):
        if stage.name not in networks:
            stages.append(stage)
            continue
        draw = np.random.default_rng([noise.seed, number])
        late = draw.exponential(noise.jitter, frames) if noise.jitter else np.zeros(frames)
        if noise.loss:
            late += (draw.geometric(1 - noise.loss, frames) - 1) * stage.period
        stages.append(replace(stage, extra=tuple(float(one) for one in late)))
    return replace(system, stages=tuple(stages))
