# SPDX-License-Identifier: BSD-3-Clause
"""Messages with which Vivado only warns, but after which a build must stop."""

from __future__ import annotations

from typing import Literal

# Messages of Vivado about a design at which a generated script stops.
DesignMessage = Literal[
    "BD 41-1276",
    "BD 41-737",
    "BD 41-759",
    "BD 41-967",
    "BD 41-1228",
    "BD 41-2383",
    "BD 41-1347",
    "BD 41-1348",
    "BD 41-1356",
]
# In public logs each is a CRITICAL WARNING, after which Vivado went on.
DESIGN: dict[DesignMessage, str] = {
    "BD 41-1276": "a cell has no such parameter",
    "BD 41-737": "a parameter is read-only",
    "BD 41-759": "an input is not connected and would be tied to 0",
    "BD 41-967": "an interface has no clock",
    "BD 41-1228": "an input is wider than its net, and its upper bits are left open",
    "BD 41-2383": "an input is wider than what drives it, and its upper bits are left open",
    "BD 41-1347": "a reset comes from an asynchronous source",
    "BD 41-1348": "a reset comes from an asynchronous source",
    "BD 41-1356": "a slave has no address",
}
SYNTHESIS = {"Synth 8-4445": "a memory file was not found, so a memory would hold zeros"}
