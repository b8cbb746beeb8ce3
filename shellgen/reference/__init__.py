# SPDX-License-Identifier: BSD-3-Clause
"""FINN-shaped partitions of our own, made from the QONNX model that FINN gets, for both simulators."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx

from shellgen.errors import InputError, Problem
from shellgen.model import Artifact
from shellgen.progress import step
from shellgen.reference.build import build_artifacts, make_parts
from shellgen.reference.command import decide, load_vectors
from shellgen.reference.execute import execute, load_layers
from shellgen.reference.folding import LayerFolding, ReferenceFolding, check_cuts, default_folding
from shellgen.reference.layers import read_model
from shellgen.reference.synthetic import random_frames, synthetic_model
from shellgen.reference.write import write_build
from vivado_check.formats.files import StrPath

__all__ = [
    "LayerFolding",
    "ReferenceFolding",
    "build_reference",
    "default_folding",
    "even_cuts",
    "execute",
    "load_layers",
    "random_frames",
    "reference_artifacts",
    "reference_chain",
    "reference_model",
    "synthetic_model",
]


def build_reference(
    model: onnx.ModelProto | StrPath, folding: ReferenceFolding, cuts: tuple[int, ...], out: StrPath
) -> None:
    """Write a build that `shellgen.read` takes for one of FINN's.

    ``out`` gets parent.onnx and, for each partition i, partition_<i>.onnx and a folder partition_<i> with
    all_verilog_srcs.txt, ip/component.xml and ip/src. Same input, same bytes; no path is absolute.

    Args:
        model: A chain of MatMul and MultiThreshold, or its file. A layer is a MatMul and the
            MultiThreshold that follows it, or a MultiThreshold alone.
        folding: One entry for each layer.
        cuts: For each layer, the index of its partition: 0 first, ascending by at most one.
        out: Empty, missing, or an earlier build of shellgen, which is replaced.

    Raises:
        InputError: The model is no such chain, or folding or cuts do not fit it.
    """
    write_build(reference_artifacts(model, folding, cuts), Path(out))


def reference_artifacts(
    model: onnx.ModelProto | StrPath, folding: ReferenceFolding, cuts: tuple[int, ...]
) -> tuple[Artifact, ...]:
    """Return the files of `build_reference` without writing them."""
    where = "model" if isinstance(model, onnx.ModelProto) else str(model)
    graph = read_model(model).graph
    layers = load_layers(model)
    check_cuts(layers, folding, cuts, where)
    constants = {initializer.name for initializer in graph.initializer}
    source = next(value.name for value in graph.input if value.name not in constants)
    return build_artifacts(make_parts(layers, folding, cuts), source, graph.output[0].name)


def reference_model(
    model: StrPath, config: StrPath, out: StrPath, vectors: StrPath | None = None
) -> list[str]:
    """Write a build from the configuration file that FINN gets, and golden vectors beside it.

    Args:
        model: QONNX chain of MatMul and MultiThreshold.
        config: `shellgen.stitch.StitchConfig` as JSON.
        out: Build folder.
        vectors: ``.npy`` of inputs, (frames, features); ``input.npy`` and ``output.npy`` are written then.

    Returns:
        The names of the partitions, in network order.

    Raises:
        InputError: A file that is missing or malformed, folding or cuts that do not fit the model.
    """
    model, config, vectors = Path(model), Path(config), Path(vectors) if vectors else None
    step("reading", model.name)
    folding, cuts = decide(model, config)
    step("golden frames") if vectors else None
    golden = None if vectors is None else load_vectors(model, vectors)
    step("writing partitions", f"{cuts[-1] + 1}")
    files = reference_artifacts(model, folding, cuts)
    beside = zip(("input.npy", "output.npy"), golden or (), strict=False)
    write_build((*files, *(Artifact(name, _npy(values)) for name, values in beside)), Path(out))
    return [f"StreamingDataflowPartition_{index}" for index in range(cuts[-1] + 1)]


def _npy(values: npt.ArrayLike) -> bytes:
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def reference_chain(
    model: onnx.ModelProto | StrPath, out: StrPath, parts: int, *, runtime_writeable: bool = True
) -> Path:
    """Write a build of ``parts`` partitions with the default folding; return its parent.onnx."""
    folding = default_folding(model, runtime_writeable=runtime_writeable)
    build_reference(model, folding, even_cuts(len(folding.layers), parts), out)
    return Path(out) / "parent.onnx"


def even_cuts(layers: int, parts: int) -> tuple[int, ...]:
    """Return the partition of each layer when they are spread evenly over ``parts`` partitions.

    Raises:
        InputError: There are more partitions than layers, or none.
    """
    if not 1 <= parts <= layers:
        found = f"{parts} partitions for {layers} layers"
        raise InputError(Problem("reference build", found, "Give each partition at least one layer"))
    return tuple(index * parts // layers for index in range(layers))
