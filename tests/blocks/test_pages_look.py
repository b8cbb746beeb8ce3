# SPDX-License-Identifier: BSD-3-Clause
"""Appearance of the drawings in a browser: thin lines and tinted beats, in light and dark mode."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from waiting import PATIENCE
from written_pages import GROUP, written_pages

from shellgen.resources import rtl_blocks
from tools.blocks.pages import drawings_file
from tools.blocks.pages_wave import lanes, load

# Root in a container has no sandbox; the rest keeps the browser off the network.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars")
OFFLINE = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
TINTS = "3456789"  # of WaveJSON; 2 and = are paper
COLUMN = 6000  # pixels: Chromium paints no more than 16384 in a direction


@dataclass(frozen=True)
class Picture:
    """A drawing as it stands on a page, the tints of its beats, and its size in pixels."""

    title: str
    markup: str
    tints: frozenset[str]
    width: int
    height: int


pytestmark = GROUP


@pytest.fixture(scope="module")
def style_and_pictures() -> tuple[str, list[Picture]]:
    written = written_pages()
    found: list[Picture] = []
    for block in rtl_blocks():
        page = written[f"blocks/{block}.html"]
        markups = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        drawn = load(drawings_file(block))
        assert len(markups) == len(drawn), block
        for index, (markup, drawing) in enumerate(zip(markups, drawn, strict=True)):
            size = re.search(r'width="(\d+)" height="(\d+)"', markup)
            assert size
            waves = "".join(lane.raw["wave"] for lane in lanes(drawing))
            found.append(
                Picture(
                    f"{block}: {drawing['title']}",
                    # Ids are unique on a page only.
                    re.sub(rf'(id="|#)w{index}-', rf"\1{block}-w{index}-", markup),
                    frozenset(waves) & frozenset(TINTS),
                    int(size[1]),
                    int(size[2]),
                )
            )
    style = re.search(r"<style>(.*?)</style>", written["index.html"], re.DOTALL)
    assert style
    return style[1], found


def places(pictures: list[Picture]) -> list[tuple[int, int]]:
    """Return left and top of each on a contact sheet of columns."""
    found = []
    left = top = widest = 0
    for picture in pictures:
        if top + picture.height > COLUMN:
            left, top, widest = left + widest, 0, 0
        found.append((left, top))
        top, widest = top + picture.height, max(widest, picture.width)
    return found


def colours(style: str, scheme: str) -> dict[str, tuple[int, int, int]]:
    """Return the custom properties that are colours; those of the night stand second."""
    found: dict[str, tuple[int, int, int]] = {}
    for number, group in enumerate(re.findall(r":root \{(.*?)\}", style, re.DOTALL)):
        if number == 0 or scheme == "night":
            for name, value in re.findall(r"--([\w-]+): #([0-9a-f]{6})", group):
                found[name] = (int(value[:2], 16), int(value[2:4], 16), int(value[4:], 16))
    return found


def screenshot(text: str, scheme: str, size: tuple[int, int], folder: Path) -> np.ndarray:
    """Return the pixels (height, width, 3) of a page as headless Chromium shows it."""
    page, picture = folder / "page.html", folder / "page.png"
    page.write_text(text, encoding="utf-8")
    dark = ("--blink-settings=preferredColorScheme=0",) if scheme == "night" else ()
    command = ["chromium", *FLAGS, *OFFLINE, *dark, f"--user-data-dir={folder / 'profile'}"]
    command += [f"--window-size={size[0]},{size[1]}", f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    return np.asarray(Image.open(picture).convert("RGB")).astype(np.int16)


def share(part: np.ndarray, colour: tuple[int, int, int]) -> float:
    """Return the share of pixels that are this colour, but for rounding."""
    near = np.ones(part.shape[:2], bool)
    for channel, value in enumerate(colour):
        near &= np.abs(part[:, :, channel] - value) <= 2
    return float(near.mean())


@pytest.mark.parametrize(
    ("scheme", "step"),
    [
        ("night", 8),
        pytest.param("day", 3, marks=pytest.mark.sweep),
        pytest.param("day", 1, marks=pytest.mark.sweep),
    ],
)
def test_drawings_are_lines_and_beats(
    style_and_pictures: tuple[str, list[Picture]], scheme: str, step: int, tmp_path: Path
) -> None:
    """Lines are thin and beats tinted; blocks differ little, so a part of them shows it."""
    style, pictures = style_and_pictures
    assert len(pictures) > len(rtl_blocks())
    pictures = pictures[::step]
    known = colours(style, scheme)
    corners = places(pictures)
    shown = "".join(
        f'<div style="position: absolute; left: {left}px; top: {top}px">{picture.markup}</div>'
        for (left, top), picture in zip(corners, pictures, strict=True)
    )
    body = f'<body style="margin: 0; padding: 0; max-width: none">{shown}</body>'
    boxes = [
        (left, top, left + p.width, top + p.height) for (left, top), p in zip(corners, pictures, strict=True)
    ]
    size = (max(box[2] for box in boxes), max(box[3] for box in boxes))
    sheet = f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style>{body}'
    pixels = screenshot(sheet, scheme, size, tmp_path)
    assert pixels.shape[:2] == (size[1], size[0])
    for picture, (left, top, right, bottom) in zip(pictures, boxes, strict=True):
        part = pixels[top:bottom, left:right]
        assert 0.004 < share(part, known["ink"]) < 0.06, f"{picture.title}: lines, or black shapes?"
        assert share(part, known["paper"]) > 0.5, f"{picture.title}: little paper"
        tints = {tint for tint in TINTS if share(part, known[f"beat-{tint}"]) > 0.0005}
        assert tints == picture.tints, f"{picture.title}: other beats than those drawn"
