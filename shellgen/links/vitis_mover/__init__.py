# SPDX-License-Identifier: BSD-3-Clause
"""The link ``vitis_mover``; docs/design.md says where its other pieces lie."""

from shellgen.links.vitis_mover.link import VitisMover

__all__ = ["VitisMover"]
