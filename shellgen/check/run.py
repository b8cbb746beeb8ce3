# SPDX-License-Identifier: BSD-3-Clause
"""Check an output folder of ours, or a script of anyone's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shellgen.disk.changes import settle
from shellgen.errors import InputError, Problem, offer
from shellgen.formats.files import StrPath
from shellgen.model import NodePlan, Script
from shellgen.platforms import platform_registry
from shellgen.progress import step
from shellgen.read.output import read_map, read_plan
from shellgen.syntax import start as start_slang

from .coverage import Coverage, Result, coverage_of
from .ip.catalogue import catalogue_of
from .ip.modules import WithModules
from .recording import Recording
from .report import Message, Report
from .rules.bare_vivado import RULE as BARE_RULE
from .rules.base import Context, all_rules
from .rules.planned_design import PARTS
from .script import refuse_prose, script_text
from .sessions import node_recorded, script_recorded
from .tcl.interpreter import start_tcl
from .told_once import first_of, told_once

DEFAULT_RELEASE = "2022.2"
_RELEASE = re.compile(r"20\d\d\.\d(\.\d)?")
# As write_bd_tcl writes it at the head of its scripts.
_STATED = re.compile(r"^[ \t]*set[ \t]+scripts_vivado_version[ \t]+\"?(20\d\d\.\d)", re.MULTILINE)


@dataclass(frozen=True)
class Options:
    """What a user asks of a check.

    Attributes:
        release: Of Vivado; empty: the one that the script states, else a default.
        learn: Files and folders to take facts of IP from.
        nodes: Nodes of an output folder; empty: all.
        arguments: Of a script, as after ``-tclargs``.
        environment: What a script finds in ``env``, as ``NAME=VALUE``.
        root: Folder that a script may read; its own if None.
        hdl: Also elaborate with Verilator, which takes seconds.
    """

    release: str = ""
    learn: tuple[Path, ...] = ()
    nodes: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    root: Path | None = None
    hdl: bool = False


@dataclass(frozen=True)
class Checked:
    """What was found, what was recorded and how much of it is known, by node, or under the script's name."""

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


def start() -> None:
    """Start the processes in which scripts and Verilog are read, each with limits of its own."""
    start_tcl()
    start_slang()


def check(path: StrPath, options: Options) -> Checked:
    """Check what is at a path.

    Raises:
        InputError: It is neither an output folder nor a script, or an option cannot be.
    """
    path = Path(path)
    if options.release and not _RELEASE.fullmatch(options.release):
        found = f"{options.release!r} is no release of Vivado"
        raise InputError(Problem("--release", found, "Write it as 2022.2"))
    if path.is_dir():
        # Scripts see absolute paths, and what lies in a folder is told by comparing with it.
        return _folder(path.resolve(), options)
    if not path.is_file():
        raise InputError(Problem(str(path), "there is no such file or folder", "Check the path"))
    return _script(path, options)


def _folder(out: Path, options: Options) -> Checked:
    settle(out)
    plan, memory_map = read_plan(out), read_map(out)
    names = {node.name for node in plan.nodes}
    if unknown := [name for name in options.nodes if name not in names]:
        found = f"there is no node {unknown[0]!r}"
        raise InputError(Problem("--node", found, offer(unknown[0], sorted(names))))
    release = options.release or DEFAULT_RELEASE
    start()
    catalogue = catalogue_of(options.learn)
    nodes = [node for node in plan.nodes if not options.nodes or node.name in options.nodes]
    reports, recordings, coverages = {}, {}, {}
    for node in nodes:
        step(f"checking {node.name}")
        scripts = scripts_of(node)
        with node_recorded(out, node.name, scripts, release, catalogue) as recording:
            known = WithModules(catalogue, recording)
            whole = Context(recording, known, out, None, node.name, plan, memory_map, options.hdl)
            report = reports[node.name] = Report.of(judged(whole))
        recordings[node.name] = recording
        coverages[node.name] = coverage_of(recording, report.messages, scripts=bool(scripts), planned=True)
    return Checked(release, reports, recordings, coverages)


def scripts_of(node: NodePlan) -> tuple[Script, ...]:
    """Return what Vivado is given for a node."""
    return platform_registry()[node.platform].scripts(node)


def _script(path: Path, options: Options) -> Checked:
    text = script_text(path)
    stated = _STATED.search(text)
    release = options.release or (stated[1] if stated else "")
    step(f"checking {path.name}")
    if release:
        checked = _run(path, options, release)
        refuse_prose(path, checked.recordings[path.name])
        return checked
    checked = _run(path, options, DEFAULT_RELEASE, stated=False)
    refuse_prose(path, checked.recordings[path.name])
    sourced = _stated_elsewhere(checked.recordings[path.name])
    return _run(path, options, sourced) if sourced else checked


def _stated_elsewhere(recording: Recording) -> str:
    """Return the release that the files of a session state, empty if none or not all the same."""
    origins = [*(call.origin for call in recording.calls), *(one.origin for one in recording.messages)]
    files = {origin.file for origin in origins} - {""}
    texts = [one.read_text(errors="replace") for name in files if (one := recording.folder / name).is_file()]
    found = {match[1] for text in texts if (match := _STATED.search(text))}
    return found.pop() if len(found) == 1 else ""


def _run(path: Path, options: Options, release: str, *, stated: bool = True) -> Checked:
    environment = dict(_variable(word) for word in options.environment)
    catalogue = catalogue_of(options.learn)
    root = _root(path, options)
    with script_recorded(path, options.arguments, environment, release, catalogue, root) as recording:
        recording.stated = stated
        known = WithModules(catalogue, recording)
        report = Report.of(judged(Context(recording, known, root, hdl=options.hdl)))
    coverage = coverage_of(recording, report.messages)
    return Checked(release, {path.name: report}, {path.name: recording}, {path.name: coverage})


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


def judged(whole: Context) -> list[Message]:
    """Return what the recorder and all rules have to say."""
    return first_of(told_once(_said(whole), PARTS), BARE_RULE)


def _said(whole: Context) -> Iterator[Message]:
    recording = whole.recording
    yield from recording.messages
    designs = [replace(whole, design=design) for design in recording.designs.values()]
    scopes = {"design": designs, "session": [whole]}
    for rule in all_rules():
        for context in scopes[rule.scope]:
            yield from rule.judge(context)
