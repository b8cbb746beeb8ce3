# SPDX-License-Identifier: BSD-3-Clause
"""Runs of whole clusters, kept as those of blocks are (`tools.blocks.verdicts`).

Kept is what the simulator leaves: the names of the tests that ran and what those that failed said, the
bench's findings, and the frames that came out. The present `shellgen.simulate` judges them every time. A run
is found again by all that it can depend on: every generated file but those that only a vendor's tool or a
browser reads, the HDL and flags of its model, its options with the fault that is injected, packed weights,
the code that builds and runs a model, and the versions of the tools. If any of it differs, the model is built
and run. Only tests marked ``recorded`` take runs from the record, and runs with waves, with a time limit or
that ended without results are not in it.
"""

from __future__ import annotations

import ast
import base64
import functools
import importlib.util
import json
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shellgen.cache import digest
from shellgen.simulate import build, run
from shellgen.simulate.build import Model, ModelSpec
from shellgen.simulate.results import LOG, TestsFailedError
from shellgen.simulate.run import RunResult
from shellgen.simulate.runtime import CPP
from tools.blocks import verdicts

# Files of a generated folder that no simulator and no bench reads; the manifest has a digest of these, too.
UNREAD = (".tcl", ".xdc", ".html", ".svg", ".md", "/manifest.json", ".lock", ".pyc")
TOOLS = {"verilator": ("verilator", "c++"), "icarus": ("icarus",)}
PACKAGES = ("cocotb", "cocotb-bus", "numpy")
FINDINGS, RESULT = "findings.json", "result.npy"
# Options with which a run depends on Vivado's sources or on the time, or leaves more than findings.
OUTSIDE = ("xpm", "waves", "timeout")
# The rooms of the code that builds and runs a model.
ROOMS = ("shellgen.simulate", "shellgen.process")


@dataclass(frozen=True)
class Unbuilt(Model):
    """A model that need not be built if its run is recorded as well.

    Attributes:
        content: Digest of its inputs.
        make: Builds it.
    """

    content: str
    make: Callable[[], Model]


@functools.cache
def runner() -> tuple[Path, ...]:
    """Return the code that builds and runs a model: `build`, `run`, and what they import of these rooms."""
    found: dict[str, Path] = {}
    pending = [build.__name__, run.__name__, __name__]
    while pending:
        name = pending.pop()
        spec = importlib.util.find_spec(name)
        if name in found or spec is None or not spec.origin:
            continue
        found[name] = Path(spec.origin)
        pending += [one for one in _imported(found[name]) if one.startswith(ROOMS)]
    return (*sorted(found.values()), *sorted(CPP.iterdir()))


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (
                f"{node.module}.{name.name}" for name in node.names if _is_module(node.module, name.name)
            )
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def _is_module(package: str, name: str) -> bool:
    return package in ROOMS and importlib.util.find_spec(f"{package}.{name}") is not None


def model(spec: ModelSpec, simulator: str, make: Callable[[], Model]) -> Model:
    """Return the model of a cluster, unbuilt where the record of this test file knows one of its content."""
    if not verdicts.marked_module() or spec.waves:
        return make()
    content = digest([simulator, *spec.parts()])
    held = Unbuilt(
        simulator=simulator,  # type: ignore[arg-type]
        top=spec.top,
        program=Path(),
        data_files=tuple(path.resolve() for path in spec.data_files),
        was_cached=True,
        seconds=0.0,
        content=content,
        make=make,
    )
    if verdicts.knows(content[:16]):
        return held
    built = make()  # what is wrong with its sources is reported from here, as ever
    return Unbuilt(**{**vars(held), **vars(built), "make": lambda: built})


def ran(
    execute: Callable[..., RunResult],
    one: Model,
    test_module: str,
    python_path: Sequence[Path],
    run_dir: Path,
    **more: Any,
) -> RunResult:
    """Run a model, or write what its recorded run left.

    Args:
        execute: `shellgen.simulate.run.run_model`, with its arguments.
    """
    if not isinstance(one, Unbuilt):
        return execute(one, test_module, python_path, run_dir, **more)
    inputs = _inputs(one, test_module, run_dir)
    if inputs is None:
        return execute(one.make(), test_module, python_path, run_dir, **more)

    def made() -> verdicts.Outcome:
        try:
            tests, failed = execute(one.make(), test_module, python_path, run_dir, **more).tests, None
        except TestsFailedError as error:
            tests, failed = error.tests, {"failures": error.failures, "said": error.said}
        return 0, json.dumps(_left(run_dir, tests, failed))

    label = f"{run_dir.parents[1].name} {one.simulator} {one.content[:16]}"
    versions = {tool: verdicts.tool_version(tool) for tool in (*TOOLS[one.simulator], *PACKAGES)}
    versions["python"] = ".".join(platform.python_version_tuple()[:2])  # a run does not depend on fixes
    _, text = verdicts.kept_as(inputs, label, versions, made)
    left = json.loads(text)
    if left["findings"] is not None:
        (run_dir / FINDINGS).write_text(json.dumps(left["findings"], indent=1))
    if left["result"]:
        (run_dir / RESULT).write_bytes(base64.b85decode(left["result"]))
    log = run_dir / LOG
    if not log.exists():
        log.write_text("This run is recorded in tests/verdicts.\n")
    if left["failed"]:
        raise TestsFailedError(log, tuple(left["tests"]), left["failed"]["failures"], left["failed"]["said"])
    return RunResult(tuple(left["tests"]), (), 0.0, log)


def _left(run_dir: Path, tests: Sequence[str], failed: object) -> dict[str, object]:
    """Return what a run has left in its folder, and which of its tests failed, if any."""
    findings, result = run_dir / FINDINGS, run_dir / RESULT
    return {
        "tests": list(tests),
        "failed": failed,
        "findings": json.loads(findings.read_text()) if findings.exists() else None,
        "result": base64.b85encode(result.read_bytes()).decode() if result.exists() else "",
    }


def _inputs(one: Unbuilt, test_module: str, run_dir: Path) -> list[object] | None:
    """Return all that decides a run; None if something else does as well."""
    out = run_dir.parents[1]
    text = (run_dir / "options.json").read_text()
    asked = json.loads(text)
    if any(asked[name] for name in OUTSIDE):
        return None
    for folder, name in ((str(out.resolve()), "."), (str(out), "."), (asked["weights"], "weights")):
        text = text.replace(folder, name) if folder else text
    loaded = folder_digests(Path(asked["weights"])) if asked["weights"] else []
    names = [file.name for file in one.data_files]
    code = [(file.name, verdicts.file_digest(file)) for file in (*runner(), *one.data_files)]
    return [one.simulator, one.content, test_module, text, names, code, folder_digests(out), loaded]


def folder_digests(out: Path) -> list[tuple[str, str]]:
    """Return the path and digest of every file of a generated folder that a run can depend on."""
    return [
        (name, verdicts.file_digest(path))
        for path in sorted(out.rglob("*"))
        if path.is_file() and _is_read(name := path.relative_to(out).as_posix())
    ]


def _is_read(name: str) -> bool:
    return not f"/{name}".endswith(UNREAD) and not name.startswith(
        ("bench/run_verilator/", "bench/run_icarus/")
    )
