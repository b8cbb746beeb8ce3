# SPDX-License-Identifier: BSD-3-Clause
"""A simulation of this very build, whose cycles from frame to frame count before any estimate.

The bench runs all boards at full rate, so what it shows is the period of the slowest part: that which the
estimate takes for the slowest. A report belongs to a plan if all its cores have the build IDs of the plan,
which are hashes of all that goes into them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shellgen.errors import InputError, ShellgenError, one
from shellgen.estimate.rate import estimate
from shellgen.estimate.turns import Turns
from shellgen.model import Pace, Plan
from vivado_check.formats.data import read_json

_REPORTS = "bench/run_*/report.json"


@dataclass(frozen=True)
class Measured:
    """Rate of a run.

    Attributes:
        where: The report.
        seconds: From frame to frame, at the clocks of the boards.
        frames: Frames that were timed.
    """

    where: str
    seconds: float
    frames: int


def read_measured(path: Path, plan: Plan) -> Measured:
    """Read the report of a run.

    Raises:
        InputError: It is of another build, or has no rate.
    """
    # Large, and mostly there is no run.
    from shellgen.model.bench_report import RunReport  # noqa: PLC0415

    where = str(path)
    content = read_json(path, where, "Give the report.json of a run of `shellgen simulate`")
    report = RunReport.from_data(content, where)
    ids = {name: found.build_id for name, found in (report.control or {}).items()}
    for node in plan.nodes:
        if ids and node.name not in ids:
            text = f"the run was of a cluster with {', '.join(ids)}, which has no node {node.name}"
            raise one(InputError, where, text, "Give the report of a run of this cluster")
        if node.name not in ids:
            text = f"the run has not read the build ID of node {node.name}"
            raise one(InputError, where, text, "Give a run that has, of all nodes of this cluster")
        if ids[node.name] != node.build_id:
            text = f"node {node.name} has build ID {ids[node.name]} there and {node.build_id} here"
            raise one(InputError, where, text, "Simulate this build, and give the report of that run")
    if report.edited:
        text = f"the run was of edited files, such as {report.edited[0]}"
        raise one(InputError, where, text, "Simulate the output as it was generated")
    nodes = {node.name for node in plan.nodes}
    asked = [f"{name}={value}" for name, value in report.settings.items() if value]
    if faults := [each for each in asked if each.partition(".")[0] not in nodes]:
        text = f"the run had faults or delays between the boards: {faults[0]}"
        raise one(InputError, where, text, "Simulate without --set, and give the report of that run")
    run = report.full_rate
    if not report.passed or run is None or not run.period:
        text = f"it has no rate: {'few frames' if report.passed else 'the run did not pass'}"
        raise one(InputError, where, text, "Simulate at full rate with --frames 8 or more")
    return Measured(where, max(1.0, run.period) / report.clock_hz, len(run.times) * run.epoch)


def found_beside(out: Path, plan: Plan) -> Measured | None:
    """Return what the latest run of an output has shown, if that was of this build and passed."""
    reports = sorted(out.glob(_REPORTS), key=lambda path: (path.stat().st_mtime_ns, path.name))
    for path in reversed(reports):
        try:
            return read_measured(path, plan)
        except (ShellgenError, ValueError, OSError):
            continue
    return None


def with_measured(plan: Plan, found: Measured) -> Plan:
    """Return the plan with the measured period of the partition that limits, if a partition does."""
    on = {f"{name} on {node.name}": (name, node) for node in plan.nodes for name in node.partitions}
    bench = [one for one in estimate(plan).servers if not one.medium and not one.server]
    if not bench or bench[0].name not in on:
        return plan  # a port or an interface: what it takes is exact
    name, node = on[bench[0].name]
    own = found.seconds / float(Turns(plan).share(node))  # from one of the board's own frames to the next
    cycles = max(1, round(own * node.compute.hz))
    part = plan.partition(name)
    last = part.pace.last if part.pace else max(cycles, part.summed_cycles)
    paced = part.model_copy(update={"pace": Pace(period=cycles, last=last, source="bench")})
    changed = tuple(paced if one.name == name else one for one in plan.partitions)
    return plan.model_copy(update={"partitions": changed})
