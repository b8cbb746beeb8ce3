# SPDX-License-Identifier: BSD-3-Clause
"""The rate of a cluster before any simulation: an upper bound from its plan, and the part that limits it."""

from shellgen.estimate.rate import Estimate, estimate
from shellgen.estimate.servers import Server

__all__ = ["Estimate", "Server", "estimate"]
