# SPDX-License-Identifier: BSD-3-Clause
"""Strategies, directives and arguments of runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_node import HERE, Node

from shellgen.platforms.zynq.strategy import STRATEGIES
from vivado_check.design import Setting
from vivado_check.recording import Run
from vivado_check.report import Verdict
from vivado_check.rules.run_settings import wrong


def test_our_strategies_are_vivados() -> None:
    for name, settings in STRATEGIES.items():
        for run, key, value in settings:
            assert not wrong(run, key.upper(), value), f"{name}: {key}"


@pytest.mark.parametrize(
    ("run", "key", "value", "right"),
    [
        ("synth_1", "STRATEGY", "Flow_PerfOptimized_hihg", False),
        ("synth_1", "STRATEGY", "Performance_Explore", False),
        ("impl_1", "STRATEGY", "Performance_Explore", True),
        ("impl_1", "STEPS.PHYS_OPT_DESIGN.ARGS.DIRECTIVE", "Agressive", False),
        ("impl_1", "STEPS.PHYS_OPT_DESIGN.IS_ENABLED", "ture", False),
        ("impl_1", "STEPS.PHYS_OPT_DESIGN.IS_ENABLED", "1", True),
        ("impl_1", "STEPS.PHYSOPT_DESIGN.IS_ENABLED", "true", False),
        ("impl_1", "STEPS.SYNTH_DESIGN.TCL.PRE", "x.tcl", False),
        ("impl_1", "STEPS.WRITE_BITSTREAM.ARGS.MORE OPTIONS", "-verbose", True),
        ("impl_1", "NEEDS_REFRESH", "anything", True),
    ],
)
def test_names_of_settings(run: str, key: str, value: str, right: bool) -> None:
    assert bool(wrong(run, key, value)) != right


def test_others_may_have_strategies_of_their_own(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.project.runs["impl_1"] = Run("impl_1", properties={"strategy": Setting("mine", HERE)})
    (ours,) = node.judged("run-settings")
    (theirs,) = node.judged("run-settings", plan=False)
    assert (ours.verdict, theirs.verdict) == (Verdict.ERROR, Verdict.NOT_MODELLED)
    assert "Performance_Explore," in ours.expected
