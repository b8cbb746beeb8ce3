# SPDX-License-Identifier: BSD-3-Clause
"""Say how the generated RTL of one partition is to be wired, as plain data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from qonnx.core.modelwrapper import ModelWrapper
from qonnx.custom_op.registry import getCustomOp

from .dynamic import is_dynamic, loaded_bits, loader_instance
from .own import describe_own, is_own

# Layers whose RTL has an AXI-Lite slave, whether anything can reach it or not.
_WITH_SLAVE = ("MVAU", "VVAU", "Thresholding", "FMPadding_rtl")
_PADDING_ADDR_BITS = 5  # six registers of four bytes
_GAUGE = "fifo_gauge.sv"  # stands for FIFOs without end, in FINN's own simulation only
_MEMSTREAM = ("axi/hdl/axilite.sv", "memstream/hdl/memstream.sv", "memstream/hdl/memstream_axi.sv")


def describe_partition(name: str, path: str) -> dict[str, Any]:
    """Return instances, streams and AXI-Lite slaves of a child whose RTL has been generated.

    Keys: ``name``, ``model`` (file), ``instances`` (name, module, sources, data, folder; or name, data, own
    where `own.describe_own` says what RTL is to be made), ``streams`` (bits, driver, sink; an end is
    (instance, port), or ("", index) for a port of the partition) and ``axilite`` (instance, addr_bits,
    exposed) in node order.
    """
    model = ModelWrapper(path)
    instances: list[dict[str, Any]] = []
    streams: list[dict[str, Any]] = []
    axilite: list[dict[str, Any]] = []
    for node in model.graph.node:
        layer = getCustomOp(node)
        if is_own(node):
            instances.append({"name": node.name, "data": [], "own": describe_own(model, node)})
        else:
            instances.append(_layer_instance(node, layer))
        if _is_external(node):
            bits = layer.get_instream_width_padded(1)
            # After the ports of the graph's inputs, as `shellgen.read` expects weights that the child holds.
            port = len(model.graph.input) + sum(not stream["driver"][0] for stream in streams)
            streams.append({"bits": bits, "driver": ("", port), "sink": (node.name, "in1_V")})
        elif is_dynamic(node):
            instances.append(loader_instance(node, layer))
            source = (node.name + "_wstrm", "m_axis_0")
            streams.append({"bits": loaded_bits(layer), "driver": source, "sink": (node.name, "in1_V")})
        elif node.op_type.startswith(("MVAU", "VVAU")):
            instances.append(_memory_instance(node, layer))
            bits = layer.get_instream_width_padded(1)
            streams.append(
                {"bits": bits, "driver": (node.name + "_wstrm", "m_axis_0"), "sink": (node.name, "in1_V")}
            )
        if node.op_type.startswith(_WITH_SLAVE) and not _is_external(node) and not is_dynamic(node):
            axilite.append(describe_axilite(model, node))
    return {
        "name": name,
        "model": path,
        "instances": instances,
        "streams": streams + _activation_streams(model),
        "axilite": axilite,
    }


def _is_external(node: Any) -> bool:
    if not node.op_type.startswith("MVAU"):
        return False
    return bool(getCustomOp(node).get_nodeattr("mem_mode") == "external")


def _layer_instance(node: Any, layer: Any) -> dict[str, Any]:
    folder = layer.get_nodeattr("code_gen_dir_ipgen")
    files = [path for path in layer.get_rtl_file_list(abspath=True) if Path(path).name != _GAUGE]
    data = []
    if node.op_type.startswith("Thresholding"):
        data = layer.get_all_meminit_filenames(abspath=True)
    return {
        "name": node.name,
        "module": layer.get_nodeattr("gen_top_module"),
        "sources": [os.path.normpath(path) for path in files],
        "data": [os.path.normpath(path) for path in data],
        "folder": folder,
    }


def _memory_instance(node: Any, layer: Any) -> dict[str, Any]:
    """The weight memory, which FINN's file list leaves out."""
    folder = Path(layer.get_nodeattr("code_gen_dir_ipgen"))
    wrapper = next(folder.glob("*_memstream_wrapper.v"))
    library = Path(os.environ["FINN_RTLLIB"])
    return {
        "name": node.name + "_wstrm",
        "module": wrapper.stem,
        "sources": [str(library / path) for path in _MEMSTREAM] + [str(wrapper)],
        "data": [str(folder / "memblock.dat")],
        "folder": str(folder),
    }


def describe_axilite(model: Any, node: Any) -> dict[str, Any]:
    """Address width of a layer's slave by FINN's formulas."""
    layer = getCustomOp(node)
    exposed = bool(layer.get_verilog_top_module_intf_names()["axilite"])
    if node.op_type.startswith("FMPadding"):
        return {"instance": node.name, "addr_bits": _PADDING_ADDR_BITS, "exposed": exposed}
    if node.op_type.startswith("Thresholding"):
        pe, steps = layer.get_nodeattr("PE"), layer.get_nodeattr("numSteps")
        # One row of thresholds for all channels is built as PE channels.
        shared = model.get_tensor_shape(node.input[1])[0] == 1
        folds = 1 if shared else layer.get_nodeattr("NumChannels") // pe
        bits = _clog2(folds) + _clog2(pe) + _clog2(steps) + 2
        return {"instance": node.name, "addr_bits": bits, "exposed": exposed}
    lanes = 1 << _clog2(-(-layer.get_instream_width_padded(1) // 32))
    bits = _clog2(layer.calc_wmem() * lanes) + 2
    return {"instance": node.name + "_wstrm", "addr_bits": bits, "exposed": exposed}


def _clog2(value: int) -> int:
    return (value - 1).bit_length()


def _activation_streams(model: Any) -> list[dict[str, Any]]:
    """One entry per tensor that is not a constant; a layer's streams are distinguished by position."""
    inputs = [tensor.name for tensor in model.graph.input]
    outputs = [tensor.name for tensor in model.graph.output]
    driver_of: dict[str, tuple[str, Any]] = {name: ("", index) for index, name in enumerate(inputs)}
    for node in model.graph.node:
        ports = getCustomOp(node).get_verilog_top_module_intf_names()["m_axis"]
        driver_of |= {tensor: (node.name, port) for tensor, (port, _) in zip(node.output, ports, strict=True)}
    streams = []
    for node in model.graph.node:
        names = getCustomOp(node).get_verilog_top_module_intf_names()
        bits_of = dict(names["s_axis"])
        for index, tensor in enumerate(node.input):
            if tensor in driver_of:
                port = f"in{index}_V"
                sink: tuple[str, Any] = (node.name, port)
                if index and is_dynamic(node):
                    sink = (node.name + "_wstrm", "s_axis_0")
                streams.append({"bits": bits_of[port], "driver": driver_of[tensor], "sink": sink})
        for tensor, (port, bits) in zip(node.output, names["m_axis"], strict=True):
            if tensor in outputs:
                end = ("", outputs.index(tensor))
                streams.append({"bits": bits, "driver": (node.name, port), "sink": end})
    return streams
