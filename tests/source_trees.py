# SPDX-License-Identifier: BSD-3-Clause
"""The sources of shellgen as syntax trees, each parsed once for all tests that look at them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "shellgen"
FILES = sorted(PACKAGE.rglob("*.py"))
ONE_WORKER = pytest.mark.xdist_group("source_trees")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def shown(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()
