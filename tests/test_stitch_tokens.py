# SPDX-License-Identifier: BSD-3-Clause
"""Random layers that FINN has in RTL since 1.6: its RTL on Verilator, word by word, against golden."""

from __future__ import annotations

import json
import sys
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

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "residual"))
from qonnx_export import Export

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


def test_an_export_with_parts_of_a_sequence(tmp_path: Path) -> None:
    """Pad, slice, several tokens and one of them: `stitch` compares FINN's layers with the export."""
    net = Export((1, 6, 8))
    x = net.relu(net.op("MatMul", net.quant("global_in", 1 / 8, 4, signed=True), net.weights(8, 8)))
    x = net.op("Pad", x, net.constant([0, 1, 0, 0, 2, 0], np.int64), net.constant(0.0))
    x = net.op("Slice", x, *(net.constant([index], np.int64) for index in (1, 8, 1)))
    x = net.op("Gather", x, net.constant([1, 2, 3, 4], np.int64), axis=1)
    x = net.op("Gather", x, net.constant(-2, np.int64), axis=1)
    path = net.save(net.op("MatMul", x, net.weights(8, 4)), (1, 4), tmp_path / "model.onnx")
    np.save(tmp_path / "in.npy", np.random.default_rng(0).normal(size=(3, 1, 6, 8)))
    said: list[str] = []
    stitch_model(path, None, tmp_path / "out", tmp_path / "in.npy", say=said.append)
    assert not [line for line in said if "differ" in line]
    (child,) = (tmp_path / "out").glob("*/*.onnx")
    kinds = [node.op for node in load_model(child).nodes]
    assert [kind for kind in kinds if kind in KINDS] == ["Pad1D", "Crop", "Crop", "Crop"]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kinds", "count", "seed"),
    [pytest.param(*given, id=name) for name, given in LAYERS.items()],
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
