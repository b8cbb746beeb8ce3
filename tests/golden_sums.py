# SPDX-License-Identifier: BSD-3-Clause
"""Small graphs of FINN's operators, and a plan around one of them, for tests of golden vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from fake_network import chain, one_each, partition, plan_of
from onnx import TensorProto, helper, numpy_helper

from shellgen.model import Plan
from shellgen.read.finn_onnx import FinnModel, load_model


def small(name: str, *nodes: onnx.NodeProto, ends: tuple[str, str], **constants: Any) -> FinnModel:
    """A model of these nodes; ``ends`` has a letter for each input and each output."""
    held = [numpy_helper.from_array(np.asarray(v, np.float32), key) for key, v in constants.items()]
    takes, makes = (
        [helper.make_tensor_value_info(e, TensorProto.FLOAT, [1, 16]) for e in both] for both in ends
    )
    onnx.save(helper.make_model(helper.make_graph(list(nodes), name, takes, makes, held)), f"{name}.onnx")
    return load_model(Path(f"{name}.onnx"))


def sums() -> tuple[Plan, FinnModel]:
    """A partition with two inputs, (2, 8) and (1, 4, 4) INT4, and two outputs: the sum, the second one."""
    shapes = (("INT4", 2, 16), ("INT4", 2, 16))
    made, content = partition("add", shapes, (("INT6", 2, 16), ("INT4", 2, 16)))
    streams = [
        port.model_copy(update={"normal_shape": shape, "folded_shape": (*shape[:-1], shape[-1] // 2, 2)})
        for port, shape in zip(made.streams, ((2, 8), (1, 4, 4), (1, 16), (1, 16)), strict=True)
    ]
    network = chain((made.model_copy(update={"streams": tuple(streams)}), content))
    plan = plan_of(network, one_each(network))
    domain = "finn.custom_op.fpgadataflow"
    two = helper.make_node("DuplicateStreams_hls", ["b"], ["b0", "y"], name="two", domain=domain)
    add = helper.make_node("AddStreams_hls", ["a", "b0"], ["x"], name="sum", domain=domain)
    return plan, small("sums", two, add, ends=("ab", "xy"))
