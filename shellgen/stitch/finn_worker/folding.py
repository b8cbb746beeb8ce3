# SPDX-License-Identifier: BSD-3-Clause
"""Apply folding and cuts, in our own form or as FINN writes them (auto_folding_config, final_hw_config).

FINN's files name the specialised layers of its own run, ``MVAU_rtl_0`` or in older releases
``MatrixVectorActivation_0``; have attributes of either variant of a layer; and list the FIFOs and width
converters of that run, which are inserted again here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from difflib import get_close_matches
from typing import Any

from finn.custom_op.fpgadataflow.hls import custom_op as hls_variants
from finn.custom_op.fpgadataflow.rtl import custom_op as rtl_variants
from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp

from .dynamic import is_dynamic
from .own import DIVIDES as OWN_DIVIDES
from .own import ELEMENTWISE, pool_problems
from .problems import stop_if

Problem = tuple[str, str, str]

# (attribute, attribute that it must divide) by layer kind
DIVIDES = {
    "MVAU": (("SIMD", "MW"), ("PE", "MH")),
    "VVAU": (("PE", "Channels"),),
    "Thresholding": (("PE", "NumChannels"),),
    "ConvolutionInputGenerator": (("SIMD", "IFMChannels"),),
    "FMPadding": (("SIMD", "NumChannels"),),
    "Requant": (("PE", "NumChannels"),),
    "Crop": (("SIMD", "NumChannels"),),
    "SelectToken": (("SIMD", "NumChannels"),),
    "Pad1D": (("SIMD", "NumChannels"),),
    "InnerShuffle": (("SIMD", "transpose_in_shape"),),
    **OWN_DIVIDES,
}
_RENAMED = {
    "StreamingFCLayer": "MVAU",
    "MatrixVectorActivation": "MVAU",
    "VectorVectorActivation": "VVAU",
    "Vector_Vector_Activate": "VVAU",
    "ConvolutionInputGenerator1D": "ConvolutionInputGenerator",
    "Concat": "StreamingConcat",
    "Split": "StreamingSplit",
}
_NAME = re.compile(r"(?P<kind>\w+?)(?P<variant>(_Batch|_hls|_rtl)*)_(?P<number>\d+)")
# Inserted again: depths come from inFIFODepths and outFIFODepths.
_OURS = {"StreamingFIFO", "StreamingDataWidthConverter", "IODMA", "TLastMarker"}
_MEMORY_MODES = {"const": "internal_embedded", "decoupled": "internal_decoupled"}
_TYPES = {int: "i", str: "s", list: "ints", float: "f"}


def apply_folding(model: Any, job: dict[str, Any]) -> list[str]:
    """Set the attributes of all layers; returns what was not used.

    Raises:
        FoundProblems: Layers and attributes that do not exist, values that do not fit.
    """
    names = [node.name for node in model.graph.node]
    where = job["config"]
    problems: list[Problem] = []
    notes: list[str] = []
    former = _former_names(model)
    folding, unused = _by_layer(job["folding"], f"{where}: folding", problems, former)
    if unused:
        notes.append(f"{where}: not used, because it is inserted again: {', '.join(unused)}")
    cuts, _ = _by_layer(dict.fromkeys(job["cut_before"]), f"{where}: cut_before", problems, former)
    problems += [
        (f"{where}: {field}", f"the network has no layer {given}", _meant(given, names))
        for field, wanted in (("folding", folding), ("cut_before", cuts))
        for name, (given, _) in wanted.items()
        if name not in names
    ]
    ignored: dict[str, list[str]] = defaultdict(list)
    embedded: list[str] = []
    numbers = _partition_numbers(model, cuts)
    for node in model.graph.node:
        fixed: dict[str, Any] = {"partition_id": numbers[node.name], "preferred_impl_style": "rtl"}
        if node.op_type in ("MVAU", "VVAU"):
            mode = getCustomOp(node).get_nodeattr("mem_mode")
            kept = mode if mode in ("external", "dynamic") else "internal_decoupled"
            fixed |= {"resType": "dsp", "mem_mode": kept}
        given, own = folding.get(node.name, (node.name, {}))
        wanted = fixed | _defaults(node, job["folding"].get("Defaults", {})) | own
        wanted["preferred_impl_style"] = "rtl"
        if is_dynamic(node):
            wanted["mem_mode"] = "dynamic"
        for key, reason in _without_use(node, wanted).items():
            ignored[reason].append(f"{node.name}.{key}")
            del wanted[key]
        if wanted.get("mem_mode") in ("internal_embedded", "const"):
            wanted["mem_mode"] = "internal_decoupled"
            embedded.append(node.name)
        problems += _set_attributes(node, wanted, f"{where}: folding.{given}")
    notes += [f"{where}: not used, because {reason}: {', '.join(keys)}" for reason, keys in ignored.items()]
    if embedded:
        found = "weights lie in a memory in front of the layer, since only HLS embeds them"
        notes.append(f"{where}: {found}: {', '.join(embedded)}")
    count = len({getCustomOp(node).get_nodeattr("partition_id") for node in model.graph.node})
    stop_if(problems or pool_problems(model, where) or part_problems(job, count))
    return notes


def _partition_numbers(model: Any, cuts: dict[str, Any]) -> dict[str, int]:
    """Count cuts in network order; without any, the numbers that the layers have stay."""
    kept = {node.name: getCustomOp(node).get_nodeattr("partition_id") for node in model.graph.node}
    if not cuts and len(set(kept.values())) > 1:
        return kept
    numbers, number = {}, 0
    for index, node in enumerate(model.graph.node):
        number += node.name in cuts and index > 0
        numbers[node.name] = number
    return numbers


def unfolded(children: list[tuple[str, str, str]], job: dict[str, Any]) -> list[str]:
    """Say how slow partitions are that nobody folded; children are (name, model file, part)."""
    cycles = {}
    for _, path, _ in children:
        for node in ModelWrapper(path).graph.node:
            layer = getCustomOp(node)
            matrix = node.op_type.startswith(("MVAU", "VVAU"))
            if matrix and any(layer.get_nodeattr(key) != 1 for key in ("PE", "SIMD")):
                return []
            cycles[node.name] = int(layer.get_exp_cycles())
    name = max(cycles, key=cycles.__getitem__)
    rate = 1e9 / (cycles[name] * job["clk_ns"])
    shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2f}"
    return [
        f"no folding is given: PE and SIMD of all matrix layers are 1, and a frame takes {cycles[name]:,} "
        f"cycles in {name}, which is {shown} frames/s at {1e3 / job['clk_ns']:g} MHz"
    ]


def list_layers(model: Any) -> list[dict[str, Any]]:
    """Return each layer: name, the layers that feed it, its output, and what its folding must divide."""
    layers = []
    for node in model.graph.node:
        layer = getCustomOp(node)
        feeds = [model.find_producer(tensor) for tensor in node.input]
        limits = {key: size_of(layer, whole) for key, whole in DIVIDES.get(node.op_type, ())}
        layers.append(
            {
                "name": node.name,
                "after": [feed.name for feed in feeds if feed is not None],
                "shape": [int(size) for size in layer.get_normal_output_shape()],
                "limits": limits,
            }
        )
    return layers


def size_of(layer: Any, attribute: str) -> int:
    """Return a number of channels; the last dimension, where the attribute is a shape.

    A transpose writes as many elements of its innermost output dimension at once.
    """
    value = layer.get_nodeattr(attribute)
    return int(value if isinstance(value, int) else value[-2 if attribute == "transpose_in_shape" else -1])


def part_problems(job: dict[str, Any], partitions: int) -> list[Problem]:
    """Check the numbers of parts and of SLRs."""
    problems = []
    if len(job["parts"]) not in (1, partitions):
        found = f"there are {len(job['parts'])} parts and {partitions} partitions"
        problems.append((f"{job['config']}: part", found, "Give one part, or one for each partition"))
    if len(job["slr"]) not in (0, partitions):
        found = f"there are {len(job['slr'])} SLRs and {partitions} partitions"
        remedy = "Give one for each partition, -1 for any, or none"
        problems.append((f"{job['config']}: slr", found, remedy))
    return problems


def _meant(given: str, names: list[str]) -> str:
    near = get_close_matches(given, names, 1)
    return f"{f'Did you mean {near[0]}? ' if near else ''}Name one of: {', '.join(names)}"


def _former_names(model: Any) -> dict[str, str]:
    """Return elementwise layers by the names that they had before finn-plus 1.4."""
    counts: dict[str, int] = defaultdict(int)
    found = {}
    for node in model.graph.node:
        if node.op_type in ELEMENTWISE:
            constant = any(model.get_initializer(tensor) is not None for tensor in node.input)
            joined = "AddStreams" if node.op_type == "ElementwiseAdd" else "StreamingEltwise"
            kind = "ChannelwiseOp" if constant else joined
            found[f"{kind}_{counts[kind]}"] = node.name
            counts[kind] += 1
    return found


def _by_layer(
    folding: dict[str, Any], where: str, problems: list[Problem], former: dict[str, str]
) -> tuple[dict[str, tuple[str, Any]], list[str]]:
    """Return entries by the layer that is meant, each with its name in the file; and those of no layer."""
    found: dict[str, tuple[str, Any]] = {}
    unused = []
    for name, entry in folding.items():
        match = _NAME.fullmatch(name)
        if name == "Defaults":
            continue
        kind = match["kind"] if match else ""
        kind = _RENAMED.get(kind, kind)
        if kind in _OURS:
            unused.append(name)
            continue
        meant = f"{kind}_{match['number']}" if match else name
        meant = former.get(meant, meant)
        if meant in found:
            # FINN numbers the two variants of a layer apart, and their order is in no file.
            reason = f"{name} and {found[meant][0]} are both the layer {meant} here"
            problems.append((where, reason, f"Number them in network order: {kind}_0, {kind}_1, ..."))
        found[meant] = (name, entry)
    return found, unused


def _defaults(node: Any, defaults: dict[str, Any]) -> dict[str, Any]:
    """Take defaults in FINN's form, value and operators by turns, or a value for all that know it."""
    found = {}
    known = _attributes(node)
    for key, value in defaults.items():
        turns = isinstance(value, list) and not all(isinstance(item, int) for item in value)
        pairs = list(zip(value[::2], value[1::2], strict=False)) if turns else [(value, "all")]
        for one, operators in pairs:
            kinds = {_plain(kind) for kind in ([operators] if isinstance(operators, str) else operators)}
            if node.op_type in kinds or ("all" in kinds and key in known):
                found[key] = one
    return found


def _plain(kind: str) -> str:
    base = re.sub(r"(_Batch|_hls|_rtl)+$", "", kind)
    return _RENAMED.get(base, base)


def _attributes(node: Any) -> dict[str, Any]:
    """Attributes of a layer and of its RTL variant."""
    variant = rtl_variants.get(f"{node.op_type}_rtl")
    special: dict[str, Any] = variant(node).get_nodeattr_types() if variant else {}
    return {**special, **getCustomOp(node).get_nodeattr_types()}


def _without_use(node: Any, wanted: dict[str, Any]) -> dict[str, str]:
    """Attributes that only the other variant of the layer has, and the style that nobody has here."""
    variant = hls_variants.get(f"{node.op_type}_hls")
    other = variant(node).get_nodeattr_types() if variant else {}
    known = _attributes(node)
    return {key: "its RTL has no such attribute" for key in wanted if key in other and key not in known}


def _set_attributes(node: Any, wanted: dict[str, Any], where: str) -> list[Problem]:
    known = _attributes(node)
    variant = rtl_variants.get(f"{node.op_type}_rtl")
    layer = variant(node) if variant else getCustomOp(node)
    problems = []
    for key, value in wanted.items():
        if key == "mem_mode" and isinstance(value, str):
            value = _MEMORY_MODES.get(value, value)  # noqa: PLW2901 - names of older releases
        if key not in known:
            found = f"{node.op_type} has no attribute {key}"
            problems.append((f"{where}.{key}", found, f"Choose from {', '.join(sorted(known))}"))
            continue
        kind, _, _, *allowed = known[key]
        if kind != _TYPES.get(type(value)):
            remedy = f"Give a value of FINN's attribute type {kind!r} (i: int, s: string, ints: list)"
            problems.append((f"{where}.{key}", f"got {value!r}", remedy))
        elif allowed and value not in allowed[0]:
            choices = ", ".join(sorted(str(choice) for choice in allowed[0] if choice != ""))
            problems.append((f"{where}.{key}", f"got {value!r}", f"Choose from {choices}"))
        else:
            layer.set_nodeattr(key, value)
    for key, whole in DIVIDES.get(node.op_type, ()):
        factor = wanted.get(key, 1)
        if isinstance(factor, int) and (factor < 1 or size_of(layer, whole) % factor):
            found = f"{factor} does not divide {whole} = {layer.get_nodeattr(whole)}"
            problems.append((f"{where}.{key}", found, "Choose a divisor"))
    return problems
