# SPDX-License-Identifier: BSD-3-Clause
"""Tables of report.html: streams, parts of the estimate, partitions, resources, addresses, sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from shellgen.counted import counted
from shellgen.emit.memory_map import memory_map
from shellgen.estimate import Estimate
from shellgen.estimate.columns import LOAD, PARTS
from shellgen.model import NodePlan, Plan
from shellgen.plan.fit import FULL, KINDS, UNKNOWN, FitRow, fit_rows
from shellgen.report.addresses import places
from shellgen.report.cards import stream_name, why_end, why_inner
from shellgen.report.loads import Loads

BAR = 200  # pixels of a whole board


@dataclass(frozen=True)
class Row:
    """Cells, the row's anchor (empty for none), and the anchor that its first cell links to."""

    cells: tuple[str, ...]
    anchor: str = ""
    link: str = ""
    level: str = ""


@dataclass(frozen=True)
class Table:
    """A table: columns as title and whether they hold numbers."""

    title: str
    anchor: str
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[Row, ...]
    about: str = ""


@dataclass(frozen=True)
class Bar:
    """Use of one resource of a board: pieces in pixels, the limit, and the same in words."""

    resource: str
    pieces: tuple[tuple[float, float, str], ...]
    limit: float
    words: str
    parts: str
    over: bool


@dataclass(frozen=True)
class BoardUse:
    """Resources of a board."""

    name: str
    anchor: str
    about: str
    bars: tuple[Bar, ...]
    regions: tuple[str, ...]


def streams(plan: Plan, loads: Loads) -> Table:
    """Return the streams, between boards and inside them."""
    columns = (
        "stream",
        "from",
        "to",
        "link",
        "bytes per frame",
        "element",
        "packing",
        "load",
        "limited by",
        "FIFO",
    )
    rows, fifos = [], _fifos(plan)
    for number, boundary in enumerate(plan.boundaries):
        load = loads.boundary(boundary.name)
        shape = "x".join(map(str, boundary.normal_shape))
        passes = f", {boundary.passes:,} times" if boundary.carries_weights else ""
        if len(boundary.places) < plan.epoch:
            passes += f", {counted(len(boundary.places), 'frame')} of {plan.epoch}"
        cells = (
            boundary.name,
            stream_name(boundary, producer=True),
            stream_name(boundary, producer=False),
            boundary.link or "inside the board",
            f"{boundary.frame_bytes:,}{passes}",
            f"{boundary.datatype}, {shape}",
            boundary.packing,
            load.words,
            f"{load.server.name}: {load.server.detail}" if load.server else "unknown",
            "; ".join(fifos.get(boundary.name, ())) or "none",
        )
        rows.append(Row(cells, f"stream-{number}", level=load.level))
    return Table(
        "Streams", "streams", tuple((name, name == "bytes per frame") for name in columns), tuple(rows)
    )


def _fifos(plan: Plan) -> dict[str, list[str]]:
    """Return what is said of the FIFOs of each boundary that has some, by its name."""
    found: dict[str, list[str]] = {}
    for node in plan.nodes:
        for inner in node.inner:
            bits = inner.producer_word_bits
            where = f" in {inner.ring.port.place(node.name)}" if inner.ring else ""
            words = f"{counted(inner.depth, 'word')} of {counted(bits, 'bit')}"
            found.setdefault(inner.boundary, []).append(f"{words}{where}: {why_inner(plan, inner)}")
        for end in node.ends:
            if end.depth_beats:
                beats = f"{counted(end.depth_beats, 'beat')} of {end.link_bits} bits"
                found.setdefault(end.boundary, []).append(f"{beats} on {node.name}: {why_end(end)}")
    return found


def partitions(plan: Plan, loads: Loads) -> Table:
    """Return the partitions with the sum of cycles beside the slowest layer."""
    titles = ("partition", "board", "layers", "slowest layer", "sum of all layers", "load")
    board = {name: node.name for node in plan.nodes for name in node.partitions}
    rows = []
    for number, one in enumerate(plan.partitions):
        known = [cycles for cycles in one.layer_cycles if cycles]
        missing = len(one.layers) - len(known)
        load = loads.partition(board[one.name], one.name)
        cells = (
            one.name,
            board[one.name],
            f"{len(one.layers)}{f', {missing} with unknown cycles' if missing else ''}",
            load.server.detail if load.server else "unknown",
            f"{sum(known):,}{' or more' if missing else ''}" if known else "unknown",
            load.words,
        )
        rows.append(Row(cells, f"part-{number}", level=load.level))
    about = "Layers work on several frames at once, so the slowest layer gives the rate; the sum of all is a "
    about += "latency without overlap, shown for comparison and not used."
    columns = tuple((name, name == "sum of all layers") for name in titles)
    return Table("Partitions", "partitions", columns, tuple(rows), about)


def estimated(plan: Plan, found: Estimate, loads: Loads) -> Table:
    """Return every part of the estimate, slowest first."""
    anchors = {boundary.name: f"stream-{number}" for number, boundary in enumerate(plan.boundaries)}
    anchors |= {one.name: f"part-{number}" for number, one in enumerate(plan.partitions)}
    owner = loads.item_of(plan)
    rows = []
    for server in found.servers:
        load = loads.of_server(server)
        cells = tuple(
            load.words if column.title == LOAD else column.text(server, found.limit.seconds)
            for column in PARTS
        )
        rows.append(Row(cells, link=anchors.get(owner.get(server.name, ""), ""), level=load.level))
    columns = tuple((column.title, column.number and column.title != LOAD) for column in PARTS)
    return Table("Stages and links, slowest first", "estimate", columns, tuple(rows))


def resources(plan: Plan) -> tuple[BoardUse, ...]:
    """Return what each board's partitions, core and platform take of it."""
    return tuple(_use(plan, node, number) for number, node in enumerate(plan.nodes))


def _use(plan: Plan, node: NodePlan, number: int) -> BoardUse:
    rows = fit_rows(plan, node)
    parts = [row for row in rows if not row.shares]
    board, *regions = [row for row in rows if row.shares]
    least = " or more" if board.source else ""
    bars = [_bar(node, kind, parts, board, least) for kind in KINDS if getattr(node.board.resources, kind)]
    told = [
        f"{row.part.removeprefix('of ')}: "
        + ", ".join(f"{KINDS[kind]} {share * 100:.0f} %" for kind, share in row.figures.items() if share)
        for row in regions
    ]
    about = f"{node.board.title}, {node.board.part}"
    return BoardUse(node.name, f"node-{number}", about, tuple(bars), tuple(told))


def _bar(node: NodePlan, kind: str, parts: list[FitRow], board: FitRow, least: str) -> Bar:
    have, share = getattr(node.board.resources, kind), board.figures[kind] or 0
    scale = BAR / max(1.0, share)
    pieces, left, told = [], 0.0, []
    for index, row in enumerate(parts):
        value = row.figures[kind]
        told.append(f"{row.part} {'unknown' if value is None else f'{value:,.0f}'}")
        width = (value or 0) / have * scale
        style = ("partition", "core", "platform")[min(2, max(0, index - len(node.partitions) + 1))]
        pieces.append((round(left, 1), round(width, 1), style))
        left += width
    limit = FULL.get(kind, 1.0)
    used = sum(row.figures[kind] or 0 for row in parts)
    words = f"{used:,.0f} of {have:,}: {share * 100:.0f} %{least}"
    words += ", too much" if share > 1 else f", above {limit * 100:.0f} %" if share > limit else ""
    shown = tuple(piece for piece in pieces if piece[1] > 0)
    return Bar(KINDS[kind], shown, round(limit * scale, 1), words, ", ".join(told), share > limit)


def addresses(plan: Plan) -> tuple[Table, ...]:
    """Return the address map of each board."""
    columns = (("address", True), ("bytes", True), ("region", False), ("contents", False))
    found = []
    for number, node in enumerate(memory_map(plan).nodes):
        rows = tuple(Row((f"{one.base:#x}", f"{one.size:,}", one.name, one.contents)) for one in places(node))
        found.append(Table(node.name, f"map-{number}", columns, rows))
    return tuple(found)


def sources(plan: Plan, found: Estimate) -> Table:
    """Return every source of a figure, and how many figures rest on it."""
    rates = Counter(server.source for server in found.servers)
    sizes = Counter(row.source for row in fit_rows(plan) if not row.shares)
    clocks = Counter(f"{node.board.sources.get('clock_hz') or node.board.title}" for node in plan.nodes)
    rows = [Row(("time of a frame", source, f"{count:,}")) for source, count in sorted(rates.items())]
    rows += [Row(("resources", source or UNKNOWN, f"{count:,}")) for source, count in sorted(sizes.items())]
    rows += [Row(("board", source, f"{count:,}")) for source, count in sorted(clocks.items())]
    rows += [
        Row(("time of a frame", f"not known: {counted(count, 'layer')} of {name}", "0"))
        for name, count in found.unknown.items()
    ]
    columns = (("figure", False), ("source", False), ("figures", True))
    about = (
        "Not included: processors of the boards and of the host, DMA set-up, PCIe, and packets that are sent "
    )
    about += "again. Many frames are in flight; with one frame at a time, a cluster is slower."
    return Table("Assumptions and sources", "sources", columns, tuple(rows), about)
