# SPDX-License-Identifier: BSD-3-Clause
"""The build of an output folder: from the folder to its bitstreams."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from shellgen.build.check import (
    Stages,
    check_memory,
    check_settings,
    check_tools,
    refuse,
    settings_of,
)
from shellgen.build.engine import Limits, run_here
from shellgen.build.inputs import Inputs
from shellgen.build.memory import GIB, available
from shellgen.build.node import NodeBuild, Order
from shellgen.build.outcome import Built, Report
from shellgen.build.remote import Site, Task, run_there
from shellgen.build.told import Teller
from shellgen.disk.changes import settle
from shellgen.disk.manifest import read_manifest
from shellgen.errors import InputError, Problem, offer
from shellgen.model import NodePlan, Plan, Stage
from shellgen.platforms import platform_registry
from shellgen.progress import step
from shellgen.read.output import read_plan
from vivado_check.formats.files import StrPath

# Half of the threads that a Vivado run uses if available (UG904, general.maxThreads).
_CORES_A_JOB = 4


@dataclass(frozen=True)
class BuildOptions:
    """Options of a build.

    Attributes:
        nodes: Names of the nodes to build; empty: all.
        jobs: Number of parallel stages; None: derived from the cores.
        memory: GiB for all stages, or for each node on a worker; None: the free memory, the estimate.
        values: ``NAME=VALUE`` for the settings of the stages.
        timeout: Time limit of a stage in seconds; None: no limit.
        again: Whether finished stages run again.
        on: Address of a Dask scheduler whose workers build; empty: this machine builds.
        queue: Kind of batch queue that starts the workers; empty: none.
    """

    nodes: tuple[str, ...] = ()
    jobs: int | None = None
    memory: float | None = None
    values: tuple[str, ...] = ()
    timeout: float | None = None
    again: bool = False
    on: str = ""
    queue: str = ""


def build(out: StrPath, options: BuildOptions) -> Report:
    """Run the unfinished vendor builds of an output folder.

    Args:
        out: Folder that `shellgen generate` wrote.
        options: Options of the build.

    Raises:
        InputError: The folder, an option or a setting is wrong, or another process builds a node of it.
        ToolMissingError: A program is missing.
    """
    step("checking finished stages")
    out = Path(out)
    settle(out)
    plan = read_plan(out)
    _check_names(plan, out, options.nodes)
    every, notes = _stages(plan)
    values = settings_of(every, options.values)
    stages = [one for one in every if not options.nodes or one[0].name in options.nodes]
    if not stages:
        found = "none of these nodes can be built: their platforms do not say how"
        raise InputError(Problem("build", found, "Build them by hand"))
    orders, more = _orders(out, stages, values, options)
    with ExitStack() as locks:
        builds = _locked(out, orders, locks)
        left = [(node, one.order.stages[one.index :]) for (node, _), one in zip(stages, builds, strict=True)]
        away = bool(options.on or options.queue)
        wrong = check_settings(left, values, folders=not away)
        if away:
            refuse(wrong)
            tasks = [Task(one.order, _need(one, options), one.built) for one in builds if one.stage]
            done = [one.built for one in builds]
            locks.close()  # from here on the workers hold the nodes
            return _away(out, tasks, done, options, (*notes, *more))
        memory = available() if options.memory is None else round(options.memory * GIB)
        needs = {one.name: one.most for one in builds if one.stage}
        refuse(wrong, check_tools(left), check_memory(needs, memory))
        for one in builds if options.again else ():
            one.forget()
        run_here(builds, Limits(options.jobs or _jobs(), memory), Teller().tell)
    return Report(tuple(one.built for one in builds), (*notes, *more))


def _need(one: NodeBuild, options: BuildOptions) -> int:
    """Return the memory in bytes that a worker needs for a node: the user's figure, else the estimate."""
    return one.most if options.memory is None else round(options.memory * GIB)


def _away(
    out: Path, tasks: Sequence[Task], done: Sequence[Built], options: BuildOptions, notes: tuple[str, ...]
) -> Report:
    """Build the unfinished stages on workers."""
    if not tasks:
        return Report(tuple(done), notes)
    site = Site(options.on, options.queue, min(options.jobs or len(tasks), len(tasks)))
    built, more = run_there(out, tasks, site)
    found = {one.name: one for one in (*done, *built)}
    return Report(tuple(found[one.name] for one in done), (*notes, *more))


def _check_names(plan: Plan, out: Path, names: Sequence[str]) -> None:
    known = [node.name for node in plan.cores]
    wrong = [name for name in names if name not in known]
    if wrong:
        found = f"there is no such node in {out}"
        raise InputError(*(Problem(f"build: --node {name}", found, offer(name, known)) for name in wrong))


def _stages(plan: Plan) -> tuple[list[tuple[NodePlan, tuple[Stage, ...]]], list[str]]:
    """Return the nodes that have stages, and a note on each of the others."""
    registry, found, notes, problems = platform_registry(), [], [], []
    for node in plan.cores:
        if node.platform not in registry:
            said = f"its platform {node.platform!r} is not installed"
            problems.append(Problem(f"node {node.name}", said, f"Choose from {', '.join(registry)}"))
        elif stages := registry[node.platform].stages(node):
            found.append((node, stages))
        else:
            notes.append(f"{node.name} is skipped: platform {node.platform} defines no build stages")
    if problems:
        raise InputError(*problems)
    return found, notes


def _orders(
    out: Path, stages: Stages, values: dict[str, str], options: BuildOptions
) -> tuple[list[Order], list[str]]:
    """Return the build order of each node, and a note on files that were edited."""
    manifest, orders, notes = read_manifest(out), [], []
    for node, asked in stages:
        step("checking finished stages", node.name)
        own = tuple(stage.for_values(values) for stage in asked)
        inputs = Inputs(out, node, manifest)
        notes += [f"{out / name} is not as it was generated; it is built as it is" for name in inputs.changed]
        orders.append(
            Order(
                name=node.name,
                folder=(out / node.name).resolve(),
                stages=own,
                digests=tuple(inputs.digests(own, values)),
                values=values,
                timeout=options.timeout,
                again=options.again,
            )
        )
    return orders, notes


def _locked(out: Path, orders: Sequence[Order], locks: ExitStack) -> list[NodeBuild]:
    """Start all builds, which locks their nodes.

    Raises:
        InputError: Another process holds a lock.
    """
    builds, busy = [], []
    for order in orders:
        try:
            builds.append(NodeBuild(order))
            locks.callback(builds[-1].close)
        except BlockingIOError:
            busy.append(order.name)
    if busy:
        remedy = "Wait until that one ends, or end it"
        raise InputError(
            *(Problem(f"{out / name}", "another `shellgen build` is building it", remedy) for name in busy)
        )
    return builds


def _jobs() -> int:
    return max(1, len(os.sched_getaffinity(0)) // _CORES_A_JOB)
