# SPDX-License-Identifier: BSD-3-Clause
"""Placement from FINN's files becomes [[node]] tables; the forms are those of finn-plus 1.3.0 and 1.6.1."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import onnx
import pytest
from bad_input import copy_system
from onnx import TensorProto, helper

from shellgen.errors import InputError
from shellgen.init import import_floorplan
from shellgen.read import read_network

DEFAULTS = {
    "slr": [-1, ["all"]],
    "partition_id": [0, ["all"]],
    "device_id": [0, ["all"]],
    "mem_port": ["", ["all"]],
}


def entry(partition: int, device: int = 0, slr: int = -1) -> dict[str, Any]:
    return {"slr": slr, "partition_id": partition, "device_id": device, "mem_port": ""}


def nodes(path: Path) -> list[tuple[str, list[int]]]:
    found = tomllib.loads(import_floorplan(path, "pynq-z2"))["node"]
    assert all(node["board"] == "pynq-z2" for node in found)
    return [(node["name"], node["partitions"]) for node in found]


def write(folder: Path, data: Any) -> Path:
    (folder / "floorplan.json").write_text(json.dumps(data))
    return folder / "floorplan.json"


def test_a_parent_tells_where_its_partitions_are(tmp_path: Path) -> None:
    """FINN writes -1 for anywhere; what a partition is made of does not depend on it."""
    copy_system(tmp_path)
    path = tmp_path / "build/parent.onnx"
    before = read_network(path).partitions
    model = onnx.load(path)
    inside = [node for node in model.graph.node if node.op_type == "StreamingDataflowPartition"]
    for node, slr in zip(inside, (2, -1), strict=True):
        node.attribute.append(helper.make_attribute("slr", slr))
    onnx.save(model, path)
    found = read_network(path).partitions
    assert [one.slr for one in before] == [None, None]
    assert [one.slr for one in found] == [2, None]
    assert [one.model_copy(update={"slr": None}) for one in found] == list(before)


def test_a_floorplan_of_layers(tmp_path: Path) -> None:
    """Partitions are numbered by what ids there are; FINN's DMA has ids of its own and no place here."""
    layers = {
        "Defaults": DEFAULTS,
        "IODMA_hls_0": entry(0),
        "MVAU_rtl_0": entry(2, 1, 0),
        "Thresholding_rtl_0": entry(2, 1, 0),
        "StreamingFIFO_rtl_1": entry(2, 1, 0),
        "MVAU_rtl_1": entry(2, 1, 0),
        "MVAU_rtl_2": entry(5, 0, 2),
        "MVAU_rtl_3": {"partition_id": 7, "device_id": 1},
        "IODMA_hls_1": entry(1),
    }
    path = write(tmp_path, layers)
    assert nodes(path) == [("fpga0", [1]), ("fpga1", [0, 2])]
    text = import_floorplan(path, "zedboard")
    assert "# 0: MVAU_rtl_0, ..., MVAU_rtl_1, SLR 0\n" in text
    assert "# 1: MVAU_rtl_2, SLR 2\n" in text


def test_a_floorplan_of_partitions(tmp_path: Path) -> None:
    names = {f"StreamingDataflowPartition_{index}": entry(index, index // 2) for index in range(3)}
    assert nodes(write(tmp_path, {"Defaults": {}, **names})) == [("fpga0", [0, 1]), ("fpga1", [2])]


def test_a_partitioning_for_several_fpgas(tmp_path: Path) -> None:
    """Layers that follow each other on a device are a partition: A, A, B, A make three."""
    path = tmp_path / "partitioning.yaml"
    path.write_text("MVAU_hls_0: 0\nStreamingFIFO_rtl_0: 0\n# second board\n'MVAU_hls_1': 1\nMVAU_rtl_2: 0\n")
    assert nodes(path) == [("fpga0", [0, 2]), ("fpga1", [1])]


def test_a_parent_with_devices(tmp_path: Path) -> None:
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "ac"]
    made = [
        helper.make_node("StreamingDataflowPartition", ["a"], ["b"], "P_0", device_id=1, slr=0),
        helper.make_node("StreamingDataflowPartition", ["b"], ["c"], "P_1"),
    ]
    for node in made:
        node.domain = "finn.custom_op.fpgadataflow"
    onnx.save(helper.make_model(helper.make_graph(made, "p", ends[:1], ends[1:])), tmp_path / "parent.onnx")
    assert nodes(tmp_path / "parent.onnx") == [("fpga0", [1]), ("fpga1", [0])]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("none.json", None, "cannot be read"),
        ("a.json", "{", "is not JSON"),
        ("a.json", '{"MVAU_0": 3}', "is neither a floorplan nor a partitioning"),
        ("a.json", '{"MVAU_0": {"device_id": "x"}}', "got 'x'"),
        ("a.json", '{"IODMA_hls_0": {"device_id": 0}}', "it places no layer"),
        ("a.yaml", "data:\n  - device: 1\n", "is neither a floorplan nor a partitioning"),
        (
            "a.json",
            json.dumps({"A_0": entry(1, 0), "A_1": entry(1, 1)}),
            "its layers are on devices 0, 1",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, name: str, text: str | None, found: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as error:
        import_floorplan(tmp_path / name, "zedboard")
    assert found in str(error.value)
