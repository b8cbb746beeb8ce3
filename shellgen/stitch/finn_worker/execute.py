# SPDX-License-Identifier: BSD-3-Clause
"""Golden vectors: the partitioned network and the model it came from, run by FINN and by QONNX."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from finn.core.onnx_exec import execute_onnx as execute_finn
from finn.custom_op.fpgadataflow.streamingdataflowpartition import StreamingDataflowPartition
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.core.onnx_exec import execute_onnx as execute_qonnx

from .ends import Ends
from .problems import FoundProblems, stop_if

CHECKED = 8  # frames that FINN computes too; it reloads every partition for each
# Networks of nothing else run all frames as one batch; qonnx's Im2Col would mix the frames.
_BATCHED = {"MatMul", "MultiThreshold"}
Frames = dict[str, Any]  # by tensor, (frames, *shape of one frame)


def fix_partitions() -> None:
    """Let FINN run a partition whose inputs have the names of the parent's in another order.

    FINN renames one input after the other, over those that follow.
    """

    def execute(self: Any, context: dict[str, Any], graph: Any) -> None:
        del graph
        child, node = ModelWrapper(self.get_nodeattr("model")), self.onnx_node
        pairs = zip(child.graph.input, node.input, strict=True)
        found = execute_finn(child, {inner.name: context[outer] for inner, outer in pairs})
        for inner, outer in zip(child.graph.output, node.output, strict=True):
            context[outer] = found[inner.name]

    StreamingDataflowPartition.execute_node = execute


def load_vectors(model: Any, path: str) -> Frames:
    """Read input vectors as float32, by input of the model.

    Raises:
        FoundProblems: They do not fit the inputs of the model.
    """
    names = [tensor.name for tensor in model.graph.input]
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, zipfile.BadZipFile):
        stop_if([(path, "it is not a .npy file", "Write it with numpy.save")])
    if isinstance(found, np.ndarray) and len(names) > 1:
        remedy = f"Write {', '.join(names)} with numpy.savez"
        stop_if([(path, f"it is one array, and the model has {len(names)} inputs", remedy)])
    arrays = {names[0]: found} if isinstance(found, np.ndarray) else dict(found)
    if set(arrays) != set(names):
        stop_if(
            [(path, f"it has arrays for {', '.join(arrays)}", f"Give one for each of {', '.join(names)}")]
        )
    stop_if([problem for name in names for problem in _misfit(model, name, arrays[name], path)])
    if len({len(array) for array in arrays.values()}) > 1:
        stop_if([(path, "its arrays have different numbers of frames", "Give as many for each input")])
    return {
        name: arrays[name].reshape(-1, *model.get_tensor_shape(name)).astype(np.float32) for name in names
    }


def _misfit(model: Any, name: str, frames: Any, path: str) -> list[tuple[str, str, str]]:
    shape, kind = model.get_tensor_shape(name), model.get_tensor_datatype(name)
    if frames.dtype.kind not in "biuf":
        return [(path, f"its values are {frames.dtype}", "Give real numbers")]
    if frames.ndim < 2 or len(frames) == 0 or frames[0].size != np.prod(shape):
        remedy = f"Give (frames, {int(np.prod(shape))}) numbers"
        return [(path, f"the shape is {frames.shape}", remedy)]
    odd = [index for index, frame in enumerate(frames) if not np.isfinite(frame).all()]
    if odd:
        return [(path, f"frame {odd[0]} holds NaN or infinity", "Give finite numbers")]
    if not kind.is_integer():
        return []
    if not (frames == np.rint(frames)).all() or frames.min() < kind.min() or frames.max() > kind.max():
        found = f"values of {frames.min()} to {frames.max()}"
        return [(path, found, f"Give whole numbers that fit {kind.name}")]
    return []


def partitioned_golden(parent: Any, frames: Frames, work: Path) -> None:
    """Write the vectors of a network that FINN had partitioned before."""
    _save(frames, work, "input")
    _save(_run(parent, frames, execute_finn), work, "output")


def golden(parent: Any, ends: Ends, origin: Any, frames: Frames, job: dict[str, Any]) -> list[str]:
    """Compare the partitioned network with the model; for vectors of the user, write what crosses the ports.

    ``input.npy`` and ``output.npy`` are int32 of shape (frames, *shape of one frame); ``input_<i>.npy`` where
    there are several.

    Args:
        parent: Partitioned network.
        ends: What it was made from.
        origin: The model that those were cut from, as it was exported.
        frames: Inputs of the model, in their order.
        job: As `main` got it.

    Returns:
        What the user should know.

    Raises:
        FoundProblems: The partitioned network computes anything else than the model it was made from.
    """
    if origin is not None:  # whose inputs have got names of qonnx, in their order
        frames = {t.name: array for t, array in zip(origin.graph.input, frames.values(), strict=True)}
    inner = frames | (_run(ends.before, frames) if ends.before else {})
    inner = {tensor.name: inner[tensor.name] for tensor in ends.core.graph.input}
    outputs = _run(ends.core, inner)
    sent = {ends.inputs[name]: array for name, array in inner.items()}
    wanted = {ends.outputs[name]: array for name, array in outputs.items()}
    layers = _run(parent, {name: array[:CHECKED] for name, array in sent.items()}, execute_finn)
    for name, array in layers.items():
        if not np.array_equal(wanted[name][:CHECKED].reshape(array.shape), array):
            remedy = "Check the data type annotations of the model"
            stop_if([(job["name"], "FINN's layers compute something else than the model", remedy)])
    if not job["vectors"]:
        return []
    # In the order of the partitions' ports, which is the parent's.
    _save({tensor.name: sent[tensor.name] for tensor in parent.graph.input}, Path(job["work"]), "input")
    _save({name: wanted[name] for name in layers}, Path(job["work"]), "output")
    if origin is None:
        return []
    final = {name: array[:CHECKED] for name, array in outputs.items()}
    final |= _run(ends.after, final) if ends.after else {}
    exported = _run(origin, {name: array[:CHECKED] for name, array in frames.items()})
    notes = _compare(list(exported.values()), [final.get(name) for name in _ends_of(ends)])
    if ends.export is None:  # it was only cut
        stop_if([(job["name"], note, "Report it as a fault of shellgen, with the model") for note in notes])
    return notes


def golden_if_it_runs(parent: Any, ends: Ends, origin: Any, frames: Frames, job: dict[str, Any]) -> list[str]:
    """Compare as `golden`; a note if the evaluator lacks an operator or a type, which hardware does not need.

    Raises:
        FoundProblems: As `golden`.
    """
    try:
        return golden(parent, ends, origin, frames, job)
    except FoundProblems:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return [f"FINN's layers are not compared with the model: they do not run here ({said})"]


def _ends_of(ends: Ends) -> list[str]:
    after = ends.after or ends.core
    return [tensor.name for tensor in after.graph.output]


def _compare(wanted: list[Any], got: list[Any]) -> list[str]:
    notes = []
    for one, other in zip(wanted, got, strict=True):
        flat, difference = one.reshape(len(one), -1), (one.reshape(other.shape) - other).reshape(len(one), -1)
        off = int((np.abs(difference).max(axis=1) > 1e-3 * max(1.0, np.abs(flat).max())).sum())
        size = f"{np.abs(difference).max():.3g} of {np.abs(flat).max():.3g}"
        if off:
            notes.append(
                f"{off} of {len(one)} frames differ from the export's own execution, by up to {size}: values "
                "on a threshold, which floating point puts on either side, or labels of equal score"
            )
    return notes


def _save(arrays: Frames, work: Path, side: str) -> None:
    for index, array in enumerate(arrays.values()):
        name = f"{side}.npy" if len(arrays) == 1 else f"{side}_{index}.npy"
        np.save(work / name, array.astype(np.int32))


def _run(model: Any, frames: Frames, execute: Any = execute_qonnx) -> Frames:
    """Run a model on every frame; returns its outputs in their order."""
    names = [tensor.name for tensor in model.graph.output]
    given = {}
    for tensor in model.graph.input:
        array = frames[tensor.name]  # signals of the export have a dimension less
        given[tensor.name] = array.reshape(len(array), *model.get_tensor_shape(tensor.name))
    count = len(next(iter(frames.values())))
    if (
        len(given) == 1
        and execute is execute_qonnx
        and {node.op_type for node in model.graph.node} <= _BATCHED
    ):
        return _run_batch(model, given, names)
    found: dict[str, list[Any]] = {name: [] for name in names}
    for index in range(count):
        context = execute(model, {name: array[index] for name, array in given.items()})
        for name in names:
            found[name].append(context[name])
    return {name: np.stack(arrays) for name, arrays in found.items()}


def _run_batch(model: Any, given: Frames, names: list[str]) -> Frames:
    batch = ModelWrapper(model.model, make_deepcopy=True)
    graph = batch.graph
    ((source, inputs),) = given.items()
    constant = {tensor.name for tensor in graph.initializer}
    for value in (*graph.input, *graph.output, *graph.value_info):
        if value.name not in constant:
            value.type.tensor_type.shape.dim[0].dim_value *= len(inputs)
    context = execute_qonnx(batch, {source: inputs.reshape(-1, *inputs.shape[2:])})
    return {name: context[name].reshape(len(inputs), -1, *context[name].shape[1:]) for name in names}
