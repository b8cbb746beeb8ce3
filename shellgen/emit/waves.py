# SPDX-License-Identifier: BSD-3-Clause
"""The main view of waves: the streams of each boundary, in a separate scope."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from shellgen.emit.taps import Tap, link_ends
from shellgen.model import End, Plan
from shellgen.model.axilite import host_channels
from shellgen.model.bench import BenchWaveGroup, BenchWaves
from shellgen.render import render

FILE = "bench/bench_waves.sv"
# Alphabetical order follows the data path: a viewer sorts the signals of a scope by name.
_SIDES = {"made": "made", "inner": "passed", "taken": "taken", "received": "received", "mono_made": "wanted"}


@dataclass(frozen=True)
class Watched:
    """One signal of a view: its name there, its width, and its expression in the bench."""

    name: str
    bits: int
    source: str

    @property
    def span(self) -> str:
        """Range of the declaration."""
        return f"[{self.bits - 1}:0] " if self.bits > 1 else ""


@dataclass
class Group:
    """The signals of a boundary, or of a host's port.

    Attributes:
        scope: Name of the scope in HDL, an identifier.
        title: Name for people.
        signals: In the order in which they are shown.
    """

    scope: str
    title: str
    signals: list[Watched] = field(default_factory=list)


def wave_groups(plan: Plan, taps: Sequence[Tap]) -> list[Group]:
    """Return the groups: one per boundary in network order, then one per node's AXI-Lite port."""
    groups, at = [], defaultdict(list)
    for tap in taps:
        at[tap.boundary].append(tap)
    for index, boundary in enumerate(plan.boundaries):
        group = Group(_identifier(f"b{index}_{boundary.name}"), boundary.name)
        group.signals += [entry for tap in at[index] for entry in _tap(tap)]
        sender, receiver = link_ends(plan, boundary)
        for side, end in (("out", sender), ("reached", receiver)):
            if end:
                group.signals += _link(side, *end)
        group.signals.sort(key=lambda entry: entry.name.partition("_")[0])
        groups.append(group)
    for node in plan.nodes:
        channels = host_channels(node.lite_port_bits, node.lite_slot)
        port = [Watched(name, bits, f"{node.name}_{name}") for name, bits, _ in channels]
        groups.append(Group(_identifier(f"host_{node.name}"), f"AXI-Lite of {node.name}", port))
    return groups


def _tap(tap: Tap) -> list[Watched]:
    """Show a recorded stream with the position of the next word: frame and word in it, from 0."""
    side = _SIDES[tap.side]
    return [
        Watched(f"{side}_aclk", 1, tap.clock),
        Watched(f"{side}_frame", 32, f"{tap.name}_count / {tap.beats}"),
        Watched(f"{side}_word", 32, f"{tap.name}_count % {tap.beats}"),
        Watched(f"{side}_tdata", tap.bits, f"{tap.net}_tdata"),
        *([Watched(f"{side}_tlast", 1, f"{tap.net}_tlast")] if tap.seed else []),
        Watched(f"{side}_tvalid", 1, f"{tap.net}_tvalid"),
        Watched(f"{side}_tready", 1, f"{tap.net}_tready"),
    ]


def _link(side: str, net: str, path: End) -> list[Watched]:
    bits = path.link_bits
    return [
        Watched(f"{side}_tdata", bits, f"{net}_tdata"),
        Watched(f"{side}_tkeep", bits // 8, f"{net}_tkeep"),
        Watched(f"{side}_tlast", 1, f"{net}_tlast"),
        Watched(f"{side}_tvalid", 1, f"{net}_tvalid"),
        Watched(f"{side}_tready", 1, f"{net}_tready"),
    ]


def _identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)


def emit_waves(plan: Plan, taps: Sequence[Tap]) -> str:
    """Return ``bench_waves.sv``, which is only part of models for waves."""
    return render(
        "bench/bench_waves.sv.j2",
        generator=plan.generator,
        build_id=plan.cluster_id,
        taps=taps,
        widest=max(tap.bits for tap in taps),
        groups=wave_groups(plan, taps),
    )


def describe_waves(plan: Plan, taps: Sequence[Tap]) -> BenchWaves:
    """Return its entry in ``bench.json``: the file, and the groups with the names of their signals."""
    groups = (
        BenchWaveGroup(
            scope=group.scope,
            title=group.title,
            signals=tuple((entry.name, entry.bits) for entry in group.signals),
        )
        for group in wave_groups(plan, taps)
    )
    return BenchWaves(file=FILE, groups=tuple(groups))
