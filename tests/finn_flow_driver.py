# SPDX-License-Identifier: BSD-3-Clause
"""Runs in FINN's environment: the steps of a `build_dataflow` flow, ours the last; argv: model, folder.

FINN's own runner needs packages and a Vivado that shellgen's environment for FINN does not have; it looks
steps up as this does, by name or by import.
"""

import importlib
import json
import os
import sys
from pathlib import Path

STEPS = (
    "step_tidy_up",
    "step_streamline",
    "step_convert_to_hw",
    "step_create_dataflow_partition",
    "step_specialize_layers",
    "step_target_fps_parallelization",
    "step_apply_folding_config",
    "step_minimize_bit_width",
    "shellgen.finn_step.step_generate_shells",
)
model_file, folder = sys.argv[1], Path(sys.argv[2])
package = next(Path(entry) / "finn" for entry in sys.path if (Path(entry) / "finn" / "finn-rtllib").is_dir())
for name, value in (
    ("BUILD_DIR", folder / "b"),
    ("ROOT", package.parent),
    ("RTLLIB", package / "finn-rtllib"),
):
    os.environ[f"FINN_{name}"] = str(value)
for name in ("b", "out/intermediate_models", "out/report"):
    (folder / name).mkdir(parents=True)

from finn_worker.stand_ins import stand_in  # noqa: E402

stand_in("pandas", "mip", "sklearn", "networkx", "psutil", "mashumaro", "onnx_passes")
import finn.xsi  # noqa: E402

importlib.import_module("mip").SearchEmphasis.DEFAULT = 0  # a default of a solver that is not asked
finn.xsi.SimEngine = None  # Vivado's simulator

from finn.analysis.fpgadataflow.floorplan_params import floorplan_params  # noqa: E402
from finn.builder.build_dataflow_config import DataflowBuildConfig  # noqa: E402
from finn.builder.build_dataflow_steps import build_dataflow_step_lookup  # noqa: E402
from finn.transformation.fpgadataflow.create_dataflow_partition import CreateDataflowPartition  # noqa: E402
from qonnx.core.modelwrapper import ModelWrapper  # noqa: E402
from qonnx.custom_op.registry import getCustomOp  # noqa: E402

cfg = DataflowBuildConfig(
    output_dir=str(folder / "out"),
    synth_clk_period_ns=10.0,
    generate_outputs=[],
    fpga_part="xc7z020clg484-1",
    target_fps=20000,
    steps=list(STEPS),
)
model = ModelWrapper(model_file)
for step in STEPS:
    if step.startswith("shellgen."):
        for index, node in enumerate(model.graph.node):
            getCustomOp(node).set_nodeattr("partition_id", int(index >= 3))
        (folder / "floorplan.json").write_text(json.dumps(floorplan_params(model)))
        parent = model.transform(CreateDataflowPartition(partition_model_dir=str(folder / "children")))
        parent.save(str(folder / "parent.onnx"))
        module, _, name = step.rpartition(".")
        function = getattr(importlib.import_module(module), name)
    else:
        function = build_dataflow_step_lookup[step]
    model = function(model, cfg)
