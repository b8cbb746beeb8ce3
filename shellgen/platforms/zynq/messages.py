# SPDX-License-Identifier: BSD-3-Clause
"""Messages of Vivado at which the build of a Zynq node stops."""

from __future__ import annotations

from shellgen.model import NodePlan
from shellgen.platforms.messages import DESIGN, SYNTHESIS
from shellgen.platforms.zynq.facts import options_of


def fatal_messages(node: NodePlan) -> dict[str, str]:
    """Return the messages that stop the build of a node, and what each means."""
    accepted = options_of(node).accept
    found: dict[str, str] = {key: text for key, text in DESIGN.items() if key not in accepted}
    return found | SYNTHESIS
