# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with their nouns."""


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 node, 2 nodes, 1,000 nodes."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
