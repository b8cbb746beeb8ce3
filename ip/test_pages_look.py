# SPDX-License-Identifier: BSD-3-Clause
"""What a browser shows of the drawings on the pages: thin lines and tinted beats, by day and by night."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ip.pages import drawings_file, pages
from ip.pages_wave import lanes, load
from shellgen.resources import rtl_blocks

# Root in a container has no sandbox; the rest keeps the browser off the network.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars")
OFFLINE = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
TINTS = "3456789"  # of WaveJSON; 2 and = are paper
SCHEMES = ("day", "night")
COLUMN = 6000  # pixels: Chromium paints no more than 16384 in a direction


@dataclass(frozen=True)
class Picture:
    """A drawing as it stands on a page, and the place where the contact sheet shows it."""

    title: str
    markup: str
    tints: frozenset[str]
    box: tuple[int, int, int, int]  # left, top, right, bottom


@pytest.fixture(scope="module")
def style_and_pictures() -> tuple[str, list[Picture]]:
    written = pages()
    found: list[Picture] = []
    left = top = widest = 0
    for block in rtl_blocks():
        page = written[f"blocks/{block}.html"]
        markups = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        drawn = load(drawings_file(block))
        assert len(markups) == len(drawn), block
        for index, (markup, drawing) in enumerate(zip(markups, drawn, strict=True)):
            size = re.search(r'width="(\d+)" height="(\d+)"', markup)
            assert size
            width, height = int(size[1]), int(size[2])
            if top + height > COLUMN:
                left, top, widest = left + widest, 0, 0
            waves = "".join(lane.raw["wave"] for lane in lanes(drawing))
            found.append(
                Picture(
                    f"{block}: {drawing['title']}",
                    # Ids are unique on a page only.
                    re.sub(rf'(id="|#)w{index}-', rf"\1{block}-w{index}-", markup),
                    frozenset(waves) & frozenset(TINTS),
                    (left, top, left + width, top + height),
                )
            )
            top, widest = top + height, max(widest, width)
    style = re.search(r"<style>(.*?)</style>", written["index.html"], re.DOTALL)
    assert style
    return style[1], found


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
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return np.asarray(Image.open(picture).convert("RGB")).astype(int)


def share(part: np.ndarray, colour: tuple[int, int, int]) -> float:
    """Return the share of pixels that are this colour, but for rounding."""
    return float((np.abs(part - np.array(colour)).max(axis=2) <= 2).mean())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_drawings_are_lines_and_beats(
    style_and_pictures: tuple[str, list[Picture]], scheme: str, tmp_path: Path
) -> None:
    style, pictures = style_and_pictures
    assert len(pictures) > len(rtl_blocks())
    known = colours(style, scheme)
    places = "".join(
        f'<div style="position: absolute; left: {p.box[0]}px; top: {p.box[1]}px">{p.markup}</div>'
        for p in pictures
    )
    body = f'<body style="margin: 0; padding: 0; max-width: none">{places}</body>'
    size = (max(p.box[2] for p in pictures), max(p.box[3] for p in pictures))
    sheet = f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style>{body}'
    pixels = screenshot(sheet, scheme, size, tmp_path)
    assert pixels.shape[:2] == (size[1], size[0])
    for picture in pictures:
        left, top, right, bottom = picture.box
        part = pixels[top:bottom, left:right]
        assert 0.004 < share(part, known["ink"]) < 0.06, f"{picture.title}: lines, or black shapes?"
        assert share(part, known["paper"]) > 0.5, f"{picture.title}: little paper"
        shown = {tint for tint in TINTS if share(part, known[f"beat-{tint}"]) > 0.0005}
        assert shown == picture.tints, f"{picture.title}: other beats than those drawn"
