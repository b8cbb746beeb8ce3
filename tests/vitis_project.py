# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of Alveo cards, and the files of their nodes on disk."""

from __future__ import annotations

import json
import shutil
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from fake_network import chain, lite, partition, plan_of, spec
from zynq_project import with_files, write_project

from shellgen.model import Network, Partition, Plan

ALVEO = ("u50", "u55c", "u200", "u250", "u280")


def cards(*boards: str, addr_bits: int = 8, double_clock: bool = False, **more: Any) -> tuple[Plan, Network]:
    """Plan a chain of cards ``card0``, ``card1`` ..., a partition with a memory on each.

    Args:
        boards: The cards.
        addr_bits: Address bits of each memory.
        double_clock: Whether the partitions have double-pumped layers.
        more: Fields of every ``[[node]]``; ``vitis`` stands for its options of the platform, and ``links``
            for ``[links]``.
    """
    options, links = more.pop("vitis", {}), more.pop("links", {})
    parts: list[tuple[Partition, bytes]] = []
    files: dict[str, bytes] = {}
    for index in range(len(boards)):
        made, found = with_files(partition(f"part{index}", slaves=(lite(0, addr_bits),)), double_clock)
        parts.append((made, b""))
        files |= found
    joined = chain(*parts)
    network = Network(joined.partitions, joined.edges, files, "build")
    nodes = [
        {"name": f"card{k}", "board": board, "partitions": [k], "options": {"vitis": options}, **more}
        for k, board in enumerate(boards)
    ]
    return plan_of(network, spec(nodes, links=links)), network


def write_cards(out: Path, *boards: str, **more: Any) -> Path:
    """Write the files of a chain of cards; return the folder of the first."""
    shutil.copytree(_written(boards, json.dumps(more)), out, dirs_exist_ok=True)
    return out / "card0"


_KEPT = TemporaryDirectory(prefix="shellgen_cards_")  # removed at exit


@lru_cache
def _written(boards: tuple[str, ...], more: str) -> Path:
    """Make each chain once."""
    folder = Path(mkdtemp(dir=_KEPT.name))
    write_project(*cards(*boards, **json.loads(more)), folder)
    return folder
