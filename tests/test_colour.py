# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts have a colour on a terminal, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.cli.colour import coloured, shows_colour


def test_verdicts_are_coloured_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert coloured("icarus: 4 tests: PASS") == "icarus: 4 tests: \x1b[1;32mPASS\x1b[0m"
    assert coloured("golden FAIL, control OK").count("\x1b[1;3") == 2
    names = "PASSED a.PASS x/FAIL FAIL_1 OKAY"
    assert coloured(names) == names

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert shows_colour(Terminal())  # type: ignore[arg-type]
    with Path("/dev/null").open("w") as pipe:
        assert not shows_colour(pipe)
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert not shows_colour(Terminal())  # type: ignore[arg-type]
