# SPDX-License-Identifier: BSD-3-Clause
"""The cache: simulation models and FINN's virtual environment."""

from shellgen.cache.contents import KINDS, Kept, clear, contents
from shellgen.cache.folders import default_cache_dir, digest, once

__all__ = ["KINDS", "Kept", "clear", "contents", "default_cache_dir", "digest", "once"]
