# SPDX-License-Identifier: BSD-3-Clause
"""Builds of nodes on many machines: Dask schedules them, and again if a machine is lost."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shellgen.build.blame import Failure
from shellgen.build.memory import GIB, gib
from shellgen.build.node import LOG, NodeBuild, Order
from shellgen.build.outcome import Built, Ran
from shellgen.build.queues import QUEUES
from shellgen.build.scan import Counts
from shellgen.build.told import Teller
from shellgen.build.tool import GRACE
from shellgen.disk.locks import locked
from shellgen.errors import InputError, Problem, ShellgenError, ToolMissingError, printable
from shellgen.progress import rows, step

_TICK = 0.1
_LOOK = 60.0
_CONNECT = 30.0
_CORES = 8  # threads of a Vivado run (UG904)


@dataclass(frozen=True)
class Site:
    """Source of the workers.

    Attributes:
        address: Address of the Dask scheduler; empty: the queue starts its own.
        queue: Kind of batch queue that starts the workers; empty: they are already running.
        jobs: Number of jobs in the queue.
    """

    address: str
    queue: str
    jobs: int


@dataclass(frozen=True)
class Task:
    """A node to be built on a worker.

    Attributes:
        order: The build order.
        need: Expected peak memory in bytes.
        known: Current state.
    """

    order: Order
    need: int
    known: Built


def run_there(out: Path, tasks: Sequence[Task], site: Site) -> tuple[list[Built], list[str]]:
    """Build nodes on workers; return their results in order, and notes.

    Raises:
        InputError: No worker can be reached, or none can build.
        ToolMissingError: Dask is not installed.
    """
    _find()
    with ExitStack() as stack:
        client = stack.enter_context(_connected(site, max(task.need for task in tasks)))
        run = uuid.uuid4().hex
        notes = _enable(client, out, tasks, run, stack)
        return _run(client, tasks, run), notes


def _find() -> None:
    try:
        import distributed  # noqa: PLC0415 - optional
    except ImportError:
        remedy = "Run pip install 'distributed' 'dask-jobqueue'"
        raise ToolMissingError(Problem("build", "Dask is not installed", remedy)) from None
    for name in (distributed.__name__, *logging.root.manager.loggerDict):
        if name.partition(".")[0] == distributed.__name__:  # each has its own log level
            logging.getLogger(name).setLevel(logging.CRITICAL)  # shellgen prints the relevant messages itself


@contextmanager
def _connected(site: Site, need: int) -> Iterator[Any]:
    """Connect to a scheduler, and wait for a first worker.

    Raises:
        InputError: No worker has connected.
    """
    from distributed import Client  # noqa: PLC0415

    with ExitStack() as stack:
        if site.queue:
            cluster = stack.enter_context(_queue(site.queue, need))
            # Not `scale`, which submits no other job for one that the queue has ended.
            cluster.adapt(minimum_jobs=site.jobs, maximum_jobs=site.jobs)
            where, at = f"build: --queue {site.queue}", cluster
        else:
            where, at = f"build: --on {site.address}", site.address
        try:
            made: Any = Client
            client = stack.enter_context(made(at, timeout=_CONNECT, set_as_default=False))
        except (OSError, ValueError, TimeoutError) as error:
            found = f"no scheduler of Dask answers ({_said(error)})"
            remedy = "Start one with `dask scheduler`, and workers with `dask worker <its address>`"
            raise InputError(Problem(where, found, remedy)) from None
        step("waiting for a worker")
        end = time.monotonic() + _CONNECT
        while not client.scheduler_info(n_workers=-1)["workers"]:
            if not site.queue and time.monotonic() > end:
                remedy = f"Start workers with `dask worker {site.address}`"
                raise InputError(Problem(where, "the scheduler has no workers", remedy))
            time.sleep(_TICK)
        yield client


def _queue(kind: str, need: int) -> Any:
    """Return a Dask cluster whose workers are jobs of a queue.

    Raises:
        InputError: Its configuration is incomplete.
        ToolMissingError: dask-jobqueue is not installed.
    """
    try:
        import dask_jobqueue  # noqa: PLC0415 - optional
        from dask import config  # noqa: PLC0415
    except ImportError:
        remedy = "Run pip install 'dask-jobqueue'"
        raise ToolMissingError(Problem("build", "dask-jobqueue is not installed", remedy)) from None
    own = {"cores": _CORES, "memory": f"{-(-need // GIB) + 1} GiB"}  # the worker itself needs some
    missing = {
        name: value for name, value in own.items() if config.get(f"jobqueue.{kind}.{name}", None) is None
    }
    try:
        return getattr(dask_jobqueue, QUEUES[kind])(processes=1, **missing)
    except (ValueError, TypeError, OSError) as error:
        remedy = f"Correct jobqueue.{kind} in Dask's configuration (docs/build.md)"
        raise InputError(Problem(f"build: --queue {kind}", _said(error), remedy)) from None


def _enable(client: Any, out: Path, tasks: Sequence[Task], run: str, stack: ExitStack) -> list[str]:
    """Make the capable workers offer their memory; return a note on each of the others.

    Raises:
        InputError: None of them can.
    """
    from shellgen.build.worker import Able, look, needs_of  # noqa: PLC0415 - needs Dask

    step("checking the workers")
    token = out.resolve() / f".shellgen-{run}"
    stack.callback(token.unlink, missing_ok=True)
    tools = {tool for task in tasks for stage in task.order.stages for tool in stage.tools}
    folders = {
        one.name: task.order.values[one.name]
        for task in tasks
        for stage in task.order.stages
        for one in stage.settings
        if one.folder and one.name in task.order.values
    }
    needs = needs_of(token, tools, folders)
    try:
        found: dict[str, tuple[str, int]] = client.run(look, needs=needs)
        client.register_plugin(Able(needs), name=f"shellgen-{run}")
    except Exception as error:
        said = f"a worker cannot run shellgen: {_said(error)}"
        remedy = "Install this shellgen and its packages on all workers"
        raise InputError(Problem("build", said, remedy)) from None
    stack.callback(_forget, client, f"shellgen-{run}")
    unable = [f"worker {name} is left out: {lack}" for name, (lack, _) in sorted(found.items()) if lack]
    sizes = [size for lack, size in found.values() if not lack]
    if not sizes:
        remedy = "All machines must see the folder under one path, and have the vendor's tools on PATH"
        raise InputError(*(Problem("build", note, remedy) for note in unable[:3]))
    large = [task for task in tasks if task.need > max(sizes)]
    if large:
        remedy = "Start a worker with more, or say with --memory what a node takes"
        most = f"no worker has more than {gib(max(sizes))}"
        raise InputError(
            *(
                Problem(
                    f"build: {task.order.name}",
                    f"it is expected to need {gib(task.need)}, and {most}",
                    remedy,
                )
                for task in large
            )
        )
    return unable


def _forget(client: Any, name: str) -> None:
    with suppress(Exception):  # the scheduler may be gone
        client.unregister_worker_plugin(name)


def _run(client: Any, tasks: Sequence[Task], run: str) -> list[Built]:
    from shellgen.build.worker import MEMORY, build_node  # noqa: PLC0415 - needs Dask

    views = {task.order.name: task.known for task in tasks}

    def hear(event: tuple[float, dict[str, Any]]) -> None:
        told = event[1]
        ran = tuple(Ran(**{**one, "counts": Counts(**one["counts"])}) for one in told["ran"])
        views[told["node"]] = replace(views[told["node"]], ran=ran)

    topic, teller = f"shellgen-{run}", Teller()
    client.subscribe_topic(topic, hear)
    for task in tasks:
        if task.order.again:  # once, and not again if another worker takes over
            _forget_done(task.order)
    futures = {
        task.order.name: client.submit(
            build_node,
            replace(task.order, again=False),
            topic,
            key=f"shellgen-{task.order.name}-{run}",
            resources={MEMORY: task.need},
            pure=False,
        )
        for task in tasks
    }
    looked = time.monotonic()
    try:
        while not all(future.done() for future in futures.values()):
            teller.tell(list(views.values()))
            if time.monotonic() - looked > _LOOK:
                looked = time.monotonic()
                if not client.scheduler_info(n_workers=-1)["workers"]:
                    rows([], "no worker is left; waiting for one")
            time.sleep(_TICK)
        built = [_result(task, futures[task.order.name], views[task.order.name]) for task in tasks]
        teller.tell(built)
        return built
    finally:
        if not all(future.done() for future in futures.values()):
            client.cancel(list(futures.values()))
            _wait_for_end(tasks)


def _forget_done(order: Order) -> None:
    """Mark all stages of a node as not done.

    Raises:
        InputError: Another process builds it.
    """
    try:
        one = NodeBuild(order)
    except BlockingIOError:
        found, remedy = "another `shellgen build` is building it", "Wait until that one ends, or end it"
        raise InputError(Problem(f"build: {order.name}", found, remedy)) from None
    one.forget()
    one.close()


def _result(task: Task, future: Any, view: Built) -> Built:
    """Return a worker's result, or the reason why there is none."""
    from distributed import KilledWorker  # noqa: PLC0415

    remedy = ""
    try:
        built: Built = future.result()
    except BlockingIOError:
        said = "another `shellgen build` is building it"
    except ShellgenError as error:
        said = str(error)
    except KilledWorker as error:
        said = _said(error)
        remedy = (
            "Several workers were lost while they built it: look at their logs, and at the queue's time limit"
        )
    except Exception as error:  # any other exception of Dask: the scheduler is gone
        said = _said(error)
    else:
        return built
    at = next((one.stage for one in view.ran if one.result not in ("done", "before")), view.ran[-1].stage)
    name = task.order.name
    failure = Failure(name, at, "its worker has not finished it", printable(said), f"{name}/{LOG}", 1, remedy)
    ran = tuple(replace(one, result="failed") if one.stage == at else one for one in view.ran)
    return Built(name, ran, (), failure)


def _wait_for_end(tasks: Sequence[Task]) -> None:
    """Wait until the workers have ended the tools, as far as this is visible from here."""
    end = time.monotonic() + GRACE + 5
    for task in tasks:
        while time.monotonic() < end:
            with suppress(BlockingIOError), locked(task.order.folder / "build.lock"):
                break
            time.sleep(_TICK)


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
