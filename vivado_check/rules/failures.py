# SPDX-License-Identifier: BSD-3-Clause
"""Reaction of generated builds to errors in Vivado: they report the error, and export nothing.

Runs fail without a Tcl error, and the worst messages are warnings. So the scripts of a node that builds
to the end are run again, in a Vivado in which a run fails, a log has a message that must not be, or timing is
not met. A failure that goes unnoticed is a bitstream that computes something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..record.scenario import Scenario
from ..report import Message, Verdict
from ..sessions import node_recorded
from .alike import alike
from .base import Context, rule
from .flow import of

LOG = ("Synth 8-4445", "could not open $readmem data file 'weights.dat'; ignoring")


@dataclass(frozen=True)
class Trial:
    """Something that goes wrong.

    Attributes:
        about: In words, after "although".
        export: End of the name under which the bitstream is there all the same; empty if there is none.
    """

    about: str
    scenario: Scenario
    export: str = ""


def trials(raised: tuple[str, ...]) -> tuple[Trial, ...]:
    """Return what is tried, for scripts that make these messages errors."""
    found = [
        Trial("synth_1 fails", Scenario(failing_run="synth_1")),
        Trial("impl_1 fails", Scenario(failing_run="impl_1")),
        Trial("timing is not met", Scenario(slack={"WNS": "-0.250", "WHS": "0.021"}), "_timing_failed"),
        Trial("hold times are not met", Scenario(slack={"WNS": "0.1", "WHS": "-0.1"}), "_timing_failed"),
    ]
    if LOG[0] in raised:
        found += [
            Trial("a memory file is not found", Scenario(log={"synth_1": (LOG,)})),
            Trial("synth_1 leaves no log", Scenario(silent_runs=frozenset({"synth_1"}))),
        ]
    design = next((identity for identity in raised if identity.startswith("BD ")), "")
    if design:
        reports = {"validate_bd_design": (design,)}
        found.append(Trial(f"validation reports {design}", Scenario(reports=reports, stops=False)))
    return tuple(found)


@rule(
    "unnoticed-failure",
    scope="session",
    source="UG835, wait_on_runs returns when a run has failed, too",
    ours=True,
)
def unnoticed_failure(context: Context) -> Iterator[Message]:
    """A build that goes wrong ends with another exit code than 0, and leaves no bitstream to be taken."""
    recording = context.recording
    launches = of(recording, "launch_runs")
    if recording.ended != 0 or not launches:
        return
    key = alike(context)
    if key not in _SEEN:
        if len(_SEEN) > _MOST:
            _SEEN.clear()
        _SEEN[key] = tuple(_tried(context))
    for trial, found in _SEEN[key]:
        yield Message(
            rule="unnoticed-failure",
            verdict=Verdict.FINDING,
            origin=launches[0][1].origin,
            where=context.expectation.home,
            found=f"{found}, although {trial.about}",
            expected="an exit code other than 0, and no bitstream under its name",
            remedy="look at PROGRESS, at the log and at the slack before anything is exported",
        )


# What was found for scripts that are alike: most nodes of a system differ in names and lists only.
_SEEN: dict[str, tuple[tuple[Trial, str], ...]] = {}
_MOST = 500
AT_ONCE = 4


def _tried(context: Context) -> list[tuple[Trial, str]]:
    """Try all at once: each is a dialogue with an interpreter of its own, which mostly waits."""
    planned = trials(context.expectation.raised)
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        found = pool.map(lambda trial: list(_outcome(context, trial)), planned)
        return [(trial, text) for trial, texts in zip(planned, found, strict=True) for text in texts]


def _outcome(context: Context, trial: Trial) -> Iterator[str]:
    name = context.expectation.home
    with node_recorded(
        context.folder,
        name,
        context.expectation.scripts,
        context.release,
        context.catalogue,
        trial.scenario,
    ) as tried:
        left = {PurePosixPath(path).name for path in tried.written if ".runs/" not in path}
        if tried.ended == 0:
            yield "the script ends with exit code 0"
        if f"{name}.bit" in left:
            yield f"{name}.bit is exported"
        elif trial.export and f"{name}{trial.export}.bit" not in left:
            yield f"there is no {name}{trial.export}.bit to look at"
