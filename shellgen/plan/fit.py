# SPDX-License-Identifier: BSD-3-Clause
"""Whether partitions and shell fit a board: FINN's reports, our blocks' figures and an estimate, summed.

FINN's reports are of different worth. Synthesis counts; FINN's estimates leave out FIFOs and flip-flops; HLS
reports more LUTs than synthesis finds (2.6 to 3.5 times as many in four public builds).
What no report tells is unknown, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shellgen import costs
from shellgen.errors import Problem
from shellgen.links import link_registry
from shellgen.model import Estimate, NodePlan, NodeUsage, Plan, Usage
from shellgen.platforms import platform_registry

KINDS = {"lut": "LUT", "ff": "FF", "bram18": "BRAM18", "uram": "URAM", "dsp": "DSP"}
# Shares of a device above which FINN, too, plans no further (its default limits for partitioning).
_FULL = {"lut": 0.70, "bram18": 0.80}
UNKNOWN = "not known"


@dataclass(frozen=True)
class FitRow:
    """A line of the table.

    Attributes:
        node: Name of the node.
        part: What the figures are of.
        figures: By kind of resource; None if unknown.
        source: Who says so.
        shares: Whether the figures are parts of 1 of what the board has.
    """

    node: str
    part: str
    figures: dict[str, float | None]
    source: str
    shares: bool = False


def with_usage(plan: Plan) -> Plan:
    """Return the plan with what shellgen and the platform put around the partitions of each node."""
    platforms = platform_registry()
    nodes = []
    for node in plan.nodes:
        takes = NodeUsage(core=core_usage(node), platform=platforms[node.platform].usage(node))
        nodes.append(node.model_copy(update={"takes": takes}))
    return plan.model_copy(update={"nodes": tuple(nodes)})


def core_usage(node: NodePlan) -> Usage:
    """Return what the blocks of ``ip/`` in a node's core take."""
    links = link_registry()
    total = costs.status(len(node.rx), len(node.tx))
    total += costs.tree(tuple(len(crossbar.ports) for crossbar in node.crossbars), node.lite_addr_bits)
    if node.bridge:
        total += costs.bridge()
    if node.far_crossbars:
        far = tuple(len(crossbar.ports) for crossbar in node.far_crossbars)
        total += costs.tree(far, node.lite_addr_bits)
    if node.apart:
        total += _crossings(node)
    if node.lite_scale > 1:
        total += costs.slot()
    for end in node.ends:
        bits = (end.link_bits, end.word_bits)
        if end.depth_beats:
            total += costs.fifo(end.link_bits + (end.direction == "out"), end.depth_beats)
        total += costs.width(*(bits if end.direction == "in" else reversed(bits)))
    for attachment in node.attachments:
        total += links[attachment.link].usage(attachment)
    for inner in node.inner:
        ends = (inner.producer_word_bits, inner.consumer_word_bits)
        total += costs.fifo(ends[0], inner.depth) + costs.width(*ends)
    return total


def _crossings(node: NodePlan) -> Usage:
    """Return what crosses between the clocks of a node: AXI-Lite if slaves lie behind, and each stream."""
    total = costs.lite_cdc(node.lite_addr_bits) if node.far_crossbars else Usage()
    for end in node.ends:
        total += costs.fifo_cdc(min(end.link_bits, end.word_bits) + 1, costs.CROSSING_BEATS)
    return total


def fit_rows(plan: Plan) -> list[FitRow]:
    """Return the table: for each node its partitions, what lies around them, and the shares of its board."""
    return [row for node in plan.nodes for row in _rows(plan, node)]


def fit_notes(plan: Plan) -> list[str]:
    """Return a sentence for each resource of which a node is nearly full, or overfull by consent."""
    return [note for node in plan.nodes for note in _notes(plan, node)]


def fit_problems(plan: Plan, lenient: frozenset[str] = frozenset()) -> list[Problem]:
    """Return a problem for each resource of which a node takes more than its board has.

    Args:
        plan: With usage.
        lenient: Nodes whose user knows better.
    """
    remedy = "Move a partition to another node or a larger board, or fold its layers less"
    remedy += '; fit = "warn" in this [[node]] generates anyway'
    return [
        Problem(f"node {node.name}", _overfull(plan, node, kind), remedy)
        for node in plan.nodes
        if node.name not in lenient
        for kind, share in _shares(plan, node).items()
        if share is not None and share > 1
    ]


def _overfull(plan: Plan, node: NodePlan, kind: str) -> str:
    have, need, told = getattr(node.board.resources, kind), getattr(_sum(plan, node), kind), _told(plan, node)
    of_layers = sum(getattr(one, kind) for one in told)
    sources = " and ".join(dict.fromkeys(one.source for one in told))
    percent = f" ({need / have * 100:.0f} %)" if have else ""
    text = f"it takes {need:,} {KINDS[kind]}{percent} of the {have:,} that {node.board.name} has"
    return f"{text}, {of_layers:,} of them for its layers by {sources}" if told else text


def _told(plan: Plan, node: NodePlan) -> list[Estimate]:
    parts = [plan.partition(name).takes for name in node.partitions]
    return [part for part in parts if part]


def _sum(plan: Plan, node: NodePlan) -> Usage:
    """Return all that is known; where something is not, the node takes more."""
    total = node.takes.core if node.takes else Usage()
    if node.takes and node.takes.platform:
        total += node.takes.platform
    for part in _told(plan, node):
        total += part
    return total


def _is_whole(plan: Plan, node: NodePlan) -> bool:
    """Whether somebody has told of every layer, and of what lies around them."""
    parts = [plan.partition(name).takes for name in node.partitions]
    return all(part and part.is_whole for part in parts) and bool(node.takes and node.takes.platform)


def _shares(plan: Plan, node: NodePlan) -> dict[str, float | None]:
    """Return the parts of 1 that a node takes of its board; more than 1 of what it has none of."""
    takes = _sum(plan, node)
    shares: dict[str, float | None] = {}
    for kind in KINDS:
        need, have = getattr(takes, kind), getattr(node.board.resources, kind)
        shares[kind] = need / have if have else 2.0 if need else None
    return shares


def _rows(plan: Plan, node: NodePlan) -> Iterator[FitRow]:
    for name in node.partitions:
        part = plan.partition(name).takes
        if part is None:
            yield FitRow(node.name, name, dict.fromkeys(KINDS), f"{UNKNOWN}: no FINN report")
            continue
        figures = _figures(part) if part.knows_ff else _figures(part) | {"ff": None}
        of = "" if part.is_whole else f", {part.told} of {part.layers} layers"
        yield FitRow(node.name, name, figures, part.source + of)
    if node.takes:
        yield FitRow(node.name, "core", _figures(node.takes.core), "by block, after Yosys")
        around, platform = platform_registry()[node.platform].around, node.takes.platform
        if platform:
            yield FitRow(node.name, around, _figures(platform), "estimate")
        else:
            yield FitRow(node.name, around, dict.fromkeys(KINDS), UNKNOWN)
    least = "" if _is_whole(plan, node) else "at least"
    yield FitRow(node.name, f"of {node.board.name}", _shares(plan, node), least, shares=True)


def _figures(usage: Usage) -> dict[str, float | None]:
    return {kind: getattr(usage, kind) for kind in KINDS}


def _notes(plan: Plan, node: NodePlan) -> Iterator[str]:
    for kind, share in _shares(plan, node).items():
        if share is not None and share > 1:
            yield f"node {node.name}: {_overfull(plan, node, kind)}"
        elif share is not None and share > _FULL.get(kind, 1):
            yield (
                f"node {node.name}: it takes {share * 100:.0f} % of the {KINDS[kind]} of {node.board.name}; "
                f"above {_FULL[kind] * 100:.0f} % Vivado may not meet the clock"
            )
