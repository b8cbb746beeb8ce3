# SPDX-License-Identifier: BSD-3-Clause
"""Packages of the system: one table, and what README, image, CI files and messages say of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_docs import sections

from shellgen.rehearse.node_program import HEADERS

ROOT = Path(__file__).parents[1]
TABLE = sections("commands.md")["System packages"]
# Package names by the command or the option that needs them, of the table.
ROWS = {
    need: set(re.findall(r"`([\w+-]+)`", names))
    for names, need in re.findall(r"^\| (`.*?) \| (.*) \|$", TABLE, re.MULTILINE)
}
VENV, MODEL, WAVES, CHECK, ICARUS, NODE = ROWS.values()
# What `generate --check` and `simulate --waves` need.
USUAL = MODEL | WAVES | CHECK


def installed(path: str) -> list[set[str]]:
    """Return the packages of each apt-get line in a file."""
    text = re.sub(r"\\\n", " ", (ROOT / path).read_text())
    lines = re.findall(r"apt-get install((?: -?[a-z0-9+-]+)+)", re.sub(" +", " ", text))
    return [{word for word in line.split() if not word.startswith("-")} for line in lines]


def test_the_table_is_that_of_the_commands() -> None:
    assert "`--simulator icarus`" in TABLE
    assert len(ROWS) == 6
    assert set(HEADERS.values()) == NODE
    assert installed("shellgen/simulate/trace.py") == [WAVES]
    assert installed("vivado_check/tcl/interpreter.py") == [CHECK]
    (compiler, icarus) = installed("shellgen/simulate/tools.py")
    assert (compiler < MODEL, icarus) == (True, ICARUS)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("README.md", [USUAL | VENV]),
        ("action.yml", [USUAL]),
        ("ci/gitlab.yml", [USUAL]),
        ("tools/Containerfile", [USUAL | ICARUS | NODE]),
        # What else the tests need, tools/ensure_tools.sh installs.
        (".github/workflows/test.yml", [MODEL | WAVES]),
        ("docs/host-node.md", [NODE | {"cmake", "g++"}]),
        ("docs/waves.md", [WAVES]),
        ("docs/check.md", [CHECK]),
    ],
)
def test_one_list(path: str, wanted: list[set[str]]) -> None:
    assert installed(path) == wanted


def test_what_make_test_installs() -> None:
    script = (ROOT / "tools" / "ensure_tools.sh").read_text()
    assert all(f' {name}"' in script for name in CHECK | ICARUS | NODE)
