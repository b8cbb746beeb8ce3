# SPDX-License-Identifier: BSD-3-Clause
"""Recovery runs with nodes under ThreadSanitizer, which must report nothing."""

from __future__ import annotations

import json
from pathlib import Path
from signal import Signals

import pytest
from host_pair import PAIR

from shellgen.cli import main
from shellgen.rehearse import node_program
from shellgen.rehearse.processes import Node

pytestmark = [pytest.mark.xdist_group("rehearse"), pytest.mark.sweep]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return PAIR.generate(tmp_path_factory.mktemp("threads"))


@pytest.mark.parametrize("seed", range(20))
def test_recovery_without_a_race(
    made: Path, seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("-std=c++17", "-O1", "-g", "-DASIO_STANDALONE", "-fsanitize=thread")
    monkeypatch.setattr(node_program, "FLAGS", flags)
    monkeypatch.setattr(node_program, "LIBRARIES", (*node_program.LIBRARIES, "-fsanitize=thread"))
    said: dict[str, str] = {}
    strike = Node.strike

    def watched(node: Node, number: Signals) -> int | None:
        code = strike(node, number)
        said[node.name] = node.said()
        return code

    monkeypatch.setattr(Node, "strike", watched)
    words = ["rehearse", str(made), "--frames", "2000", "--seed", str(seed)]
    code = main([*words, "--json", "--quiet"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0, found
    assert (found["wrong"], found["missing"], found["disorder"]) == ([], {}, [])
    assert said.keys() == {"one", "two"}
    assert not [text for text in said.values() if "Sanitizer" in text], said
