# SPDX-License-Identifier: BSD-3-Clause
"""Check one mutant: in the folder that was generated, with one file changed for as long as it takes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from shellgen.check.run import Checked, Options, check
from shellgen.errors import ShellgenError
from vivado_check.recording import Recording
from vivado_check.report import Message, Verdict

from .essence import essence
from .mutant import Mutant
from .text import WORD, Script

CAUGHT, EQUAL, UNREACHED, SURVIVED = "caught", "equal", "unreached", "survived"
LEGAL = "legal"


@dataclass(frozen=True)
class Result:
    """Result of a mutant.

    Attributes:
        outcome: ``caught``: a new error or finding, or scripts that are no longer checked to their end;
            ``legal``: it differs from the plan, and fails with ``--strict`` only; ``equal``: the same is
            recorded, or the file says the same; ``unreached``: a build in which nothing fails does not come
            to these lines; ``survived``.
        named: Whether a message of it is about the line, or has a word of what was changed.
        noted: Whether it is counted as not modelled, at least.
        said: The first message.
    """

    mutant: Mutant
    outcome: str
    named: bool = False
    noted: bool = False
    said: str = ""


Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Baseline:
    """Messages about a node without a mistake."""

    keys: frozenset[Key]
    essence: tuple[object, ...]

    def records(self, recording: Recording) -> bool:
        """Tell whether another recording comes to the same."""
        return essence(recording) == self.essence


class Judge:
    """Judges mutants of clusters that lie in folders of their own."""

    def __init__(self, outs: dict[str, Path]) -> None:
        self.outs = outs
        self.baselines: dict[tuple[str, str], Baseline] = {}

    def baseline(self, cluster: str, node: str) -> Baseline:
        """Return what is said of a node as generated."""
        key = cluster, node
        if key not in self.baselines:
            checked = self._check(cluster, node)
            self.baselines[key] = Baseline(
                frozenset(map(_key, checked.messages)), essence(checked.recordings[node])
            )
        return self.baselines[key]

    def judge(self, mutant: Mutant) -> Result:
        """Check with the mistake, then as it was again."""
        node = mutant.script.name.split("/")[0]
        right = self.baseline(mutant.cluster, node)
        with self._changed(mutant, mutant.text):
            try:
                checked = self._check(mutant.cluster, node)
            except ShellgenError as error:
                return Result(mutant, CAUGHT, named=mutant.script.name in str(error), said=str(error))
        new = [one for one in checked.messages if _key(one) not in right.keys]
        bad = [one for one in new if one.verdict.stops(strict=False)]
        if bad:
            named = [one for one in bad if _names(one, mutant)]
            return Result(mutant, CAUGHT, bool(named), said=_told((named or bad)[0]))
        if gap := checked.coverages[node].gap:
            return Result(mutant, CAUGHT, any(_names(one, mutant) for one in new), said=gap)
        if legal := [one for one in new if one.verdict is Verdict.DIFFERS]:
            return Result(mutant, LEGAL, any(_names(one, mutant) for one in legal), said=_told(legal[0]))
        noted = any(_names(one, mutant) for one in new)
        said = _told(new[0]) if new else ""
        if _same(mutant) or (_runs(checked, mutant) and right.records(checked.recordings[node])):
            reached = mutant.script.suffix != "tcl" or self._reached(mutant, node, right)
            return Result(mutant, EQUAL if reached else UNREACHED, noted=noted, said=said)
        return Result(mutant, SURVIVED, noted=noted, said=said)

    def _reached(self, mutant: Mutant, node: str, right: Baseline) -> bool:
        """Tell whether a script comes to the place, by an error there."""
        probe = ("error {a probe}", *(mutant.script.lines[k] for k in mutant.lines))
        with self._changed(mutant, mutant.script.replaced(mutant.lines, probe)):
            checked = self._check(mutant.cluster, node)
        return not right.records(checked.recordings[node])

    def _check(self, cluster: str, node: str) -> Checked:
        return check(self.outs[cluster], Options(nodes=(node,)))

    @contextmanager
    def _changed(self, mutant: Mutant, text: str) -> Iterator[None]:
        """Write a file, and its digest: a manifest that no longer fits would betray every mutant."""
        out = self.outs[mutant.cluster]
        path, manifest = out / mutant.script.name, out / "manifest.json"
        kept = manifest.read_text()
        path.write_text(text)
        written = json.loads(kept)
        old = hashlib.sha256(mutant.script.text.encode()).hexdigest()
        new = json.dumps(written).replace(old, hashlib.sha256(text.encode()).hexdigest())
        manifest.write_text(new)
        try:
            yield
        finally:
            path.write_text(mutant.script.text)
            manifest.write_text(kept)


def _key(message: Message) -> Key:
    """Return what a message is about; the number of its line may change with a mistake elsewhere."""
    return message.rule, message.verdict.value, message.where, re.sub(r":\d+", "", message.found)


def _told(message: Message) -> str:
    return f"{message.origin}: {message.rule}: {message.where}: {message.found}"


def _names(message: Message, mutant: Mutant) -> bool:
    """Tell whether a message leads to the mistake: to its line, or to a word that is in one version only."""
    same = message.origin.file.endswith(mutant.script.name.split("/", 1)[1])
    if same and mutant.lines.start < message.origin.line <= max(mutant.lines.stop, mutant.lines.start + 1):
        return True
    was, now = (set(WORD.findall(text)) for text in (mutant.was, mutant.now))
    text = f"{message.where} {message.found} {message.expected}"
    return any(len(word) > 2 and word.strip("/") in text for word in was ^ now)


def _runs(checked: Checked, mutant: Mutant) -> bool:
    """Tell whether the script was executed at all."""
    node, file = mutant.script.name.split("/", 1)
    return any(call.origin.file.endswith(file) for call in checked.recordings[node].calls)


def _same(mutant: Mutant) -> bool:
    """Tell whether a file that is no script says the same."""
    script = mutant.script
    try:
        if script.suffix == "json":
            return bool(json.loads(mutant.text) == json.loads(script.text))
        if script.suffix == "xml":
            return ElementTree.canonicalize(mutant.text) == ElementTree.canonicalize(script.text)
    except (ValueError, ElementTree.ParseError):
        return False
    if script.suffix in ("dtso", "svh", "v"):  # whose statements and connections may be in any order
        return sorted(_settings(script)) == sorted(_settings(Script(script.name, mutant.text)))
    if script.suffix in ("cfg", "Makefile"):
        return _settings(script) == _settings(Script(script.name, mutant.text))
    return False


def _settings(script: Script) -> list[str]:
    return [re.sub(r"\s+", " ", script.lines[k].strip()) for k in script.live]
