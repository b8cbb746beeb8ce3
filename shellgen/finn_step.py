# SPDX-License-Identifier: BSD-3-Clause
"""A step for FINN's own flow: ``steps = [..., "shellgen.finn_step.step_generate_shells"]``.

It may stand behind ``step_apply_folding_config`` or any later step: what FINN has stitched with Vivado is
taken as it is, everything else goes through `shellgen stitch`. ``cluster.toml`` configures it, the same one
that the command line takes: ``$SHELLGEN_CLUSTER``, or the one in the working folder. Its ``build`` names the
ONNX file that the build gets, and the shells go to ``<output_dir>/shells/generated``.

This module imports nothing but the standard library, so that it works in FINN's environment, which has other
versions of everything: shellgen runs in its own, whose command is found by ``$SHELLGEN`` or on PATH.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

_PARENT = "dataflow_parent.onnx"
_BUILD = re.compile(r"^\s*build\s*=\s*[\"'](?P<name>[^\"']+)[\"']", re.MULTILINE)


def step_generate_shells(model: Any, cfg: Any) -> Any:
    """Generate the shells of all boards around the model; the model goes on unchanged.

    Args:
        model: qonnx ModelWrapper with folded layers, with dataflow partitions, or of a stitched IP.
        cfg: FINN's DataflowBuildConfig; its part, clock period and output folder are used.

    Raises:
        RuntimeError: There is no cluster.toml, or shellgen refuses, whose message follows.
    """
    cluster = Path(os.environ.get("SHELLGEN_CLUSTER", "cluster.toml")).absolute()
    if not cluster.is_file():
        raise RuntimeError(f"{cluster}: there is no such file. Write it, or set SHELLGEN_CLUSTER to its path")
    named = _BUILD.search(cluster.read_text(encoding="utf-8"))
    if not named or not named["name"].endswith(".onnx"):
        raise RuntimeError(f'{cluster}: build names no ONNX file. Write build = "build/{_PARENT}"')
    build = cluster.parent / named["name"]
    out = Path(cfg.output_dir).absolute() / "shells"
    if _is_stitched(model):
        build.parent.mkdir(parents=True, exist_ok=True)
        model.save(str(build))
    else:
        if build.name != _PARENT:
            raise RuntimeError(
                f"{cluster}: build is {build.name}. shellgen stitch writes {_PARENT}: name that"
            )
        out.mkdir(parents=True, exist_ok=True)
        model.save(str(out / "model.onnx"))
        part, clock = cfg._resolve_fpga_part(), cfg.synth_clk_period_ns
        options = ["--part", part, "--clk-ns", str(clock)]
        _run("stitch", str(out / "model.onnx"), "-o", str(build.parent), *options)
    _run("generate", str(cluster), "-o", str(out / "generated"))
    return model


def _is_stitched(model: Any) -> bool:
    """Tell whether Vivado has stitched the model, or every partition of it."""
    nodes = [node for node in model.graph.node if node.op_type == "StreamingDataflowPartition"]
    if not nodes:
        return bool(model.get_metadata_prop("vivado_stitch_proj"))
    files = [entry.s.decode() for node in nodes for entry in node.attribute if entry.name == "model"]
    return all(type(model)(name).get_metadata_prop("vivado_stitch_proj") for name in files)


def _command() -> list[str]:
    if os.environ.get("SHELLGEN"):
        return shlex.split(os.environ["SHELLGEN"])
    found = shutil.which("shellgen")
    return [found] if found else [sys.executable, "-m", "shellgen"]


def _run(*arguments: str) -> None:
    # FINN's own PYTHONPATH would put its numpy and protobuf before ours.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [*_command(), *arguments]
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        text = f"{command[0]}: {error.strerror}. Set SHELLGEN to shellgen's command, e.g. /venv/bin/shellgen"
        raise RuntimeError(text) from None
    sys.stdout.write(run.stdout)
    if run.returncode:
        said = run.stderr.strip() or f"it ended with code {run.returncode}"
        raise RuntimeError(f"shellgen {arguments[0]}: {said}")
