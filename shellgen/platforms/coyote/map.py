# SPDX-License-Identifier: BSD-3-Clause
"""The host streams of a node, and the vFPGA that it is in, as the memory map has them."""

from __future__ import annotations

from shellgen.model import NodePlan
from shellgen.model.map_movers import MapShellChannel, MapVfpga
from shellgen.platforms.coyote.facts import TRANSFER_BYTES, options_of
from shellgen.platforms.coyote.streams import host_streams
from shellgen.platforms.coyote.versions import version_of


def map_channels(node: NodePlan) -> tuple[MapShellChannel, ...]:
    """Return what moves the host's frames, ascending by stream."""
    found = []
    for one in host_streams(node, version_of(node).first(node)):
        assert one.pin.stream is not None
        found.append(
            MapShellChannel(
                stream=one.pin.stream,
                direction=one.pin.direction,
                dest=one.dest,
                max_bytes=TRANSFER_BYTES,
            )
        )
    return tuple(sorted(found, key=lambda channel: channel.stream))


def map_vfpga(node: NodePlan) -> MapVfpga:
    """Return by what the host's program opens the vFPGA."""
    return MapVfpga(version=version_of(node).name, region=options_of(node).region)


def map_banks(node: NodePlan) -> tuple[str, ...]:
    """Return where the host's program takes the memory of each ring."""
    return tuple("host" if port.host else "card" for port in node.memory_ports)
