# SPDX-License-Identifier: BSD-3-Clause
"""The rate of a cluster before any simulation, the part that limits it, and the times of frames on their way.

`estimate` lists every part of a plan with its time for a frame (`Server`), slowest first. `timing` runs the
first frames through `engine`: the first frame at each stage (`Passage`) and the rate by the frames in flight
(`Regime`). `cluster.system_of` is the system that it runs; `figures` has the cycles of layers, and the source
of each.
"""

from shellgen.estimate.rate import Estimate, estimate
from shellgen.estimate.servers import Server
from shellgen.estimate.timing import Passage, Regime, Timing, timing

__all__ = ["Estimate", "Passage", "Regime", "Server", "Timing", "estimate", "timing"]
