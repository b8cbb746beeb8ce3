# SPDX-License-Identifier: BSD-3-Clause
"""From the outside to the model: FINN builds, cluster.toml, boards. Only here are foreign formats parsed."""

from shellgen.read.board import board_folders, find_boards, read_board, read_boards
from shellgen.read.cluster import read_cluster
from shellgen.read.network import read_network
from shellgen.read.uniquify import uniquify

__all__ = [
    "board_folders",
    "find_boards",
    "read_board",
    "read_boards",
    "read_cluster",
    "read_network",
    "uniquify",
]
