# SPDX-License-Identifier: BSD-3-Clause
"""The work of a check, counted in scripts, hosts and facts: it grows with what differs between nodes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.generate_speed.systems import reference_system
from shellgen.api import generate
from shellgen.check.run import Options, check
from vivado_check.confine import start
from vivado_check.ip import catalogue, store
from vivado_check.rules import bare_vivado, failures
from vivado_check.tcl import interpreter


def work_of(out: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Check a folder from a fresh start and count hosts, scripts and files of facts."""
    for seen in (bare_vivado._SEEN, failures._SEEN):
        seen.clear()
    catalogue._document.cache_clear()
    catalogue._mined.cache_clear()
    start.stop()
    done: Counter[str] = Counter()
    start_host, start_script, load = start._Host.__init__, interpreter._Run.__init__, store.load

    def host(self: start._Host, driver: Path) -> None:
        done["hosts"] += 1
        start_host(self, driver)

    def script(self: interpreter._Run, *words: object) -> None:
        done["scripts"] += 1
        start_script(self, *words)  # type: ignore[arg-type]

    def loaded(text: str) -> object:
        done["facts"] += 1
        return load(text)

    with monkeypatch.context() as patched:
        patched.setattr(start._Host, "__init__", host)
        patched.setattr(interpreter._Run, "__init__", script)
        patched.setattr(catalogue, "load", loaded)
        assert not check(out, Options()).messages
    return done


@pytest.mark.sweep
def test_more_boards_take_their_own_scripts_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = 3, 5
    work = {}
    for boards in (few, many):
        out = tmp_path / str(boards) / "out"
        generate(reference_system(out.parent, boards), out)
        work[boards] = work_of(out, monkeypatch)
    assert {done["hosts"] for done in work.values()} == {1}
    assert work[few]["facts"] == work[many]["facts"]
    # A node's build, its hook and its constraints; those in the middle are alike, and all else was tried.
    assert work[many]["scripts"] - work[few]["scripts"] == (many - few) * 3
