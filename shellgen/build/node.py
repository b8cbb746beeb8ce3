# SPDX-License-Identifier: BSD-3-Clause
"""The build of one node: its stages in sequence, with their progress."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from shellgen.build.blame import Failure, blame
from shellgen.build.follow import cause_in, named_logs
from shellgen.build.messages import Weight, hint
from shellgen.build.outcome import Built, Ran
from shellgen.build.scan import Counts, Follower, Place
from shellgen.build.state import NodeState, StageState, products_of, read_state, remaining, write_state
from shellgen.build.tool import Tool
from shellgen.disk.locks import locked
from shellgen.errors import InputError
from shellgen.model import Stage

LOG, LAST_LOG = "build.log", "build.1.log"
_LOOK = 1.0  # seconds between searches for new logs


@dataclass(frozen=True)
class Order:
    """The build order of a node; it can be sent to another machine that shares the folder.

    Attributes:
        name: Node.
        folder: Absolute path of its folder.
        stages: All stages.
        digests: Input digest of each stage.
        values: Settings.
        timeout: Time limit of a stage in seconds; None: no limit.
        again: Whether finished stages run again.
    """

    name: str
    folder: Path
    stages: tuple[Stage, ...]
    digests: tuple[str, ...]
    values: Mapping[str, str]
    timeout: float | None = None
    again: bool = False


class NodeBuild:
    """Executes an order without blocking: `tick` polls and continues. It holds the lock of the node.

    Args:
        order: The order.

    Raises:
        BlockingIOError: Another process builds the node.
        InputError: Its state is damaged.
    """

    def __init__(self, order: Order) -> None:
        self.order = order
        self._locks = ExitStack()
        self._own = self._locks.enter_context(locked(order.folder / "build.lock"))
        self.failure: Failure | None = None
        self.tool: Tool | None = None
        self.state, self._first = self._locked(order)
        self.index = self._first
        self.ran = [Ran(stage.name, "waiting") for stage in order.stages]
        for one in self.ran[: self._first]:
            if known := self.state.stages.get(one.stage):
                counts = Counts(critical=known.critical, warnings=known.warnings)
                one.seconds, one.counts = known.seconds, counts
            one.result = "before"
        self._shared = ExitStack()
        self._log = Follower(order.folder / LOG)
        self._others: dict[Path, Follower] = {}
        self._looked = self._began = self._dated = 0.0
        self._printed = 0  # start of this stage's output in the log
        self._overdue = False

    def _locked(self, order: Order) -> tuple[NodeState, int]:
        try:
            state = read_state(order.folder)
        except InputError:
            self._locks.close()
            raise
        first = 0 if order.again else remaining(order.folder, order.stages, state, order.digests)
        return state, first

    @property
    def name(self) -> str:
        """The node."""
        return self.order.name

    @property
    def built(self) -> Built:
        """The state of the build."""
        made = () if self.failure else self.order.stages[-1].products
        products = tuple(f"{self.name}/{name}" for name in made)
        return Built(self.name, tuple(self.ran), products, self.failure)

    @property
    def stage(self) -> Stage | None:
        """The running or next stage; None at the end."""
        return None if self.failure or self.index == len(self.order.stages) else self.order.stages[self.index]

    @property
    def need(self) -> int:
        """Expected memory of the stage in bytes: the last peak plus a tenth."""
        return self._expected(self.order.stages[self.index])

    @property
    def most(self) -> int:
        """Expected memory in bytes of the largest remaining stage."""
        return max(map(self._expected, self.order.stages[self.index :]), default=0)

    def _expected(self, stage: Stage) -> int:
        known = self.state.peaks.get(stage.name, 0)
        return known + known // 10 if known else stage.memory

    def start(self) -> bool:
        """Start the next stage; False if another build holds the folder that it needs exclusively.

        Raises:
            OSError: A state file or log cannot be written.
        """
        stage = self.stage
        assert stage
        order, files = self.order, [self._own]
        with ExitStack() as shared:
            if place := order.values.get(stage.alone or ""):
                try:
                    files.append(shared.enter_context(locked(Path(place, ".shellgen.lock"))))
                except BlockingIOError:
                    self.ran[self.index].counts.phase = f"waits for {stage.alone}"
                    return False
            self._begin_anew()
            words = command(stage, order.values)
            with (order.folder / LOG).open("a", encoding="utf-8") as log:
                log.write(f"shellgen: {order.name} {stage.name}: {' '.join(words)}\n")
            self._log.skip()
            self._printed = self._log.byte
            self._others = {path: self._skipped(path) for path in self._found(stage)}
            self.tool = Tool(words, order.folder / stage.folder, order.folder / LOG, files)
            self._shared = shared.pop_all()
        self._began, self._dated, self._overdue = time.monotonic(), time.time(), False
        self.ran[self.index].result, self.ran[self.index].counts = "running", Counts()
        return True

    def tick(self) -> bool:
        """Poll the stage; True if it has ended, with success or not."""
        if self.tool is None:
            return False
        now, ran = time.monotonic(), self.ran[self.index]
        ran.seconds = now - self._began
        code = self.tool.poll()
        self._log.read(ran.counts, to_end=code is not None)
        if code is not None or now - self._looked > _LOOK:
            self._looked = now
            self._read_others(ran.counts, to_end=code is not None)
        if code is None:
            if self.order.timeout and ran.seconds > self.order.timeout and not self._overdue:
                self._overdue = True
                self.tool.end()
            return False
        if self.failure:  # already failed
            self.tool = None
            self._shared.close()
        else:
            self._finish(code)
        return True

    def note_memory(self, size: int) -> None:
        """Record the memory that the stage uses now."""
        self.ran[self.index].memory = max(size, self.ran[self.index].memory)

    def end(self) -> None:
        """Ask the running stage to end."""
        if self.tool:
            self.tool.end()

    def close(self) -> None:
        """Wait until no process runs; of the stage, only its peak memory is recorded."""
        if self.tool:
            self.tool.end()
            self.tool.wait()
            self.tool = None
            self._keep_peak(whole=False)
        self._shared.close()
        self._locks.close()

    def fail(self, error: OSError) -> None:
        """Fail the build: a state file or log cannot be written."""
        self.end()
        stage = self.order.stages[self.index]
        said = f"{Path(error.filename).name if error.filename else 'a file'}: {error.strerror}"
        log = f"{self.order.name}/{LOG}"
        how = "its state cannot be written"
        self.failure = Failure(self.order.name, stage.name, how, said, log, 1, hint(said))
        self.ran[self.index].result = "failed"

    def _finish(self, code: int) -> None:
        stage, ran, order = self.order.stages[self.index], self.ran[self.index], self.order
        self.tool = None
        self._shared.close()
        made = products_of(order.folder, stage)
        passed = code == 0 and made is not None and not self._overdue
        dates = [(order.folder / name).stat().st_mtime for name in made or ()]
        self._keep_peak(whole=passed and max(dates, default=0.0) >= self._dated)
        if passed and made is not None:
            done = StageState(
                digest=order.digests[self.index],
                products=made,
                seconds=round(ran.seconds, 1),
                warnings=ran.counts.warnings,
                critical=ran.counts.critical,
            )
            self.state = self.state.with_stage(stage.name, done)
            write_state(order.folder, self.state)
            ran.result = "done"
            self.index += 1
            return
        ran.result = "failed"
        late = order.timeout if self._overdue else None
        self.failure = blame(order.name, order.folder, stage, code, late, self._places(), self._log)

    def _keep_peak(self, *, whole: bool) -> None:
        """Record the peak memory of the stage if it is new information.

        Args:
            whole: Whether the stage has run to its end and has made its products itself.
        """
        ran = self.ran[self.index]
        if ran.memory and (whole or ran.memory > self._expected(self.order.stages[self.index])):
            self.state = self.state.with_peak(ran.stage, ran.memory)
            write_state(self.order.folder, self.state)

    def forget(self) -> None:
        """Mark all stages as not done, and remove the products, or make would have nothing to do."""
        self.state = self.state.without(set(self.state.stages))
        write_state(self.order.folder, self.state)
        for stage in self.order.stages:
            for name in stage.products:
                (self.order.folder / name).unlink(missing_ok=True)

    def _begin_anew(self) -> None:
        """Mark the stage and all later ones as not done, and keep the previous log."""
        log = self.order.folder / LOG
        if self.index == self._first and log.exists():
            log.replace(self.order.folder / LAST_LOG)
        later = {one.name for one in self.order.stages[self.index :]}
        if later & set(self.state.stages):
            self.state = self.state.without(later)
            write_state(self.order.folder, self.state)

    def _found(self, stage: Stage) -> list[Path]:
        folder = self.order.folder
        return sorted(path for pattern in stage.logs for path in folder.glob(pattern) if path.is_file())

    def _skipped(self, path: Path) -> Follower:
        follower = Follower(path)
        follower.skip()
        return follower

    def _read_others(self, counts: Counts, *, to_end: bool) -> None:
        for path in self._found(self.order.stages[self.index]):
            self._others.setdefault(path, Follower(path)).read(counts, to_end=to_end)

    def _places(self) -> dict[Weight, Place]:
        """Return the place of the first error of each weight.

        In the output, else in the oldest of the logs, else in a log that the output names.
        """
        found: dict[Weight, Place] = dict(self._log.first)
        others = [one for one in self._others.values() if one.first]
        for one in sorted(others, key=lambda one: (one.log.stat().st_mtime, one.log)):
            for weight, place in one.first.items():
                found.setdefault(weight, place)
        if found and Weight.CAUSE not in found:
            places = (folder := self.order.folder, folder / self.order.stages[self.index].folder)
            named = named_logs(self._log.log, self._printed, places, self._dated)
            if elsewhere := cause_in(named):
                found[Weight.CAUSE] = elsewhere
        return found


def command(stage: Stage, values: Mapping[str, str]) -> list[str]:
    """Return the words of a stage's command."""
    words = list(stage.command)
    for setting in stage.settings:
        if value := values.get(setting.name, setting.default):
            words += [word.replace("{}", value) for word in setting.words]
    return words
