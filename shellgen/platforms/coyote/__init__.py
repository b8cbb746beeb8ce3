# SPDX-License-Identifier: BSD-3-Clause
"""The platform ``coyote``; docs/design.md says where its other pieces lie."""

from shellgen.platforms.coyote.platform import Coyote

__all__ = ["Coyote"]
