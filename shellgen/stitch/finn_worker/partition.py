# SPDX-License-Identifier: BSD-3-Clause
"""One model per partition, complete down to FIFOs and generated RTL, and the parent that joins them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from finn.transformation.fpgadataflow import prepare_ip
from finn.transformation.fpgadataflow.create_dataflow_partition import CreateDataflowPartition
from finn.transformation.fpgadataflow.set_exec_mode import SetExecMode
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp
from qonnx.transformation.general import GiveReadableTensorNames, GiveUniqueNodeNames, SortGraph
from qonnx.transformation.infer_datatypes import InferDataTypes

from .dynamic import dynamic_problems, is_dynamic
from .ends import Ends
from .fifos import deepen_forks, insert_fifos
from .folding import part_problems
from .generalise import flatten, is_rtl
from .lower import check_kinds, check_rtl
from .memories import write_memories
from .older import modernise
from .own import give_depths, is_own, specialise
from .problems import stop_if
from .requant import requant_problems
from .steps import tell

_generate = prepare_ip._codegen_single_node


def partition(model: Any, work: Path, ends: Ends) -> Any:
    """Cut the model at the partition numbers of its nodes; the children go into the work folder.

    Inputs and outputs of the parent are in the order of the model, whichever partition has them.
    """
    folder = work / "children"
    folder.mkdir()
    parent = model.transform(CreateDataflowPartition(partition_model_dir=str(folder)))
    core = ends.core.graph
    _order_ends(
        parent,
        [ends.inputs[value.name] for value in core.input],
        [ends.outputs[value.name] for value in core.output],
    )
    return parent.transform(GiveUniqueNodeNames())


def load_children(parent: Any, folder: Path, work: Path, job: dict[str, Any]) -> Any:
    """Take the children of a partitioned model that FINN made elsewhere, copied to the work folder.

    Raises:
        FoundProblems: Children that are neither where the parent says nor below its folder, or that have
            layers which no shell can carry.
    """
    copies = work / "given"
    copies.mkdir()
    problems = []
    for index, node in enumerate(_partitions(parent)):
        named = Path(getCustomOp(node).get_nodeattr("model"))
        # FINN writes the path from where it ran; the folder may have moved since.
        ends = (folder / Path(*named.parts[at:]) for at in range(len(named.parts)))
        found = next((path for path in ends if path.is_file()), None)
        if found is None:
            remedy = "Put it beside the parent model, or correct the attribute"
            problems.append((f"node {node.name}: model", f"there is no file {named}", remedy))
            continue
        copy = copies / f"partition_{index}.onnx"
        child = modernise(ModelWrapper(str(found)))
        check_kinds(child, str(found), job)
        give_depths(child)
        if not job["whole"]:
            deepen_forks(child, alone=True)
        child.save(str(copy))
        getCustomOp(node).set_nodeattr("model", str(copy))
    stop_if(problems)
    return parent


def unpartitioned(parent: Any, *, anew: bool = False) -> Any:
    """Return the whole network if its children are not all in RTL, to be lowered again; None if they are.

    With ``anew`` it is returned in any case, and forgets where its layers stood and what its FIFOs hold,
    which was for its own folding.
    """
    children = [ModelWrapper(getCustomOp(node).get_nodeattr("model")) for node in _partitions(parent)]
    if not anew:
        return None if all(map(is_rtl, children)) else flatten(parent, children)
    for child in children:
        for node in child.graph.node:
            _set_known(node, depth=2)
    whole = flatten(parent, children)
    for node in whole.graph.node:
        shallow = {"inFIFODepths": [2] * len(node.input), "outFIFODepths": [2] * len(node.output)}
        _set_known(node, partition_id=0, device_id=0, slr=-1, **shallow)
    return whole


def _set_known(node: Any, **values: Any) -> None:
    """Set those attributes of a node that its layer has."""
    layer = getCustomOp(node)
    for key, value in values.items():
        if key in layer.get_nodeattr_types():
            layer.set_nodeattr(key, value)


def finish_children(parent: Any, job: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Insert FIFOs, name everything after the partition, generate RTL; returns (name, model file, part)."""
    children = []
    nodes = _partitions(parent)
    stop_if(part_problems(job, len(nodes)))
    for node, slr in zip(nodes, job["slr"], strict=False):
        getCustomOp(node).set_nodeattr("slr", slr)
    for index, node in enumerate(nodes):
        part = job["parts"][index % len(job["parts"])]
        place = f"{index + 1} of {len(nodes)}"
        tell("FINN writes RTL of partition", place)
        path = getCustomOp(node).get_nodeattr("model")
        child = ModelWrapper(path)
        names = [[value.name for value in ends] for ends in (child.graph.input, child.graph.output)]
        if not any(inner.op_type.startswith("StreamingFIFO") for inner in child.graph.node):
            child = insert_fifos(child)
        child = specialise(child, {**job, "parts": [part]})
        check_rtl(child, f"{job['name']}: {node.name}")
        for step in (SortGraph(), GiveUniqueNodeNames(prefix=node.name + "_")):
            child = child.transform(step)
        _order_ends(child, *names)
        child = child.transform(GiveReadableTensorNames())
        names = [[value.name for value in ends] for ends in (child.graph.input, child.graph.output)]
        child = child.transform(InferDataTypes())
        _forget_old_code(child)
        _check_supported(child, job["name"])
        child = _write_rtl(child, part, job["clk_ns"], place)
        child = child.transform(SetExecMode("cppsim"))
        write_memories(child, part)
        _estimate(child, part)
        _order_ends(child, *names)
        child.save(path)
        children.append((node.name, path, part))
    return children


def _write_rtl(child: Any, part: str, clk_ns: float, place: str) -> Any:
    """Generate RTL of all layers, and say which one is next."""
    count = sum(not is_own(node) for node in child.graph.node)
    numbers = iter(range(1, count + 1))

    def told(node: Any, *arguments: Any) -> None:
        tell("FINN writes RTL of partition", f"{place}, layer {next(numbers)} of {count}")
        _generate(node, *arguments)

    prepare_ip._codegen_single_node = told
    return child.transform(prepare_ip.PrepareIP(part, clk_ns))


def _partitions(parent: Any) -> list[Any]:
    return [node for node in parent.graph.node if node.op_type == "StreamingDataflowPartition"]


def _order_ends(model: Any, inputs: list[str], outputs: list[str]) -> None:
    """Put inputs and outputs in a given order; some steps of FINN and qonnx move them."""
    for ends, names in ((model.graph.input, inputs), (model.graph.output, outputs)):
        values = sorted(ends, key=lambda value: names.index(value.name))
        del ends[:]
        ends.extend(values)


def _forget_old_code(child: Any) -> None:
    """Code that was generated under the old node names does not fit the new ones."""
    for node in child.graph.node:
        for key in ("code_gen_dir_ipgen", "ipgen_path", "ip_path"):
            getCustomOp(node).set_nodeattr(key, "")


def _estimate(child: Any, part: str) -> None:
    """Keep FINN's estimate of each layer where FINN's own flow keeps it, for `generate`'s table."""
    for node in child.graph.node:
        layer = getCustomOp(node)
        try:
            told = layer.node_res_estimation(part)
        except Exception:  # noqa: S112 - an odd folding; without an estimate the build is as good
            continue
        layer.set_nodeattr("res_estimate", str(told))


def _check_supported(child: Any, where: str) -> None:
    """Refuse what would need a second clock, a DMA or a Vivado core inside the partition."""
    refused = {
        "pumpedCompute": (0, "it needs a clock of twice the frequency", "Set pumpedCompute to 0"),
        "pumpedMemory": (0, "it needs a clock of twice the frequency", "Set pumpedMemory to 0"),
        "TH": (1, "it computes in tiles of several vectors", "Set TH to 1"),
        "mlo_max_iter": (0, "it is the body of a loop that loads its weights", "Unroll the loop"),
        "dynamic_mode": (0, "its shape is set at run time", "Set dynamic_mode to 0"),
    }
    problems = _shared_streams(child, where)
    for node in child.graph.node:
        layer = getCustomOp(node)
        known = layer.get_nodeattr_types()
        for key, (legal, found, remedy) in refused.items():
            if key in known and layer.get_nodeattr(key) != legal:
                problems.append((f"{where}: node {node.name}", found, remedy))
        kind = node.op_type.removesuffix("_rtl")
        if kind == "Requant":
            problems += requant_problems(child, node, f"{where}: node {node.name}")
        if kind in ("MVAU", "VVAU"):
            mode = layer.get_nodeattr("mem_mode")
            if is_dynamic(node):
                problems += dynamic_problems(child, node, f"{where}: node {node.name}")
                continue
            modes = ("internal_decoupled", "external") if kind == "MVAU" else ("internal_decoupled",)
            if mode not in modes:
                remedy = f"Set mem_mode to {' or '.join(modes)}"
                problems.append((f"{where}: node {node.name}", f"its weights are {mode}", remedy))
    stop_if(problems)


def _shared_streams(child: Any, where: str) -> list[tuple[str, str, str]]:
    """Find tensors that go to several places: a stream has one reader."""
    readers = [tensor for node in child.graph.node for tensor in node.input]
    readers += [tensor.name for tensor in child.graph.output]
    made = [tensor.name for tensor in child.graph.input]
    made += [tensor for node in child.graph.node for tensor in node.output]
    remedy = "Put a DuplicateStreams behind it"
    return [
        (f"{where}: tensor {tensor}", f"{readers.count(tensor)} layers read it", remedy)
        for tensor in made
        if readers.count(tensor) > 1
    ]
