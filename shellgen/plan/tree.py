# SPDX-License-Identifier: BSD-3-Clause
"""The crossbar tree over a set of address windows, and its proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shellgen.model import Crossbar, CrossbarPort, Window
from shellgen.plan.draft import NodeDraft

RADIX = 16


def crossbar_tree(windows: Sequence[Window], name: str = "xbar") -> tuple[Crossbar, ...]:
    """Build a tree of crossbars of at most `RADIX` ports over ascending windows, root first.

    Built from the leaves: the largest aligned ranges with no more windows than a crossbar has ports become
    the windows of the next level, until one crossbar holds them all. Crossbars are therefore full and few,
    none serves only one slave, and equal slaves are ``ceil(log_RADIX(number))`` levels deep.
    """
    items = [_Item(window.offset, window.size.bit_length() - 1, window.name) for window in windows]
    end = windows[-1].offset + windows[-1].size
    while len(items) > RADIX:
        items = _grouped(items, 0, (end - 1).bit_length())
    return tuple(_named(items, name))


def prove_tree(windows: Sequence[Window], tree: Sequence[Crossbar], limit: int) -> None:
    """Assert that the map is correct: a failure is an internal error.

    Windows are naturally aligned, ascending, disjoint and below the limit; the first and the last byte of
    each decode from the root to that window only.
    """
    by_name = {crossbar.name: crossbar for crossbar in tree}
    for window in windows:
        assert window.offset % window.size == 0, f"{window.name} is not naturally aligned"
        assert window.offset + window.size <= limit, f"{window.name} lies beyond {limit:#x}"
        for address in (window.offset, window.offset + window.size - 1):
            reached = _reached(by_name, tree[0].name, address)
            assert reached == [window.name], f"{address:#x} of {window.name} reaches {reached}"
    for low, high in pairwise(windows):
        assert low.offset + low.size <= high.offset, f"{low.name} and {high.name} overlap"


def prove_trees(node: NodeDraft, limit: int, far_limit: int) -> None:
    """Assert that every window of a node is reachable, also through a bridge or a clock crossing."""
    crossing = node.crossing
    if crossing is None:
        prove_tree(node.windows, node.crossbars, limit)
        if node.far_windows:
            prove_tree(node.far_windows, node.far_crossbars, far_limit)
        return
    behind = [window for window in node.windows if window.kind == "partition"]
    before = [window for window in node.windows if window.kind != "partition"]
    prove_tree(sorted((*before, crossing), key=lambda window: window.offset), node.crossbars, 1 << 64)
    assert node.windows[-1].offset + node.windows[-1].size <= limit, f"{node.windows[-1].name} lies beyond"
    there = [one.model_copy(update={"offset": one.offset - crossing.offset}) for one in behind]
    prove_tree(there, node.far_crossbars, crossing.size)


def decode(tree: Sequence[Crossbar], address: int) -> list[str]:
    """Decode an address from the root like the crossbars; follow every matching port."""
    return _reached({crossbar.name: crossbar for crossbar in tree}, tree[0].name, address)


def depth(tree: Sequence[Crossbar]) -> int:
    """Return the levels of a tree."""
    by_name = {crossbar.name: crossbar for crossbar in tree}

    def below(name: str) -> int:
        return 1 + max(below(port.target) for port in by_name[name].ports) if name in by_name else 0

    return below(tree[0].name)


def _reached(by_name: Mapping[str, Crossbar], root: str, address: int) -> list[str]:
    reached, todo = [], [root]
    while todo:
        name = todo.pop()
        if name not in by_name:
            reached.append(name)
            continue
        todo += [p.target for p in by_name[name].ports if address >> p.size_log2 == p.offset >> p.size_log2]
    return reached


@dataclass(frozen=True)
class _Item:
    """A naturally aligned range: a window by name, or the range of one crossbar."""

    offset: int
    size_log2: int
    target: str = ""
    below: tuple[_Item, ...] = ()


def _grouped(items: list[_Item], base: int, size_log2: int) -> list[_Item]:
    """Group items into the largest aligned ranges of at most `RADIX` items."""
    if len(items) <= 1:
        return items
    if len(items) <= RADIX:
        return [_Item(base, size_log2, below=tuple(items))]
    middle = base + (1 << (size_log2 - 1))
    low = [item for item in items if item.offset < middle]
    return [
        *_grouped(low, base, size_log2 - 1),
        *_grouped(items[len(low) :], middle, size_log2 - 1),
    ]


def _named(items: Sequence[_Item], name: str) -> list[Crossbar]:
    """Name the crossbars by their position in the tree, parents before children."""
    ports, below = [], []
    for index, item in enumerate(items):
        target = item.target or f"{name}_{index}"
        ports.append(CrossbarPort(target=target, offset=item.offset, size_log2=item.size_log2))
        if item.below:
            below.extend(_named(item.below, target))
    return [Crossbar(name=name, ports=tuple(ports)), *below]
