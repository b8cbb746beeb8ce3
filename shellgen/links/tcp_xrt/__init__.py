# SPDX-License-Identifier: BSD-3-Clause
"""The link ``tcp_xrt``; docs/design.md says where its other pieces lie."""

from shellgen.links.tcp_xrt.link import TcpXrt

__all__ = ["TcpXrt"]
