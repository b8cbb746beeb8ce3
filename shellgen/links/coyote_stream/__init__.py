# SPDX-License-Identifier: BSD-3-Clause
"""The link ``coyote_stream``; docs/design.md says where its other pieces lie."""

from shellgen.links.coyote_stream.link import CoyoteStream

__all__ = ["CoyoteStream"]
