# SPDX-License-Identifier: BSD-3-Clause
"""A misspelt command or option is distinguished from one that another release may have."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivado_check.report import Verdict
from vivado_check.run import Options, check
from vivado_check.tcl.reference import meant_command, meant_option, reference


@pytest.mark.parametrize(
    ("line", "rule", "verdict"),
    [
        ("craete_bd_design top", "unknown-command", Verdict.ERROR),
        ("flie join a b", "unknown-command", Verdict.ERROR),
        ("ipx::package_project -taxnoomy /UserIP", "unknown-option", Verdict.ERROR),
        ("set_param general.maxThread 4", "refused", Verdict.ERROR),
        ("create_bd_design -quite top", "unknown-option", Verdict.ERROR),
        ("report_of_the_day", "not-modelled", Verdict.NOT_MODELLED),
        ("create_bd_design -from_the_future top", "not-modelled", Verdict.NOT_MODELLED),
    ],
)
def test_what_is_called_wrongly(tmp_path: Path, line: str, rule: str, verdict: Verdict) -> None:
    script = tmp_path / "a.tcl"
    script.write_text(f"create_project a a\n{line}\n")
    found = [(m.rule, m.verdict, m.origin.line) for m in check(script, Options()).messages]
    assert (rule, verdict, 2) in found


def test_what_is_called_rightly() -> None:
    assert len(reference()) > 700
    assert meant_command("get_bd_pins", frozenset()) is None
    assert meant_command("xilinx::designutils::x", frozenset()) is None
    assert meant_option("connect_bd_net", "-bound", frozenset()) is None
