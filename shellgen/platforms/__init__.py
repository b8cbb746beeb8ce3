# SPDX-License-Identifier: BSD-3-Clause
"""The registry of platforms. A new platform is one class and its templates."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points

from shellgen.platforms.base import Platform
from shellgen.platforms.zynq import Zynq

__all__ = ["Platform", "platform_registry"]

_BUILT_IN: tuple[Platform, ...] = (Zynq(),)


@lru_cache(maxsize=1)
def platform_registry() -> dict[str, Platform]:
    """Return all platforms by name: ours, then those of entry point group ``shellgen.platforms``."""
    platforms = {platform.kind: platform for platform in _BUILT_IN}
    for entry in entry_points(group="shellgen.platforms"):
        platform = entry.load()()
        if not isinstance(platform, Platform) or platform.kind in platforms:
            raise TypeError(f"entry point {entry.name!r} ({entry.value}) is not a new kind of Platform")
        platforms[platform.kind] = platform
    return platforms
