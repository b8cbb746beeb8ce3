# SPDX-License-Identifier: BSD-3-Clause
"""The bench's arithmetic, against bit strings written one by one."""

from __future__ import annotations

import dataclasses
import tracemalloc
from typing import Any

import numpy as np
import pytest
from sim_module import sim_module

sim_module("bench_verdict")
sim_module("bench_held")
records = sim_module("bench_records")
bc = sim_module("bench_compare")
bench_files = sim_module("bench_files")


def boundary(bits: int, per_word: int, elements: int, packing: str = "dense", **more: object) -> Any:
    payload = bits * per_word
    wire = payload if packing == "dense" else -(-payload // 8) * 8
    given = {
        "element_bits": bits,
        "signed": False,
        "low": 0,
        "elements": elements,
        "elements_per_word": per_word,
        "wire_word_bits": wire,
        "frame_bytes": -(-wire * elements // per_word // 8),
        "shape": (elements,),
        **more,
    }
    names = [one.name for one in dataclasses.fields(records.Boundary)]
    return records.Boundary(**dict.fromkeys(names) | given)


def test_two_nibbles_share_a_byte() -> None:
    wire = bc.wire_bytes(np.array([[1, 2, 3]]), boundary(4, 1, 3))
    assert wire.tolist() == [[0x21, 0x03]]
    padded = bc.wire_bytes(np.array([[1, 2, 3]]), boundary(4, 1, 3, "finn"))
    assert padded.tolist() == [[1, 2, 3]]


def test_three_bits_straddle_bytes() -> None:
    # 0b101, 0b110, 0b011, low element lowest: 0b011_110_101
    wire = bc.wire_bytes(np.array([[0b101, 0b110, 0b011]]), boundary(3, 1, 3))
    assert wire.tolist() == [[0b11110101, 0b0]]


@pytest.mark.parametrize("packing", ["dense", "finn"])
@pytest.mark.parametrize(("bits", "per_word"), [(1, 8), (3, 1), (3, 5), (4, 2), (7, 3), (13, 4), (32, 1)])
def test_what_is_sent_is_what_is_received(bits: int, per_word: int, packing: str) -> None:
    """Against Python integers as bit strings."""
    elements = per_word * 7
    codes = np.random.default_rng(bits).integers(0, 1 << bits, (3, elements))
    where = boundary(bits, per_word, elements, packing)
    wire = bc.wire_bytes(codes, where)
    for frame, row in zip(codes, wire, strict=True):
        string = 0
        for index, code in enumerate(frame):
            word, place = divmod(index, per_word)
            string |= int(code) << (word * where.wire_word_bits + place * bits)
        assert bytes(row) == string.to_bytes(where.frame_bytes, "little")
    assert (bc.from_wire(wire, where) == codes).all()


def test_words_at_pins_are_padded_to_bytes() -> None:
    port = records.Words("port.bin", bits=16, word_bits=9, words=2)
    where = boundary(3, 3, 6)
    codes = np.array([[1, 2, 3, 4, 5, 6]])
    words = bc.port_words(codes, where, port)
    assert words.tolist() == [[0b11_010_001, 0b0, 0b10_101_100, 0b1]]
    assert bc.codes_at_port(words.reshape(2, 2), where, port).tolist() == [1, 2, 3, 4, 5, 6]
    # Padding is not payload: whatever it holds is not compared.
    dirty = words.reshape(2, 2) | np.array([0, 0xFE], np.uint8)
    assert bc.codes_at_port(dirty, where, port).tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("bits", "signed", "low", "values", "codes"),
    [
        (1, False, -1, [-1, 1], [0, 1]),
        (1, False, 0, [0, 1], [0, 1]),
        (2, True, -1, [-1, 0, 1], [3, 0, 1]),
        (4, True, -8, [-8, -1, 7], [8, 15, 7]),
        (4, False, 0, [0, 15], [0, 15]),
        (32, True, -(1 << 31), [-(1 << 31), -1], [1 << 31, (1 << 32) - 1]),
    ],
)
def test_values_and_codes(bits: int, signed: bool, low: int, values: list[int], codes: list[int]) -> None:
    where = boundary(bits, 1, len(values), signed=signed, low=low)
    assert bc.encode(np.array([values], np.float32), where).tolist() == [codes]
    assert bc.decode(np.array(codes), where).tolist() == values


def test_a_comparison_of_nothing_does_not_pass() -> None:
    empty = np.zeros(0, np.int64)
    assert not bc.compare("x", 0, empty, empty).passed
    assert bc.compare("x", 1, np.array([5]), np.array([5])).passed


def test_the_first_difference_is_named_and_all_are_counted() -> None:
    verdict = bc.compare("x", 4, np.array([1, 9, 3, 9]), np.array([1, 2, 3, 4]))
    assert (verdict.mismatches, verdict.detail) == (2, "frame 0, element [1]: got 9, expected 2")
    short = bc.compare("x", 2, np.array([1, 2]), np.array([1, 2, 3]))
    ended = "frame 0, element [2] and what follows it never came; 2 elements instead of 3"
    assert (short.mismatches, short.detail, short.passed) == (1, ended, False)
    long = bc.compare("x", 4, np.array([1, 2, 3, 4]), np.array([1, 2, 3]))
    surplus = "frame 0, element [3]: got 4, and nothing should follow; 4 elements instead of 3"
    assert (long.mismatches, long.detail, long.passed) == (1, surplus, False)
    assert verdict.record()["passed"] is False


def test_a_difference_is_told_by_place_and_value() -> None:
    """Two frames of 2 x 1 x 3 signed elements of 16 bits; and bits that nobody knows equal nothing."""
    where = boundary(16, 1, 6, signed=True, low=-32768, shape=(2, 1, 3))
    want = np.arange(12)
    want[10] = 65482
    got = want.copy()
    got[10] = 65499
    found = bc.compare("x", 12, got, want, where).at("taken_0", 10, 16)
    assert found.detail == "frame 1, element [1, 1]: got -37, expected -54"
    first = found.record()["difference"]
    assert (first["frame"], first["index"], first["element"]) == (1, (1, 1), 4)
    assert (first["got"], first["expected"]) == (-37, -54)
    assert (first["got_code"], first["expected_code"]) == (65499, 65482)
    assert (first["tap"], first["word"], first["bit"]) == ("taken_0", 10, 16)
    both = np.array([3, bc.UNKNOWN])
    unknown = bc.compare("x", 2, both, both, where)
    assert unknown.mismatches == 1
    assert unknown.detail == "frame 0, element [0, 1]: unknown bits (X) at both ends"


def test_frames_end_at_tlast_and_hold_what_tkeep_marks() -> None:
    data = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.uint8)
    keep = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], np.bool_)
    ended = bc.split_frames(data, keep, np.array([0, 1, 0, 1], np.bool_))
    assert ended == [b"\1\2\3", b"\5\6\7\10"]
    open_end = bc.split_frames(data, keep, np.array([0, 1, 0, 0], np.bool_))
    assert open_end == [b"\1\2\3", b"\5\6\7\10"]
    assert bc.split_frames(data[:0], keep[:0], np.zeros(0, np.bool_)) == []


@pytest.mark.parametrize(("bits", "per_word"), [(8, 1), (3, 5)])
def test_a_million_elements_take_few_bytes_each(bits: int, per_word: int) -> None:
    """Each way that frames go, and back, with what is held at the same time; in all lots but the last."""
    elements = (1 << 20) // per_word * per_word
    where = boundary(bits, per_word, elements)
    port = records.Words(
        file="", bits=-(-bits * per_word // 8) * 8, word_bits=bits * per_word, words=elements // per_word
    )
    codes = np.random.default_rng(1).integers(0, 1 << bits, (1, elements), np.uint8)
    tracemalloc.start()
    try:
        wire = bc.wire_bytes(codes, where)
        assert (bc.from_wire(wire, where) == codes).all()
        words = bc.port_words(codes, where, port).reshape(-1, port.bits // 8)
        seen = bc.codes_at_port(words, where, port)
        assert bc.first_above(words, np.zeros(len(words), np.bool_), port.word_bits) is None
        assert bc.compare("x", len(words), seen, codes[0], where).passed
        seen[elements - 2] ^= 1
        assert bc.compare("x", len(words), seen, codes[0], where).difference.element == elements - 2
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 12 * elements
