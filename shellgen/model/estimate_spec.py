# SPDX-License-Identifier: BSD-3-Clause
"""``[estimate]`` in cluster.toml: figures that the user knows better than shellgen."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from shellgen.model.base import Frozen
from shellgen.model.names import Line, Name, Word

MOST_CYCLES = 1 << 40
Seconds = Annotated[float, Field(ge=0, le=3600)]


class ServerSpec(Frozen):
    """``[estimate.servers.<node>]``: the processor that moves frames between network and board.

    Attributes:
        bytes_per_s: Rate at which it receives, and at which it sends; None: as fast as the network.
        frame_us: Time for each frame on top of that, at each end.
        in_sequence: One thread receives, waits for the board and sends, so that one frame is in flight.
    """

    bytes_per_s: Annotated[float, Field(ge=1, le=1e12)] | None = None
    frame_us: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    in_sequence: bool = False

    def seconds(self, frame_bytes: int) -> float:
        """Return the time that it takes for a frame, at each end."""
        return self.frame_us * 1e-6 + (frame_bytes / self.bytes_per_s if self.bytes_per_s else 0.0)


class EstimateSpec(Frozen):
    """The whole table; it changes no file but plan.json.

    Attributes:
        layers: Cycles of a frame, by the name of the layer with that of its partition in front or not.
        servers: By node.
        links: Figures of links, by kind and name.
    """

    layers: dict[Line, Annotated[int, Field(gt=0, le=MOST_CYCLES)]] = Field(default_factory=dict)
    servers: dict[Name, ServerSpec] = Field(default_factory=dict)
    links: dict[Word, dict[Word, Annotated[float, Field(ge=0, le=1e15)]]] = Field(default_factory=dict)
