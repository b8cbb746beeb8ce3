# SPDX-License-Identifier: BSD-3-Clause
"""Build and run the bench of a generated folder, and gather what it found."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shellgen.errors import InputError, Problem, SimulationError
from shellgen.simulate.build import build_model
from shellgen.simulate.run import run_model
from shellgen.simulate.tools import Simulator, find_cocotb

MIN_FRAMES = 4
_UNPACKED = re.compile(r"\bstruct\s*\{")


@dataclass(frozen=True)
class Injection:
    """One deliberate fault, to prove that the bench sees it.

    Attributes:
        boundary: Index of the boundary.
        kind: 0 none, 1 flip a bit, 2 drop a beat, 3 send it twice, 4 swap it with the next.
        beat: Index of the link beat.
    """

    boundary: int = 0
    kind: int = 0
    beat: int = 0


@dataclass(frozen=True)
class SimulateOptions:
    """What to run.

    Attributes:
        frames: Frames to send, at least 4, back to back.
        stall: Chance of a stall at every port in the stalled run, in 1/256.
        seed: Of the random frames, where there are no golden vectors.
        idle_limit: Cycles of silence after which the system counts as stuck.
        control: Check the status registers.
        walk: Write and read back every weight memory.
        weights: Folder with ``<node>/<region>.dat`` that the board's loader loads after every memory has been
            filled with noise; empty for none.
        stalled: Run the streams with random back-pressure.
        full_rate: Run the streams without.
        inject: A fault.
    """

    frames: int = 8
    stall: int = 64
    seed: int = 1
    idle_limit: int = 50_000
    control: bool = True
    walk: bool = True
    weights: str = ""
    stalled: bool = True
    full_rate: bool = True
    inject: Injection = field(default_factory=Injection)


def simulate(
    out: Path,
    simulator: Simulator,
    options: SimulateOptions | None = None,
    labels: Path | None = None,
    cache_dir: Path | None = None,
) -> dict[str, Any]:
    """Prove that every stream of a generated cluster crosses every boundary bit-exactly.

    Args:
        out: Folder that `shellgen generate` wrote.
        simulator: ``verilator`` or ``icarus``.
        options: What to run.
        labels: ``.npy`` of class labels, one per golden frame, to report the accuracy.
        cache_dir: Where models are kept; the user's cache by default.

    Returns:
        The report: ``passed``, ``problem`` (an empty string when passed), and per section what was seen.

    Raises:
        InputError: ``out`` was not written by shellgen, or an option is out of range.
        ToolMissingError: The simulator, cocotb or a compiler is not installed.
        SimulationError: The model cannot be built, or nothing was run.
    """
    options = options or SimulateOptions()
    bench = _read_bench(out)
    _check(options, labels)
    find_cocotb()  # before a build that may take a minute
    sources = bench["sources"]
    room = (f"BENCH_FRAMES={options.frames}",) if options.frames > bench["frames"] else ()
    model = build_model(
        [out / name for name in sources["ours"]],
        "bench_top",
        simulator,
        cache_dir,
        third_party=[out / name for name in sources["partition"]],
        data_files=[out / name for name in bench["data"]],
        include_dirs=[out / name for name in sources["include_dirs"]],
        defines=room,
        extra_flags=_verilator_flags([out / name for name in sources["partition"]], simulator),
    )
    run_dir = out / "bench" / f"run_{simulator}"
    shutil.rmtree(run_dir, ignore_errors=True)
    run_dir.mkdir(parents=True)
    (run_dir / "options.json").write_text(json.dumps(asdict(options), indent=1))
    problem = ""
    try:
        result = run_model(model, "test_cluster", [out / "bench"], run_dir)
        ran, seconds = len(result.tests), result.seconds
    except SimulationError as error:
        problem = str(error)
        ran, seconds = 0, 0.0
    report_file = run_dir / "report.json"
    found = json.loads(report_file.read_text()) if report_file.exists() else {}
    report = {
        "passed": not problem,
        "problem": problem,
        "simulator": simulator,
        "tests": ran,
        "seconds": seconds,
        "built_in": 0.0 if model.was_cached else model.seconds,
        "frames": options.frames,
        "clock_hz": bench["clock_hz"],
        "golden": bench.get("golden_note", ""),
        "accuracy": _accuracy(run_dir, labels, options.frames),
        **found,
    }
    report_file.write_text(json.dumps(report, indent=1))
    return report


def _verilator_flags(partition: list[Path], simulator: Simulator) -> tuple[str, ...]:
    """Flatten where a partition has unpacked structs.

    Verilator 5.48 declares such a struct once for each of two modules that share it, and the C++ does not
    compile; flattening avoids that at up to twice the build time.
    """
    if simulator == "verilator" and any(
        _UNPACKED.search(path.read_text(errors="replace")) for path in partition
    ):
        return ("--flatten",)
    return ()


def _read_bench(out: Path) -> dict[str, Any]:
    path = out / "bench" / "bench.json"
    try:
        bench: dict[str, Any] = json.loads(path.read_text())
    except OSError:
        remedy = "Run `shellgen generate cluster.toml -o <folder>` first and give that folder"
        raise InputError(Problem(str(path), "the file is missing", remedy)) from None
    except ValueError:
        raise InputError(Problem(str(path), "it is not JSON", "Generate the folder again")) from None
    if not isinstance(bench, dict) or not {"sources", "data", "frames", "clock_hz"} <= set(bench):
        raise InputError(Problem(str(path), "it is not ours", "Generate the folder again"))
    sources = bench["sources"]
    weights = [entry["weights"] for entry in bench.get("boundaries", ()) if entry.get("weights")]
    needed = [out / name for name in (*sources["ours"], *sources["partition"], *bench["data"], *weights)]
    gone = [
        Problem(str(p), "the file is missing", "Generate the folder again") for p in needed if not p.exists()
    ]
    if gone:
        raise InputError(*gone)
    return bench


def _check(options: SimulateOptions, labels: Path | None) -> None:
    problems = []
    if options.frames < MIN_FRAMES:
        found = f"{options.frames} frames do not show that frames follow each other"
        problems.append(Problem("simulate: --frames", found, f"Send at least {MIN_FRAMES}"))
    if not 0 <= options.stall <= 240:
        found = f"a stall chance of {options.stall}/256"
        problems.append(Problem("simulate: --stall", found, "Choose 0 to 240"))
    if options.weights and not Path(options.weights).is_dir():
        remedy = "Run `shellgen weights cluster.toml -o <folder>` and give that folder"
        problems.append(Problem(f"simulate: --weights {options.weights}", "no such folder", remedy))
    if options.idle_limit < 1:
        found = f"a limit of {options.idle_limit} cycles"
        problems.append(Problem("simulate: --idle-limit", found, "Choose 1 or more"))
    if options.seed < 0:
        problems.append(Problem("simulate: --seed", f"got {options.seed}", "Choose 0 or more"))
    if labels is not None:
        try:
            known = np.load(labels, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            known = None
        if not isinstance(known, np.ndarray) or known.ndim != 1 or not known.size:
            found = "it is not a .npy file of one label for each frame"
            problems.append(Problem(f"{labels}: --labels", found, "Write it with numpy.save"))
    if problems:
        raise InputError(*problems)


def _accuracy(run_dir: Path, labels: Path | None, frames: int) -> float | None:
    """Share of frames whose largest output is the label; ties go to the lowest class."""
    result = run_dir / "result.npy"
    if labels is None or not result.exists():
        return None
    wanted = np.load(labels)
    scores = np.load(result)
    if scores.size % frames:
        return None
    got = scores.reshape(frames, -1).argmax(axis=1)
    return float(np.mean(got == wanted[np.arange(frames) % len(wanted)]))
