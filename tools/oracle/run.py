# SPDX-License-Identifier: BSD-3-Clause
"""Run one public script and compare what it asks for with the design that Vivado made of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from shellgen.check.run import Options, check
from vivado_check.report import Message, Verdict

from . import bd_json, bd_xml, hwh
from .compare import Difference, compare, compare_ranges
from .real import Real

SLOWEST = 2.0


@dataclass(frozen=True)
class Entry:
    """A script of a list.

    Attributes:
        commit: That the paths were seen at.
        design: The .bd that Vivado made of it, empty if it is not public; likewise handoff, a .hwh.
        release: Of Vivado; empty: as the script states.
        root: Folder of the repository that the script may read; empty: its own.
        learn: Files to take facts of IP from that only this project has.
        differs: Findings that are right and parts in which the two are known to differ, with the reason.
    """

    repository: str
    commit: str
    script: str
    design: str = ""
    handoff: str = ""
    release: str = ""
    arguments: list[str] = field(default_factory=list)
    environment: list[str] = field(default_factory=list)
    blind: bool = False
    root: str = ""
    learn: list[str] = field(default_factory=list)
    differs: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Return a name that fits into a table."""
        return f"{self.repository}: {Path(self.script).name}"


@dataclass
class Result:
    """Result: ``ok``, ``no: why`` or ``skipped``."""

    entry: Entry
    verdict: str
    lines: list[str]
    parts: list[Difference] = field(default_factory=list)
    calls: int = 0
    errors: int = 0
    findings: int = 0
    unknown: int = 0
    seconds: float = 0.0


def run(entry: Entry, checkouts: Path) -> Result:
    """Run a script; a design or handoff that the list names must be in the checkout."""
    folder = checkouts / entry.repository.replace("/", "+")
    missing = [
        name
        for name in (entry.script, entry.design, entry.handoff, *entry.learn)
        if name and not (folder / name).is_file()
    ]
    if missing:
        return Result(entry, "skipped", [f"no {missing[0]} in {folder.name}"])
    options = Options(
        release=entry.release,
        root=folder / entry.root if entry.root else None,
        learn=tuple(folder / name for name in entry.learn),
        arguments=tuple(entry.arguments),
        environment=tuple(entry.environment),
    )
    begin = _processor_seconds()
    checked = check(folder / entry.script, options)
    seconds = _processor_seconds() - begin
    (recording,) = checked.recordings.values()
    found = {verdict: [m for m in checked.messages if m.verdict is verdict] for verdict in Verdict}
    result = Result(entry, "ok", [], calls=len(recording.calls), seconds=seconds)
    result.errors, result.findings = len(found[Verdict.ERROR]), len(found[Verdict.FINDING])
    result.unknown = len(found[Verdict.NOT_MODELLED])
    refused = [m for m in (*found[Verdict.ERROR], *found[Verdict.FINDING]) if m.rule not in entry.differs]
    result.lines += [_line(message) for message in refused]
    if entry.design or entry.handoff:
        name = Path(entry.design or entry.handoff).stem
        design = recording.designs.get(name)
        if design is None:
            result.verdict = f"no: it made no design {name}"
            return result
        if entry.design:
            result.parts = compare(design, read(folder / entry.design))
        if entry.handoff:
            result.parts.append(compare_ranges(design, hwh.read(folder / entry.handoff)))
    wrong = [part for part in result.parts if part.wrong and part.kind not in entry.differs]
    result.lines += [f"{part.kind}: {line}" for part in wrong for line in part.wrong]
    reasons = [f"{part.kind} differ" for part in wrong]
    reasons += ["refused"] if refused else []
    reasons += ["not to its end"] if recording.ended != 0 else []
    reasons += ["no design"] if not recording.designs else []
    reasons += [f"slower than {SLOWEST} s"] if seconds > SLOWEST else []
    result.verdict = f"no: {', '.join(reasons)}" if reasons else "ok"
    return result


def _processor_seconds() -> float:
    """Return the processor time used so far, that of Tcl with it: a busy machine makes nothing slower."""
    return sum(os.times()[:4])


def _line(message: Message) -> str:
    return f"{message.verdict.value} {message.origin} {message.rule}: {message.where}: {message.found}"


def read(path: Path) -> Real:
    """Read a .bd of either form."""
    with path.open("rb") as file:
        head = file.read(64).lstrip(b"\xef\xbb\xbf").lstrip()
    return bd_json.read(path) if head.startswith(b"{") else bd_xml.read(path)
