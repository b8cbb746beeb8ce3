# SPDX-License-Identifier: BSD-3-Clause
"""Code that runs on a Dask worker: a node's build, in a folder that all machines share."""

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

# Memory that a worker offers to builds, in bytes; Dask starts a task only where enough is free.
MEMORY = "shellgen_memory"
_PATIENCE = GRACE + 30.0  # until the tools of a killed worker are gone
_TELL = 1.0
_NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Needs:
    """Requirements of a worker.

    Attributes:
        token: A file that the caller has created in the output folder.
        content: Its content.
        version: Version of shellgen.
        tools: Programs on PATH.
        folders: Folders that settings name.
    """

    token: str
    content: str
    version: str
    tools: tuple[str, ...]
    folders: tuple[str, ...]


def lacks(needs: Needs) -> str:
    """Return the requirement that this machine fails, in a few words; empty if none."""
    token = Path(needs.token)
    if not token.is_file() or token.read_text() != needs.content:
        return f"it does not see the folder {token.parent}"
    if needs.version != __version__:
        return f"it has shellgen {__version__}, and not {needs.version}"
    tools = [tool for tool in needs.tools if not shutil.which(tool)]
    folders = [folder for folder in needs.folders if not Path(folder).is_dir()]
    missing = [f"no {tool} on PATH" for tool in tools] + [f"no folder {folder}" for folder in folders]
    return f"it has {', '.join(missing)}" if missing else ""


class Able(WorkerPlugin):  # type: ignore[misc] # mypy does not read distributed, which takes it long
    """Makes a capable worker offer its memory to builds, also a worker that joins later."""

    def __init__(self, needs: Needs) -> None:
        self._needs = needs

    async def setup(self, worker: Any) -> None:
        """Check the machine."""
        limit = worker.memory_manager.memory_limit or available()
        await worker.set_resources(**{MEMORY: 0 if lacks(self._needs) else limit})


def look(needs: Needs, dask_worker: Any) -> tuple[str, int]:
    """Return the requirement that a worker fails, and the memory in bytes that it offers."""
    return lacks(needs), dask_worker.memory_manager.memory_limit or available()


def build_node(order: Order, topic: str) -> Built:
    """Build the unfinished stages of a node; report progress to ``topic``; end if the result is not wanted.

    Raises:
        BlockingIOError: Another build holds the node.
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
    """Start, once the processes of a former worker are gone."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return NodeBuild(order)
        except BlockingIOError:
            if time.monotonic() > end or not wanted():
                raise
        time.sleep(0.2)


def needs_of(token: Path, order_tools: set[str], folders: Mapping[str, str]) -> Needs:
    """Return the requirements of workers, and write the file that they look for."""
    content = token.name
    token.write_text(content)
    tools = tuple(sorted(order_tools))
    return Needs(str(token), content, __version__, tools, tuple(sorted(set(folders.values()))))
