# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that a run requires, by plan and options: not by ``bench.json``, nor by the run's own results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from shellgen.counted import counted
from shellgen.links import link_registry
from shellgen.model import Plan
from shellgen.model.bench_findings import Findings, NodeReset
from shellgen.model.bench_verdict import StreamsRun
from shellgen.model.meets import reset_nodes
from shellgen.model.own_frames import OwnFrames, most_beats, own_frames, room
from shellgen.model.spares import spares
from shellgen.simulate.options import RunOptions, SimulateOptions

FIRST_GIVEN = 2  # frames of the user's come before the bench's own, where there is time for no more


@dataclass(frozen=True)
class Required:
    """Requirements of a plan.

    Attributes:
        nodes: All nodes.
        boundaries: All boundaries.
        outputs: What the host receives: boundaries by their place in the plan.
        memories: Slaves of partitions with a memory behind them.
        directed_tests: Kinds of links with a test of their own.
        golden_asked: ``[verify]`` asks for the golden proof.
        vectors: Boundaries with golden vectors of the build.
        own: Frames of the bench's own.
        meets: Nodes on each side of where numbered frames meet.
        spares: Of each stage with replicas, those that the cores around it can leave out.
    """

    nodes: tuple[str, ...]
    boundaries: tuple[str, ...]
    outputs: dict[int, str]
    memories: tuple[str, ...]
    directed_tests: tuple[str, ...]
    golden_asked: bool
    vectors: tuple[str, ...]
    own: OwnFrames
    meets: tuple[str, ...] = ()
    spares: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> Required:
        """Read it from a plan."""
        kinds = sorted({attachment.link for node in plan.nodes for attachment in node.attachments})
        links = link_registry()
        golden = plan.golden
        return cls(
            nodes=tuple(node.name for node in plan.nodes),
            boundaries=tuple(boundary.name for boundary in plan.boundaries),
            outputs={at: one.name for at, one in enumerate(plan.boundaries) if one.consumer is None},
            memories=tuple(
                f"{partition.name}_{port.name}"
                for partition in plan.partitions
                for port in partition.axilite
                if port.memory
            ),
            directed_tests=tuple(kind for kind in kinds if kind in links and links[kind].directed_test),
            golden_asked=bool(golden and golden.asked),
            vectors=tuple(one.boundary for one in golden.vectors) if golden else (),
            own=own_frames(plan, most_beats(plan)),
            meets=reset_nodes(plan),
            spares=spares(plan, room(plan)),
        )


def required_tests(required: Required, asked: SimulateOptions) -> list[str]:
    """Return the tests of the bench that must run.

    Args:
        required: What must be shown.
        asked: What was asked for.
    """
    walk, streams = asked.extent, asked.stalled or asked.full_rate
    tests = {
        "control": asked.control,
        "weights": walk != "none",
        "protocol": walk != "none",
        "faults": walk == "full" and asked.stalled,
        "directed_tests": walk != "none" and bool(required.directed_tests),
        "load": bool(asked.weights),
        "streams_full_rate": asked.full_rate,
        "flight": asked.control and asked.stalled and asked.full_rate,
        "streams_stalled": asked.stalled,
        "pins": asked.control and streams,
        "reset_control": bool(asked.reset_node),
        "reset_pin": bool(asked.reset_node),
        "meets": bool(required.meets) and asked.control and walk != "none" and streams,
        "absent": bool(required.spares) and asked.control and (walk != "none" or bool(asked.absent)),
    }
    return [name for name, wanted in tests.items() if wanted]


def not_proved(found: Findings, required: Required, options: RunOptions, tests: Sequence[str]) -> list[str]:
    """Return a sentence for each proof that is required and was not shown, of a run without failures.

    Args:
        found: The findings.
        required: What must be shown.
        options: What was asked for.
        tests: Those that ran.
    """
    wanted = required_tests(required, options.asked)
    said = [f"the test {name} did not run" for name in wanted if name not in tests]
    ran = {name for name in wanted if name in tests}
    said += _of_registers(found, required, ran, options.asked.absent)
    for test, run in (("streams_full_rate", found.full_rate), ("streams_stalled", found.stalled)):
        if test in ran:
            said += [f"{test}: {text}" for text in _of_streams(run, required, options, found)]
    return said


def golden_required(required: Required, found: Findings, options: RunOptions) -> bool:
    """Tell whether ``[verify]`` asks for the golden proof, with the weights that are loaded."""
    runs = options.asked.stalled or options.asked.full_rate
    return required.golden_asked and runs and not found.replaced and options.golden.of_build


def _of_registers(found: Findings, required: Required, ran: set[str], absent: str) -> Iterator[str]:
    if "control" in ran:
        yield from _absent("control", "node", required.nodes, found.control or ())
    if "weights" in ran:
        walked = [memory.region for memory in found.weights or () if memory.words]
        yield from _absent("weights", "memory", required.memories, walked)
    if "protocol" in ran:
        yield from _absent("protocol", "node", required.nodes, found.protocol or ())
    if "directed_tests" in ran:
        yield from _absent("directed_tests", "link", required.directed_tests, found.directed_tests or ())
    if "meets" in ran:
        shown = [one.reset.node for one in found.meets or () if isinstance(one.reset, NodeReset)]
        yield from _absent("meets", "node", required.meets, shown)
    if "absent" in ran:
        gone = {one.node for one in found.absent or () if one.verdicts}
        for stage in [(absent,)] if absent else required.spares:
            if not gone & set(stage):
                yield f"absent: nothing was shown of {' or '.join(stage)}"
    noted = {"load": found.loaded, "flight": found.flight, "pins": found.pins, "faults": found.faults}
    for test, section in noted.items():
        if test in ran and section is None:
            yield f"{test}: it has noted nothing"


def _absent(test: str, what: str, wanted: Iterable[str], seen: Iterable[str]) -> list[str]:
    known = set(seen)
    return [f"{test}: nothing was shown of {what} {name}" for name in wanted if name not in known]


def _of_streams(
    run: StreamsRun | None, required: Required, options: RunOptions, found: Findings
) -> Iterator[str]:
    verdicts = run.verdicts if run else ()
    shown = {(one.proof, one.boundary) for one in verdicts if one.passed and not one.alone}
    for name in required.boundaries:
        if ("boundary", name) not in shown:
            yield f"nothing was compared at {name}"
    vectors = _vectors(required, options, found)
    for name in required.outputs.values():
        if ("monolith", name) not in shown:
            yield f"{name} was not compared with the monolith"
        if name in vectors and ("golden", name) not in shown:
            yield f"{name} was not compared with its golden vectors"
    own = required.own
    given, sent = (run.frames, run.own) if run else (0, 0)
    wanted = own.most if given > FIRST_GIVEN else own.least
    if options.asked.own_frames and sent < wanted:
        yield f"the bench sent {counted(sent, 'frame')} of its own, and {wanted} are required"


def _vectors(required: Required, options: RunOptions, found: Findings) -> Sequence[str]:
    """Return the host outputs that have golden vectors of the weights that are loaded."""
    if options.golden.of_build:
        return () if found.replaced else required.vectors
    files = options.golden.files
    return [name for at, name in required.outputs.items() if f"golden_{at}.npy" in files]
