# SPDX-License-Identifier: BSD-3-Clause
"""The registry of platforms. A new platform is one class and its templates."""

from __future__ import annotations

from functools import lru_cache

from shellgen.errors import Problem
from shellgen.platforms.base import Platform
from shellgen.platforms.coyote import Coyote
from shellgen.platforms.vitis import Vitis
from shellgen.platforms.zynq import Zynq
from shellgen.plugins import Found, find_plugins

__all__ = ["Platform", "broken_platforms", "platform_registry"]


@lru_cache(maxsize=1)
def _found() -> Found[Platform]:
    return find_plugins("shellgen.platforms", Platform, (Zynq(), Vitis(), Coyote()))  # type: ignore[type-abstract]


def platform_registry() -> dict[str, Platform]:
    """Return all platforms by kind: ours, then those of entry point group ``shellgen.platforms``."""
    return _found().kinds


def broken_platforms() -> tuple[Problem, ...]:
    """Return why platforms of that group are left out."""
    return _found().broken
