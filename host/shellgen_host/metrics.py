# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a cluster as Prometheus reads them. Needs prometheus-client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from shellgen_host.cluster import Cluster

_NODE = {
    "received": "Frames of this epoch that the node has received",
    "made": "Frames of this epoch that its core has put out",
    "waiting": "Frames that wait for the core",
    "unsent": "Frames of the core that are not acknowledged",
}
# Seconds: a rehearsal takes long, a board some milliseconds.
_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Metrics:
    """Counters of a server, and the state of its cluster whenever it is asked.

    Args:
        cluster: The cluster.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "shellgen_requests", "Requests for inference, by HTTP status", ["code"], registry=self._registry
        )
        self.seconds = Histogram(
            "shellgen_request_seconds",
            "Time from a whole request to its answer",
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self.frames = Counter("shellgen_frames", "Frames with a result", registry=self._registry)
        self._registry.register(_State(cluster))

    def text(self) -> bytes:
        """Return all of them in Prometheus's text format."""
        return generate_latest(self._registry)


class _State(Collector):
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def describe(self) -> list[Metric]:
        """Return nothing: names are known when they are collected."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the state of now."""
        yield CounterMetricFamily("shellgen_epochs", "Epochs begun", value=self._cluster.epochs)
        connected = GaugeMetricFamily("shellgen_node_up", "Whether a node is connected", labels=["node"])
        for name, there in self._cluster.connected().items():
            connected.add_metric([name], float(there))
        yield connected
        states = self._cluster.state()
        for field, text in _NODE.items():
            family = GaugeMetricFamily(f"shellgen_node_{field}_frames", text, labels=["node"])
            for name, state in states.items():
                if field in state:
                    family.add_metric([name], state[field])
            yield family
