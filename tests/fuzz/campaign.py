# SPDX-License-Identifier: BSD-3-Clause
"""Many mutants, what they brought to light, and for each cause the smallest mutant that shows it."""

from __future__ import annotations

import shlex
import shutil
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from fuzz.mutate import mutate
from fuzz.seeds import Target, by_kind, make_seeds
from fuzz.victim import Ending, Finding, judge, run

State = dict[str, tuple[int, int, int]]  # inode, size and time by path


@dataclass
class Campaign:
    """Runs mutants in a folder that it fills itself.

    Attributes:
        folder: For the systems; removed by who made it.
        seed: Of everything.
        counts: Exit codes and targets met.
        findings: By cause, the first mutant, its steps and what it did; and how many more there were.
    """

    folder: Path
    seed: int = 1
    counts: Counter[str] = field(default_factory=Counter)
    findings: dict[tuple[str, str], tuple[Mutant, Finding]] = field(default_factory=dict)
    repeated: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        warnings.simplefilter("ignore")  # numpy's, about what we write
        self.folder = self.folder.resolve()
        targets = make_seeds(self.folder / "systems")
        (self.folder / "systems/outside").mkdir()
        (self.folder / "systems/outside/keep.txt").write_text("12345678")
        self.groups = sorted(by_kind(targets).items())
        self.said = self.folder / "said"
        self.said.mkdir()
        shutil.copytree(self.folder / "systems", self.folder / "good")

    def mutants(self) -> Iterator[Mutant]:
        """Yield mutants without end; the same for the same seed, each by itself."""
        number = 0
        while True:
            yield self.mutant(number)
            number += 1

    def mutant(self, number: int) -> Mutant:
        """Return one mutant. Every kind of file has its turn, however many files there are of it."""
        rng = Random(f"{self.seed}:{number}")
        group = self.groups[number % len(self.groups)][1]
        target = rng.choice(group)
        steps = [f"{self.seed}:{number}:{step}" for step in range(rng.choice((1, 1, 1, 2, 3)))]
        return Mutant(number, target, rng.choice(target.commands), steps)

    def try_one(self, mutant: Mutant) -> Finding | None:
        """Run one mutant and leave the systems as they were."""
        target = mutant.target
        path = target.system / target.path
        good = path.read_bytes()
        path.write_bytes(mutate(target.kind, good, mutant.steps))
        before = _state(target.system)
        try:
            code, out, err, hung = run(mutant.argv, target.system, self.said)
            changed = _differences(before, _state(target.system))
        finally:
            path.write_bytes(good)
        if changed:
            self._restore(target.system)
        self.counts[f"exit {code}"] += 1
        self.counts[f"{target.kind}: {self._name(target)}"] += 1
        return judge(Ending(mutant.argv, code, out, err, hung, changed))

    def go(self, number: int, say: Callable[[str], None], first: int = 0) -> None:
        """Try so many mutants, and make what fails small."""
        began = time.monotonic()
        for count, mutant in enumerate(islice(self.mutants(), first, first + number), 1):
            found = self.try_one(mutant)
            if found:
                key = (found.what, found.place)
                self.repeated[key] += 1
                if key not in self.findings:
                    self.findings[key] = self._smallest(mutant, found)
                    say(f"mutant {mutant.number}: {found.what} at {found.place}: {mutant}")
            if count % 500 == 0:
                rate = count / (time.monotonic() - began)
                say(f"{count} of {number} mutants, {rate:.0f} a second, {len(self.findings)} causes")

    def save(self, folder: Path) -> None:
        """Write for each cause a folder with the damaged file, the command, and what it said."""
        shutil.rmtree(folder, ignore_errors=True)
        for index, (mutant, found) in enumerate(self.findings.values()):
            place = folder / f"{index:03}_{found.what.replace(' ', '_')}"
            place.mkdir(parents=True)
            target = mutant.target
            good = (self.folder / "good" / target.system.name / target.path).read_bytes()
            (place / Path(target.path).name).write_bytes(mutate(target.kind, good, mutant.steps))
            lines = [f"mutant {mutant.number} of seed {self.seed}, {len(mutant.steps)} steps: {mutant}"]
            lines += [f"{found.what} at {found.place}, {self.repeated[found.what, found.place]} times", ""]
            text = "\n".join([*lines, found.detail[-20_000:]])
            (place / "report.txt").write_text(text, errors="backslashreplace")

    def _smallest(self, mutant: Mutant, found: Finding) -> tuple[Mutant, Finding]:
        """Drop steps as long as the same thing happens."""
        for step in list(mutant.steps):
            fewer = Mutant(mutant.number, mutant.target, mutant.argv, [s for s in mutant.steps if s != step])
            still = self.try_one(fewer) if fewer.steps else None
            if still and (still.what, still.place) == (found.what, found.place):
                mutant, found = fewer, still
        return mutant, found

    def _name(self, target: Target) -> str:
        return next(name for name, group in self.groups if target in group)

    def _restore(self, system: Path) -> None:
        for name in (system.name, "outside"):
            shutil.rmtree(self.folder / "systems" / name)
            shutil.copytree(self.folder / "good" / name, self.folder / "systems" / name)


@dataclass(frozen=True)
class Mutant:
    """One damaged file, and the command that has to say what is wrong with it."""

    number: int
    target: Target
    argv: tuple[str, ...]
    steps: list[str]

    def __str__(self) -> str:
        return f"{self.target.system.name}/{self.target.path}: shellgen {shlex.join(self.argv)}"


def _state(system: Path) -> State:
    found = {}
    for folder in (system, system.parent / "outside"):
        for path in folder.rglob("*"):
            told = path.lstat()
            size = told.st_size if path.is_file() else -1
            found[str(path.relative_to(system) if folder == system else f"../outside/{path.name}")] = (
                told.st_ino,
                size,
                told.st_mtime_ns if size >= 0 else 0,
            )
    return found


def _differences(before: State, after: State) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
