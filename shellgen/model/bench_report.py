# SPDX-License-Identifier: BSD-3-Clause
"""``report.json``, which `simulate --json` prints as well: the findings of a run and the verdict on them."""

from __future__ import annotations

from typing import Literal

from shellgen.model.base import Frozen, Json
from shellgen.model.bench import BenchEnd
from shellgen.model.bench_findings import Findings
from shellgen.model.bench_verdict import RunName, Verdict

State = Literal["OK", "FAIL", "incomplete", "not shown", "not run"]


class ProofState(Frozen):
    """One proof.

    Attributes:
        name: ``control``, ``weights``, ``load``, ``directed_tests``, ``boundaries``, ``monolith`` or
            ``golden``.
        state: ``OK``, ``FAIL``, ``incomplete``, ``not shown`` or ``not run``.
        note: Why, or how much of it.
        required: A run without it does not pass.
    """

    name: str
    state: State
    note: str = ""
    required: bool = False


class FailedVerdict(Verdict):
    """A comparison that failed, once for all runs in which it failed alike.

    Attributes:
        producer: Port and layer that hand out the stream; null for the host.
        consumer: Port and layer that take it; null for the host.
        datatype: QONNX type of an element.
        link: Kind of its link; null inside a node.
        runs: ``full_rate``, ``stalled``.
    """

    producer: BenchEnd | None
    consumer: BenchEnd | None
    datatype: str | None
    link: str | None
    runs: tuple[RunName, ...]


class Waves(Frozen):
    """Waves that were dumped.

    Attributes:
        files: The dump, the view for GTKWave and that for Surfer; none if nothing was dumped.
        text: What they show, or why there are none.
        from_ps: Time of the first edge in the dump, in ps; null if there are none.
        to_ps: Of the last; null for the end of the run.
        at_ps: Of the fault; null without one.
        tests: Tests that were repeated; empty for all.
        note: About the format.
    """

    files: tuple[str, ...]
    text: str
    from_ps: int | None
    to_ps: int | None
    at_ps: int | None
    tests: tuple[str, ...]
    note: str = ""


class Conclusion(Frozen):
    """Verdict of a run, from its findings.

    Attributes:
        proofs: Each proof.
        line: The same in a line.
        differences: Comparisons that failed, in network order, results last.
        conclusion: Where the fault must be, or an empty string where nothing failed.
    """

    proofs: tuple[ProofState, ...]
    line: str
    differences: tuple[FailedVerdict, ...]
    conclusion: str


class Outcome(Conclusion, Findings):
    """Findings, what follows from them, and the verdict.

    Attributes:
        passed: All that is required was shown, and nothing failed.
        problem: All that is wrong in one text; empty if passed.
        tests: Tests that ran.
        failed_tests: Those of them that failed.
    """

    passed: bool
    problem: str
    tests: int
    failed_tests: int


class RunReport(Outcome):
    """The report of a run.

    Attributes:
        simulator: ``verilator`` or ``icarus``.
        seconds: Wall time of the run.
        built_in: Wall time of building the model; 0 if it was in the cache.
        frames: Frames that were sent; null if none were.
        golden_frames: Frames of the golden vectors.
        clock_hz: Clock of the slowest board.
        settings: Value of each parameter of clocks and of link models.
        edited: Files that are not as they were generated.
        repeat: The command that does the same again.
        accuracy: Share of frames whose largest output is the label; null without labels.
        waves: Dumped waves; missing if none were asked for.
    """

    simulator: str
    seconds: float
    built_in: float
    frames: int | None
    golden_frames: int
    clock_hz: int
    settings: dict[str, int]
    edited: tuple[str, ...]
    repeat: str
    accuracy: float | None
    waves: Waves | None = None

    @property
    def frames_per_second(self) -> float | None:
        """Rate in simulated time without stalls, first beat in to last out; None on a failure."""
        run = self.full_rate
        if not run or not run.cycles or not self.passed:
            return None
        return float(run.timed * self.clock_hz / run.cycles)

    def document(self) -> dict[str, Json]:
        """Return the JSON document; sections that the run did not come to are left out."""
        return self.model_dump(mode="json", exclude_unset=True)
