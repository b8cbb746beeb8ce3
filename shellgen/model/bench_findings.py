# SPDX-License-Identifier: BSD-3-Clause
"""``findings.json``: sections by the tests of the bench; that of a test that did not run is missing."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict

from shellgen.model.base import Frozen
from shellgen.model.bench_limit import Limit
from shellgen.model.bench_verdict import RunName, StreamsRun, Verdict


class Failure(Frozen):
    """A test of the bench that failed.

    Attributes:
        test: Its name.
        text: Why it failed.
    """

    test: str
    text: str


class NodeControl(Frozen):
    """Registers of a core.

    Attributes:
        build_id: As the core answered it.
        link_registers: Places in registers of links that were tried.
    """

    build_id: str
    link_registers: int = 0


class NodeAccesses(Frozen):
    """Accesses of a host with channels in any order, and with pauses.

    Attributes:
        accesses: How many.
        wrong: Wrong answers, as sentences.
    """

    accesses: int
    wrong: tuple[str, ...]


class MemoryWalk(Frozen):
    """A memory that was written and read back.

    Attributes:
        region: Its name in memory_map.json.
        words: Words that were taken.
        of: Words that it has.
        passed: All of them held what was written.
        detail: The first fault, or why nothing was taken.
    """

    region: str
    words: int
    of: int
    passed: bool
    detail: str


class BringUp(Frozen):
    """Steps before the first frame.

    Attributes:
        nodes: Nodes that need them.
        steps: How many.
        values: Values that were given, by name.
    """

    nodes: tuple[str, ...]
    steps: int
    values: dict[str, int]


class NodeLoad(Frozen):
    """Weights that the board's loader loaded and read back.

    Attributes:
        node: The board.
        memories: Memories of it.
        registers: Words of them, 32 bits each.
    """

    node: str
    memories: int
    registers: int


class WrongTransfers(Frozen):
    """Transfers of a wrong length.

    Attributes:
        wrong: Frames that a DMA sent too many; below 0, too few.
        streams: Receivers that flagged it.
    """

    wrong: int
    streams: int


class FlightReset(Frozen):
    """A reset of all cores with frames under way.

    Attributes:
        cycles: Cycles since the first frame.
        jammed: Numbers of the ports that stalled, in ``ports`` of bench.json.
    """

    cycles: int
    jammed: tuple[int, ...]


class NoReset(Frozen):
    """A reset of a board that was not shown.

    Attributes:
        node: The board.
        note: Why.
    """

    node: str
    note: str


class NodeReset(Frozen):
    """A reset of a board in mid-frame.

    Attributes:
        node: The board.
        frames: Frames that were sent before.
        lost: Those that never arrived.
        damaged: How many arrived damaged.
        words_of_others: Words that streams of other boards moved on.
        after: Frames that were sent after it.
        verdicts: Comparisons of these.
        taking: One more reset was in the middle of a frame that a partition of the board takes; null
            where such frames have one word.
    """

    node: str
    frames: int
    lost: tuple[int, ...]
    damaged: int
    words_of_others: int
    after: int
    verdicts: tuple[Verdict, ...]
    taking: bool | None = None


class NoTurns(Frozen):
    """Frames that went through the cluster without the turns of a replica.

    Attributes:
        node: The replica.
        idle: All boards that got no frame.
        silent: Sinks and monitors that saw nothing, as they should.
        frames: Frames that were sent.
        verdicts: Comparisons of these.
    """

    node: str
    idle: tuple[str, ...]
    silent: int
    frames: int
    verdicts: tuple[Verdict, ...]


Reset = NodeReset | NoReset


class MeetReset(Frozen):
    """A reset of a board on one side of where numbered frames meet.

    Attributes:
        by: As a host does it, or by the core's pin.
        reset: What it showed.
    """

    by: Literal["control", "pin"]
    reset: Reset


class Findings(Frozen):
    """Sections of a run; those of a bench that a user has edited are kept as they are.

    Attributes:
        golden: Where the golden vectors are from, or why there are none.
        control: By node: its registers.
        weights: The memories.
        protocol: By node: accesses in any order.
        faults: Transfers of a wrong length.
        directed_tests: By kind of link: what its own test noted.
        bring_up: The steps before the first frame.
        loaded: By node: what the board's loader loaded.
        replaced: Memories that got other weights than the build's.
        stuck: Accesses to memories while a stream is stalled: answered and refused; cores not drained.
        full_rate: The streams without stalls.
        flight: Resets with frames under way.
        stalled: The streams under back-pressure.
        pins: Counters that had counted before a reset by the pins.
        reset_control: A reset of one board by CONTROL.
        reset_pin: The same by its pin.
        meets: Resets of boards on each side of where numbered frames meet.
        absent: Frames without the turns of a replica, of each stage that has some.
        limit: What ended the run early.
        failures: Tests that failed.
        crash: How the simulator ended, if that ended the run.
    """

    model_config = ConfigDict(extra="allow")

    golden: str = ""
    control: dict[str, NodeControl] | None = None
    weights: tuple[MemoryWalk, ...] | None = None
    protocol: dict[str, NodeAccesses] | None = None
    faults: tuple[WrongTransfers, ...] | None = None
    directed_tests: dict[str, object] | None = None
    bring_up: BringUp | None = None
    loaded: tuple[NodeLoad, ...] | None = None
    replaced: tuple[str, ...] = ()
    stuck: dict[str, int] | None = None
    full_rate: StreamsRun | None = None
    flight: tuple[FlightReset, ...] | None = None
    stalled: StreamsRun | None = None
    pins: int | None = None
    reset_control: Reset | None = None
    reset_pin: Reset | None = None
    meets: tuple[MeetReset, ...] | None = None
    absent: tuple[NoTurns, ...] | None = None
    limit: Limit | None = None
    failures: tuple[Failure, ...] = ()
    crash: str = ""

    @property
    def runs(self) -> dict[RunName, StreamsRun]:
        """The runs of the streams that were made, in the order of the bench."""
        runs: dict[RunName, StreamsRun | None] = {"full_rate": self.full_rate, "stalled": self.stalled}
        return {name: run for name, run in runs.items() if run}

    def sections(self) -> dict[str, Any]:
        """Return the sections that are there, by name."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}

    @property
    def ended(self) -> bool:
        """Something ended the run early."""
        return bool(self.limit or self.crash)
