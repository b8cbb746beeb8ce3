# SPDX-License-Identifier: BSD-3-Clause
"""Layered layout, second half: coordinates of boxes, wires and labels; columns continue in a next band.

A band is a row of columns, like a line of text. Wires that run to the next band, or against the flow, go
through lanes below their band and through channels beside the columns; each has its own.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from shellgen.report.layers import Box, Layers, Wire, layered

MARGIN, STACK, THROUGH = 8, 26, 12
CHANNEL, CLEAR, LANE, APART = 9, 20, 14, 6


@dataclass(frozen=True)
class Rect:
    """A rectangle in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height


@dataclass
class Layout:
    """Places of boxes and labels by key, and the path of each wire as SVG takes it."""

    width: float = 0
    height: float = 0
    boxes: dict[str, Rect] = field(default_factory=dict)
    labels: dict[str, Rect] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Hop:
    """A piece of a wire, from box to box."""

    wire: Wire
    source: str
    target: str
    kind: str  # curve, or lane
    labelled: bool


class _Grid:
    """Sizes that follow from the columns: bands, gaps, channels and lanes."""

    def __init__(self, layers: Layers, wires: Sequence[Wire], per_band: int, width: float) -> None:
        self.layers, self.per_band, self.width = layers, per_band, width
        self.hops = [hop for wire in wires for hop in self._hops(wire)]
        self.lanes: dict[int, list[tuple[_Hop, bool]]] = defaultdict(list)
        self.channels: dict[tuple[str, int, int], list[_Hop]] = defaultdict(list)
        self.up: list[_Hop] = []  # wires that return to an earlier band
        for hop in self.hops:
            if hop.kind == "lane":
                self._reserve(hop)
        slots = min(per_band, len(layers.columns))
        gaps = [self._gap(slot) for slot in range(slots - 1)]
        self.left = MARGIN + CHANNEL * (self.most("in", 0) + len(self.up)) + CLEAR
        self.lefts = [self.left + sum(gaps[:slot]) + width * slot for slot in range(slots)]
        right = CLEAR + CHANNEL * self.most("out", slots - 1)
        self.total = (self.lefts[-1] if slots else 0) + width + right + MARGIN

    def band(self, key: str) -> int:
        return self.layers.column[key] // self.per_band

    def slot(self, key: str) -> int:
        return self.layers.column[key] % self.per_band

    def _hops(self, wire: Wire) -> list[_Hop]:
        chain = self.layers.chains[wire.key]
        if wire.key in self.layers.against:
            return [_Hop(wire, wire.source, wire.target, "lane", labelled=True)]
        pairs = itertools.pairwise(chain)
        return [
            _Hop(wire, a, b, "curve" if self.band(a) == self.band(b) else "lane", number == 0)
            for number, (a, b) in enumerate(pairs)
        ]

    def _reserve(self, hop: _Hop) -> None:
        source, target = self.band(hop.source), self.band(hop.target)
        self.lanes[source].append((hop, hop.labelled))
        self.channels["out", source, self.slot(hop.source)].append(hop)
        self.channels["in", target, self.slot(hop.target)].append(hop)
        if target < source:
            self.up.append(hop)
            self.lanes[target].append((hop, False))

    def most(self, way: str, slot: int) -> int:
        return max((len(h) for (w, _, s), h in self.channels.items() if (w, s) == (way, slot)), default=0)

    def _gap(self, slot: int) -> float:
        labels = [
            hop.wire.label[0]
            for hop in self.hops
            if hop.kind == "curve" and hop.labelled and self.slot(hop.source) == slot
        ]
        lines = self.most("out", slot) + self.most("in", slot + 1)
        return max(labels, default=0) + 2 * CLEAR + CHANNEL * lines + 2 * APART

    def out_x(self, hop: _Hop) -> float:
        """Channel to the right of the source."""
        place = self.channels["out", self.band(hop.source), self.slot(hop.source)].index(hop)
        return self.lefts[self.slot(hop.source)] + self.width + CLEAR / 2 + CHANNEL * place

    def in_x(self, hop: _Hop) -> float:
        """Channel to the left of the target."""
        place = self.channels["in", self.band(hop.target), self.slot(hop.target)].index(hop)
        return self.lefts[self.slot(hop.target)] - CLEAR - CHANNEL * place

    def up_x(self, hop: _Hop) -> float:
        """Channel at the left margin, past all bands."""
        return MARGIN + CHANNEL * self.up.index(hop)


def lay_out(boxes: Sequence[Box], wires: Sequence[Wire], per_band: int, width: float) -> Layout:
    """Place boxes of one width in bands of so many columns; the same input gives the same coordinates."""
    layers = layered(boxes, wires)
    drawing = _Drawing(_Grid(layers, wires, per_band, width), {box.key: box.height for box in boxes})
    drawing.place_boxes()
    drawing.place_ports()
    drawing.place_labels()
    drawing.draw_wires()
    return drawing.found


class _Drawing:
    """Coordinates: boxes first, then the ends of wires at them, labels, and paths."""

    def __init__(self, grid: _Grid, heights: dict[str, float]) -> None:
        self.grid, self.heights = grid, heights
        self.found = Layout(width=grid.total)
        self.at: dict[str, Rect] = {}  # boxes, and places where wires pass a column
        self.spans: list[tuple[float, float]] = []  # top and bottom of each band
        self.lane_y: dict[tuple[int, _Hop], float] = {}
        self.leave: dict[_Hop, float] = {}
        self.enter: dict[_Hop, float] = {}
        self.in_gap: dict[tuple[int, int], list[_Hop]] = defaultdict(list)
        for hop in grid.hops:
            if hop.kind == "curve" and hop.labelled:
                self.in_gap[grid.band(hop.source), grid.slot(hop.source)].append(hop)

    def place_boxes(self) -> None:
        """Stack the boxes of each column, columns centred in their band, and lanes below it."""
        columns, per_band = self.grid.layers.columns, self.grid.per_band
        top: float = MARGIN
        for band in range(-(-len(columns) // per_band)):
            inside = columns[band * per_band : (band + 1) * per_band]
            stacks = [sum(map(self._height, column)) + STACK * (len(column) - 1) for column in inside]
            labels = [
                sum(hop.wire.label[1] + APART for hop in self.in_gap.get((band, slot), ()))
                for slot in range(per_band)
            ]
            height = max(stacks + labels)
            for slot, column in enumerate(inside):
                y = top + (height - stacks[slot]) / 2
                for key in column:
                    self.at[key] = Rect(self.grid.lefts[slot], y, self.grid.width, self._height(key))
                    y += self._height(key) + STACK
            self.spans.append((top, top + height))
            top += height + STACK / 2
            for hop, labelled in self.grid.lanes[band]:
                size = hop.wire.label[1] if labelled else 0
                self.lane_y[band, hop] = top + (size + LANE) / 2
                top += size + LANE
            top += STACK / 2
        self.found.height = top - STACK / 2 + MARGIN
        self.found.boxes = {key: self.at[key] for key in self.heights}

    def _height(self, key: str) -> float:
        return self.heights.get(key, THROUGH)

    def place_ports(self) -> None:
        """Spread the wires at each box in an order in which they cross little."""
        leaving, entering = defaultdict(list), defaultdict(list)
        for hop in self.grid.hops:
            leaving[hop.source].append(hop)
            entering[hop.target].append(hop)

        def rank(hop: _Hop) -> int:  # from the band above, from the left, from below
            above = self.grid.band(hop.source) < self.grid.band(hop.target)
            return 0 if above else 1 if hop.kind == "curve" else 2

        for key, hops in leaving.items():
            hops.sort(key=lambda hop: (hop.kind == "lane", self._middle(hop.target)))
            self.leave |= zip(hops, self._spread(key, len(hops)), strict=True)
        for key, hops in entering.items():
            hops.sort(key=lambda hop: (rank(hop), self._middle(hop.source)))
            self.enter |= zip(hops, self._spread(key, len(hops)), strict=True)

    def _middle(self, key: str) -> float:
        return self.at[key].y + self.at[key].height / 2

    def _spread(self, key: str, count: int) -> list[float]:
        box = self.at[key]
        return [box.y + box.height * (number + 1) / (count + 1) for number in range(count)]

    def place_labels(self) -> None:
        """Put labels of curves halfway, pushed apart where they would overlap; others have a lane each."""
        for (band, slot), hops in self.in_gap.items():
            hops.sort(key=self._halfway)
            left = self.grid.lefts[slot] + self.grid.width + CHANNEL * self.grid.most("out", slot)
            right = self.grid.lefts[slot + 1] - CHANNEL * self.grid.most("in", slot + 1)
            for hop, y in zip(hops, self._apart(hops, *self.spans[band]), strict=True):
                width, height = hop.wire.label
                self.found.labels[hop.wire.key] = Rect((left + right - width) / 2, y, width, height)
        for hop in self.grid.hops:
            if hop.kind == "lane" and hop.labelled:
                width, height = hop.wire.label
                returns = hop in self.grid.up
                far = self.grid.up_x(hop) if returns else self.grid.in_x(hop)
                x = max(MARGIN, (self.grid.out_x(hop) + far - width) / 2)
                y = self.lane_y[self.grid.band(hop.source), hop] - height / 2
                self.found.labels[hop.wire.key] = Rect(x, y, width, height)

    def _halfway(self, hop: _Hop) -> float:
        return (self.leave[hop] + self.enter[hop]) / 2

    def _apart(self, hops: Sequence[_Hop], least: float, floor: float) -> list[float]:
        """Return the tops of labels: near where they should be, in the band, and not on each other."""
        tops: list[float] = []
        for hop in hops:
            height = hop.wire.label[1]
            tops.append(max(least, self._halfway(hop) - height / 2))
            least = tops[-1] + height + APART
        for number in range(len(hops) - 1, -1, -1):
            tops[number] = min(tops[number], floor - hops[number].wire.label[1])
            floor = tops[number] - APART
        return tops

    def draw_wires(self) -> None:
        """Join the pieces of each wire to a path."""
        for hop in self.grid.hops:
            before = self.found.paths.get(hop.wire.key, "")
            x = self.at[hop.source].right
            start = f"H{x:g}" if before else f"M{x:g} {self.leave[hop]:g}"
            piece = self._curve(hop) if hop.kind == "curve" else self._lanes(hop)
            self.found.paths[hop.wire.key] = before + start + piece

    def _curve(self, hop: _Hop) -> str:
        start = (self.at[hop.source].right, self.leave[hop])
        end = (self.at[hop.target].x, self.enter[hop])
        if not hop.labelled:
            return _bend(start, end)
        label = self.found.labels[hop.wire.key]
        y = label.y + label.height / 2
        return f"{_bend(start, (label.x, y))}H{label.right:g}{_bend((label.right, y), end)}"

    def _lanes(self, hop: _Hop) -> str:
        grid, source, target = self.grid, self.grid.band(hop.source), self.grid.band(hop.target)
        path = f"H{grid.out_x(hop):g}V{self.lane_y[source, hop]:g}"
        if target < source:
            path += f"H{grid.up_x(hop):g}V{self.lane_y[target, hop]:g}"
        return f"{path}H{grid.in_x(hop):g}V{self.enter[hop]:g}H{self.at[hop.target].x:g}"


def _bend(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    half = (x1 + x2) / 2
    return f"C{half:g} {y1:g} {half:g} {y2:g} {x2:g} {y2:g}" if y1 != y2 else f"H{x2:g}"
