# SPDX-License-Identifier: BSD-3-Clause
"""The part of a board project that a host program works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shellgen.model.map_movers import (
    MapDma,
    MapInterruptController,
    MapMover,
    MapRing,
    MapShellChannel,
    MapVfpga,
)


@dataclass(frozen=True)
class HostSide:
    """Beside the registers of the core; a platform fills the fields that it has.

    Attributes:
        ip: Name of the core in the host's runtime, if it has one; XRT: ``<kernel>:{<instance>}``.
        dma: DMAs between the host's memory and the core, ascending by address.
        movers: Kernels between the card's memory and the core, by its ports.
        channels: Streams of a shell between the host's memory and the core, ascending by stream.
        vfpga: Place of the core in a card that runs Coyote.
        interrupt_controller: Collects the interrupts of these, where the FPGA has one.
        rings: Streams of the core that are kept in memory.
        driver: Files of the platform's package in ``templates/host/``, copied into ``host/``: first
            ``shellgen_bus_<bus>.py``, by which the programs open a bus of the platform's own (docs/host.md),
            then the files that it needs. The node gets a `run_<node>.py`.
    """

    ip: str | None = None
    dma: tuple[MapDma, ...] = ()
    movers: tuple[MapMover, ...] = ()
    channels: tuple[MapShellChannel, ...] = ()
    vfpga: MapVfpga | None = None
    interrupt_controller: MapInterruptController | None = None
    rings: tuple[MapRing, ...] = ()
    driver: tuple[str, ...] = ()

    def in_map(self) -> dict[str, Any]:
        """Return the fields of a node's entry in the memory map."""
        return {name: value for name, value in vars(self).items() if name != "driver"}
