# SPDX-License-Identifier: BSD-3-Clause
"""The node that holds frames back, found by the counters of all."""

from __future__ import annotations

from collections.abc import Mapping

from shellgen_host.cluster_map import ClusterMap


def waits(cluster: ClusterMap, states: Mapping[str, Mapping[str, int]]) -> str:
    """Return which node does not put out or forward what it has, by the counters that it reported last.

    Args:
        cluster: The cluster.
        states: Fields of the last PING of each node; empty if there was none.
    """
    for name, state in states.items():
        if state and state["received"] > state["made"]:
            return f"node {name} has received {state['received']} frames and put out {state['made']}"
    for boundary, (here, there) in cluster.between.items():
        sends, takes = states.get(here), states.get(there)
        if sends and takes and sends["made"] > takes["received"]:
            text = f"node {here} has put out {sends['made']} frames, and node {there} received"
            return f"{text} {takes['received']} of them by {boundary}"
    return "no node holds a frame that it does not put out"
