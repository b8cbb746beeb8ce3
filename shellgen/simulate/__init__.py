# SPDX-License-Identifier: BSD-3-Clause
"""Build simulation models and run cocotb benches on them."""

from shellgen.simulate.build import Model, ModelSpec, build_model
from shellgen.simulate.run import RunResult, run_model
from shellgen.simulate.tools import SIMULATORS, Simulator

__all__ = ["SIMULATORS", "Model", "ModelSpec", "RunResult", "Simulator", "build_model", "run_model"]
