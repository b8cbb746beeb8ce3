# SPDX-License-Identifier: BSD-3-Clause
"""Run the bench on mutants, as its user runs it, and say what became of each."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Literal

from shellgen.cache import default_cache_dir
from shellgen.errors import ShellgenError
from shellgen.simulate.cluster import SimulateOptions, simulate
from shellgen.simulate.tools import Simulator
from tools.bench_mutants.clusters import Cluster, describe, description
from tools.bench_mutants.schema import CHOICE, PACKAGE, alone, together
from tools.bench_mutants.sites import Mutant
from tools.bench_mutants.verilog import Source

# caught: the bench says what is wrong. ended: it ends at a limit. hung: no result in time.
# survived: it passes. refused: the mutant does not build.
Fate = Literal["caught", "ended", "hung", "survived", "refused"]
SECONDS = 180  # far more than any run takes, since a busy machine must not look like a hang
# As a user begins, and then with all that can be asked for.
PLAIN = SimulateOptions(edited=True)
THOROUGH = (
    SimulateOptions(walk="full", reset_node="n0", edited=True),
    SimulateOptions(walk="full", reset_node="n1", seed=2, edited=True),
)


@dataclass(frozen=True)
class Verdict:
    """Result of a mutant.

    Attributes:
        mutant: Which one.
        fate: In the last run that was needed.
        said: By the bench, first of all; of a survivor, by the provers, if they were asked.
        seconds: Of all its runs.
        plain: The run with which a user begins was enough.
        proved: It survived, and changes nothing.
    """

    mutant: Mutant
    fate: Fate
    said: str
    seconds: float
    plain: bool = True
    proved: bool = False


class Trial:
    """The mutants of one cluster."""

    def __init__(self, cluster: Cluster, out: Path, scratch: Path, more: Sequence[SimulateOptions]) -> None:
        """Work in ``scratch`` on copies of the folder ``out``; what survives gets more runs."""
        self._cluster, self._out, self._scratch = cluster, out, scratch
        self._runs = (PLAIN, *more)
        self._cache = scratch / "cache"
        self._cache.mkdir(parents=True, exist_ok=True)
        runtime = default_cache_dir() / "runtime"
        runtime.mkdir(parents=True, exist_ok=True)
        if not (self._cache / "runtime").exists():
            (self._cache / "runtime").symlink_to(runtime)

    def chosen(self, sources: Mapping[str, Source], mutants: Mapping[int, Mutant]) -> Iterator[Verdict]:
        """Build one model with all these mutants, and yield what becomes of each.

        Raises:
            RuntimeError: Without a mutant, the model does not pass.
        """
        out = self._copy("chosen")
        for file, source in sources.items():
            there = {number: mutant for number, mutant in mutants.items() if mutant.file == file}
            if there:
                (out / file).write_text(together(source, there))
        self._foreign(out, list(sources), package=True)
        choice = out / "bench" / CHOICE
        choice.write_text("0")
        for options in self._runs:
            fate, said = self._run(out, "verilator", options, 600)
            if fate != "survived":
                raise RuntimeError(f"{self._cluster.name} without a mutant: {fate}: {said}")
        for number, mutant in mutants.items():
            choice.write_text(str(number))
            yield self._verdict(mutant, out, "verilator", SECONDS)

    def built(self, text: str, mutant: Mutant) -> Verdict:
        """Build a model of one mutant, and say what becomes of it."""
        out = self._copy("built")
        (out / mutant.file).write_text(alone(text, mutant))
        self._foreign(out, [mutant.file])
        verdict = self._verdict(mutant, out, "verilator", 4 * SECONDS)
        shutil.rmtree(self._cache / "verilator", ignore_errors=True)
        return verdict

    def _copy(self, name: str) -> Path:
        out = self._scratch / name
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(self._out, out, ignore=shutil.ignore_patterns("run_verilator*", "run_icarus*"))
        return out

    def _foreign(self, out: Path, files: list[str], *, package: bool = False) -> None:
        """Accept sources without lint, whose findings are not the subject here."""
        bench = description(out)
        sources = bench["sources"]
        first = []
        if package:
            (out / "bench" / "mutant.sv").write_text(PACKAGE)
            first = ["bench/mutant.sv"]
            bench["data"].append(f"bench/{CHOICE}")
        sources["partition"] = [*first, *sources["partition"], *(f for f in sources["ours"] if f in files)]
        sources["ours"] = [file for file in sources["ours"] if file not in files]
        describe(out, bench)

    def _verdict(self, mutant: Mutant, out: Path, simulator: Simulator, seconds: int) -> Verdict:
        began = time.monotonic()
        for options in self._runs:
            fate, said = self._run(out, simulator, options, seconds)
            if fate != "survived":
                break
        return Verdict(mutant, fate, said, time.monotonic() - began, plain=options is PLAIN)

    def _run(
        self, out: Path, simulator: Simulator, options: SimulateOptions, seconds: int
    ) -> tuple[Fate, str]:
        fate: Fate
        try:
            with within(seconds):
                report = simulate(out, simulator, options, cache_dir=self._cache)
            said = report.problem
            fate = "survived" if report.passed else "ended" if report.limit else "caught"
        except TimeoutError:
            fate, said = "hung", f"no verdict within {seconds} s"
        except ShellgenError as error:
            fate, said = "refused", str(error)
        return fate, said


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raise TimeoutError after so long."""

    def stop(_signum: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
