# SPDX-License-Identifier: BSD-3-Clause
"""finn-plus' partitioner with CBC, in FINN's environment: layers and boards in, devices out.

The layers are nodes without attributes, and their resources are given, so that both searches have the same.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def main(stitch: str, solver: str, job_file: str, result_file: str) -> None:
    """Solve one job; ``stitch`` has modules in place of what FINN imports, ``solver`` python-mip."""
    sys.path.append(stitch)
    sys.path.append(solver)
    import_module("finn_worker.stand_ins").stand_in()
    config, partitioner = (
        import_module(f"finn.{name}")
        for name in (
            "builder.build_dataflow_config",
            "transformation.fpgadataflow.multifpga.aurora.partitioner",
        )
    )
    job = json.loads(Path(job_file).read_text())
    resources = list(job["device"])
    layers = {name: dict(zip(resources, takes, strict=True)) for name, takes in job["layers"]}
    vars(partitioner).update(
        get_estimated_model_resources=lambda *_: layers,
        available_resources_on_platform=lambda *_: job["device"],
    )
    cut = config.PartitioningConfiguration(
        num_fpgas=job["boards"],
        considered_resources=resources,
        max_utilization=job["most"],
        partition_solver=config.MIPSolver.CBC,
        single_stream_network=job["single"],
    )
    build = config.DataflowBuildConfig(
        output_dir="unused",
        synth_clk_period_ns=5.0,
        generate_outputs=[],
        board="U280",
        partitioning_configuration=cut,
    )
    began, wall = time.process_time(), time.time()
    solving = partitioner.AuroraPartitioner(build, _model(job))
    built = time.process_time() - began
    found = solving.solve(job["timeout"])
    told = {
        "devices": found,
        "status": str(solving.status),
        "objective": solving.objective_value,
        "built": built,
        "cpu": time.process_time() - began,
        "wall": time.time() - wall,
    }
    Path(result_file).write_text(json.dumps(told))


def _model(job: dict[str, Any]) -> Any:
    """Return the layers and streams as a model."""
    onnx, wrapper = import_module("onnx"), import_module("qonnx.core.modelwrapper")
    helper = onnx.helper
    into: dict[str, list[str]] = {name: [] for name, _ in job["layers"]}
    out: dict[str, list[str]] = {name: [] for name, _ in job["layers"]}
    ends: tuple[list[Any], list[Any]] = ([], [])
    for number, (producer, consumer) in enumerate(job["streams"]):
        tensor = f"t{number}"
        info = helper.make_tensor_value_info(tensor, onnx.TensorProto.FLOAT, (1,))
        for name, into_or_out, end in ((producer, out, ends[0]), (consumer, into, ends[1])):
            if name is None:
                end.append(info)
            else:
                into_or_out[name].append(tensor)
    nodes = [
        helper.make_node("Layer", into[name], out[name], name=name, domain="qonnx.custom_op.general")
        for name, _ in job["layers"]
    ]
    return wrapper.ModelWrapper(helper.make_model(helper.make_graph(nodes, "layers", *ends)))


if __name__ == "__main__":
    main(*sys.argv[1:])
