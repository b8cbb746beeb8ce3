# SPDX-License-Identifier: BSD-3-Clause
"""Vivado timing constraints of the blocks that cross between clocks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from shellgen.resources import rtl_blocks, rtl_file


def constraint_text(name: str) -> bytes:
    """Return a constraint file of one of our blocks."""
    return rtl_file(name.removesuffix(".tcl")).with_suffix(".tcl").read_bytes()


def constraints(files: Iterable[str]) -> list[str]:
    """Return the names of the constraint files that a node needs: one for each of our blocks that has one.

    Args:
        files: Sources of the node, in ``rtl/`` our blocks.
    """
    ours = [PurePosixPath(name) for name in files if name.startswith("rtl/")]
    blocks = rtl_blocks()
    names = sorted(path.stem for path in ours if path.stem in blocks)
    return [f"{name}.tcl" for name in names if rtl_file(name).with_suffix(".tcl").is_file()]
