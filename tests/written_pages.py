# SPDX-License-Identifier: BSD-3-Clause
"""Pages of the blocks, made once for the tests that read them; these form a group on one worker."""

from __future__ import annotations

from functools import cache

import pytest

from tools.blocks.pages import pages

GROUP = pytest.mark.xdist_group("pages")

__all__ = ["GROUP", "written_pages"]


@cache
def written_pages() -> dict[str, str]:
    """Return what `pages` returns."""
    return pages()
