# SPDX-License-Identifier: BSD-3-Clause
"""Check any script, with or without a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .coverage import Coverage, Result, coverage_of
from .errors import InputError, Problem
from .formats.files import StrPath
from .ip.catalogue import catalogue_of
from .ip.modules import WithModules
from .link.run import SUFFIXES, link_checked
from .plugins import judge, load_rules
from .recording import Recording
from .report import Message, Origin, Report, Verdict
from .rules.base import Context, all_rules
from .script import refuse_prose, script_text
from .sessions import script_recorded
from .syntax import start as start_slang
from .tcl.interpreter import start_tcl

DEFAULT_RELEASE = "2022.2"
# From the first year of Vivado to the newest release that UG835 has an edition for.
_FIRST, _NEWEST = (2012, 1), (2026, 1)
_RELEASE = re.compile(r"(20\d\d)\.([1-4])(\.\d)?")
# As write_bd_tcl writes it at the head of its scripts.
_STATED = re.compile(r"^[ \t]*set[ \t]+scripts_vivado_version[ \t]+\"?(20\d\d\.\d)", re.MULTILINE)


@dataclass(frozen=True)
class Options:
    """The user's choices for a check.

    Attributes:
        release: Of Vivado; empty: the one that the script states, else a default.
        learn: Files and folders to take facts of IP from.
        arguments: Of a script, as after ``-tclargs``.
        environment: What a script finds in ``env``, as ``NAME=VALUE``.
        root: Folder that a script may read; its own if None.
        platform: Target platform of a configuration file of v++; empty: the one that it names.
    """

    release: str = ""
    learn: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    root: Path | None = None
    platform: str = ""

    def checked(self) -> None:
        """Check the options before anything is read.

        Raises:
            InputError: The release is none.
        """
        if self.release and not is_release(self.release):
            found = f"{self.release!r} is no release of Vivado"
            first, newest = (".".join(map(str, one)) for one in (_FIRST, _NEWEST))
            raise InputError(
                Problem("--release", found, f"Write it as 2022.2; known are {first} to {newest}")
            )


@dataclass(frozen=True)
class Checked:
    """Findings, recordings and coverage, by node, or under the script's name."""

    release: str
    reports: Mapping[str, Report]
    recordings: Mapping[str, Recording]
    coverages: Mapping[str, Coverage]

    @property
    def messages(self) -> tuple[Message, ...]:
        """Return all messages, node by node."""
        return tuple(message for report in self.reports.values() for message in report.messages)

    def result(self, name: str, *, strict: bool = False) -> Result:
        """Return what the check of a node or of a script comes to."""
        if any(message.verdict.stops(strict=strict) for message in self.reports[name].messages):
            return Result.WRONG
        return Result.UNCHECKED if self.coverages[name].gap else Result.RIGHT

    def worst(self, *, strict: bool = False) -> Result:
        """Return what all of them come to: one that is wrong counts most."""
        found = {self.result(name, strict=strict) for name in self.reports}
        return next((one for one in (Result.WRONG, Result.UNCHECKED) if one in found), Result.RIGHT)


def is_release(text: str) -> bool:
    """Return whether Vivado has such a release, or an update of one."""
    found = _RELEASE.fullmatch(text)
    return found is not None and _FIRST <= (int(found[1]), int(found[2])) <= _NEWEST


def start() -> None:
    """Start the processes in which scripts and Verilog are read, each with limits of its own."""
    start_tcl()
    start_slang()


def check(path: StrPath, options: Options, step: Callable[[str], None] = lambda _: None) -> Checked:
    """Check a script, or a configuration file of v++ (.cfg, .ini).

    Args:
        path: The file.
        options: What is asked for.
        step: Called with the current step.

    Raises:
        InputError: It is no script, or an option cannot be.
    """
    path = Path(path)
    options.checked()
    if path.is_dir():
        raise InputError(Problem(str(path), "it is a folder", "Name a Tcl script in it"))
    if not path.is_file():
        raise InputError(Problem(str(path), "there is no such file or folder", "Check the path"))
    if path.suffix.lower() in SUFFIXES:
        return _linked(path, options, step)
    text = script_text(path)
    stated = _STATED.search(text)
    release = options.release or (stated[1] if stated and is_release(stated[1]) else "")
    step(f"checking {path.name}")
    if release:
        checked = _run(path, options, release)
        refuse_prose(path, checked.recordings[path.name])
        return checked
    checked = _run(path, options, DEFAULT_RELEASE, stated=False)
    refuse_prose(path, checked.recordings[path.name])
    sourced = _stated_elsewhere(checked.recordings[path.name])
    return _run(path, options, sourced) if sourced else checked


def _linked(path: Path, options: Options, step: Callable[[str], None]) -> Checked:
    step(f"checking {path.name}")
    report, coverage = link_checked(path, options.learn, options.platform)
    return Checked(options.release or DEFAULT_RELEASE, {path.name: report}, {}, {path.name: coverage})


def _stated_elsewhere(recording: Recording) -> str:
    """Return the release that the files of a session state, empty if none or not all the same."""
    origins = [*(call.origin for call in recording.calls), *(one.origin for one in recording.messages)]
    files = {origin.file for origin in origins} - {""}
    texts = [one.read_text(errors="replace") for name in files if (one := recording.folder / name).is_file()]
    found = {match[1] for text in texts if (match := _STATED.search(text))}
    return found.pop() if len(found) == 1 and all(map(is_release, found)) else ""


def _run(path: Path, options: Options, release: str, *, stated: bool = True) -> Checked:
    environment = dict(_variable(word) for word in options.environment)
    catalogue = catalogue_of(options.learn)
    # Absolute, as the recorded paths are: rules compare the two.
    root = _root(path, options).absolute()
    with script_recorded(path, options.arguments, environment, release, catalogue, root) as recording:
        recording.stated = stated
        recording.messages += _unknown_release(path, options)
        known = WithModules(catalogue, recording)
        report = Report.of(judged(Context(recording, known, root)))
    coverage = coverage_of(recording, report.messages)
    return Checked(release, {path.name: report}, {path.name: recording}, {path.name: coverage})


def _unknown_release(path: Path, options: Options) -> Iterator[Message]:
    """Tell of a release that a script states, and that Vivado does not have."""
    text = script_text(path)
    found = _STATED.search(text)
    if found and not options.release and not is_release(found[1]):
        at = Origin(path.name, text.count("\n", 0, found.end()) + 1)
        said = f"{found[1]} is no release of Vivado, so the script is checked for another"
        remedy = "Correct it, or give one with --release"
        yield Message("release", Verdict.NOT_MODELLED, at, "scripts_vivado_version", said, "", remedy)


def _root(path: Path, options: Options) -> Path:
    root = options.root or path.parent
    if not root.is_dir():
        raise InputError(Problem(f"--root {root}", "it is no folder", "Name a folder that holds the script"))
    if not Path(os.path.normpath(path.absolute())).is_relative_to(os.path.normpath(root.absolute())):
        found = f"{path} is not in that folder"
        raise InputError(Problem(f"--root {root}", found, "Name a folder that holds the script"))
    return root


def _variable(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise InputError(Problem(f"--env {word}", "expected NAME=VALUE", "Correct it"))
    return name, value


def judged(whole: Context) -> Iterator[Message]:
    """Yield what the recorder and all rules have to say."""
    load_rules()
    recording = whole.recording
    yield from recording.messages
    designs = [replace(whole, design=design) for design in recording.designs.values()]
    scopes = {"design": designs, "session": [whole]}
    for rule in all_rules():
        for context in scopes[rule.scope]:
            yield from judge(rule, context)
