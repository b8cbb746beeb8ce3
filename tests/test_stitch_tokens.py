# SPDX-License-Identifier: BSD-3-Clause
"""Random layers that FINN has in RTL since 1.6: its RTL on Verilator, word by word, against golden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from stitched_rtl import Case, Side, build_bench, run_bench, words
from token_layers import KINDS, write_layers

from shellgen.golden import execute
from shellgen.model import ElementType
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.stitch import stitch_model

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]
FRAMES = 5
CYCLES = 12_000  # several times what the largest takes, so that words too many are seen
LAYERS = {
    "all of them": (list(KINDS), 2, 3),
    **{kind: ([kind], 20, 4) for kind in KINDS},
}


def case(folder: Path, rng: np.random.Generator) -> Case:
    """A partition, random frames, and what the executor makes of them.

    Padding on the left comes before a frame does, so that of one frame more is seen.
    """
    model = load_model(folder / f"{folder.name}.onnx")
    given = {}
    for name in model.inputs:
        tensor = model.tensor(name)
        element = ElementType.parse(tensor.datatype or "")
        given[name] = rng.integers(element.low, element.high + 1, (FRAMES, *(tensor.shape or ())))
    ((output, wanted),) = execute(model, given).outputs.items()
    early = sum((node.integer("PadLeft") or 0) * (node.integer("NumChannels") or 0) for node in model.nodes)
    wanted = np.append(wanted.reshape(-1), wanted[0].reshape(-1)[:early])
    sides = [side(model, name, values) for name, values in given.items()]
    return Case(folder.name, folder, tuple(sides), side(model, output, wanted))


def side(model: FinnModel, tensor: str, values: np.ndarray) -> Side:
    fifo = next(node for node in model.nodes if tensor in (*node.inputs, *node.outputs))
    lanes = (fifo.integers("folded_shape") or ())[-1]
    return words(values, lanes, ElementType.parse(model.tensor(tensor).datatype or "").bits)


@pytest.mark.parametrize(
    ("kinds", "count", "seed"),
    [
        pytest.param(*given, id=name, marks=[pytest.mark.sweep] * (given[1] > 2))
        for name, given in LAYERS.items()
    ],
)
def test_layers_of_random_shape_are_bit_exact(
    kinds: list[str], count: int, seed: int, tmp_path: Path
) -> None:
    names = write_layers(tmp_path / "model.onnx", kinds, count, seed)
    config: dict[str, Any] = {"part": "xc7z020clg484-1", "cut_before": names[1:]}
    (tmp_path / "folding.json").write_text(json.dumps(config))
    partitions = stitch_model(tmp_path / "model.onnx", tmp_path / "folding.json", tmp_path / "build")
    assert len(partitions) == len(names)
    rng = np.random.default_rng(seed)
    cases = [case(tmp_path / "build" / name, rng) for name in partitions]
    build_bench(cases, tmp_path / "bench")
    wanted = {one.name: (len(one.wanted.words), 0) for one in cases}
    assert run_bench(cases, tmp_path / "bench", CYCLES) == wanted
    last = cases[-1].wanted.words
    last[-1] = f"{int(last[-1], 16) ^ 1:x}"
    assert run_bench(cases, tmp_path / "bench", CYCLES)[cases[-1].name] == (len(last), 1)
