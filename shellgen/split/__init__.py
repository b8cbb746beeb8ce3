# SPDX-License-Identifier: BSD-3-Clause
"""From the layers of a network and the boards on the desk to folding, cuts and cluster.toml.

`task` has the search's own records, `chain` cuts for a period with what `fits` tells of boards, `search`
finds the period, `run` compares the result with the plan that follows from it.
Nothing here runs FINN or touches a file.
"""

from shellgen.split.ask import MOST_REPLICAS, Wanted, board_counts, read_limits
from shellgen.split.boards import Desk, Stock
from shellgen.split.explain import Row, in_ultra, rows, sentences
from shellgen.split.files import CLUSTER, FOLDING, SPLIT, split_files, split_record
from shellgen.split.mock import BUILD
from shellgen.split.run import Split, split

__all__ = [
    "BUILD",
    "CLUSTER",
    "FOLDING",
    "MOST_REPLICAS",
    "SPLIT",
    "Desk",
    "Row",
    "Split",
    "Stock",
    "Wanted",
    "board_counts",
    "in_ultra",
    "read_limits",
    "rows",
    "sentences",
    "split",
    "split_files",
    "split_record",
]
