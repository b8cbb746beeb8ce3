# SPDX-License-Identifier: BSD-3-Clause
"""Address windows and the crossbar tree, over random sets of slaves."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from shellgen.model import Crossbar, Window
from shellgen.plan.address import RADIX, allocate, crossbar_tree

SIZES = st.lists(st.integers(2, 16), min_size=1, max_size=80)


def windows_of(sizes: list[int], first: int = 4096) -> tuple[Window, ...]:
    status = Window(name="status", kind="status", offset=0, size=first, addr_bits=12)
    offsets = allocate(sizes, first)
    others = [
        Window(name=f"w{i}", kind="partition", offset=o, size=1 << s, addr_bits=s)
        for i, (o, s) in enumerate(zip(offsets, sizes, strict=True))
    ]
    return (status, *sorted(others, key=lambda w: w.offset))


@given(SIZES)
@settings(max_examples=300, deadline=None)
def test_windows_are_aligned_disjoint_and_compact(sizes: list[int]) -> None:
    windows = windows_of(sizes)
    for window in windows:
        assert window.offset % window.size == 0
    for low, high in pairwise(windows):
        assert low.offset + low.size <= high.offset
    total = sum(w.size for w in windows)
    span = windows[-1].offset + windows[-1].size
    assert span <= 2 * (1 << (total - 1).bit_length())
    assert allocate(sizes, 4096) == allocate(sizes, 4096)


def decode(tree: tuple[Crossbar, ...], address: int) -> list[str]:
    """Follow an address from the root as the crossbars do; every port that matches is taken."""
    by_name = {crossbar.name: crossbar for crossbar in tree}
    reached, todo = [], [tree[0].name]
    while todo:
        name = todo.pop()
        if name not in by_name:
            reached.append(name)
            continue
        todo += [p.target for p in by_name[name].ports if address >> p.size_log2 == p.offset >> p.size_log2]
    return reached


@given(SIZES)
@settings(max_examples=200, deadline=None)
def test_every_leaf_decodes_to_itself_alone(sizes: list[int]) -> None:
    windows = windows_of(sizes)
    tree = crossbar_tree(windows)
    assert all(1 <= len(crossbar.ports) <= RADIX for crossbar in tree)
    for window in windows:
        assert decode(tree, window.offset) == [window.name]
        assert decode(tree, window.offset + window.size - 1) == [window.name]


def test_depth_of_equal_slaves() -> None:
    for count, crossbars in ((15, 1), (64, 17), (200, 17)):
        assert len(crossbar_tree(windows_of([12] * count))) <= crossbars
