# SPDX-License-Identifier: BSD-3-Clause
"""Rate of a cluster with many frames in flight: that of its slowest part."""

from __future__ import annotations

from dataclasses import dataclass

from shellgen.estimate.figures import contradictions
from shellgen.estimate.servers import Server, alone_layers, servers, unknown_layers
from shellgen.model import Plan


@dataclass(frozen=True)
class Estimate:
    """Upper bound of a cluster's rate.

    Attributes:
        servers: Slowest first.
        unknown: Layers whose cycles are unknown, by partition.
        alone: Partitions of which the slowest layer counts alone.
        doubts: Layers of which two sources say very different things.
        left_out: Which times are in no figure.
    """

    servers: tuple[Server, ...]
    unknown: dict[str, int]
    alone: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    left_out: str = ""

    @property
    def limit(self) -> Server:
        """The part that limits the rate."""
        return self.servers[0]

    @property
    def frames_per_second(self) -> float:
        """Frames of the network in a second, without the time of hosts and drivers."""
        return 1 / self.limit.seconds

    def sentences(self, disturbed: float | None = None) -> list[str]:
        """Return the rate, what limits it, what follows, and what is left out.

        Args:
            disturbed: Frames a second where networks delay and lose frames.
        """
        first, *others = self.servers
        lines = [f"about {_rate(first)}: {first.name} is the limit ({first.detail})"]
        if disturbed is not None:
            head = f"about {rate_text(disturbed)} with the delays and losses of the networks"
            lines[0] = f"{head}; without, {lines[0]}"
        if others:
            lines[0] += f"; {others[0].name} follows at {_rate(others[0])}"
        if self.unknown:
            left = ", ".join(f"{count} of {name}" for name, count in self.unknown.items())
            text = f"the cycles of some layers are not known and not counted: {left}"
            lines.append(f"{text}; give them in [estimate.layers] of cluster.toml")
        if self.alone:
            lines.append(
                f"{', '.join(self.alone)}: only the slowest layer counts, for waits were not followed"
            )
        lines += [f"two sources differ by more than a factor of two: {one}" for one in self.doubts]
        return [*lines, *([self.left_out] if self.left_out else [])]


def estimate(plan: Plan) -> Estimate:
    """Estimate the rate of a cluster from its plan; no part of it works on two frames at once."""
    return plan.kept("rate", lambda: _estimate(plan))


def _estimate(plan: Plan) -> Estimate:
    found = sorted(servers(plan), key=lambda one: (-one.seconds, one.name))
    return Estimate(
        tuple(found), unknown_layers(plan), alone_layers(plan), contradictions(plan), _left_out(plan)
    )


def _left_out(plan: Plan) -> str:
    known = plan.estimate.servers if plan.estimate else {}
    nodes = [node.name for node in plan.nodes if node.name not in known]
    if len(nodes) == len(plan.nodes):
        return "without the time of hosts and drivers"
    return f"without the time of the host{' and of the servers of ' if nodes else ''}{', '.join(nodes)}"


def rate_text(frames_per_second: float) -> str:
    """Return a rate with its unit; three digits of a small one."""
    number = f"{frames_per_second:,.0f}" if frames_per_second >= 100 else f"{frames_per_second:.3g}"
    return f"{number} frames/s"


def _rate(server: Server) -> str:
    return rate_text(1 / server.seconds)
