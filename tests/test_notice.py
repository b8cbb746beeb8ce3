# SPDX-License-Identifier: BSD-3-Clause
"""NOTICE names every project that data was mined from, with its licence, and travels with the package."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from tools.notice.__main__ import CHECK, notice, sources

ROOT = Path(__file__).parents[1]


def test_notice_is_up_to_date() -> None:
    assert (ROOT / "NOTICE").read_text() == notice(), "run `make notice`"
    assert (CHECK / "NOTICE").read_text() == notice("facts.txt"), "run `make notice`"


def test_every_source_of_a_fact_is_named() -> None:
    """Looked for in another way than the tool does: what has the form of a repository and a file in it."""
    named = sources()
    for path in sorted((CHECK / "ip" / "data").glob("*.json")):
        for source in json.loads(path.read_text())["sources"]:
            assert source.partition(":")[0] in named, f"{path.name}: {source}"
    for path in CHECK.glob("*.toml"):
        for source in re.findall(r'^source = "([\w.-]+/[\w.-]+)', path.read_text(), re.MULTILINE):
            assert source in named, f"{path.name}: {source}"
    licences = tomllib.loads((ROOT / "tools" / "notice" / "licences.toml").read_text())
    assert set(licences) <= set(named), "a licence of a project that nothing is from"


def test_it_is_in_the_package() -> None:
    for folder in (ROOT, CHECK):
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        assert project["license-files"] == ["LICENSE", "NOTICE"]
    assert (ROOT / "LICENSE").read_text() == (CHECK / "LICENSE").read_text()
