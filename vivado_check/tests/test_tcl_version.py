# SPDX-License-Identifier: BSD-3-Clause
"""Commands that Vivado's Tcl may not have."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_design import SmallCatalogue

from vivado_check.expectation import Expectation
from vivado_check.report import Verdict
from vivado_check.rules.base import RULES, Context, all_rules
from vivado_check.sessions import script_recorded


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("puts [lmap x {1 2} {incr x}]", "lmap"),
        ("try {error no} on error {m} {puts $m}", "try"),
        ("foreach x {1 2} {puts lmap}", ""),
        ("proc try {} {return mine}; puts [try]", ""),
    ],
)
def test_what_came_with_8_6(line: str, command: str, tmp_path: Path) -> None:
    all_rules()
    script = tmp_path / "a.tcl"
    script.write_text(f"# a comment\n{line}\n")
    with script_recorded(script, (), {}, "2022.2", SmallCatalogue()) as recording:
        theirs, ours = (
            list(RULES["tcl-version"].judge(Context(recording, SmallCatalogue(), tmp_path, expected=given)))
            for given in (None, Expectation())
        )
    assert [message.where for message in theirs] == [command] * bool(command)
    assert [message.verdict for message in theirs] == [Verdict.NOT_MODELLED] * bool(command)
    assert [message.verdict for message in ours] == [Verdict.FINDING] * bool(command)
    assert all(message.origin.line == 2 for message in ours)
