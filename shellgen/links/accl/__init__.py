# SPDX-License-Identifier: BSD-3-Clause
"""The link ``accl``; docs/design.md says where its other pieces lie."""

from shellgen.links.accl.link import Accl

__all__ = ["Accl"]
