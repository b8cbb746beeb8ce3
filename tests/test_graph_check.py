# SPDX-License-Identifier: BSD-3-Clause
"""Networks that nothing can run are refused before FINN starts, with the node or the tensor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from shellgen.errors import InputError
from shellgen.stitch.build import check_model


def small() -> onnx.ModelProto:
    """Return a quantiser and a matrix: ``x`` to ``q`` to ``y``."""
    one, zero, four = (np.array(value, np.float32) for value in (0.5, 0, 4))
    tensors = {"scale": one, "zero": zero, "bits": four, "w": np.eye(3, dtype=np.float32)}
    nodes = [
        helper.make_node(
            "Quant", ["x", "scale", "zero", "bits"], ["q"], "quant", domain="qonnx.custom_op.general"
        ),
        helper.make_node("MatMul", ["q", "w"], ["y"], "matrix"),
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, (1, 3)) for name in ("x", "y")]
    held = [numpy_helper.from_array(array, name) for name, array in tensors.items()]
    return helper.make_model(helper.make_graph(nodes, "small", ends[:1], ends[1:], held))


def with_values(name: str, *values: float) -> Callable[[onnx.ModelProto], None]:
    """Return a change of an initializer."""

    def change(model: onnx.ModelProto) -> None:
        (tensor,) = (one for one in model.graph.initializer if one.name == name)
        array = np.resize(np.array(values, np.float32), tuple(tensor.dims))
        tensor.CopyFrom(numpy_helper.from_array(array, name))

    return change


def beside(model: onnx.ModelProto) -> None:
    (tensor,) = (one for one in model.graph.initializer if one.name == "w")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="small.data")


FAULTS: dict[str, tuple[Callable[[onnx.ModelProto], object], str]] = {
    "cycle": (
        lambda m: m.graph.node[0].input.__setitem__(0, "y"),
        "cycle: Quant quant waits for its own output",
    ),
    "nowhere": (
        lambda m: m.graph.node[1].input.__setitem__(0, "p"),
        "input p of MatMul matrix comes from nowhere",
    ),
    "output": (lambda m: m.graph.node[1].output.__setitem__(0, "z"), "output y comes from nowhere"),
    "no output": (lambda m: m.graph.ClearField("output"), "the graph has no output"),
    "no shape": (lambda m: m.graph.input[0].type.tensor_type.ClearField("shape"), "input x has no shape"),
    "twice": (lambda m: m.graph.node[1].output.__setitem__(0, "q"), "2 nodes compute the tensor q"),
    "nan": (with_values("w", float("nan")), "tensor w holds NaN"),
    "infinity": (with_values("w", float("inf")), "tensor w holds infinity"),
    "scale": (with_values("scale", 0), "Quant quant has a scale of 0"),
    "no bits": (with_values("bits", 0), "Quant quant has a bit width of 0"),
    "half a bit": (with_values("bits", 3.5), "Quant quant has a bit width of 3.5"),
    "values beside": (beside, "Copy small.data beside the model"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_network_that_cannot_run(fault: str, tmp_path: Path) -> None:
    change, said = FAULTS[fault]
    model, path = small(), tmp_path / "small.onnx"
    change(model)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(InputError) as error:
        check_model(path)
    assert any(said in str(problem) for problem in error.value.problems), error.value.problems
    assert all(str(path) in str(problem) for problem in error.value.problems)


def test_what_is_legal(tmp_path: Path) -> None:
    """Open inputs, an infinite bound, and nodes in any order."""
    model, path = small(), tmp_path / "small.onnx"
    bound = numpy_helper.from_array(np.array(np.inf, np.float32), "bound")
    model.graph.initializer.append(bound)
    model.graph.node.append(helper.make_node("Clip", ["x", "", "bound"], ["clipped"], "clip"))
    model.graph.node[0].input[0] = "clipped"
    path.write_bytes(model.SerializeToString())
    check_model(path)
