# SPDX-License-Identifier: BSD-3-Clause
"""Frames that the bench makes, sends and receives part by part, against the same as a whole."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sim_module import sim_module
from test_bench_compare import bc, bench_files, boundary, records

beats = sim_module("bench_beats")
received = sim_module("bench_received")


def drawn(chance: random.Random) -> tuple[Any, Any, int]:
    """Return a boundary, codes of a frame of it, and the width of a beat."""
    bits, per_word = chance.choice([1, 2, 3, 4, 7, 8, 13, 16, 32]), chance.randint(1, 6)
    elements = per_word * chance.randint(1, 400)
    where = boundary(bits, per_word, elements, chance.choice(["dense", "finn"]))
    codes = np.array([chance.getrandbits(bits) for _ in range(elements)], np.int64)
    return where, codes, chance.choice([8, 32, 64, 512])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bc, "_LOT_BITS", 128)
    monkeypatch.setattr(received, "_LOT", 24)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(60))
def test_parts_of_a_frame_fill_the_beats_of_the_whole(seed: int, tmp_path: Path) -> None:
    where, codes, width = drawn(random.Random(seed))
    word = -(-where.element_bits * where.elements_per_word // 8) * 8
    port = records.Words(file="", bits=word, word_bits=where.element_bits * where.elements_per_word, words=1)
    forms: list[tuple[int, int, Callable[[Any], Any]]] = [
        (where.wire_word_bits, width, lambda some: bc.wire_bytes(some, where)),
        (word, word, lambda some: bc.port_words(some, where, port)),
    ]
    for bits, beat, made in forms:
        whole, parts = tmp_path / "whole", tmp_path / "parts"
        bench_files.write_beats(whole, made(codes[None]), beat, lowest_first=True)
        lots = list(bc.beat_lots(where, bits, where.elements_per_word, beat))
        with parts.open("wb") as file:
            for lot in lots:
                bench_files.write_beats(file, made(codes[lot][None]), beat, lowest_first=True)
        assert parts.read_bytes() == whole.read_bytes()
        assert [lots[0].start, lots[-1].stop] == [0, where.elements]


class Taken(SimpleNamespace):
    """A recording of beats, in lots."""

    def lots(self) -> Any:
        for start in range(0, len(self.last), self.lot):
            some = slice(start, start + self.lot)
            keep, full = self.keep[some], bool(self.keep[some].all())
            yield beats.Beats(self.data[some], keep, full, self.last[some], self.unknown[some])


def expected(where: Any, frames: list[tuple[bytes, bytes]], begun: tuple[bytes, bytes]) -> list[int]:
    """Return the elements of transfers, each of bytes and of marks of those that are unknown."""
    codes = []
    for data, marks in [*frames, begun]:
        size = where.frame_bytes
        found = bc.from_wire(np.frombuffer(data[:size].ljust(size, b"\0"), np.uint8)[None], where)[0]
        bad = bc.from_wire(np.frombuffer(marks[:size].ljust(size, b"\0"), np.uint8)[None], where)[0]
        codes.append([bc.UNKNOWN if mark else int(code) for code, mark in zip(found, bad, strict=True)])
    words = 8 * min(len(begun[0]), where.frame_bytes) // where.wire_word_bits
    codes[-1] = codes[-1][: words * where.elements_per_word]
    return [code for frame in codes for code in frame]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(60))
def test_transfers_of_any_length_are_the_elements_of_the_whole(seed: int) -> None:
    """They are cut or filled up to a frame; unknown bits reach as far as their beats."""
    chance = random.Random(seed)
    where, _, bits = drawn(chance)
    width = bits // 8
    rows: list[tuple[bytes, list[bool], bool, bool]] = []
    frames: list[tuple[bytes, bytes]] = []
    for number in range(4):
        size = chance.choice([where.frame_bytes] * 2 + [chance.randint(1, 2 * where.frame_bytes)])
        data, marks = chance.randbytes(size), b""
        for start in range(0, size, width):
            some = data[start : start + width]
            bad = chance.random() < 0.1
            marks += len(some) * (b"\xff" if bad else b"\0")
            keep = [True] * len(some) + [False] * (width - len(some))
            ends = start + width >= size and (number < 3 or seed % 2 == 0)
            rows.append((some.ljust(width, b"\0"), keep, ends, bad))
        frames.append((data, marks))
    begun = (b"", b"") if seed % 2 == 0 else frames.pop()
    recording = Taken(
        lot=chance.randint(1, 9),
        data=np.frombuffer(b"".join(row[0] for row in rows), np.uint8).reshape(-1, width),
        keep=np.array([row[1] for row in rows]),
        last=np.array([row[2] for row in rows]),
        unknown=np.array([row[3] for row in rows]),
    )
    transfers = received.Transfers(where)
    found = [int(code) for codes in transfers.codes(recording) for code in codes]
    assert found == expected(where, frames, begun)
    odd = next((len(data) for data, _ in frames if len(data) != where.frame_bytes), None)
    assert (transfers.ended, transfers.odd, transfers.begun) == (len(frames), odd, len(begun[0]))
