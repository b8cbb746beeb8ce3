# SPDX-License-Identifier: BSD-3-Clause
"""A host as an end over VNx against the blocks of a card, through real sockets."""

from __future__ import annotations

from pathlib import Path

import pytest
from waiting import PATIENCE

from shellgen.resources import data_dir, rtl_closure, rtl_file
from shellgen.simulate import ModelSpec, build_model, run_model

MODULES = Path(__file__).with_name("simulate_modules")


@pytest.mark.sweep
def test_a_host_is_a_node(tmp_path: Path) -> None:
    """Frames of the host go through the receiver of a card and its sender, and come back as they were."""
    top = MODULES / "vnx_echo.sv"
    blocks = ["vnx_check", "axis_demux", "vnx_receiver", "vnx_sender", "axis_arbiter", "vnx_seal"]
    sources = [rtl_file(name) for name in rtl_closure(blocks)]
    model = build_model(ModelSpec([], "vnx_echo", third_party=[*sources, top]), "icarus")
    run_model(model, "vnx_host", [MODULES, MODULES.parent, data_dir("sim")], tmp_path, timeout_s=PATIENCE)
