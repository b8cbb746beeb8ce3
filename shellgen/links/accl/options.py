# SPDX-License-Identifier: BSD-3-Clause
"""Options of streams over ACCL in cluster.toml (docs/coyote.md)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from shellgen.model.base import Frozen

# Above, ACCL's driver and its kernel interface refuse a stream (accl.cpp, accl_hls.h).
MOST_STREAM = 246


class AcclOptions(Frozen):
    """Options of ``accl``; ``stream`` and ``watchdog_ms`` concern only the host.

    Attributes:
        mode: ``buffered``: a frame is stored whole before ACCL gets the command to send it. ``direct``: the
            command is issued with the first beat, without the memory and without a frame of latency, but the
            engine waits for the rest of the frame and does nothing else meanwhile.
        stream: Number of the stream at its receiver; given out from 0 on, if left out.
        watchdog_ms: How long a put may take before a flag says so; 0: any time.
    """

    mode: Literal["buffered", "direct"] = "buffered"
    stream: int | None = Field(default=None, ge=0, le=MOST_STREAM)
    watchdog_ms: int = Field(default=1000, ge=0, le=4000)


HOST_OPTIONS = frozenset({"stream", "watchdog_ms"})
