# SPDX-License-Identifier: BSD-3-Clause
"""Layers of FINN that no shell can carry, with the reason and the remedy.

Source: finn-plus 1.6.1, custom_op/fpgadataflow/rtl and builder/build_dataflow_config.py.
"""

from __future__ import annotations

# By operator: (found, remedy).
UNSUPPORTED: dict[str, tuple[str, str]] = {
    "FINNLoop": (
        "it is a loop of FINN's (multi-layer offload): one body runs for several layers in turn, with their "
        "weights and frames in memory behind AXI ports",
        "Build the network with mlo = False",
    ),
    "NodeContainer": (
        "it holds several networks, of which one runs at a time (selectable weights, or partial "
        "reconfiguration by DFX)",
        "Build each network by itself, without multi_dnn_config_path",
    ),
}
