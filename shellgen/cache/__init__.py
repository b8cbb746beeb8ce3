# SPDX-License-Identifier: BSD-3-Clause
"""What this machine need not make twice: simulation models, and the environment that FINN lives in."""

from shellgen.cache.contents import KINDS, Kept, clear, contents
from shellgen.cache.folders import default_cache_dir, digest, once

__all__ = ["KINDS", "Kept", "clear", "contents", "default_cache_dir", "digest", "once"]
