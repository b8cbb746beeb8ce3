# SPDX-License-Identifier: BSD-3-Clause
"""The memory files that we make from an ONNX are those that FINN's own generator writes, byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from read.build_fixture import make_model, node, save

from shellgen import stitch
from shellgen.read.finn_onnx import FinnModel, load_model
from shellgen.read.initial import memblock, threshold_files, words_of
from shellgen.read.memory import memory_of
from shellgen.read.weights import runtime_registers
from shellgen.stitch.environment import ensure_finn_env

pytestmark = [pytest.mark.finn, pytest.mark.xdist_group("stitch_finn")]

FINN_WRITES = """
import json, sys
from pathlib import Path
from finn_worker.stand_ins import stand_in
stand_in()
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp
from finn_worker.describe import describe_axilite
for folder in map(Path, sys.argv[1:]):
    model = ModelWrapper(str(folder / "layer.onnx"))
    layer = getCustomOp(model.graph.node[0])
    layer.set_nodeattr("code_gen_dir_ipgen", str(folder))
    layer.generate_params(model, str(folder))
    values = model.get_initializer(model.graph.node[0].input[1])
    if model.graph.node[0].op_type == "Thresholding_rtl":
        keys = layer.prepare_codegen_rtl_values(model)
        values_of = {key.strip("$"): lines[0] for key, lines in keys.items()}
        (folder / "rtl.json").write_text(json.dumps(values_of))
    layer.make_weight_file(values, "decoupled_runtime", str(folder / "runtime.dat"))
    described = describe_axilite(model, model.graph.node[0])
    (folder / "axilite.json").write_text(json.dumps(described))
"""


def weights(op: str, datatype: str, sizes: tuple[int, int], fold: tuple[int, int], **more: object) -> Any:
    """Sizes are (MW, MH), and the fold is (PE, SIMD)."""
    low, high = (0, 2) if datatype[0] == "B" else _range(datatype)
    values = np.random.default_rng(sum(sizes)).integers(low, high, sizes)
    values = 2 * values - 1 if datatype == "BIPOLAR" else values
    more = {"mem_mode": "internal_decoupled", "noActivation": 1, "inputDataType": "INT4"} | more
    more |= {"outputDataType": "INT32", "weightDataType": datatype, "PE": fold[0], "SIMD": fold[1]}
    return op, values, {"MW": sizes[0], "MH": sizes[1]} | more


def depthwise(op: str, datatype: str, channels: int, fold: tuple[int, int]) -> Any:
    op, values, more = weights(op, datatype, (9, channels), fold)
    del more["MW"], more["MH"]
    more |= {"Dim": [4, 4], "Kernel": [3, 3], "Channels": channels}
    return op, values.T.reshape(channels, 1, 3, 3), more


def thresholds(op: str, datatype: str, shape: tuple[int, int], channels: int, **more: object) -> Any:
    low, high = _range(datatype)
    values = np.sort(np.random.default_rng(channels).integers(low, high, shape), axis=1)
    signed = "INT9" if datatype.startswith("INT") else "UINT9"
    more = {"NumChannels": channels, "numSteps": shape[1], "inputDataType": signed, "ActVal": 0} | more
    more |= {"weightDataType": datatype, "numInputVectors": [1], "runtime_writeable_weights": 1}
    return op, values, {"mem_mode": "internal_decoupled"} | more if op.endswith("_hls") else more


def _range(datatype: str) -> tuple[int, int]:
    bits = int(datatype.lstrip("UINT"))
    return (-(1 << bits - 1), 1 << bits - 1) if datatype[0] == "I" else (0, 1 << bits)


LAYERS = {
    "rtl": weights("MVAU_rtl", "INT4", (12, 6), (3, 4)),
    "odd": weights("MVAU_rtl", "INT3", (15, 7), (7, 5)),
    "wide": weights("MVAU_rtl", "INT8", (64, 64), (16, 32)),
    "hls": weights("MVAU_hls", "INT5", (9, 4), (2, 3)),
    "bipolar": weights("MVAU_hls", "BIPOLAR", (10, 6), (3, 5)),
    "xnor": weights("MVAU_hls", "BINARY", (16, 8), (4, 16), binaryXnorMode=1, inputDataType="BINARY"),
    "unsigned": weights("MVAU_hls", "UINT2", (6, 6), (1, 1)),
    "pumped": weights("MVAU_rtl", "INT4", (16, 8), (2, 4), pumpedMemory=1),
    "pumped_odd": weights("MVAU_rtl", "INT4", (9, 6), (3, 3), pumpedMemory=1),
    "pumped_three": weights("MVAU_rtl", "INT3", (12, 6), (1, 3), pumpedMemory=1),
    "ultra": weights("MVAU_rtl", "INT4", (12, 6), (3, 4), ram_style="ultra", runtime_writeable_weights=1),
    "depthwise": depthwise("VVAU_rtl", "INT4", 6, (3, 9)),
    "depthwise_hls": depthwise("VVAU_hls", "INT4", 6, (3, 3)),
    "depthwise_one": depthwise("VVAU_hls", "INT3", 5, (5, 1)),
    "thresholds": thresholds("Thresholding_hls", "INT9", (6, 3), 6, PE=2, outputDataType="UINT2"),
    "thresholds_all": thresholds("Thresholding_hls", "INT7", (1, 15), 6, PE=3, outputDataType="UINT4"),
    "tree": thresholds("Thresholding_rtl", "INT9", (8, 15), 8, PE=2, outputDataType="UINT4"),
    "tree_unsigned": thresholds("Thresholding_rtl", "UINT9", (6, 7), 6, PE=3, outputDataType="UINT3"),
    "tree_odd": thresholds("Thresholding_rtl", "INT6", (10, 3), 10, PE=5, outputDataType="UINT2"),
    "tree_all": thresholds("Thresholding_rtl", "INT9", (1, 15), 8, PE=2, outputDataType="UINT4"),
    "tree_narrow": thresholds("Thresholding_rtl", "INT9", (4, 14), 4, PE=1, outputDataType="INT4", ActVal=-7),
    "tree_one": thresholds("Thresholding_rtl", "INT9", (3, 1), 3, PE=3, outputDataType="BIPOLAR", ActVal=-1),
}


def write(root: Path, layers: dict[str, Any]) -> Path:
    """Make a folder for each layer with its ONNX and the files that FINN writes for it."""
    for name, (op, values, attributes) in layers.items():
        made = node(op, ["x", "w"], ["y"], name=f"{op}_0", **attributes)
        made.domain = "finn.custom_op.fpgadataflow." + op.rsplit("_", 1)[1]
        model = make_model([made], {"x": (1, 4)}, {"y": (1, 4)}, initialisers={"w": values})
        save(model, root / name / "layer.onnx")
    command = [str(ensure_finn_env()), "-c", FINN_WRITES, *(str(root / name) for name in layers)]
    worker = {"PYTHONPATH": str(Path(stitch.__file__).parent), "FINN_BUILD_DIR": str(root)}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | worker)
    assert result.returncode == 0, result.stderr[-2000:]
    return root


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("initial"), LAYERS)


def layer(written: Path, name: str) -> tuple[FinnModel, str]:
    model = load_model(written / name / "layer.onnx")
    return model, model.nodes[0].name


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in LAYERS if not name.startswith("tree")])
def test_weight_memories(written: Path, name: str) -> None:
    model, own = layer(written, name)
    assert memblock(model, own) == (written / name / "memblock.dat").read_bytes()


@pytest.mark.parametrize("name", [name for name in LAYERS if name.startswith("tree")])
def test_threshold_trees(written: Path, name: str) -> None:
    model, own = layer(written, name)
    told = json.loads((written / name / "rtl.json").read_text())
    rtl = {key: int(value) for key, value in told.items() if value.lstrip("-").isdigit()}
    files = threshold_files(model, own, rtl | {"SETS": 1})
    assert files
    theirs = {path.name: path.read_bytes() for path in (written / name).glob("*_threshs_*.dat")}
    assert {f"{own}_{part}": content for part, content in files.items()} == theirs


@pytest.mark.parametrize("name", LAYERS)
def test_runtime_registers(written: Path, name: str) -> None:
    model, own = layer(written, name)
    memory = memory_of(model.nodes[0], model)
    assert memory
    ours = runtime_registers(model, memory)
    assert ours is not None
    theirs = [int(line, 16) for line in (written / name / "runtime.dat").read_text().split()]
    if name == "depthwise":
        # FINN writes the elements of a channel the wrong way round here; its memblock.dat is right.
        content = memblock(model, own)
        assert content
        assert ours != theirs
        words = [int(word, 16) for word in words_of(content)]
        theirs = [w >> 32 * lane & 0xFFFFFFFF for w in words for lane in range(memory.lanes)]
    assert ours == theirs


@pytest.mark.parametrize("name", ["tree_all", "tree_odd", "tree"])
def test_the_map_has_the_channels_that_finn_builds(written: Path, name: str) -> None:
    """One row of thresholds for all channels is built as PE channels."""
    model, _ = layer(written, name)
    memory = memory_of(model.nodes[0], model)
    told = json.loads((written / name / "rtl.json").read_text())
    assert memory
    folds = int(told["C"]) // int(told["PE"])
    assert memory.words == folds * memory.group_rows * memory.row_words
    assert memory.group_used == int(told["PE"])
    address = json.loads((written / name / "axilite.json").read_text())
    assert 1 << address["addr_bits"] == 4 * memory.words, "what stitch gives the slave"


def any_layer(random: np.random.Generator) -> Any:
    pe, simd, outer, inner = (int(number) for number in random.integers(1, 8, 4))
    bits = int(random.integers(2, 9))
    kind = random.choice(
        ["MVAU_rtl", "MVAU_hls", "VVAU_rtl", "VVAU_hls", "Thresholding_hls", "Thresholding_rtl"]
    )
    if kind.startswith("MVAU"):
        datatype = str(random.choice([f"INT{bits}", f"UINT{bits}", "BIPOLAR"]))
        pumped = int(pe * simd > 1 and random.integers(0, 2))
        return weights(kind, datatype, (simd * inner, pe * outer), (pe, simd), pumpedMemory=pumped)
    if kind.startswith("VVAU"):
        return depthwise(kind, f"INT{bits}", pe * outer, (pe, int(random.choice([1, 3, 9]))))
    result = int(random.integers(1, 4))
    rows, channels = int(random.choice([1, pe * outer])), pe * outer
    steps = (1 << result) - 1
    datatype = f"{random.choice(['INT', 'UINT'])}{bits + 1}"
    return thresholds(kind, datatype, (rows, steps), channels, PE=pe, outputDataType=f"UINT{result}")


@pytest.mark.sweep
def test_random_layers(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    layers = {f"layer_{number}": any_layer(random) for number in range(150)}
    write(tmp_path, layers)
    for name, (op, _, _) in layers.items():
        model, own = layer(tmp_path, name)
        if op == "Thresholding_rtl":
            files = {f"{own}_{part}": text for part, text in (threshold_files(model, own) or {}).items()}
            theirs = {path.name: path.read_bytes() for path in (tmp_path / name).glob("*_threshs_*.dat")}
            assert files == theirs != {}, layers[name]
        else:
            assert memblock(model, own) == (tmp_path / name / "memblock.dat").read_bytes(), layers[name]
