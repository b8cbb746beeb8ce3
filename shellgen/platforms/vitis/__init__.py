# SPDX-License-Identifier: BSD-3-Clause
"""The platform ``vitis``; docs/design.md says where its other pieces lie."""

from shellgen.platforms.vitis.platform import Vitis

__all__ = ["Vitis"]
