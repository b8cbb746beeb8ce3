# SPDX-License-Identifier: BSD-3-Clause
"""The link ``vnx_udp``; docs/design.md says where its other pieces lie."""

from shellgen.links.vnx_udp.link import VnxUdp

__all__ = ["VnxUdp"]
