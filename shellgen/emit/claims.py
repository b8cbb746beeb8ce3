# SPDX-License-Identifier: BSD-3-Clause
"""Windows that attachments claim, in the core: the nets of a link's register block, the ports of a master.

A link's ``core.v.j2`` instantiates its register block at nets that are declared before it: for a claim
``<name>`` these are ``<name>_axil_awaddr`` and so on, all signals of an AXI4-Lite slave of 32 bits with as
many address bits as the claim has. The block runs on ``aclk`` and ``aresetn``, and answers also while
partitions and links are in reset.
"""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.emit.lite import SlaveNets
from shellgen.model import NodePlan, Window
from shellgen.model.axilite import CHANNELS


@dataclass(frozen=True)
class ClaimNets:
    """One claim in the core.

    Attributes:
        comment: Description.
        wires: Bits and names of its nets; none for a master, whose nets are ports.
        assigns: Target and source of each signal between them and the tree.
    """

    comment: str
    wires: tuple[tuple[int, str], ...]
    assigns: tuple[tuple[str, str], ...]


def claimed(node: NodePlan, nets: SlaveNets) -> tuple[ClaimNets, ...]:
    """Return the core's part of each claim of its attachments."""
    return tuple(_claim(window, nets) for window in node.windows if window.kind in {"block", "master"})


def _claim(window: Window, nets: SlaveNets) -> ClaimNets:
    leaves = window.kind == "master"
    prefix = f"m_axil_{window.name}" if leaves else f"{window.name}_axil"
    ends = zip(CHANNELS, nets.own(window), strict=True)
    assigns = [
        (f"{prefix}_{signal}", tree) if driven else (tree, f"{prefix}_{signal}")
        for (signal, _, driven), (_, tree) in ends
    ]
    wires = () if leaves else tuple((bits or window.addr_bits, f"{prefix}_{s}") for s, bits, _ in CHANNELS)
    what = "leaves the core" if leaves else f"registers of {window.block or 'a link'}"
    return ClaimNets(f"window {window.name} at {window.offset:#x}: {what}", wires, tuple(assigns))
