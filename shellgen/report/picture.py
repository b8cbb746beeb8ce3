# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a cluster: shapes with coordinates, which templates/report/picture.svg.j2 writes as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from shellgen.report.cards import SIZE, Card, Scene, Stage, Stream, label_size
from shellgen.report.layers import Box, Wire, layered
from shellgen.report.layout import Layout, Rect, lay_out
from shellgen.report.measure import shortened, text_width

WIDTH = 264  # of a card: one fits a phone
PAD, INDENT, LINE = 10, 8, 15
TITLE, SUBTITLE, HOST = 15, SIZE, 46
HEAD, STAGE_PAD, BAR = 46, 7, 5
STACK, MOST_STACKED = 6, 4  # offset of a card behind another, and cards that are shown
PAPER, FIRST_PAPER = 1.3, 1.1  # height of a page for its width, between margins and below the title
THIN, THICK = 1.5, 5


@dataclass(frozen=True)
class Text:
    """A line of text; ``y`` is its baseline, ``room`` the width that it may take."""

    x: float
    y: float
    text: str
    style: str
    size: float
    room: float
    mono: bool = False

    @property
    def rect(self) -> Rect:
        """The space that it takes at most."""
        width = text_width(self.text, self.size, mono=self.mono)
        return Rect(self.x, self.y - 0.8 * self.size, width, self.size)


@dataclass(frozen=True)
class Part:
    """A linked group of shapes: a card's head, a stage or a label."""

    rect: Rect
    style: str
    anchor: str
    told: str
    texts: tuple[Text, ...]
    bar: Rect | None = None


@dataclass(frozen=True)
class Line:
    """A wire: its path, its width, and its level as a style."""

    path: str
    width: float
    level: str


@dataclass
class Picture:
    """The picture: wires below, then all parts in reading order."""

    title: str
    told: str
    width: float = 0
    height: float = 0
    top: float = 0
    lines: list[Line] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


def picture(found: Scene, per_band: int) -> Picture:
    """Draw with so many boards beside each other at most."""
    boxes = [Box(card.key, _height(card)) for card in found.cards]
    wires = [Wire(one.key, one.source, one.target, label_size(one)) for one in found.streams]
    layout = lay_out(boxes, wires, per_band, WIDTH)
    drawn = Picture(found.title, found.told, layout.width, layout.height)
    most = max((one.bytes for one in found.streams), default=1) or 1
    for one in found.streams:
        width = THIN + (THICK - THIN) * (one.bytes / most) ** 0.5
        drawn.lines.append(Line(layout.paths[one.key], round(width, 1), one.level))
    for card in found.cards:
        drawn.parts += _card(card, layout.boxes[card.key])
        drawn.parts += [_label(one, layout) for one in found.streams if one.source == card.key]
    return drawn


def sheets(drawn: Picture) -> list[Picture]:
    """Cut a picture between its cards where a page of paper ends; on a screen the pieces touch."""
    top, page, found = 0.0, drawn.width * FIRST_PAPER, []
    solid = [part.rect for part in drawn.parts]
    while drawn.height - top > page:
        cut = top + page
        while crossed := [one for one in solid if one.y < cut < one.bottom]:
            cut = min(one.y for one in crossed)
        if cut <= top:  # a card that is longer than a page
            break
        found.append(_between(drawn, top, cut))
        top, page = cut, drawn.width * PAPER
    return [*found, _between(drawn, top, drawn.height)]


def _between(drawn: Picture, top: float, bottom: float) -> Picture:
    """Return a piece; wires of all of it, which the edge of the drawing cuts."""
    parts = [part for part in drawn.parts if top <= part.rect.y < bottom]
    return replace(drawn, top=top, height=bottom - top, parts=parts)


def bands(found: Scene) -> tuple[int, ...]:
    """Return the columns of the pictures for a phone, a desk and a wall, each only if it differs."""
    wires = [Wire(one.key, one.source, one.target, (0, 0)) for one in found.streams]
    columns = len(layered([Box(card.key, 0) for card in found.cards], wires).columns)
    return tuple(dict.fromkeys(min(most, columns) for most in (1, 3, 6)))


def _height(card: Card) -> float:
    if card.kind == "host":
        return HOST
    return HEAD + sum(_row_height(row) for row in card.rows) + PAD + _depth(card)


def _depth(card: Card) -> int:
    """Return the room below that the cards behind one take."""
    return STACK * min(len(card.behind), MOST_STACKED)


def _row_height(row: Stage | str) -> float:
    if isinstance(row, str):
        return LINE + 2
    return 2 * STAGE_PAD + LINE * (2 + len(row.lines)) + BAR + 4 + 6


def _card(card: Card, box: Rect) -> list[Part]:
    deep = _depth(card)
    behind = [
        Part(
            Rect(box.x + STACK * at, box.y + STACK * at, box.width - 2 * STACK * at, box.height - deep),
            f"behind {card.kind}",
            anchor,
            f"{name}, a replica of {card.title}",
            (),
        )
        for at, (name, anchor) in enumerate(card.behind[:MOST_STACKED], 1)
    ]
    box = Rect(box.x, box.y, box.width, box.height - deep)
    room = box.width - 2 * PAD
    limit = any(isinstance(row, Stage) and row.load.level == "limit" for row in card.rows)
    title = Text(box.x + PAD, box.y + 20, *_fit(card.title, "title", TITLE, room, mono=True))
    subtitle = Text(box.x + PAD, box.y + 36, *_fit(card.subtitle, "faint", SUBTITLE, room))
    style = f"{card.kind} limit" if limit else card.kind
    texts, stages = [title, subtitle], []
    y = box.y + HEAD
    for row in card.rows:
        if isinstance(row, str):
            texts.append(Text(box.x + PAD, y + 11, *_fit(row, "small", SIZE, room)))
        else:
            rect = Rect(box.x + PAD, y, room, _row_height(row) - 6)
            stages.append(_stage(row, rect))
        y += _row_height(row)
    return [*reversed(behind), Part(box, style, card.anchor, card.told, tuple(texts)), *stages]


def _stage(stage: Stage, rect: Rect) -> Part:
    room = rect.width - 2 * INDENT
    x, y = rect.x + INDENT, rect.y + STAGE_PAD + 11
    texts = [Text(x, y, *_fit(stage.name, "name", 12.5, room, mono=True))]
    for number, line in enumerate(stage.lines, 1):
        texts.append(Text(x, y + LINE * number, *_fit(line, "small", SIZE, room)))
    last = y + LINE * (len(stage.lines) + 1)
    texts.append(Text(x, last, *_fit(stage.load.words, f"load {stage.load.level}", SIZE, room)))
    share = stage.load.share
    bar = None if share is None else Rect(x, last + 7, round(room * min(share, 1), 1), BAR)
    told = f"{stage.name}: {', '.join((*stage.lines, stage.load.words))}"
    return Part(rect, f"stage {stage.load.level}", stage.anchor, told, tuple(texts), bar)


def _label(stream: Stream, layout: Layout) -> Part:
    rect = layout.labels[stream.key]
    room = rect.width - 12
    styles = ("small",) * (len(stream.lines) - 1) + (f"load {stream.level}",)
    texts = tuple(
        Text(rect.x + 6, rect.y + 14 + LINE * number, *_fit(line, styles[number], SIZE, room))
        for number, line in enumerate(stream.lines)
    )
    return Part(rect, f"label {stream.level}", stream.anchor, stream.told, texts)


def _fit(
    text: str, style: str, size: float, room: float, *, mono: bool = False
) -> tuple[str, str, float, float, bool]:
    """Return the last fields of a `Text` that fits."""
    return shortened(text, room, size, mono=mono), style, size, room, mono


def overflows(drawn: Picture) -> list[str]:
    """Return what overlaps or leaves its box: texts of a part, parts beside each other, and the edge."""
    whole = Rect(0, 0, drawn.width, drawn.height)
    wrong = [f"{part.told}: outside" for part in drawn.parts if not _inside(part.rect, whole)]
    for part in drawn.parts:
        wrong += [f"{text.text}: leaves its box" for text in part.texts if not _inside(text.rect, part.rect)]
    texts = [text for part in drawn.parts for text in part.texts]
    wrong += [f"{a.text} and {b.text} overlap" for a, b in _overlapping([(one.rect, one) for one in texts])]
    solid = [(part.rect, part) for part in drawn.parts if not part.style.startswith(("stage", "behind"))]
    return wrong + [f"{a.told} and {b.told} overlap" for a, b in _overlapping(solid)]


def _inside(inner: Rect, outer: Rect) -> bool:
    across = outer.x <= inner.x and inner.right <= outer.right + 0.01
    return across and outer.y <= inner.y and inner.bottom <= outer.bottom + 0.01


def _overlapping(found: Sequence[tuple[Rect, object]]) -> list[tuple]:  # type: ignore[type-arg]
    ordered = sorted(found, key=lambda one: one[0].y)
    pairs = []
    for number, (a, first) in enumerate(ordered):
        for b, second in ordered[number + 1 :]:
            if b.y >= a.bottom:
                break
            if a.x < b.right and b.x < a.right:
                pairs.append((first, second))
    return pairs
