# SPDX-License-Identifier: BSD-3-Clause
"""Runs inside FINN's environment: the cases of the bench, computed by finn-plus and folded by its own shapes.

    python finn_layers.py <folder of finn_worker's parent> <cases.json>

prints one line for each difference: a port's name or width, a data type, a word.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
from onnx import numpy_helper

_MATRICES = ("MVAU", "VVAU")


def attributes(case: dict[str, Any]) -> dict[str, Any]:
    """Add what FINN's node has besides and the RTL does not ask for."""
    kind, given = case["kind"], {**case["attributes"]}
    types = [port["type"] for port in case["inputs"]]
    out, words = case["outputs"][0]["type"], len(case["inputs"][0]["words"])
    values = words * given.get("PE", given.get("SIMD", 1))
    whole = {
        "LabelSelect": given.get("Labels"),
        "StreamingSplit": sum(given.get("ChannelsPerStream", [])),
        "StreamingConcat": given.get("ChannelsPerStream", [0])[0],
    }
    channels = whole.get(kind) or given.get("NumChannels") or given.get("Channels") or 1
    own: dict[str, Any] = {"inputDataType": types[0], "numInputVectors": [values // channels]}
    if kind == "StreamingConcat":
        own = {"inputDataTypes": types, "numInputVectors": own["numInputVectors"]}
    elif kind.startswith("Elementwise"):
        types = [*types, case["constant_type"]][:2]
        types = types[::-1] if given["lhs_style"] == "const" else types
        own = {"lhs_dtype": types[0], "rhs_dtype": types[1], "out_dtype": out}
    elif kind == "Pool":
        pixels = values // (channels * int(np.prod(given["KernelSize"])))
        own = {"OutImgDims": [1, pixels], "InputDataType": types[0], "OutputDataType": out}
    elif kind == "LabelSelect":
        own |= {"outputDataType": out}
    elif kind == "GlobalAccPool":
        height, width = given["numInputVectors"][1:]
        own["numInputVectors"] = [values // (channels * height * width), height, width]
    elif kind == "UpsampleNearestNeighbour":
        own = {"batchSize": values // (channels * given["HI"] * given["WI"]), "inputDataType": types[0]}
    elif kind in _MATRICES:
        own = {"inputDataType": types[0], "weightDataType": types[1], "outputDataType": out}
    elif kind == "DuplicateStreams":
        own |= {"NumOutputStreams": len(case["outputs"])}
    return given | own


def unpacked(words: list[int], kind: Any, lanes: int) -> Any:
    bits = kind.bitwidth()
    rows = [[(word >> (i * bits)) & ((1 << bits) - 1) for i in range(lanes)] for word in words]
    codes = np.array(rows, dtype=np.int64)
    if kind.name == "BIPOLAR":
        return 2 * codes - 1
    return np.where(codes >= 1 << (bits - 1), codes - (1 << bits), codes) if kind.signed() else codes


def packed(values: Any, kind: Any) -> list[int]:
    bits = kind.bitwidth()
    codes = (
        (values.astype(np.int64) + 1) // 2 if kind.name == "BIPOLAR" else values.astype(np.int64)
    ).tolist()
    return [sum((code & ((1 << bits) - 1)) << (i * bits) for i, code in enumerate(row)) for row in codes]


def matrix_of(case: dict[str, Any]) -> Any:
    """Return the weights as FINN's node has them."""
    given = case["attributes"]
    channels = given.get("Channels")
    shape = (channels, 1, *given["Kernel"]) if channels else (given["MW"], given["MH"])
    return np.array(case["constants"], dtype=np.float32).reshape(shape)


def compare_memory(case: dict[str, Any], layer: Any, matrix: Any) -> list[str]:
    """Compare the words of the weights with those that FINN writes for its memory."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memblock.dat"
        layer.make_weight_file(matrix, "decoupled_verilog_dat", str(file))
        made = [int(line, 16) for line in file.read_text().split()]
    words = case["inputs"][1]["words"]
    return [] if words == made * (len(words) // len(made)) else ["in1_V has other words"]


def compare(case: dict[str, Any], helper: Any, get: Any, data_type: Any) -> list[str]:
    ins = [f"in{index}" for index in range(len(case["inputs"]))]
    outs = [f"out{index}" for index in range(len(case["outputs"]))]
    constant = ["constant"] if case["constants"] and case["kind"] not in _MATRICES else []
    domain, kind, given = "finn.custom_op.fpgadataflow", case["kind"], attributes(case)
    reads = constant + ins if given.get("lhs_style") == "const" else ins + constant
    node = helper.make_node(kind, reads, outs, domain=domain, backend="fpgadataflow", **given)
    layer = get(node)
    names = layer.get_verilog_top_module_intf_names()
    found = []
    for side, ports in (("s_axis", case["inputs"]), ("m_axis", case["outputs"])):
        wanted = [(port["name"], port["bits"]) for port in ports]
        if [(name, int(bits)) for name, bits in dict(names[side]).items()] != wanted:
            found.append(f"{side} is {names[side]}, here {wanted}")
    context: dict[str, Any] = {}
    graph = SimpleNamespace(initializer=[], node=[])
    if kind in _MATRICES:
        matrix = matrix_of(case)
        graph.initializer.append(numpy_helper.from_array(matrix, ins[1]))
        context[ins[1]] = matrix
        found += compare_memory(case, layer, matrix)
    for index, port in enumerate(case["inputs"][: 1 if kind in _MATRICES else None]):
        place = reads.index(ins[index])
        shape = layer.get_folded_input_shape(place)
        values = unpacked(port["words"], data_type[port["type"]], shape[-1])
        if kind == "Pool":
            # In hardware a window comes PE channels at a time; FINN's Python takes all channels side by side.
            windows = values.reshape(
                -1, given["Channels"] // given["PE"], int(np.prod(given["KernelSize"])), given["PE"]
            )
            values = windows.swapaxes(1, 2)
        context[ins[index]] = values.reshape(layer.get_normal_input_shape(place)).astype(np.float32)
    if constant:
        values = np.array(case["constants"], dtype=np.float32)
        context["constant"] = values.reshape(layer.get_normal_input_shape(reads.index("constant")))
    for index, name in enumerate(outs):
        context[name] = np.zeros(layer.get_normal_output_shape(index), dtype=np.float32)
    layer.execute_node(context, graph)
    for index, port in enumerate(case["outputs"]):
        kind = layer.get_output_datatype(index)
        if kind.name != port["type"]:
            found.append(f"{port['name']} is {kind.name}, here {port['type']}")
        lanes = layer.get_folded_output_shape(index)[-1]
        if packed(context[outs[index]].reshape(-1, lanes), kind) != port["words"]:
            found.append(f"{port['name']} has other words")
    return [f"{case['name']}: {line}" for line in found]


def main(worker: str, cases: str) -> None:
    sys.path.append(worker)
    os.environ["FINN_BUILD_DIR"] = os.environ["FINN_ROOT"] = str(Path(cases).parent)
    from finn_worker.stand_ins import stand_in  # noqa: PLC0415

    stand_in()
    from finn_worker.own import fix_finn  # noqa: PLC0415
    from onnx import helper  # noqa: PLC0415
    from qonnx.core.datatype import DataType  # noqa: PLC0415
    from qonnx.custom_op.registry import getCustomOp  # noqa: PLC0415

    fix_finn()
    lines = []
    for case in json.loads(Path(cases).read_text()):
        lines += compare(case, helper, getCustomOp, DataType)
    print("\n".join(["compared", *lines]))


if __name__ == "__main__":
    main(*sys.argv[1:])
