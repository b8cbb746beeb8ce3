# SPDX-License-Identifier: BSD-3-Clause
"""State of the servers of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shellgen.counted import counted
from shellgen.model.base import Json
from shellgen.rehearse.live import stated
from shellgen_host import HostError
from shellgen_host.hosts import spelled
from shellgen_host.status import NodeStatus, status
from vivado_check.formats.files import StrPath


@dataclass(frozen=True)
class ClusterStatus:
    """State of all nodes.

    Attributes:
        nodes: By name, in the order of cluster.toml.
    """

    nodes: dict[str, NodeStatus]

    @property
    def passed(self) -> bool:
        """Every node answers and has the build of the folder."""
        return all(node.answers for node in self.nodes.values())

    def document(self) -> dict[str, Json]:
        """Return it as JSON."""
        return {
            name: {
                "address": spelled(node.address),
                "answers": node.answers,
                "busy": node.busy,
                "epoch": node.epoch,
                "counters": dict(node.counters),
                "why": node.why,
                "holds": node.holds,
            }
            for name, node in self.nodes.items()
        }

    def text(self) -> str:
        """Return it for people."""
        width = max(map(len, self.nodes))
        return "\n".join(f"{name:{width}}  {_said(node)}" for name, node in self.nodes.items())


def _said(node: NodeStatus) -> str:
    if not node.answers:
        return f"{spelled(node.address)}: {node.why}"
    held = "takes no frames, by order; " if node.holds else ""
    said = f"runs frames; {node.why}" if node.busy else "waits for a client"
    if not node.epoch:
        return held + (said if node.busy else "waits for its first client")
    received, made = node.counters["received"], node.counters["made"]
    return f"{held}{said}; epoch {node.epoch}: {counted(received, 'frame')} received, {made:,} put out"


def cluster_status(out: StrPath, hosts: StrPath) -> ClusterStatus:
    """Ask the servers of a cluster for their state.

    Args:
        out: Folder that `shellgen generate` wrote.
        hosts: ``hosts.toml``.

    Raises:
        InputError: A file is wrong.
    """
    try:
        return ClusterStatus(status(Path(out), Path(hosts)))
    except HostError as error:
        raise stated(error, "status") from None
