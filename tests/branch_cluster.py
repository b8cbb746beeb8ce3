# SPDX-License-Identifier: BSD-3-Clause
"""Networks of several builds for the bench: branches that get one image, and a head behind their join."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from shellgen.reference import LayerFolding, ReferenceFolding, build_reference, synthetic_model
from shellgen.reference.finn_onnx import SDP_DOMAIN


def write_build(
    folder: Path,
    widths: Sequence[int],
    taken: str,
    folds: Sequence[tuple[int, int]],
    *,
    vectors: int = 1,
    seed: int = 0,
) -> None:
    """Write a build of one partition: matrices with thresholds between them; the last one gives logits.

    Args:
        folder: Where to.
        widths: Features of the input and of each layer.
        taken: QONNX type of the input.
        folds: PE and SIMD of each layer.
        vectors: Vectors in a frame.
        seed: Of the weights.
    """
    model = synthetic_model(widths, "INT4", taken, seed=seed, vectors=vectors)
    layers = tuple(LayerFolding(pe=pe, simd=simd, threshold_pe=1) for pe, simd in folds)
    build_reference(model, ReferenceFolding(layers=layers), (0,) * len(layers), folder)


def made_type(build: Path) -> str:
    """Return the QONNX type of what a build's partition sends."""
    model = onnx.load(str(build / "partition_0.onnx"))
    name = model.graph.output[0].name
    (found,) = [
        str(entry.value)
        for one in model.graph.quantization_annotation
        if one.tensor_name == name
        for entry in one.quant_parameter_tensor_names
        if entry.key == "finn_datatype"
    ]
    return found


def write_cluster(
    folder: Path, builds: Sequence[str], nodes: Sequence[tuple[str, str, str]], links: str
) -> Path:
    """Write cluster.toml; a node is its name, its board and its partitions."""
    lines = [f"build = {list(builds)}".replace("'", '"')]
    for name, board, partitions in nodes:
        lines += ["[[node]]", f'name = "{name}"', f'board = "{board}"', f"partitions = {partitions}"]
    path = folder / "cluster.toml"
    path.write_text("\n".join(lines) + "\n" + links)
    return path


def write_parent(folder: Path, op: str, branches: Sequence[str], head: str) -> None:
    """Write the build ``net``: a parent whose image goes to every branch, and a node that joins them."""
    out = folder / "net"
    out.mkdir()
    nodes, shapes = [], {}
    for name in (*branches, head):
        model = onnx.load(str(folder / name / "partition_0.onnx"))
        copy_partition(folder / name, out, name)
        taken = "joined" if name == head else "image"
        made = "result" if name == head else f"{name}_out"
        nodes.append(
            helper.make_node(
                "StreamingDataflowPartition",
                [taken],
                [made],
                name=name,
                domain=SDP_DOMAIN,
                model=f"{name}.onnx",
            )
        )
        for tensor, value in ((taken, model.graph.input[0]), (made, model.graph.output[0])):
            shapes[tensor] = [size.dim_value for size in value.type.tensor_type.shape.dim]
    join = helper.make_node(op, [f"{name}_out" for name in branches], ["joined"], name="join")
    if op == "Concat":
        join.attribute.append(helper.make_attribute("axis", -1))
    nodes.insert(len(branches), join)
    values = {
        name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()
    }
    inner = [value for name, value in values.items() if name not in ("image", "result")]
    graph = helper.make_graph(nodes, "parent", [values["image"]], [values["result"]], value_info=inner)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 11), helper.make_opsetid(SDP_DOMAIN, 1)]
    )
    onnx.save(model, str(out / "parent.onnx"))


def copy_partition(build: Path, out: Path, name: str) -> None:
    """Copy the only partition of a build to ``<out>/<name>``, with its model."""
    shutil.copytree(build / "partition_0", out / name)
    model = onnx.load(str(build / "partition_0.onnx"))
    for entry in model.metadata_props:
        entry.value = entry.value.replace("partition_0", name)
    onnx.save(model, str(out / f"{name}.onnx"))
