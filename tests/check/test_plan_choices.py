# SPDX-License-Identifier: BSD-3-Clause
"""Settings that may be chosen otherwise: they are reported, and are no failure."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from changed_card import card, replaced
from coyote_v1_project import cards
from zynq_project import node_plan

from vivado_check.design import Setting
from vivado_check.report import Origin, Verdict

HERE = Origin("n0/vivado/bd.tcl", 7)


def test_slices_and_kernels_of_a_card(tmp_path: Path) -> None:
    plan, network = cards(2)
    with contextmanager(card)(plan, network.files, tmp_path, ("plan-choices", "plan-make")) as made:
        assert made.judged() == []
        with made.changed("coyote/hw/user_logic.svh", replaced("N_STAGES(4)", "N_STAGES(8)")) as found:
            (stages,) = found
        assert (stages.verdict, stages.found, stages.expected) == (Verdict.DIFFERS, "8", "4")
        for old, new in ((".xo -d build/kernels", ".xo -d build"), ("UNZIP) -qn", "UNZIP) -q")):
            with made.changed("coyote/Makefile", replaced(old, new)) as found:
                assert [one.rule for one in found] == ["plan-make"]
                assert "unzip" in found[0].where


def test_strategies_and_bitstreams(tmp_path: Path) -> None:
    asked: dict[str, object] = {"strategy": "performance", "compress": True}
    plan, network = node_plan("zedboard", "1rx_1tx", vivado=asked)
    with contextmanager(card)(plan, network.files, tmp_path, ("plan-choices",)) as made:
        assert made.judged() == []
        with made.changed("vivado/bitstream.xdc", replaced("TRUE", "FALSE")) as found:
            assert [(one.verdict, one.found) for one in found] == [(Verdict.DIFFERS, "FALSE")]
        (project,) = made.context.recording.projects
        runs = project.runs["impl_1"].properties
        (name,) = [key for key in runs if key.lower() == "steps.opt_design.args.directive"]
        kept, runs[name] = runs[name], Setting("ExploreArea", HERE)
        (directive,) = made.judged()
        runs[name] = replace(kept, value=kept.value.upper())
        assert made.judged() == []
        runs["steps.place_design.args.directive"] = Setting("Explore", HERE)  # one that the plan leaves open
        assert made.judged() == []
    assert (directive.verdict, directive.origin, directive.expected) == (Verdict.DIFFERS, HERE, "Explore")
