# SPDX-License-Identifier: BSD-3-Clause
"""FIFOs of streams inside nodes, with what their depths come from."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen
from shellgen.model.names import Name


class Fifo(Frozen):
    """The FIFO of a stream inside a node, in words of the producer.

    Attributes:
        boundary: Name of the stream.
        node: Name of the node.
        depth: Words that it has.
        live: Words that it must have, or the cluster may lock up.
        full_rate: Words with which no part waits for room at the rate of the slowest partition.
        tight: With one word less than ``live``, and the others as they must be, the cluster stops.
        held: Words that the partitions at both ends hold besides, in FIFOs of their own at these ports; they
            are no part of the others here.
        beside: The streams of the other branch, from the fork to where it meets this one, that ask for it.
        memory: What ip/axis_fifo takes for it; ``ddr``: a ring in the memory of the board; ``host``: in that
            of its host.
        reason: ``curves``: by the need curves of the partitions on its ring. ``frames``: a frame for each
            replica, because some curve is not known. ``stated``: by cluster.toml. ``default``: on no ring.
        spilled: The plan has chosen the memory of the board, because the FIFO is too large for the device.
    """

    boundary: Name
    node: Name
    depth: int
    live: int
    full_rate: int
    tight: bool = False
    held: int = 0
    beside: tuple[Name, ...] = ()
    memory: Literal["lutram", "bram", "ddr", "host"]
    reason: Literal["curves", "frames", "stated", "default"] = "default"
    spilled: bool = False
