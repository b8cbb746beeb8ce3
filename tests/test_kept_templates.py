# SPDX-License-Identifier: BSD-3-Clause
"""Compiled templates in the cache: what was damaged is compiled again, and never runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from shellgen.cache.templates import compiled

TEXT = {"one": "always @(posedge {{ clock }})", "two": "always @(negedge {{ clock }})"}


def rendered(text: dict[str, str] = TEXT) -> list[str]:
    env = Environment(loader=DictLoader(text), bytecode_cache=compiled(()))  # noqa: S701 - no HTML
    return [env.get_template(name).render(clock="aclk") for name in sorted(text)]


RIGHT = ["always @(posedge aclk)", "always @(negedge aclk)"]


def entries(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("templates/*/*") if path.is_file())


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SHELLGEN_CACHE", str(tmp_path / "cache"))
    assert rendered() == RIGHT
    assert len(entries(tmp_path / "cache")) == len(TEXT)
    return tmp_path / "cache"


def test_they_are_read_again(cache: Path) -> None:
    before = [path.stat().st_ino for path in entries(cache)]
    assert rendered() == RIGHT
    assert [path.stat().st_ino for path in entries(cache)] == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content.replace(b"posedge", b"negedge"),
        lambda content: content[:40],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: content.partition(b"\n")[2],
        lambda _: b"",
    ],
    ids=["another edge", "40 bytes", "half", "the last bit", "no digest", "empty"],
)
def test_a_damaged_entry_is_compiled_again(cache: Path, damage: Callable[[bytes], bytes]) -> None:
    before = [path.read_bytes() for path in entries(cache)]
    for path in entries(cache):
        path.write_bytes(damage(path.read_bytes()))
    assert [path.read_bytes() for path in entries(cache)] != before
    assert rendered() == RIGHT
    assert [path.read_bytes() for path in entries(cache)] == before


def test_entries_that_changed_places_are_compiled_again(cache: Path) -> None:
    one, two = entries(cache)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    assert rendered() == RIGHT


def test_a_place_that_cannot_be_written_costs_nothing_but_time(cache: Path) -> None:
    for path in entries(cache):
        path.unlink()
        path.mkdir()
    assert rendered() == RIGHT
    assert rendered({"one": TEXT["two"], "two": TEXT["one"]}) == RIGHT[::-1]
