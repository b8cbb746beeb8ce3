# SPDX-License-Identifier: BSD-3-Clause
"""Start and end of each frame at each stage of a system, exactly, for stages whose times are known.

Knows nothing of plans and boards: stages, channels, windows and media go in (`System`), times come out
(`Timeline`). The unit of time is the caller's.
"""

from shellgen.estimate.engine.run import run
from shellgen.estimate.engine.system import Channel, DeadlockError, Stage, System, Timeline, Window

__all__ = ["Channel", "DeadlockError", "Stage", "System", "Timeline", "Window", "run"]
