# SPDX-License-Identifier: BSD-3-Clause
"""A card under Coyote, and its files on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fake_network import chain, lite, partition, plan_of, spec
from zynq_project import with_files, write_project

from shellgen.model import Network, Partition, Plan

WORD = ("UINT4", 2, 16)


def vfpga(
    board: str = "u55c",
    *,
    rx: int = 1,
    tx: int = 1,
    partitions: int = 1,
    addr_bits: int = 8,
    word: tuple[str, int, int] = WORD,
    double_clock: bool = False,
    **more: Any,
) -> tuple[Plan, Network]:
    """Plan a card, ``card0``.

    Args:
        board: The card.
        rx: Streams from the host to each partition.
        tx: Streams back.
        partitions: How many are on it, joined through their first streams, each with a memory.
        addr_bits: Address bits of each memory.
        word: Elements of all streams: type, in a word, in a frame.
        double_clock: Whether the partitions have double-pumped layers.
        more: Fields of the ``[[node]]``; ``coyote`` stands for its options of the platform.
    """
    options = more.pop("coyote", {})
    parts: list[tuple[Partition, bytes]] = []
    files: dict[str, bytes] = {}
    for index in range(partitions):
        made = partition(f"part{index}", (word,) * rx, (word,) * tx, (lite(0, addr_bits),))
        part, found = with_files(made, double_clock)
        parts.append((part, b""))
        files |= found
    joined = chain(*parts)
    network = Network(joined.partitions, joined.edges, files, "build")
    node = {"name": "card0", "board": board, "partitions": list(range(partitions)), "platform": "coyote"}
    return plan_of(network, spec([{**node, "options": {"coyote": options}, **more}])), network


def write_vfpga(out: Path, board: str = "u55c", **more: Any) -> Path:
    """Write the files of such a card; return its folder."""
    return write_project(*vfpga(board, **more), out)
