# SPDX-License-Identifier: BSD-3-Clause
"""A chain of reference partitions with external weights, and models from which FINN has moved them out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from shellgen.reference import (
    LayerFolding,
    ReferenceFolding,
    build_reference,
    execute,
    random_frames,
    synthetic_model,
)

VECTORS = 3
WIDTHS = (12, 8, 6, 4)
# Words of 12 weights (6 bytes), and of 3 (12 bits in 16 of TDATA).
FOLDING = ReferenceFolding(
    layers=(
        LayerFolding(pe=2, simd=4, threshold_pe=4, runtime_writeable=True),
        LayerFolding(pe=3, simd=4, threshold_pe=2, runtime_writeable=True, external=True),
        LayerFolding(pe=1, simd=3, external=True),
    )
)
CUTS = (0, 1, 1)
FRAMES = 4
WEIGHTS = ("s_axis_1", "s_axis_2")
PARTITION = "StreamingDataflowPartition_1"


def write_build(folder: Path, packing: str = "dense", verify: bool = True) -> Path:
    """Write a build with two external layers in its second partition, vectors and cluster.toml."""
    model = synthetic_model(WIDTHS, "INT4", "UINT3", vectors=VECTORS)
    build_reference(model, FOLDING, CUTS, folder / "build")
    given = random_frames("UINT3", VECTORS * WIDTHS[0], FRAMES)
    np.save(folder / "in.npy", given)
    np.save(folder / "out.npy", execute(model, given))
    lines = ['build = "build/parent.onnx"', f'packing = "{packing}"']
    for name, board, index in (("zed", "zedboard", 0), ("zcu", "zcu104", 1)):
        lines += ["[[node]]", f'name = "{name}"', f'board = "{board}"', f"partitions = [{index}]"]
    if verify:
        lines += ["[verify]", 'input = "in.npy"', 'output = "out.npy"']
    (folder / "cluster.toml").write_text("\n".join(lines) + "\n")
    return folder / "cluster.toml"


def move_out(build: Path) -> dict[str, np.ndarray]:
    """Make graph inputs of the external weights, as ExternalizeParams does; return them by port, (MW, MH)."""
    child, parent = onnx.load(build / "partition_1.onnx"), onnx.load(build / "parent.onnx")
    names = [
        node.input[1]
        for node in child.graph.node
        if any(a.name == "mem_mode" and a.s == b"external" for a in node.attribute)
    ]
    taken = {}
    for port, name in zip(WEIGHTS, names, strict=True):
        tensor = next(item for item in child.graph.initializer if item.name == name)
        taken[port] = numpy_helper.to_array(tensor)
        child.graph.initializer.remove(tensor)
        for graph in (child.graph, parent.graph):
            graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, taken[port].shape))
        parent.graph.node[1].input.append(name)
    onnx.save(child, str(build / "partition_1.onnx"))
    onnx.save(parent, str(build / "parent.onnx"))
    return taken


def add_dma(build: Path, words: np.ndarray) -> None:
    """Feed the first external weights from a DMA partition that holds them, as a ZynqBuild does."""
    held = numpy_helper.from_array(words[:, ::-1].astype(np.float32), "buffer")
    shape = list(words.shape)
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("buffer", "stream")]
    dma = helper.make_node(
        "IODMA_hls",
        ["buffer"],
        ["stream"],
        name="IODMA_hls_0",
        domain="finn.custom_op.fpgadataflow.hls",
        backend="fpgadataflow",
        dataType="INT4",
        burstMode="wrap",
    )
    graph = helper.make_graph([dma], "idma1", ends[:1], ends[1:], [held])
    onnx.save(helper.make_model(graph), str(build / "idma1.onnx"))
    parent = onnx.load(build / "parent.onnx")
    fed = parent.graph.input[1]
    node = helper.make_node(
        "StreamingDataflowPartition",
        ["idma1_in"],
        [fed.name],
        name="idma1",
        domain="finn.custom_op.fpgadataflow",
        model="idma1.onnx",
    )
    parent.graph.node.insert(0, node)
    parent.graph.input[1].name = "idma1_in"
    onnx.save(parent, str(build / "parent.onnx"))


def in_words(matrix: np.ndarray, pe: int, simd: int) -> np.ndarray:
    """Order weights (MW, MH) by FINN's loops, written out: (words, PE * SIMD)."""
    rows, columns = matrix.shape
    return np.array(
        [
            [matrix[sf * simd + s, nf * pe + p] for p in range(pe) for s in range(simd)]
            for nf in range(columns // pe)
            for sf in range(rows // simd)
        ]
    )
