# SPDX-License-Identifier: BSD-3-Clause
"""The examples whose cluster is not a chain, with FINN's RTL, and what the README of the branches claims."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from cluster_bench import report_text

from shellgen.api import generate
from shellgen.demo import demo
from shellgen.model.bench_report import RunReport
from shellgen.reference import execute
from shellgen.simulate.cluster import SimulateOptions, simulate

EXAMPLES = Path(__file__).parents[1] / "examples"
BRANCHES = EXAMPLES / "branches"


def test_the_stated_accuracy_is_that_of_the_committed_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES / "digits"))
    network = importlib.import_module("network")
    _, _, images, labels = network.load_split()
    del sys.modules["network"]
    found = [np.asarray(execute(BRANCHES / f"branch_{index}.onnx", images)) for index in (0, 1)]
    logits = np.asarray(execute(BRANCHES / "head.onnx", np.concatenate(found, axis=-1)))
    correct = int((logits.reshape(len(labels), -1).argmax(axis=1) == labels).sum())
    facts = json.loads((BRANCHES / "branches.json").read_text())
    assert facts == {"test_images": len(labels), "test_correct": correct}
    said = f"{correct} of {len(labels)}, {correct / len(labels):.2%}".replace("%", " %")
    assert said in (BRANCHES / "README.md").read_text()


@pytest.mark.finn
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "right"),
    [("out-of-order", 0.85), ("replicas", 0.85), ("branches", 0.974), ("loop", 0.98), ("mixed", 0.98)],
)
def test_an_example_is_bit_exact(
    name: Literal["out-of-order", "replicas", "branches", "loop", "mixed"], right: float, tmp_path: Path
) -> None:
    """Bit-exact and as accurate as stated: `make demo-out-of-order` and the like."""
    report: dict[str, Any] = demo(tmp_path, 2, "verilator", reference=False, example=name).document()
    assert report["passed"], report_text(report)
    assert report["accuracy"] >= right


ALONE = """name = "alone"
build = "build/branch_0"

[[node]]
name = "left"
board = "pynq-z1"
partitions = [0]

[verify]
input = "build/branch_0/input.npy"
output = "build/branch_0/output.npy"
"""


@pytest.mark.finn
@pytest.mark.sweep
def test_two_branches_are_as_fast_as_one_alone(tmp_path: Path) -> None:
    """At least 0.98 of the frames/s: neither fork nor join costs a cycle between frames."""
    both = demo(tmp_path, 2, "verilator", reference=False, example="branches")
    cluster = tmp_path / "alone.toml"
    cluster.write_text(ALONE)
    generate(cluster, tmp_path / "alone")
    one = simulate(tmp_path / "alone", "verilator", SimulateOptions())
    assert one.passed
    assert rate(both) / rate(one) >= 0.98


def rate(report: RunReport) -> float:
    """Frames per cycle after the first, in the run without stalls."""
    full = report.full_rate
    assert full
    return (full.timed - full.epoch) / (full.cycles - full.first)
