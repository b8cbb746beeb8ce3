# SPDX-License-Identifier: BSD-3-Clause
"""The platform ``zynq``; docs/design.md says where its other pieces lie."""

from shellgen.platforms.zynq.platform import Zynq

__all__ = ["Zynq"]
