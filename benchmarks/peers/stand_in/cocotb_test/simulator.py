# SPDX-License-Identifier: BSD-3-Clause
"""`run` of cocotb-test, for our block in place of the one that the test names.

The test hands over sources, top, parameters and its own module of cocotb tests. Everything is taken but the
sources: the top is ``peer_<top>``, our wrapper with the same ports and parameters.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import cocotb
from cocotb.types import Logic, LogicArray

from shellgen.simulate.build import build_model
from shellgen.simulate.run import run_model

# cocotb 1 had an empty name while no simulator ran; the tests ask for it in order to know.
if not hasattr(cocotb, "SIM_NAME"):
    cocotb.SIM_NAME = ""

# In cocotb 1 the value of a parameter was an integer, and the tests count with it.
LogicArray.__mul__ = lambda self, other: self.to_unsigned() * other
LogicArray.__floordiv__ = lambda self, other: self.to_unsigned() // other
# So was that of a single bit, which they turn into a number.
Logic.integer = property(int)

__all__ = ["run"]


def run(
    *,
    toplevel: str,
    module: str,
    parameters: Mapping[str, int],
    python_search: Sequence[str],
    extra_env: Mapping[str, str],
    sim_build: str,
    verilog_sources: Sequence[str],  # noqa: ARG001 - theirs, and not what is tested here
) -> None:
    """Build our block, run their cocotb tests on it and note what passed.

    Args:
        toplevel: Their module.
        module: Their cocotb tests.
        parameters: Of their module.
        python_search: Where ``module`` is.
        extra_env: For the tests.
        sim_build: Last part names the run.
        verilog_sources: Unused.

    Raises:
        SimulationError: A test failed, none ran, or the build failed.
    """
    top = f"peer_{toplevel}"
    sources = [Path(line) for line in os.environ["PEER_SOURCES"].split(os.pathsep)]
    flags = [f"-P{top}.{name}={value}" for name, value in parameters.items()]
    out = Path(os.environ["PEER_OUT"]) / toplevel / Path(sim_build).name
    model = build_model(sources, top, "icarus", extra_flags=flags)
    search = [Path(folder) for folder in python_search]
    result = run_model(model, module, search, out, env=extra_env, timeout_s=900)
    (out / "passed.json").write_text(json.dumps({"tests": len(result.tests)}))
