# SPDX-License-Identifier: BSD-3-Clause
"""The link ``ddr_ring``; docs/design.md says where its other pieces lie."""

from shellgen.links.ddr_ring.link import DdrRing

__all__ = ["DdrRing"]
