# SPDX-License-Identifier: BSD-3-Clause
"""Client of a cluster of boards that run shellgen-node. Needs numpy; shellgen itself is not needed."""

from shellgen_host.cluster import Cluster
from shellgen_host.errors import HostError, InputError, LostError, RefusedError
from shellgen_host.figures import Latency, Throughput
from shellgen_host.hosts import Hosts, read_hosts
from shellgen_host.operate import Operator

__all__ = [
    "Cluster",
    "HostError",
    "Hosts",
    "InputError",
    "Latency",
    "LostError",
    "Operator",
    "RefusedError",
    "Throughput",
    "read_hosts",
]
