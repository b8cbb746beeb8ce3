# SPDX-License-Identifier: BSD-3-Clause
"""Options of a run of the bench."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from shellgen.errors import InputError, Problem
from shellgen.simulate.classes import read_labels
from shellgen.simulate.span import parse_span
from shellgen.simulate.trace import WaveFormat

MIN_FRAMES = 2  # one frame does not show that the next one is not shifted
Walk = Literal["none", "sample", "full"]


@dataclass(frozen=True)
class Injection:
    """One deliberate fault, to prove that the bench sees it.

    Attributes:
        boundary: Index of the boundary.
            it on until the host resets the cores, 6 let DMAs send ``beat`` frames more than the core expects.
            it on until the host resets the cores, 6 let DMAs send ``beat`` frames more than the cores expect.
        beat: Index of the link beat.
    """

    boundary: int = 0
    kind: int = 0
    beat: int = 0


@dataclass(frozen=True)
class SimulateOptions:
    """Tests to run, and their parameters.

    Attributes:
        frames: Number of the user's frames, at least 2; the bench's own frames and one more follow them. None
            for all golden frames, or 8 without golden vectors, within a limit of some million cycles.
        own_frames: Send the bench's own frames too, in which every bit differs from every other.
        stall: Mean probability of a stall at every port in the random turns of the stalled run, in 1/256; 0
            for no stalls at all.
        seed: Of the stalls, and of the random frames if there are no golden vectors.
        idle_limit: Cycles without activity after which the run ends as stuck; None to derive it from the time
            of the first frame.
        timeout: Seconds of wall time for the whole run; None for no limit while it progresses.
        control: Check the status registers.
        walk: Write and read back the weight memories: ``none``, ``sample`` (large ones in part) or ``full``;
            True is ``sample``.
        weights: Folder with ``<node>/<region>.dat`` that the board's loader loads after every memory has been
            filled with noise; empty for none.
        stalled: Run the streams with random back-pressure.
        full_rate: Run the streams without back-pressure.
        xpm: Folder of Vivado's XPM sources (``<Vivado>/data/ip/xpm``), used instead of shellgen's models.
        inject: A fault.
        reset_node: Node that is reset in mid-frame, by CONTROL and by its pin; empty for none.
        absent: Replica without whose turns frames are sent, as many as asked for; empty: one of each stage.
        settings: ``<node>.<parameter>=<value>``, ``<link>.<parameter>=<value>``, or ``<name>=<value>`` for a
            value that bring-up steps refer to: see `choose_settings`.
        waves: Time to dump: ``window`` around the first fault, ``all``, ``START:END`` in cycles, or nothing.
        wave_format: ``fst`` or ``vcd``; None for FST if the simulator supports it.
        edited: Simulate although files differ from the generated ones.
    """

    frames: int | None = None
    own_frames: bool = True
    stall: int = 64
    seed: int = 1
    idle_limit: int | None = None
    timeout: float | None = None
    control: bool = True
    walk: bool | Walk = "sample"
    weights: str = ""
    stalled: bool = True
    full_rate: bool = True
    xpm: str = ""
    inject: Injection = field(default_factory=Injection)
    settings: tuple[str, ...] = ()
    reset_node: str = ""
    absent: str = ""
    waves: str = ""
    wave_format: WaveFormat | None = None
    edited: bool = False

    @property
    def extent(self) -> Walk:
        """`walk` by name."""
        return self.walk if isinstance(self.walk, str) else "sample" if self.walk else "none"


@dataclass(frozen=True)
class RunVectors:
    """Expected results.

    Attributes:
        folder: Where they lie.
        files: Their names, ``golden_<boundary>.npy``.
        frames: Of each.
        note: Where they are from, or why there are none.
        of_build: They are of the build's own weights.
    """

    folder: str
    files: tuple[str, ...]
    frames: int
    note: str
    of_build: bool


@dataclass(frozen=True)
class RunOptions:
    """``options.json``: what was asked for, and what follows from it for this folder.

    Attributes:
        asked: What was asked for.
        golden: Expected results.
        inputs: Value of each input of the bench's top that a user can set, by port.
        values: What the links need before the first frame, by name.
        deadline: End of `timeout`, in seconds of the monotonic clock; None without.
    """

    asked: SimulateOptions
    golden: RunVectors
    inputs: dict[str, int]
    values: dict[str, int]
    deadline: float | None = None

    def record(self) -> dict[str, Any]:
        """Return the JSON document for the bench: one table, which ``sim/bench_records.py`` reads."""
        return asdict(self.asked) | {
            "walk": self.asked.extent,
            "golden": asdict(self.golden),
            "inputs": self.inputs,
            "values": self.values,
            "deadline": self.deadline,
        }


def _wrong_weights(folder: Path) -> str:
    """Return why the loader will find nothing in a folder, before a model is built for minutes; else ''."""
    if not folder.is_dir():
        return "no such folder"
    files = ("*.dat", "*/*.dat", "golden/golden.json")
    return "" if any(any(folder.glob(file)) for file in files) else "no packed weights are in it"


def check_options(options: SimulateOptions, labels: Path | None) -> None:
    """Raise InputError for every option that is out of range."""
    problems = []
    if options.frames is not None and options.frames < MIN_FRAMES:
        found = "one frame does not show that frames follow each other"
        problems.append(Problem("simulate: --frames", found, f"Send at least {MIN_FRAMES}"))
    if not 0 <= options.stall <= 240:
        found = f"a stall chance of {options.stall}/256"
        problems.append(Problem("simulate: --stall", found, "Choose 0 to 240"))
    if options.weights and (found := _wrong_weights(Path(options.weights))):
        remedy = "Run `shellgen weights cluster.toml -o <folder>` and give that folder"
        problems.append(Problem(f"simulate: --weights {options.weights}", found, remedy))
    if options.idle_limit is not None and options.idle_limit < 1:
        found = f"a limit of {options.idle_limit} cycles"
        problems.append(Problem("simulate: --idle-limit", found, "Choose 1 or more"))
    if options.timeout is not None and not options.timeout > 0:
        problems.append(Problem("simulate: --timeout", f"{options.timeout:g} s", "Give some time"))
    if options.waves:
        try:
            parse_span(options.waves)
        except ValueError as error:
            remedy = "Give --waves after the folder, alone or with one of these"
            problems.append(Problem(f"simulate: --waves {options.waves}", str(error), remedy))
    if options.seed < 0:
        problems.append(Problem("simulate: --seed", f"got {options.seed}", "Choose 0 or more"))
    if labels is not None:
        try:
            read_labels(labels, f"{labels}: --labels")
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(*problems)
