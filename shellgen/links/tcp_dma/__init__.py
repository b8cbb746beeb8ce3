# SPDX-License-Identifier: BSD-3-Clause
"""The link ``tcp_dma``; docs/design.md says where its other pieces lie."""

from shellgen.links.tcp_dma.link import TcpDma

__all__ = ["TcpDma"]
