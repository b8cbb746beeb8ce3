# SPDX-License-Identifier: BSD-3-Clause
"""Address windows and the crossbar tree, over thousands of random sets of slaves, ranges and limits."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shellgen.model import Window
from shellgen.plan.allocate import allocate
from shellgen.plan.tree import RADIX, crossbar_tree, decode, depth, prove_tree

SIZES = st.lists(st.integers(2, 20), min_size=1, max_size=80)
WIDE = st.lists(st.integers(2, 63), min_size=1, max_size=12)
TAKEN = st.lists(st.tuples(st.integers(0, 1 << 18), st.integers(1, 1 << 14)), max_size=5)


def windows_of(sizes: list[int], taken: list[tuple[int, int]] | None = None) -> tuple[Window, ...]:
    offsets = allocate(sizes, taken or [])
    windows = [
        Window(name=f"w{i}", kind="partition", offset=o, size=1 << s, addr_bits=s)
        for i, (o, s) in enumerate(zip(offsets, sizes, strict=True))
    ]
    return tuple(sorted(windows, key=lambda w: w.offset))


def end(windows: tuple[Window, ...]) -> int:
    return windows[-1].offset + windows[-1].size


@given(st.one_of(SIZES, WIDE), TAKEN)
@settings(max_examples=500, deadline=None)
def test_windows_are_aligned_disjoint_and_keep_off(sizes: list[int], taken: list[tuple[int, int]]) -> None:
    windows = windows_of(sizes, taken)
    assert len(windows) == len(sizes)
    for window in windows:
        assert window.offset % window.size == 0
        for first, count in taken:
            assert window.offset + window.size <= first or window.offset >= first + count
    for low, high in pairwise(windows):
        assert low.offset + low.size <= high.offset
    assert windows == windows_of(sizes, taken)


@given(SIZES)
@settings(max_examples=400, deadline=None)
def test_without_reserved_ranges_no_byte_is_lost(sizes: list[int]) -> None:
    """The sum of the sizes is a lower bound of every map; ours meets it."""
    assert end(windows_of(sizes)) == sum(1 << size for size in sizes)


def fits(sizes: list[int], taken: list[tuple[int, int]], limit: int) -> bool:
    """Try every placement; the reference for small cases shares nothing with the allocator."""
    if not sizes:
        return True
    size = 1 << sizes[0]
    for offset in range(0, limit - size + 1, size):
        if all(offset + size <= first or offset >= first + count for first, count in taken) and fits(
            sizes[1:], [*taken, (offset, size)], limit
        ):
            return True
    return False


@given(
    st.lists(st.integers(2, 5), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 100), st.integers(1, 20)), max_size=3),
    st.integers(4, 128),
)
@settings(max_examples=400, deadline=None)
def test_what_fits_below_a_limit_is_placed_below_it(
    sizes: list[int], taken: list[tuple[int, int]], limit: int
) -> None:
    assert (end(windows_of(sizes, taken)) <= limit) == fits(sizes, taken, limit)


@given(st.one_of(SIZES, WIDE), TAKEN)
@settings(max_examples=300, deadline=None)
def test_every_leaf_decodes_to_itself_alone(sizes: list[int], taken: list[tuple[int, int]]) -> None:
    windows = windows_of(sizes, taken)
    tree = crossbar_tree(windows)
    assert all(1 <= len(crossbar.ports) <= RADIX for crossbar in tree)
    prove_tree(windows, tree, end(windows))
    for first, count in taken:
        assert not decode(tree, first)
        assert not decode(tree, first + count - 1)


@pytest.mark.parametrize(
    ("count", "levels"), [(1, 1), (16, 1), (17, 2), (64, 2), (256, 2), (257, 3), (1024, 3)]
)
def test_depth_of_equal_slaves(count: int, levels: int) -> None:
    tree = crossbar_tree(windows_of([12] * count))
    assert depth(tree) == levels
    assert len(tree) <= 1 + count // 14


def test_a_wrong_tree_is_found() -> None:
    """The proof fails for an alias, a hole, an overlap and a window beyond the limit."""
    windows = windows_of([12] * 20)
    tree = crossbar_tree(windows)
    port = tree[-1].ports[0]
    other = tree[0].model_copy(update={"ports": (*tree[0].ports, port)})
    for bad in ((other, *tree[1:]), (tree[0].model_copy(update={"ports": tree[0].ports[1:]}), *tree[1:])):
        with pytest.raises(AssertionError):
            prove_tree(windows, bad, end(windows))
    with pytest.raises(AssertionError, match="beyond"):
        prove_tree(windows, tree, end(windows) - 1)
    shifted = windows[1].model_copy(update={"offset": windows[1].offset + 4})
    with pytest.raises(AssertionError, match="aligned"):
        prove_tree((windows[0], shifted, *windows[2:]), tree, end(windows))
