# SPDX-License-Identifier: BSD-3-Clause
"""Identities of Vivado's messages: none from memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from shellgen.platforms.messages import DESIGN, SYNTHESIS
from vivado_check.messages import Severity, known_messages, severities

ROOT = Path(__file__).parents[2]
# A tool's name, the number of a part of it, the number of a message.
KINDS = "BD|Board|Common|Coretcl|DRC|filemgmt|IP_Flow|Project|Synth|Vivado"
IDENTITY = re.compile(rf"\b(?:{KINDS}) (?:\d+-\d+|[A-Z]+-\d+)\b")
# In documents an identity stands for itself, or follows one of the same kind: "BD 41-1347, 41-1348".
MORE = re.compile(r"\b(BD|IP_Flow|Synth) \d+-\d+((?:(?:,| and| or) \d+-\d+)+)")


def named(text: str) -> set[str]:
    """Return every identity that a text names."""
    found = set(IDENTITY.findall(text))
    for kind, rest in MORE.findall(text):
        found |= {f"{kind} {number}" for number in re.findall(r"\d+-\d+", rest)}
    return found


SOURCES = sorted((ROOT / "shellgen" / "check").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_message_that_a_check_names_has_a_public_source(path: Path) -> None:
    unknown = named(path.read_text()) - known_messages().keys()
    assert not unknown, f"not in messages.toml: {', '.join(sorted(unknown))}"


def test_an_invented_identity_is_seen() -> None:
    assert named('vivado="BD 41-1051"') == {"BD 41-1051"}
    assert named("as BD 41-1276, 41-737 or DRC MDRV-1 say") == {"BD 41-1276", "BD 41-737", "DRC MDRV-1"}


def test_every_entry_is_whole() -> None:
    repository = re.compile(r"[\w.-]+/[\w.-]+(: \S.*|, (issue|pull request) \d+)")
    for identity, entries in known_messages().items():
        assert IDENTITY.fullmatch(identity)
        for known in entries:
            assert known.severity in get_args(Severity)
            assert known.text
            assert not known.text.endswith(".")
            assert all(repository.fullmatch(source) for source in known.source.split("; ")), known
        order = [get_args(Severity).index(known.severity) for known in entries]
        assert order == sorted(set(order)), f"{identity}: worst first, each severity once"


def test_what_our_scripts_stop_at_is_what_vivado_only_warns_of() -> None:
    """A message that is an error anyway needs no rule, and one that we invented does nothing."""
    for identity in DESIGN | SYNTHESIS:
        assert severities(identity)[:1] == ("CRITICAL WARNING",), identity


@pytest.mark.parametrize("name", ["zynq.md", "build.md", "coyote.md", "vitis.md"])
def test_what_the_documents_name_is_known(name: str) -> None:
    assert named((ROOT / "docs" / name).read_text()) <= known_messages().keys()
