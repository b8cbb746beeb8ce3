# SPDX-License-Identifier: BSD-3-Clause
"""Run cocotb tests on a model, and believe only a results file that says that tests ran and passed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from shellgen.process.kept import Kept
from shellgen.simulate.build import Model
from shellgen.simulate.ending import ending, memory_remedy
from shellgen.simulate.environment import base_environment, search_path
from shellgen.simulate.results import (
    LOG,
    RESULTS,
    TestsFailedError,
    complaint,
    failure,
    read_results,
    refuse_memory_files,
)
from shellgen.simulate.tools import find_cocotb, find_icarus, find_verilator

POLL_SECONDS = 0.25


@dataclass(frozen=True)
class RunResult:
    """A run that passed.

    Attributes:
        tests: Names of the tests that ran, at least one.
        failures: Names of those that failed: none, since failures raise.
        seconds: Wall time.
        log: File with all that the simulator said.
    """

    tests: tuple[str, ...]
    failures: tuple[str, ...]
    seconds: float
    log: Path


def run_model(  # noqa: PLR0913 - what a run needs, the rest by keyword
    model: Model,
    test_module: str,
    python_path: Sequence[Path],
    run_dir: Path,
    *,
    plusargs: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    seed: int = 1,
    timeout_s: float = 600.0,
    meanwhile: Callable[[], str] | None = None,
    held: Sequence[int] = (),
) -> RunResult:
    """Run all tests of a cocotb module.

    Args:
        model: From `build_model`.
        test_module: Module name, or several joined by commas.
        python_path: Folders put before the present module path.
        run_dir: Working directory of the simulator; made if need be. The model's data files are copied there.
        plusargs: ``+name=value``.
        env: Further environment variables.
        seed: Of cocotb's random generator.
        timeout_s: Wall time after which the simulator is killed; ignored if `meanwhile` is given.
        meanwhile: Called some times a second while the simulator runs. A sentence that it returns ends the
            run and says why; an empty one lets it go on.
        held: Descriptors of locks, which stay locked as long as anything of the simulator is alive.

    Raises:
        SimulationError: A test failed, no test ran, there are no results, the time was up, a memory file was
            missing, or the HDL reported an error.
    """
    results, log = run_dir / RESULTS, run_dir / LOG
    began = time.perf_counter()
    ended = _start(
        model,
        test_module,
        python_path,
        run_dir,
        plusargs,
        env or {},
        seed,
        meanwhile or _patience(timeout_s),
        held=held,
    )
    seconds = time.perf_counter() - began
    text = log.read_text(errors="replace")
    refuse_memory_files(log, text)
    error = complaint(text)
    said = f"; the HDL said: {error}" if error else ""
    if isinstance(ended, str):
        raise failure(log, f"{ended}{said}", "Read this log")
    if ended < 0 and not results.exists():
        raise failure(log, f"the simulator did not finish: {ending(ended)}{said}", memory_remedy(ended))
    tests, failures = read_results(results, log, said)
    if failures:
        raise TestsFailedError(log, tests, failures, said)
    if not tests:
        raise failure(log, f"{test_module} ran no test", "A bench without tests proves nothing; add one")
    if ended or error:
        raise failure(log, f"the tests passed, but the simulator ended with {ended}{said}", "Read this log")
    return RunResult(tests, (), seconds, log)


def replay(  # noqa: PLR0913 - what the first run had, and what for
    model: Model,
    test_module: str,
    python_path: Sequence[Path],
    run_dir: Path,
    plusargs: Sequence[str],
    meanwhile: Callable[[], str],
    waves: str,
    *,
    seed: int = 1,
    tests: Sequence[str] = (),
    held: Sequence[int] = (),
) -> None:
    """Repeat a run for what it dumps or finds on its way; nothing is believed of its results.

    Args:
        model: For waves.
        test_module: As in `run_model`.
        python_path: As well.
        run_dir: A folder of its own.
        plusargs: They say what for.
        meanwhile: As in `run_model`.
        waves: Format of the dump; a Verilator model has its own.
        seed: As in `run_model`.
        tests: Those to be repeated; all if empty.
        held: As in `run_model`.

    Raises:
        SimulationError: A memory file was missing.
    """
    only = {"COCOTB_TEST_FILTER": rf"\.({'|'.join(tests)})$"} if tests else {}
    _start(model, test_module, python_path, run_dir, plusargs, only, seed, meanwhile, waves, held)
    log = run_dir / LOG
    refuse_memory_files(log, log.read_text(errors="replace"))


def _start(  # noqa: PLR0913 - internal
    model: Model,
    test_module: str,
    python_path: Sequence[Path],
    run_dir: Path,
    plusargs: Sequence[str],
    env: Mapping[str, str],
    seed: int,
    meanwhile: Callable[[], str],
    waves: str = "none",
    held: Sequence[int] = (),
) -> int | str:
    """Run to the end; return the exit code, or why the run was ended."""
    run_dir.mkdir(parents=True, exist_ok=True)
    for file in model.data_files:
        shutil.copyfile(file, run_dir / file.name)
    results = run_dir / RESULTS
    results.unlink(missing_ok=True)
    variables = _environment(model, test_module, python_path, run_dir) | {
        "COCOTB_RESULTS_FILE": str(results.resolve()),
        "COCOTB_RANDOM_SEED": str(seed),
        **env,
    }
    return _execute([*_command(model, waves), *plusargs], run_dir, variables, meanwhile, held)


def _command(model: Model, waves: str) -> list[str]:
    if model.simulator == "verilator":
        return [str(model.program)]
    icarus, cocotb = find_icarus(), find_cocotb()
    return [
        str(icarus.runtime),
        "-n",
        "-m",
        str(cocotb.icarus_module),
        str(model.program),
        f"-{waves}",
    ]


def _environment(
    model: Model, test_module: str, python_path: Sequence[Path], run_dir: Path
) -> dict[str, str]:
    cocotb = find_cocotb()
    libraries = [cocotb.libraries, *(find_verilator().libraries if model.simulator == "verilator" else ())]
    return {
        **base_environment(),
        "PYTHONPATH": os.pathsep.join(search_path(python_path, run_dir)),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": cocotb.users,
        "LD_LIBRARY_PATH": os.pathsep.join(map(str, libraries)),
        "COCOTB_TOPLEVEL": model.top,
        "COCOTB_TEST_MODULES": test_module,
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_ANSI_OUTPUT": "0",
        # pytest's hook takes 8 MiB and a tenth of a second for asserts that say no more than the bench does.
        "COCOTB_REWRITE_ASSERTION_FILES": "",
        "OPENBLAS_NUM_THREADS": "1",  # numpy's threads would only take the simulators' cores
        # Whole recordings go back to the system as soon as they are compared.
        "MALLOC_MMAP_THRESHOLD_": "1000000",
        # As cocotb's own runner does for Verilator.
        "COCOTB_TRUST_INERTIAL_WRITES": "1" if model.simulator == "verilator" else "0",
    }


def _patience(seconds: float) -> Callable[[], str]:
    end = time.monotonic() + seconds
    return lambda: "" if time.monotonic() < end else f"it was still running after {seconds:g} s"


def _execute(
    command: Sequence[str],
    run_dir: Path,
    env: Mapping[str, str],
    meanwhile: Callable[[], str],
    held: Sequence[int],
) -> int | str:
    """Run to the end, all output to the log; return the exit code, or why the run was ended."""
    with (run_dir / LOG).open("wb") as log:
        process = Kept(command, run_dir, env, log, grace=0, held=held)
        try:
            while True:
                try:
                    return process.wait(POLL_SECONDS)
                except subprocess.TimeoutExpired:
                    if why := meanwhile():
                        return why
        finally:
            process.end()
            process.wait()
