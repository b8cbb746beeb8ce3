# SPDX-License-Identifier: BSD-3-Clause
"""Draw a cluster whose boards form a row, one line for each board."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from shellgen.model import Boundary, NodePlan, Plan

# GitHub shows a README in a column of about 830 pixels.
WIDTH, MARGIN, ROW, GAP = 840, 12, 148, 44
TOP, BOTTOM = 40, 78
CHIP_HEIGHT, ARROW = 34, 14
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
SANS = "system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"


@dataclass(frozen=True)
class Palette:
    """Colours of one theme, as ``#rrggbb``; the page shows through where nothing is drawn."""

    text: str
    faint: str
    line: str
    board: str
    core: str
    finn: str
    finn_edge: str
    ours: str
    ours_edge: str
    vendor: str
    vendor_edge: str


LIGHT = Palette(
    text="#1f2328",
    faint="#59636e",
    line="#59636e",
    board="#f6f8fa",
    core="#ffffff",
    finn="#fff1d6",
    finn_edge="#bf8700",
    ours="#ddf4ff",
    ours_edge="#0969da",
    vendor="#eaeef2",
    vendor_edge="#818b98",
)
DARK = Palette(
    text="#f0f6fc",
    faint="#9198a1",
    line="#9198a1",
    board="#151b23",
    core="#0d1117",
    finn="#3d2e00",
    finn_edge="#d29922",
    ours="#0c2d6b",
    ours_edge="#4493f8",
    vendor="#262c36",
    vendor_edge="#656c76",
)


@dataclass(frozen=True)
class Chip:
    """One box of the stream's way: its text, its width, and whose it is."""

    text: str
    width: int
    owner: str  # finn, ours or vendor


CHIPS = (
    Chip("AXI DMA", 76, "vendor"),
    Chip("axis_frame_rx", 106, "ours"),
    Chip("axis_width", 88, "ours"),
    Chip("", 150, "finn"),
    Chip("axis_width", 88, "ours"),
    Chip("axis_frame_tx", 106, "ours"),
    Chip("AXI DMA", 76, "vendor"),
)
LEGEND = (
    ("finn", "FINN's stitched IP"),
    ("ours", "the core, written by shellgen"),
    ("vendor", "vendor IP, in the generated block design"),
)


class NotARowError(ValueError):
    """The boards of the cluster do not form a row, each with one partition."""


def draw(plan: Plan, palette: Palette) -> str:
    """Return the picture as SVG; the same plan gives the same bytes.

    Raises:
        NotARowError: A board has other than one partition, one stream in and one stream out.
    """
    hops = _hops(plan)
    height = TOP + len(plan.nodes) * (ROW + GAP) - GAP + BOTTOM
    told = f"{len(plan.nodes)} boards in a row: {', '.join(node.name for node in plan.nodes)}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img" aria-label={quoteattr(told)}>',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        f' orient="auto"><path d="M0 0 8 4 0 8z" fill="{palette.line}"/></marker></defs>',
    ]
    for number, node in enumerate(plan.nodes):
        lines += _board(node, TOP + number * (ROW + GAP), palette)
    lines += _ways(hops, palette)
    lines += _legend(height - 18, palette)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _hops(plan: Plan) -> tuple[Boundary, ...]:
    """Return the boundaries in the order of the row: from the host, between boards, to the host."""
    stops = (None, *(node.name for node in plan.nodes), None)
    hops = {(hop.producer_node, hop.consumer_node): hop for hop in plan.boundaries}
    wanted = list(itertools.pairwise(stops))
    alone = all(len(node.partitions) == 1 for node in plan.nodes)
    if not alone or len(plan.boundaries) != len(wanted) or set(hops) != set(wanted):
        raise NotARowError(f"the boards of {plan.name} do not form a row with a partition each")
    return tuple(hops[pair] for pair in wanted)


def _board(node: NodePlan, top: int, palette: Palette) -> Iterator[str]:
    inside = WIDTH - 2 * MARGIN
    yield _box(MARGIN, top, inside, ROW, palette.board, palette.vendor_edge, radius=8)
    lefts = _lefts()
    left = lefts[1] - ARROW // 2
    right = lefts[-2] + CHIPS[-2].width + ARROW // 2
    yield _box(left, top + 36, right - left, ROW - 48, palette.core, palette.ours_edge, dashed=True)
    yield _text(left + 8, top + 23, node.name, palette.text, size=14, bold=True)
    yield _text(left + 18 + 9 * len(node.name), top + 23, node.board.title, palette.faint)
    yield _text(right - 8, top + 23, f"{node.name}_core.v", palette.faint, mono=True, anchor="end")
    middle = top + 48 + CHIP_HEIGHT // 2
    for x, chip in zip(lefts, CHIPS, strict=True):
        words = chip.text or node.partitions[0].replace("StreamingDataflow", "")
        yield _chip(x, middle, chip, words, palette)
    for x, chip in zip(lefts, CHIPS[:-1], strict=False):
        yield _arrow(f"M{x + chip.width} {middle}h{ARROW - 1}", palette)
    tree = Chip("", right - left - ARROW, "ours")
    words = f"AXI-Lite: status and {len(node.memories)} memories"
    yield _chip(left + ARROW // 2, middle + 49, tree, words, palette, height=26)
    x = lefts[3] + CHIPS[3].width // 2
    yield _arrow(f"M{x} {middle + 36}V{middle + CHIP_HEIGHT // 2 + 1}", palette)


def _ways(hops: tuple[Boundary, ...], palette: Palette) -> Iterator[str]:
    """Draw what joins the boards, and the host at both ends."""
    lefts = _lefts()
    first, last = lefts[0] + CHIPS[0].width // 2, lefts[-1] + CHIPS[-1].width // 2
    label = "host: {} bytes per frame"
    yield _text(first + 12, TOP - 20, label.format(hops[0].frame_bytes), palette.text)
    for number, hop in enumerate(hops):
        top = TOP + number * (ROW + GAP)
        into, out = top + 48, top - GAP - ROW + 48 + CHIP_HEIGHT
        if number == 0:
            yield _arrow(f"M{first} {TOP - 32}V{into}", palette)
        elif number < len(hops) - 1:
            bend = top - GAP // 2
            yield _arrow(f"M{last} {out}V{bend}H{first}V{into}", palette)
            words = f"{hop.link}: {hop.frame_bytes} bytes per frame"
            yield _text(WIDTH // 2, bend - 6, words, palette.text, anchor="middle")
        else:
            end = out + ROW - 48 - CHIP_HEIGHT + 26
            yield _arrow(f"M{last} {out}V{end}", palette)
            yield _text(last - 12, end - 4, label.format(hop.frame_bytes), palette.text, anchor="end")


def _legend(y: int, palette: Palette) -> Iterator[str]:
    x = MARGIN + 14
    for owner, words in LEGEND:
        fill, edge = _colours(owner, palette)
        yield _box(x, y - 10, 13, 13, fill, edge, radius=3)
        yield _text(x + 20, y + 1, words, palette.faint)
        x += 44 + round(6.4 * len(words))


def _lefts() -> tuple[int, ...]:
    """Return the left edge of each chip: the row of chips is centred."""
    x = (WIDTH - sum(chip.width for chip in CHIPS) - ARROW * (len(CHIPS) - 1)) // 2
    found = []
    for chip in CHIPS:
        found.append(x)
        x += chip.width + ARROW
    return tuple(found)


def _colours(owner: str, palette: Palette) -> tuple[str, str]:
    return getattr(palette, owner), getattr(palette, f"{owner}_edge")


def _chip(x: int, middle: int, chip: Chip, words: str, palette: Palette, height: int = CHIP_HEIGHT) -> str:
    fill, edge = _colours(chip.owner, palette)
    box = _box(x, middle - height // 2, chip.width, height, fill, edge)
    mono = "_" in words
    return box + _text(x + chip.width // 2, middle + 4, words, palette.text, mono=mono, anchor="middle")


def _box(
    x: int, y: int, width: int, height: int, fill: str, edge: str, *, radius: int = 5, dashed: bool = False
) -> str:
    dash = ' stroke-dasharray="5 3"' if dashed else ""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" fill="{fill}"'
        f' stroke="{edge}"{dash}/>'
    )


def _text(
    x: int,
    y: int,
    words: str,
    fill: str,
    *,
    size: int = 12,
    mono: bool = False,
    bold: bool = False,
    anchor: str = "start",
) -> str:
    font = quoteattr(MONO if mono else SANS)
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x}" y="{y}" fill="{fill}" font-family={font} font-size="{size}"{weight}'
        f' text-anchor="{anchor}">{escape(words)}</text>'
    )


def _arrow(path: str, palette: Palette) -> str:
    return f'<path d="{path}" fill="none" stroke="{palette.line}" marker-end="url(#head)"/>'
