# SPDX-License-Identifier: BSD-3-Clause
"""Run scripts that belong together, or one third-party script, and return their requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .coverage import builds
from .expectation import Script
from .ip.facts import Catalogue
from .ip.modules import WithModules
from .record.scenario import Scenario
from .record.session import Session, all_commands
from .recording import Recording
from .report import Message, Origin, Verdict
from .tcl.hidden import ENDED_EARLY
from .tcl.interpreter import Outcome, run_script
from .tcl.read_texts import left
from .tcl.sandbox import OutsideError, Sandbox

_OPENS = re.compile(r"^[^#\n]*\b(?:create|open)_project\b", re.MULTILINE)
# What adds to a block design, and what makes one or may.
_DRAWS = re.compile(
    r"^[^#\n]*\b(?:create|connect|assign)_bd_(?:cell|net|intf_net|port|address)\b", re.MULTILINE
)
_BEGINS = re.compile(r"^[^#\n]*\b(?:create_bd_design|open_bd_design|read_bd|source)\b", re.MULTILINE)


def _open_project(session: Session, folder: Path, script: Script, name: str) -> None:
    """Leave a project open, or on the disk, as somebody else's flow has made it."""
    if not script.left:
        session.call("create_project", ["-part", script.opened, name], Origin())
        if script.design:
            session.call("create_bd_design", [script.design], Origin())
        return
    project = folder / script.left
    session.call("create_project", ["-part", script.opened, project.stem, str(project.parent)], Origin())
    session.call("close_project", [], Origin())


@contextmanager
def node_recorded(  # noqa: PLR0913 - what a session is made of
    out: Path,
    node: str,
    scripts: Sequence[Script],
    release: str,
    catalogue: Catalogue,
    scenario: Scenario | None = None,
) -> Iterator[Recording]:
    """Run scripts that belong together one after the other, each in a session of its own.

    What they wrote is there until the end of the context.

    Args:
        out: Output folder; all of it may be read.
        node: Folder of the scripts below it.
        scripts: In order; one that fails or is stopped ends it.
        release: Of Vivado.
        catalogue: Facts of IP.
        scenario: What they meet; if left out, all goes well.
    """
    with Sandbox(out) as sandbox:
        recording = Recording(release, out)
        here = out.absolute() / node
        known = WithModules(catalogue, recording)
        for index, script in enumerate(scripts):
            session = Session(recording, sandbox, known, scenario)
            for name, text in script.given:
                sandbox.write(here / name, text)
            if script.opened:
                _open_project(session, here, script, f"opened{index or ''}")
            outcome = run_script(here / script.file, session, *script.arguments)
            _finish(recording, outcome, session.origin)
            _tell_texts(recording, outcome, sandbox)
            if recording.ended != 0:
                break
        recording.written = dict(sandbox.written())
        yield recording


@contextmanager
def script_recorded(  # noqa: PLR0913 - what a user may give
    path: Path,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    release: str,
    catalogue: Catalogue,
    root: Path | None = None,
) -> Iterator[Recording]:
    """Run a third-party script; only the root folder may be read, its own if None.

    One that neither makes nor opens a project is run in one that is open, as it is meant to be sourced;
    likewise one that works on a block design and neither makes nor opens one, nor reads a script that may.
    It runs where the user is, as Vivado would, if that is in a root that is given; else in its own folder.
    What it wrote is there until the end of the context.
    """
    here = Path.cwd() if root is not None and Path.cwd().is_relative_to(root.resolve()) else None
    folder = (root or path.parent).absolute()
    with Sandbox(folder) as sandbox:
        recording = Recording(release, folder)
        known = WithModules(catalogue, recording)
        session = Session(recording, sandbox, known, Scenario(environment=environment))
        text = path.read_text(errors="replace")
        if not _OPENS.search(text):
            session.call("create_project", ["-in_memory", "opened"], Origin())
            if _DRAWS.search(text) and not _BEGINS.search(text):
                session.call("create_bd_design", ["opened"], Origin())
        opened = len(recording.calls)
        outcome = run_script(path.absolute(), session, *arguments, cwd=here)
        _finish(recording, outcome, session.origin)
        _tell_texts(recording, outcome, sandbox)
        if recording.ended == 0 and len(recording.calls) == opened:
            found = "the script gives Vivado no command, so nothing was checked"
            remedy = "If it only defines procedures, check a script that calls them"
            at = Origin(sandbox.shown(path.absolute()))
            recording.messages.append(Message("no-command", Verdict.NOT_MODELLED, at, "", found, "", remedy))
        recording.written = dict(sandbox.written())
        yield recording


def _finish(recording: Recording, outcome: Outcome, last: Origin) -> None:
    """Keep how a script ended; one that gives up by itself has said why in what it printed."""
    recording.ended = outcome.code
    if outcome.code and outcome.message is None:
        said = outcome.printed[-1] if outcome.printed else "it printed nothing"
        found = f"the script ended with exit code {outcome.code}: {said}"
        remedy = "Correct what it complains of"
        # A script may give up because a program was not run that Vivado would have run.
        verdict = Verdict.NOT_MODELLED if outcome.refused else Verdict.ERROR
        recording.messages.append(Message("exit-code", verdict, last, "", found, "0", remedy))


def _tell_texts(recording: Recording, outcome: Outcome, sandbox: Sandbox) -> None:
    """Note scripts that were read as text and have commands that did not run."""
    if outcome.code != 0 or not outcome.texts:
        return
    calls: dict[str, list[tuple[str, ...]]] = {}
    for call in recording.calls:
        calls.setdefault(call.command, []).append(call.words)
    known = [name for name in all_commands() if builds(name)]
    for path in outcome.texts:
        with suppress(OSError, OutsideError):
            if found := left(sandbox.read_text(path), calls, known):
                line, lost = found
                said = f"the file is read as text; it may end here, and {lost} commands after it were not run"
                remedy = "Source it, so that its commands are followed"
                at = Origin(sandbox.shown(path), line)
                recording.messages.append(
                    Message(ENDED_EARLY, Verdict.NOT_MODELLED, at, "", said, "", remedy)
                )
