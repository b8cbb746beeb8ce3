# SPDX-License-Identifier: BSD-3-Clause
"""Frames of the bench's own, and the measure of what compared words can tell apart."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fake_network import chain, one_each, partition, plan_of
from sim_module import sim_module
from small_report import streams, verdict

from shellgen.model.bench_findings import Findings
from shellgen.model.bench_verdict import Sight
from shellgen.model.own_frames import own_frames
from shellgen.simulate.sight import gaps, sight_lines

sim_module("bench_verdict")
sim_module("bench_held")
sim_module("bench_records")
bc = sim_module("bench_compare")
own = sim_module("bench_own")
bench_sight = sim_module("bench_sight")
for name in ("bench_beats", "bench_received"):
    sim_module(name)
judge = sim_module("bench_judge")

TYPES = {
    "BINARY": (1, 0, 1),
    "BIPOLAR": (1, -1, 1),
    "TERNARY": (2, -1, 1),
    "INT2": (2, -2, 1),
    "UINT3": (3, 0, 7),
    "INT8": (8, -128, 127),
    "UINT24": (24, 0, (1 << 24) - 1),
    "INT32": (32, -(1 << 31), (1 << 31) - 1),
}


def stream(name: str, elements: int) -> Any:
    bits, low, high = TYPES[name]
    kind: dict[str, Any] = {"name": f"host_to_{name}", "elements": elements}
    return SimpleNamespace(**kind, element_bits=bits, low=low, high=high, signed=low < 0)


def own_codes(boundary: Any, count: int, least: int) -> Any:
    """All frames of the bench's own (frames, elements)."""
    return np.concatenate([codes for _, codes in own.own_codes(boundary, count, least)], axis=1)


def counts(name: str, elements: int, beats: int = 1) -> Any:
    """Number of frames in the plan of such a stream."""
    same = ((name, 1, elements),)
    network = chain(partition("a", same, same))
    return own_frames(plan_of(network, one_each(network)), beats)


@pytest.mark.parametrize("elements", [1, 2, 5, 24, 784])
@pytest.mark.parametrize("name", TYPES)
def test_own_frames_tell_everything_apart(name: str, elements: int) -> None:
    """No two elements are alike in the first frames, no two bits in all, and each is of its type."""
    boundary = stream(name, elements)
    bits, low, high = TYPES[name]
    planned = counts(name, elements)
    codes = own_codes(boundary, planned.most, planned.least)
    assert codes.shape == (planned.most, elements)
    assert codes.min() >= 0
    values = bc.decode(codes.astype(np.int64), boundary)
    assert low <= values.min() <= values.max() <= high
    assert len(np.unique(codes[: planned.least], axis=1).T) == elements
    if high - low + 1 == 1 << bits or bits == 1:
        spelt = bc.to_bits(codes, bits)
        assert len(np.unique(spelt, axis=1).T) == bits * elements
    assert (codes == own_codes(boundary, planned.most, planned.least)).all()


def test_long_frames_get_fewer_of_them() -> None:
    assert (counts("INT8", 784).most, counts("INT8", 784).least) == (14, 2)
    few = counts("INT8", 150_528, beats=50_176)
    assert (few.most, few.least) == (3, 3)
    assert counts("BINARY", 1 << 20, beats=1 << 18).least == 4


def test_a_long_frame_takes_little_memory() -> None:
    """A bit of a frame takes some eight bytes, and they are distinguished nevertheless."""
    elements = 1 << 18
    boundary = stream("INT8", elements)
    tracemalloc.start()
    try:
        for _ in own.own_codes(boundary, 5, 3):
            pass
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 3 << 20
    codes = own_codes(boundary, 5, 3)
    assert codes.dtype == np.uint8
    assert len(np.unique(codes[:3], axis=1).T) == elements
    bits = bc.to_bits(codes, 8)
    still = (bits[:3] == bits[:3, :1]).all(axis=0)
    assert len(np.unique(bits[3:, still], axis=1).T) == 4, "as many of those as two frames have numbers for"


def test_places_of_own_frames() -> None:
    numbers = np.arange(8)
    mine = own.own_among(numbers, 3)
    assert mine.tolist() == [False, False, True, True, True, False, False, False]
    assert own.given_number(numbers[~mine], 3).tolist() == [0, 1, 2, 3, 4]
    assert [own.count_own(frames, 3) for frames in range(7)] == [0, 0, 0, 1, 2, 3, 3]


AMONG = "a swap would go unseen among"


def seen(frames: list[list[int]], bits: int = 4, words: int = 2) -> Any:
    codes = np.array(frames)
    boundary = SimpleNamespace(elements=codes.shape[1], element_bits=bits, carries_weights=False)
    return bench_sight.sight(codes.reshape(-1), boundary, SimpleNamespace(words=words))


def said(frames: list[list[int]], bits: int = 4, words: int = 2) -> str:
    found = seen(frames, bits, words)
    return gaps(Sight(**vars(found)))


def test_what_words_can_tell_apart() -> None:
    full = np.random.default_rng(3).integers(0, 16, (64, 4)).tolist()
    assert said(full) == ""
    assert said([[7] * 4] * 3) == "any swap would go unseen: all values are the same"
    low = [[value & 3 for value in frame] for frame in full]
    assert said(low) == f"{AMONG} 4 of 8 bits of a word (never change)"
    pairs = [[frame[0], frame[0], frame[2], frame[2]] for frame in full]
    assert said(pairs) == f"{AMONG} 8 of 8 bits of a word (always equal to another bit)"
    again = [frame[:2] * 2 for frame in full]
    assert said(again) == f"{AMONG} 2 of 2 words of a frame (always equal to another word)"
    assert said([full[0]] * 9).endswith("frames (all 9 are the same)")
    both = said([[value % 2 * 6 for value in frame] for frame in full])
    assert both == f"{AMONG} 8 of 8 bits of a word (4 never change, 4 always equal to another bit)"
    assert seen([[1, 2, 3, -2]]) is None, "unknown bits say nothing"


def test_words_of_a_long_frame_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal words have equal sums, and so are in one part."""
    frames = np.random.default_rng(3).integers(0, 4, (2, 64)).tolist()
    found = seen(frames, words=64)
    monkeypatch.setattr(bench_sight, "_SUMS", 3)
    assert 0 < found.words_alike < 64
    assert seen(frames, words=64) == found


def test_a_report_names_few_boundaries() -> None:
    """The boundaries with the lowest resolution, in network order; the record has all."""
    full = np.random.default_rng(3).integers(0, 16, (64, 4))
    masks = {"a_to_b": 7, "b_to_c": 1, "c_to_d": 0, "d_to_e": 15, "e_to_f": 3, "f_to_host": 14}
    sights = {name: Sight(**vars(seen((full & mask).tolist()))) for name, mask in masks.items()}
    verdicts = [verdict("boundary", name, name, sight=one) for name, one in sights.items()]
    verdicts.append(verdict("golden", "golden", "f_to_host", sight=sights["f_to_host"]))
    lines = sight_lines(Findings(full_rate=streams(*verdicts)))
    assert lines == [
        f"boundary b_to_c: {AMONG} 6 of 8 bits of a word (never change)",
        "boundary c_to_d: any swap would go unseen: all values are the same",
        f"boundary e_to_f: {AMONG} 4 of 8 bits of a word (never change)",
        "2 more boundaries with gaps: `sight` in report.json",
        f"golden compares 64 different outputs; {AMONG} 2 of 8 bits of a word (never change)",
    ]


@pytest.mark.parametrize("numbers", [[], [4], [0, 5, 2]])
def test_known_frames_by_number(tmp_path: Path, numbers: list[int]) -> None:
    """A lot of large frames may hold the bench's own frames alone, and then no known one."""
    frames = np.arange(24).reshape(3, 2, 4)
    np.save(tmp_path / "golden.npy", frames)
    found = judge.golden(tmp_path, SimpleNamespace(golden="golden.npy"), np.array(numbers, dtype=int))
    assert found.tolist() == [frames[number % 3].reshape(-1).tolist() for number in numbers]
    assert found.shape == (len(numbers), 8)
