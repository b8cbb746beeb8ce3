# SPDX-License-Identifier: BSD-3-Clause
"""The tutorials run, and their outputs are those on the pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.tutorials import PAGES, blocks, commands, masked, run_page

SLOW = {"finn-build"}  # ten seconds of FINN; the sweep runs all blocks of all pages
QUICK = [
    pytest.param(name, marks=[pytest.mark.sweep] if name in SLOW else [])
    for name, page in PAGES.items()
    if any(not block.sweep for block in blocks(page.read_text()))
]
HINT = "python -m tools.tutorials --record, with --sweep for the long ones"


@pytest.mark.parametrize("name", QUICK)
def test_quick(name: str, tmp_path: Path) -> None:
    assert not run_page(PAGES[name], tmp_path, sweep=False)[0], HINT


@pytest.mark.finn
@pytest.mark.sweep
@pytest.mark.parametrize("name", PAGES)
def test_whole(name: str, tmp_path: Path) -> None:
    assert not run_page(PAGES[name], tmp_path, sweep=True)[0], HINT


def test_a_stale_output_is_seen_and_recorded(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        'Text.\n```txt title="a.txt"\none\n```\n'
        "```console\n$ cat \\\n> a.txt\ntwo\n$ echo took 2.5 s\ntook 9 s\n```\n"
        "```console exits 3\n$ exit 3\n```\n```console sweep\n$ false\n```\nEnd.\n"
    )
    (tmp_path / "work").mkdir()
    stale, text = run_page(page, tmp_path / "work", sweep=False)
    assert [(one.typed, one.wanted, one.found) for one in stale] == [
        ("$ cat \\\n> a.txt\n", "two\n", "one\n")
    ]
    assert text == page.read_text().replace("two", "one")
    (tmp_path / "again").mkdir()
    with pytest.raises(RuntimeError, match="false: exit code 1, not 0"):
        run_page(page, tmp_path / "again", sweep=True)
    (block,) = blocks("```console\nno command\n```\n")
    with pytest.raises(ValueError, match="begins with 'no command'"):
        list(commands(block))
    assert masked("in 3.5 s, 12 stages, 4 s") == "in # s, 12 stages, # s"
