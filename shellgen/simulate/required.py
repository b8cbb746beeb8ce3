# SPDX-License-Identifier: BSD-3-Clause
"""Which proofs a run owes, by plan and options: not by ``bench.json``, nor by what the run says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shellgen.links import link_registry
from shellgen.model import Plan
from shellgen.model.own_frames import OwnFrames, most_beats, own_frames

FIRST_GIVEN = 2  # frames of the user's come before the bench's own, where there is time for no more
STREAMS = {"full_rate": "streams_full_rate", "stalled": "streams_stalled"}


@dataclass(frozen=True)
class Required:
    """What must be shown of a plan.

    Attributes:
        nodes: All nodes.
        boundaries: All boundaries.
        outputs: What the host receives: boundaries by their place in the plan.
        memories: Slaves of partitions with a memory behind them.
        drills: Kinds of links with a test of their own.
        golden_asked: ``[verify]`` asks for the golden proof.
        vectors: Boundaries with golden vectors of the build.
        own: Frames of the bench's own.
    """

    nodes: tuple[str, ...]
    boundaries: tuple[str, ...]
    outputs: dict[int, str]
    memories: tuple[str, ...]
    drills: tuple[str, ...]
    golden_asked: bool
    vectors: tuple[str, ...]
    own: OwnFrames

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
            drills=tuple(kind for kind in kinds if kind in links and links[kind].drill),
            golden_asked=bool(golden and golden.asked),
            vectors=tuple(one.boundary for one in golden.vectors) if golden else (),
            own=own_frames(plan, most_beats(plan)),
        )


def required_tests(required: Required, options: dict[str, Any]) -> list[str]:
    """Return the tests of the bench that must run.

    Args:
        required: What must be shown.
        options: ``options.json``.
    """
    walk, streams = options["walk"], options["stalled"] or options["full_rate"]
    tests = {
        "control": options["control"],
        "weights": walk != "none",
        "manners": walk != "none",
        "faults": walk == "full" and options["stalled"],
        "drills": walk != "none" and bool(required.drills),
        "load": bool(options["weights"]),
        "streams_full_rate": options["full_rate"],
        "flight": options["control"] and options["stalled"] and options["full_rate"],
        "streams_stalled": options["stalled"],
        "pins": options["control"] and streams,
        "reset_by_control": bool(options["reset_node"]),
        "reset_by_pin": bool(options["reset_node"]),
    }
    return [name for name, wanted in tests.items() if wanted]


def not_proved(
    found: dict[str, Any], required: Required, options: dict[str, Any], tests: Sequence[str]
) -> list[str]:
    """Return a sentence for each proof that is required and was not shown, of a run without failures.

    Args:
        found: Sections of the bench's report.
        required: What must be shown.
        options: ``options.json``.
        tests: Those that ran.
    """
    wanted = required_tests(required, options)
    said = [f"the test {name} did not run" for name in wanted if name not in tests]
    ran = {name for name in wanted if name in tests}
    said += _of_registers(found, required, ran)
    for run, test in STREAMS.items():
        if test in ran:
            said += [f"{test}: {text}" for text in _of_streams(found.get(run, {}), required, options, found)]
    return said


def golden_required(required: Required, found: dict[str, Any], options: dict[str, Any]) -> bool:
    """Tell whether ``[verify]`` asks for the golden proof, with the weights that are loaded."""
    runs = options["stalled"] or options["full_rate"]
    return bool(
        required.golden_asked and runs and not found.get("replaced") and options["golden"]["of_build"]
    )


def _of_registers(found: dict[str, Any], required: Required, ran: set[str]) -> Iterator[str]:
    if "control" in ran:
        yield from _absent("control", "node", required.nodes, found.get("control", {}))
    if "weights" in ran:
        walked = [finding["region"] for finding in found.get("weights", ()) if finding["words"]]
        yield from _absent("weights", "memory", required.memories, walked)
    if "manners" in ran:
        yield from _absent("manners", "node", required.nodes, found.get("manners", {}))
    if "drills" in ran:
        yield from _absent("drills", "link", required.drills, found.get("drills", {}))
    for test, section in (("load", "loaded"), ("flight", "flight"), ("pins", "pins"), ("faults", "faults")):
        if test in ran and section not in found:
            yield f"{test}: it has noted nothing"


def _absent(test: str, what: str, wanted: Iterable[str], seen: Iterable[str]) -> list[str]:
    known = set(seen)
    return [f"{test}: nothing was shown of {what} {name}" for name in wanted if name not in known]


def _of_streams(
    run: dict[str, Any], required: Required, options: dict[str, Any], found: dict[str, Any]
) -> Iterator[str]:
    shown = {
        (verdict["proof"], verdict["boundary"])
        for verdict in run.get("verdicts", ())
        if verdict["passed"] and not verdict["alone"]
    }
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
    wanted = own.most if run.get("frames", 0) > FIRST_GIVEN else own.least
    if options["own_frames"] and run.get("own", 0) < wanted:
        yield f"{run.get('own', 0)} frames of the bench's own were sent, and {wanted} are required"


def _vectors(required: Required, options: dict[str, Any], found: dict[str, Any]) -> Sequence[str]:
    """Return the host outputs that have golden vectors of the weights that are loaded."""
    if options["golden"]["of_build"]:
        return () if found.get("replaced") else required.vectors
    files = options["golden"]["files"]
    return [name for at, name in required.outputs.items() if f"golden_{at}.npy" in files]
