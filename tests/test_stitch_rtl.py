# SPDX-License-Identifier: BSD-3-Clause
"""FINN's own RTL, stitched by us: every partition on Verilator, word by word against numpy."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from digit_images import DIGITS, held_out
from onnx import numpy_helper
from stitched_rtl import Case, Side, build_bench, run_bench, words

from shellgen.simulate.tools import find_verilator
from shellgen.stitch import stitch_model

FRAMES = 6
CYCLES = 12_000  # four times what the slowest partition takes, so that words too many are seen
# Elements per word at each boundary, and bits of an element, as the folding files decide.
BOUNDARIES = {
    2: ((4, 4), (3, 4, 4), (1, 16)),
    6: ((8, 4), (1, 2, 4), (3, 4, 4), (2, 1, 4), (3, 3, 4), (6, 8, 4), (2, 16)),
}
CUTS = {2: (0, 3, 6), 6: (0, 1, 2, 3, 4, 5, 6)}


def values_at_cuts(model: Path, images: np.ndarray) -> list[np.ndarray]:
    """The integer network in numpy: what goes into stage 0 to 5, and what comes out at last."""
    initialisers = {
        tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(model).graph.initializer
    }
    found = [images.astype(np.int64)]
    for stage in range(6):
        sums = found[-1] @ initialisers[f"weights_{stage}"].astype(np.int64)
        if f"thresholds_{stage}" in initialisers:
            sums = (sums[:, :, None] >= initialisers[f"thresholds_{stage}"].astype(np.int64)).sum(axis=2)
        found.append(sums)
    return found


def lint(case: Case) -> None:
    """Everything that is ours passes -Wall without a waiver; the library's own style is the library's."""
    verilator = find_verilator()
    command = [str(verilator.binary), "--lint-only", "-Wall", "--top-module", f"{case.name}_wrapper"]
    run = subprocess.run(
        [*command, *case.sources], env=verilator.environment(), capture_output=True, text=True, check=False
    )
    own = (f"/{case.name}.v:", f"/{case.name}_wrapper.v:")
    assert not [line for line in run.stderr.splitlines() if any(name in line for name in own)]
    assert not re.findall(r"%Error(?!: Exiting due to \d+ warning)[^\n]*", run.stderr)


@pytest.mark.finn
@pytest.mark.xdist_group("stitch_finn")
def test_what_is_ours_has_no_warnings(tmp_path: Path) -> None:
    np.save(tmp_path / "images.npy", held_out()[:1])
    config = DIGITS / "folding_2.json"
    names = stitch_model(DIGITS / "digits.onnx", config, tmp_path / "build", tmp_path / "images.npy")
    assert len(names) == 2
    for name in names:
        lint(Case(name, tmp_path / "build" / name, (), Side([], 0)))


@pytest.mark.sweep
@pytest.mark.finn
@pytest.mark.xdist_group("stitch_finn")
@pytest.mark.parametrize("boards", [2, 6])
def test_partitions_are_bit_exact(boards: int, tmp_path: Path) -> None:
    images = held_out()[:FRAMES]
    np.save(tmp_path / "images.npy", images)
    config = DIGITS / f"folding_{boards}.json"
    names = stitch_model(DIGITS / "digits.onnx", config, tmp_path / "build", tmp_path / "images.npy")
    assert len(names) == boards
    values = values_at_cuts(DIGITS / "digits.onnx", images)
    assert np.array_equal(np.load(tmp_path / "build" / "output.npy").reshape(FRAMES, -1), values[-1])
    cases = []
    for index, name in enumerate(names):
        given, wanted = (values[CUTS[boards][index + side]] for side in (0, 1))
        taken, made = BOUNDARIES[boards][index], BOUNDARIES[boards][index + 1]
        inner = words(given, taken[-2], taken[-1]), words(wanted, made[0], made[-1])
        cases.append(Case(name, tmp_path / "build" / name, (inner[0],), inner[1]))
        lint(cases[-1])
    build_bench(cases, tmp_path / "bench")
    assert run_bench(cases, tmp_path / "bench", CYCLES) == {
        case.name: (len(case.wanted.words), 0) for case in cases
    }
    last = cases[-1].wanted.words
    last[-1] = f"{int(last[-1], 16) ^ 1:x}"
    assert run_bench(cases, tmp_path / "bench", CYCLES)[names[-1]] == (len(last), 1), (
        "the bench sees a flipped bit"
    )
