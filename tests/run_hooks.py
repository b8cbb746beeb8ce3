# SPDX-License-Identifier: BSD-3-Clause
"""For all tests: short simulations are compiled without optimisation, and runs of simulators are counted.

Runs of tests that passed are recorded if that is asked for: see tools/blocks/verdicts.py.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from shellgen import loaded, resumed
from shellgen.cli import once
from shellgen.rehearse import core_library, node_program
from shellgen.simulate import cluster
from shellgen.simulate.build import Model, ModelSpec, build_model
from shellgen.simulate.run import RunResult, run_model
from shellgen.simulate.tools import Simulator
from tools.blocks import cluster_runs, verdicts

COUNTS = ("kept", "ran")
_optimised = False
# What shellgen-node and its cores are compiled with.
PROGRAMS = ((node_program, node_program.FLAGS), (core_library, core_library.FLAGS))


def _build(spec: ModelSpec, simulator: Simulator, *more: Any) -> Model:
    """Build a model without optimisation, which would take longer than a short run saves by it."""
    spec = spec if _optimised else replace(spec, cxx_flags=("-O0", *spec.cxx_flags))
    return cluster_runs.model(spec, simulator, lambda: build_model(spec, simulator, *more))


def _run(*given: Any, **named: Any) -> RunResult:
    return cluster_runs.ran(run_model, *given, **named)


@pytest.fixture(scope="session", autouse=True)
def short_compilations() -> Generator[None, None, None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "build_model", _build)
        patch.setattr(cluster, "run_model", _run)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_report_of_another_session(tmp_path_factory: pytest.TempPathFactory) -> Generator[None, None, None]:
    """A test of `make` or `demo` must simulate, whatever ran on this machine before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resumed, "reports_folder", lambda: tmp_path_factory.getbasetemp() / "reports")
        yield


@pytest.fixture(scope="session", autouse=True)
def no_kept_plan() -> Generator[None, None, None]:
    """A test may replace parts of shellgen, and then the plan of the same files is another one."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (loaded, once):
            patch.setattr(module, "find", lambda *_, **__: None)
            patch.setattr(module, "keep", lambda *_: None)
        patch.setattr(loaded, "partitions_key", lambda: "")
        yield


@pytest.fixture(scope="session", autouse=True)
def no_translations() -> Generator[None, None, None]:
    """Two thousand tests make the parser of all commands; half of it is argparse looking for translations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse, "_", str)
        yield


def pytest_collection_finish() -> None:
    """Five thousand tests stay to the end: the garbage collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    global _optimised  # noqa: PLW0603 - module fixtures, too, build for the test that needs them first
    verdicts.begin(item)
    _optimised = any(item.get_closest_marker(name) for name in ("optimised", "sweep"))
    for module, flags in PROGRAMS:
        vars(module)["FLAGS"] = flags if _optimised else (*flags, "-O0")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        verdicts.discard()
    elif call.when == "teardown":
        counts = verdicts.finish(item.nodeid)
        report.user_properties += [(f"runs {name}", n) for name, n in zip(COUNTS, counts, strict=True) if n]
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many runs of simulators were not made."""
    total = dict.fromkeys(COUNTS, 0)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "teardown":
                for name, count in report.user_properties:
                    total[name.removeprefix("runs ")] += count
    if any(total.values()):
        terminalreporter.write_line(
            f"simulator runs: {total['kept']} as recorded in tests/verdicts, {total['ran']} made"
        )
