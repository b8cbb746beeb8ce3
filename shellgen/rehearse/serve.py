# SPDX-License-Identifier: BSD-3-Clause
"""A cluster as a server for other programs: the Open Inference Protocol and Prometheus text."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from pathlib import Path

from shellgen.errors import InputError, one
from shellgen.progress import step
from shellgen.rehearse.live import stated
from shellgen_host import Cluster, HostError


def serve(out: Path, hosts: Path, name: str, address: tuple[str, int], patience: float) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        out: Folder that `shellgen generate` wrote.
        hosts: ``hosts.toml``.
        name: Of the model; empty: that of the cluster.
        address: Host and port.
        patience: Seconds that a node may be away.

    Raises:
        InputError: A file or the address is wrong, or a package is not installed.
        SimulationError: A node is not reached, or refuses.
    """
    try:
        from shellgen_host.serve import run_server  # noqa: PLC0415 - its packages are an extra
    except ImportError as error:
        found = f"the package {error.name} is not installed"
        raise one(InputError, "serve", found, "Run pip install 'shellgen[host]'") from None

    async def run(cluster: Cluster) -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, over.set)
        model = name or cluster.map.cluster

        def ready(where: str) -> None:
            print(f"model {model} at http://{where}/v2/models/{model}, metrics at /metrics", flush=True)  # noqa: T201
            step("serving")

        await run_server(cluster, model, address, ready, over)

    try:
        note = partial(step, "repaired")
        with Cluster(out, hosts, patience=patience, note=note, lasts=True) as cluster:
            asyncio.run(run(cluster))
    except HostError as error:
        raise stated(error, "serve") from None
