# SPDX-License-Identifier: BSD-3-Clause
"""What runs on a worker of Dask: a node's build, in a folder that all machines share."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from shellgen import __version__
from shellgen.build.engine import Limits, run_here
from shellgen.build.memory import available
from shellgen.build.node import NodeBuild, Order
from shellgen.build.outcome import Built
from shellgen.build.tool import GRACE

# What a worker can give to builds, in bytes; Dask starts none that has not enough of it.
MEMORY = "shellgen_memory"
_PATIENCE = GRACE + 30.0  # until the tools of a worker that was killed are gone
_TELL = 1.0
_NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Needs:
    """What a worker must have to build.

    Attributes:
        token: A file that the caller has made in the output folder.
        content: What is in it.
        version: Of shellgen.
        tools: Programs on PATH.
        folders: Folders that settings name.
    """

    token: str
    content: str
    version: str
    tools: tuple[str, ...]
    folders: tuple[str, ...]


def lacks(needs: Needs) -> str:
    """Return what this machine lacks, in a few words; empty if nothing."""
    token = Path(needs.token)
    if not token.is_file() or token.read_text() != needs.content:
        return f"it does not see the folder {token.parent}"
    if needs.version != __version__:
        return f"it has shellgen {__version__}, and not {needs.version}"
    tools = [tool for tool in needs.tools if not shutil.which(tool)]
    folders = [folder for folder in needs.folders if not Path(folder).is_dir()]
    missing = [f"no {tool} on PATH" for tool in tools] + [f"no folder {folder}" for folder in folders]
    return f"it has {', '.join(missing)}" if missing else ""


class Able(WorkerPlugin):
    """Lets a worker offer its memory to builds, if it can build; also one that joins later."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs

    async def setup(self, worker: Any) -> None:
        """Look at the machine."""
        limit = worker.memory_manager.memory_limit or available()
        await worker.set_resources(**{MEMORY: 0 if lacks(self._needs) else limit})


def look(needs: Needs, dask_worker: Any) -> tuple[str, int]:
    """Return what a worker lacks, and the bytes that it can give."""
    return lacks(needs), dask_worker.memory_manager.memory_limit or available()


def build_node(order: Order, topic: str) -> Built:
    """Build a node as far as it is not done, and tell ``topic`` how far it is; end if nobody wants it.

    Raises:
        BlockingIOError: Another build has the node, and keeps it.
    """
    worker = get_worker()
    key = worker.get_current_task()
    said: tuple[list[str], float] = ([], 0.0)

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state == "executing"

    def tell(builds: Sequence[NodeBuild]) -> None:
        nonlocal said
        ran = [asdict(one) for one in builds[0].ran]
        results = [one["result"] for one in ran]
        if results != said[0] or time.monotonic() - said[1] > _TELL:
            said = (results, time.monotonic())
            worker.log_event(topic, {"node": order.name, "ran": ran})

    one = _begin(order, wanted)
    run_here([one], Limits(1, _NO_LIMIT), tell, wanted)
    return one.built


def _begin(order: Order, wanted: Callable[[], bool]) -> NodeBuild:
    """Begin, once what another worker has left behind is gone."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return NodeBuild(order)
        except BlockingIOError:
            if time.monotonic() > end or not wanted():
                raise
        time.sleep(0.2)


def needs_of(token: Path, order_tools: set[str], folders: Mapping[str, str]) -> Needs:
    """Return what workers must have; the file that they look for is written."""
    content = token.name
    token.write_text(content)
    tools = tuple(sorted(order_tools))
    return Needs(str(token), content, __version__, tools, tuple(sorted(set(folders.values()))))
