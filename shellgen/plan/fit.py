# SPDX-License-Identifier: BSD-3-Clause
"""Utilisation of a board: the sum of FINN's reports, the blocks' costs and an estimate.

The accuracy of FINN's reports differs. Synthesis is exact; FINN's estimates omit FIFOs and flip-flops; HLS
reports more LUTs than synthesis (2.6 to 3.5 times as many in four public builds). A figure that no report
contains is unknown, never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from shellgen import costs
from shellgen.counted import counted
from shellgen.errors import Problem
from shellgen.links import link_registry
from shellgen.model import Board, Estimate, Inner, NodePlan, NodeUsage, Plan, Resources, Usage
from shellgen.plan.larger import larger
from shellgen.plan.numbers import tags_usage
from shellgen.platforms import platform_registry

KINDS = {"lut": "LUT", "ff": "FF", "bram18": "BRAM18", "uram": "URAM", "dsp": "DSP"}
# Utilisation limits, equal to FINN's default limits for partitioning.
FULL = {"lut": 0.70, "bram18": 0.80}
UNKNOWN = "not known"
_MERGED = 0.96  # of the LUTs of single blocks that are left in a core: those of neighbours become one
_NOTABLE = 10  # of the block RAMs of a board: the share of a FIFO that messages name, as 1 / n


@dataclass(frozen=True)
class FitRow:
    """A row of the utilisation table.

    Attributes:
        node: Name of the node.
        part: Subject of the figures.
        figures: By kind of resource; None if unknown.
        source: Source of the figures.
        shares: Whether the figures are fractions of the board's resources.
    """

    node: str
    part: str
    figures: dict[str, float | None]
    source: str
    shares: bool = False


def with_usage(plan: Plan) -> Plan:
    """Return the plan with the resources of shell and platform on each node."""
    platforms = platform_registry()
    tags = tags_usage(plan)
    nodes = []
    for node in plan.nodes:
        around = platforms[node.platform].usage(plan, node).around
        takes = NodeUsage(core=core_usage(node) + tags[node.name], platform=around)
        nodes.append(node.model_copy(update={"takes": takes}))
    return plan.model_copy(update={"nodes": tuple(nodes)})


def core_usage(node: NodePlan) -> Usage:
    """Return the resources of the blocks of ``ip/`` in a node's core."""
    links = link_registry()
    single = sum(end.most_frames == 1 for end in node.ends)
    total = costs.status(len(node.rx), len(node.tx), single) + costs.reset(len(node.ends))
    total += costs.tree(tuple(len(crossbar.ports) for crossbar in node.crossbars), node.lite_addr_bits)
    for window in node.windows:
        if window.name == "turns" and window.counts:
            total += costs.turns(window.counts[0][1])
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
        total += costs.width(*(bits if end.direction == "in" else bits[::-1]), end.fast)
    for attachment in node.attachments:
        total += links[attachment.link].usage(attachment)
    for inner in node.inner:
        total += _stream(node, inner)
    return total.model_copy(update={"lut": round(total.lut * _MERGED)})


def _stream(node: NodePlan, inner: Inner) -> Usage:
    """Return the resources of a stream inside a node: its FIFO, here or in memory, and its converters."""
    made = inner.producer_word_bits
    total = costs.width(made, inner.consumer_word_bits, "width" in inner.fast)
    if inner.ring is None:
        return total + costs.fifo(made, inner.depth)
    port = inner.ring.port
    total += costs.ddr_fifo(port.data_bits, port.addr_bits, inner.ring.burst, inner.ring.stage)
    total += costs.width(made, port.data_bits, "pack" in inner.fast)
    total += costs.width(port.data_bits, made, "unpack" in inner.fast)
    if node.apart:
        total += costs.fifo_cdc(port.data_bits, costs.CROSSING_BEATS)
        total += costs.fifo_cdc(port.data_bits, costs.CROSSING_BEATS)
    return total


def _crossings(node: NodePlan) -> Usage:
    """Return the resources of a node's clock crossings: AXI-Lite if it has slaves there, and each stream."""
    total = costs.lite_cdc(node.lite_addr_bits) if node.far_crossbars else Usage()
    for end in node.ends:
        total += costs.fifo_cdc(min(end.link_bits, end.word_bits) + 1, costs.CROSSING_BEATS)
    return total


def fit_rows(plan: Plan, only: NodePlan | None = None) -> list[FitRow]:
    """Return the table: for each node, or one, its partitions, its shell, and the fractions of its board."""
    return [row for node in ((only,) if only else plan.nodes) for row in _rows(plan, node)]


def fit_notes(plan: Plan) -> list[str]:
    """Return a note for each resource that is nearly used up, or exceeded with ``fit = "warn"``."""
    return [note for node in plan.nodes for note in _notes(plan, node)]


def tight_notes(plan: Plan) -> list[str]:
    """Return a note for each resource that is nearly used up."""
    return [
        _tight(node, space, kind, share)
        for node in plan.nodes
        for space in _spaces(plan, node)
        for kind, share in _shares(space).items()
        if share is not None and FULL.get(kind, 1) < share <= 1
    ]


def small_rings(plan: Plan) -> list[str]:
    """Return a sentence for each ring in memory that holds less than a frame."""
    return [
        f"stream {path.boundary}: a frame of {count:,} bytes is larger than its ring in "
        f"{path.ring.port.place(node.name)}, {path.ring.port.bytes:,} bytes, so its producer cannot be a "
        f"frame ahead; give depth = {path.producer_words} or more in its [[link]], or leave it out"
        for node in plan.nodes
        for path in node.inner
        if path.ring is not None
        for count in (path.ring.beats * path.ring.port.data_bits // 8,)
        if count > path.ring.port.bytes
    ]


def fit_problems(
    plan: Plan, lenient: frozenset[str] = frozenset(), known: Sequence[Board] = ()
) -> list[Problem]:
    """Return a problem for each resource in which a node exceeds its board or a region of it.

    Args:
        plan: With usage.
        lenient: Nodes with ``fit = "warn"``.
        known: Boards to name as larger ones.
    """
    return [
        Problem(
            f"node {node.name}",
            _overfull(space, kind) + (_deepest(plan, node) if kind == "bram18" else ""),
            _remedy(plan, node, space.other, known),
        )
        for node in plan.nodes
        if node.name not in lenient
        for space in _spaces(plan, node)
        for kind, share in _shares(space).items()
        if share is not None and share > 1
    ]


def _deepest(plan: Plan, node: NodePlan) -> str:
    """Name the largest FIFO between partitions, if it takes a tenth of the board's memory or more."""
    elsewhere = platform_registry()[node.platform].ring_port(node.board) is not None
    also = ', and buffer = "ddr" there keeps it in memory' if elsewhere else ""
    found = [
        (
            costs.fifo(inner.producer_word_bits, inner.depth).bram18,
            f"the FIFO of {inner.boundary} ({counted(inner.depth, 'word')} of "
            f"{counted(inner.producer_word_bits, 'bit')}",
            also,
        )
        for inner in node.inner
        if inner.ring is None
    ]
    for inner in node.inner:
        frames = -(-inner.depth // inner.producer_words)
        if plan.boundary(inner.boundary).numbered:
            text = f"the numbers of up to {counted(frames, 'frame')} in the FIFO of {inner.boundary} "
            text += "(two entries "
            text += f"each of {costs.TAG_BITS} bits, in block RAM wherever the words are"
            found.append((costs.fifo(costs.TAG_BITS, costs.tags(frames)).bram18, text, ""))
    size, text, also = max(found, default=(0, "", ""))
    if not size or size * _NOTABLE < node.board.resources.bram18:
        return ""
    return f", {size:,} of them for {text}; depth in its [[link]] sets it{also})"


def _remedy(plan: Plan, node: NodePlan, other: str, known: Sequence[Board]) -> str:
    """Name what is large enough for the node as it is, if there are several partitions to move or not."""
    moves = f"Move a partition to another node{other}" if len(node.partitions) > 1 or other else ""
    enough = larger(node.board, node.platform, _spaces(plan, node)[0].takes, known)
    ways = [moves, f"move the node {enough}" if enough else "", "fold its layers less"]
    text = ", or ".join(way for way in ways if way)
    if not enough and not moves:
        text += ", or cut it into more partitions (no known device of this family is large enough)"
    return f'{text[0].upper()}{text[1:]}; fit = "warn" in this [[node]] generates anyway'


@dataclass(frozen=True)
class _Space:
    """A space for logic: a board, or a region of it.

    Attributes:
        name: Name in messages.
        has: Its resources.
        takes: Known usage.
        reported: Usage of its partitions in reports.
        whole: Whether the usage of every layer and of the shell is known.
        other: Alternative placement beside another node.
    """

    name: str
    has: Resources
    takes: Usage
    reported: tuple[Estimate, ...]
    whole: bool
    other: str = ""


def _spaces(plan: Plan, node: NodePlan) -> list[_Space]:
    """Return the board of a node, and its regions with placed logic."""
    takes = node.takes or NodeUsage(core=Usage())
    around = takes.core + (takes.platform or Usage())
    name, known = node.board.name, takes.platform is not None
    spaces = [_space(plan, name, node.board.resources, around, node.partitions, known)]
    for region in platform_registry()[node.platform].usage(plan, node).regions:
        about = (f"{region.name} of {name}", region.has, region.takes, region.partitions, True)
        spaces.append(replace(_space(plan, *about), other=", another region"))
    return spaces


def _space(  # noqa: PLR0913 - what it is made of
    plan: Plan, name: str, has: Resources, around: Usage, partitions: tuple[str, ...], known: bool
) -> _Space:
    """Add the reported usage of the partitions to the shell; some may have no report."""
    parts = [plan.partition(one).takes for one in partitions]
    reported = tuple(part for part in parts if part)
    whole = known and all(part and part.is_whole for part in parts)
    takes = around
    for part in reported:
        takes += part
    return _Space(name, has, takes, reported, whole)


def _overfull(space: _Space, kind: str) -> str:
    have, need, reported = getattr(space.has, kind), getattr(space.takes, kind), space.reported
    of_layers = sum(getattr(one, kind) for one in reported)
    sources = " and ".join(dict.fromkeys(one.source for one in reported))
    percent = f" ({need / have * 100:.0f} %)" if have else ""
    text = f"it takes {need:,} {KINDS[kind]}{percent} of the {have:,} that {space.name} has"
    return f"{text}, {of_layers:,} of them for its layers by {sources}" if reported else text


def _shares(space: _Space) -> dict[str, float | None]:
    """Return the used fraction; above 1 if the board has none."""
    shares: dict[str, float | None] = {}
    for kind in KINDS:
        need, have = getattr(space.takes, kind), getattr(space.has, kind)
        shares[kind] = need / have if have else 2.0 if need else None
    return shares


def _rows(plan: Plan, node: NodePlan) -> Iterator[FitRow]:
    for name in node.partitions:
        part = plan.partition(name).takes
        if part is None:
            yield FitRow(node.name, name, dict.fromkeys(KINDS), f"{UNKNOWN}: no FINN report")
            continue
        figures = _figures(part) if part.knows_ff else _figures(part) | {"ff": None}
        of = "" if part.is_whole else f", {part.told} of {counted(part.layers, 'layer')}"
        yield FitRow(node.name, name, figures, part.source + of)
    if node.takes:
        yield FitRow(node.name, "core", _figures(node.takes.core), "by block, after Yosys")
        around, platform = platform_registry()[node.platform].around, node.takes.platform
        if platform:
            yield FitRow(node.name, around, _figures(platform), "estimate")
        else:
            yield FitRow(node.name, around, dict.fromkeys(KINDS), UNKNOWN)
    for space in _spaces(plan, node):
        least = "" if space.whole else "at least"
        yield FitRow(node.name, f"of {space.name}", _shares(space), least, shares=True)


def _figures(usage: Usage) -> dict[str, float | None]:
    return {kind: getattr(usage, kind) for kind in KINDS}


def _notes(plan: Plan, node: NodePlan) -> Iterator[str]:
    for space in _spaces(plan, node):
        for kind, share in _shares(space).items():
            if share is not None and share > 1:
                yield f"node {node.name}: {_overfull(space, kind)}"
            elif share is not None and share > FULL.get(kind, 1):
                yield _tight(node, space, kind, share)


def _tight(node: NodePlan, space: _Space, kind: str, share: float) -> str:
    return (
        f"node {node.name}: it takes {share * 100:.0f} % of the {KINDS[kind]} of {space.name}; "
        f"above {FULL[kind] * 100:.0f} % Vivado may not meet the clock"
    )
