# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen build` as a process: interrupted, killed, started twice."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from build_site import START, Site, site
from test_screen import on_terminal
from waiting import until

from shellgen.cli import main

WORDS = ("--memory", "100")
# A tool with children, one of which does not listen and has left its session.
BUSY = """
(trap '' TERM; exec setsid sleep 60) &
touch "$STAND_IN/$node.busy"
sleep 60
"""


@pytest.fixture
def busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A card whose link hangs in the middle."""
    here = site(tmp_path, count=1)
    here.told("card0", "v++", BUSY)
    for name, value in here.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    return here


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGKILL, -9, "")]
)
def test_an_end_in_the_middle_leaves_nothing_behind(
    number: signal.Signals, code: int, said: str, busy: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    with busy.start(*WORDS) as process:
        until((busy.root / "stand_in/card0.busy").exists, process)
        assert main(["build", "out", *WORDS]) == 2, "two at once"
        assert "another `shellgen build` is building it" in capsys.readouterr().err
        os.kill(process.pid, number)
        _, told = process.communicate()
        assert process.returncode == code
        assert said in told
    until(lambda: not busy.alive())
    assert list(busy.state()["stages"]) == ["kernel", "vnx"]
    assert busy.calls
    busy.untold("card0", "v++")
    assert main(["build", "out", *WORDS]) == 0
    assert busy.calls == ["card0 v++"], "it goes on where it stopped"


@pytest.mark.sweep
def test_a_terminal_shows_a_line_for_each_node(busy: Site) -> None:
    """Drawn again and again while the builds run, and gone before the table."""
    command = [sys.executable, "-c", START, "out", *WORDS]
    code, said, drawn = on_terminal(
        command, lambda pid: os.kill(pid, signal.SIGINT), "impl", **busy.environment
    )
    assert code == 130
    assert re.search(r"\[ *[\d.]+ s\]\x1b\[0m building 2 of 3 stages done", drawn), drawn
    assert re.search(r"  card0  link  0:0\d  impl  0 warnings", drawn)
    assert said == ""
    assert drawn.endswith("shellgen: interrupted\r\n")
    assert busy.alive() == []
    assert list(busy.state()["stages"]) == ["kernel", "vnx"]
