# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes in shellgen-node, made by hand, that the attacks of test_host_hostile.py must find."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from false_peers import FALSE_PEERS, play
from host_pair import Running, files, out, started  # noqa: F401 - fixtures
from test_host_hostile import under_attack

from shellgen.rehearse import node_program
from shellgen.rehearse.processes import NodeFiles
from shellgen.resources import data_dir
from shellgen.simulate.tools import find_verilator

pytestmark = [pytest.mark.xdist_group("rehearse"), pytest.mark.sweep]

# File, what stands there, and the mistake.
MUTANTS = {
    "frames without checksum": ("receiver", "if (sum_ != head.crc) {", "if (false) {"),
    "messages without checksum": ("wire", "if (crc != self->message_.header.crc)", "if (false)"),
    "acknowledged before it is stored": (
        "receiver",
        "found.frame = first_ + received_;",
        "found.frame = first_ + received_ + (filled_ ? 1 : 0);",
    ),
    "frames before a bad one are forgotten": (
        "receiver",
        "if (received_ != before) {",
        "if (goes_on && received_ != before) {",
    ),
    "older frames are taken": (
        "receiver",
        "head.frame != first_ + received_",
        "head.frame > first_ + received_",
    ),
    "frames of any epoch": ("receiver", "|| head.epoch != epoch_", ""),
    "a crowd keeps others out": (
        "control",
        "if (strangers_.size() >= kMostStrangers) {",
        "if (strangers_.size() >= kMostStrangers) return;\n    if (false) {",
    ),
    "a crowd without limit": ("control", "kMostStrangers = 64;", "kMostStrangers = 100000;"),
    "half a HELLO is waited for": ("control", "kHello{5}", "kHello{500}"),
    "a second controller": (
        "control",
        "if (wire_ && wire_->open()) return refuse",
        "if (false) return refuse",
    ),
    "most of the token": ("token", "one.size()) == 0", "one.size() - 1) == 0"),
    "any epoch": ("node", "message.header.epoch != epoch_", "false"),
    "numbers that do not wrap": (
        "outlet.h",
        "return from - oldest() <= ring_.made - acknowledged_;",
        "return from >= oldest() && from <= oldest() + (ring_.made - acknowledged_);",
    ),
    "room before it is acknowledged": ("sender.h", "started_ - freed_ < ring_.slots.size()", "true"),
    "any length": ("wire", "if (body_bytes(header.type) != header.bytes)", "if (false)"),
    "the last epoch": ("control", "wanted == kLastEpoch", "false"),
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Units that a mistake is not in, compiled once."""
    return tmp_path_factory.mktemp("units")


def all_attacks(running: Running) -> None:
    """Play all stories, then let all strangers come at once."""
    for story in FALSE_PEERS:
        play(running, story)
    under_attack(running)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mistake_is_found(
    out: Path,  # noqa: F811
    files: dict[str, NodeFiles],  # noqa: F811
    tmp_path: Path,
    cache: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, old, new = MUTANTS[name]
    folder = tmp_path / "data" / "host" / "node"
    shutil.copytree(data_dir("host") / "node", folder)
    path = folder / (file if "." in file else f"{file}.cpp")
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    monkeypatch.setattr(node_program, "data_dir", lambda _: folder.parent)
    monkeypatch.setattr(node_program, "FLAGS", ("-std=c++17", "-O0", "-DASIO_STANDALONE"))
    program = node_program.node_program(find_verilator(), cache)
    wrong = {node: replace(given, program=program) for node, given in files.items()}
    with started(out, wrong, tmp_path) as running, pytest.raises(Exception):  # noqa: B017, PT011
        all_attacks(running)


def test_no_mistake(out: Path, files: dict[str, NodeFiles], tmp_path: Path) -> None:  # noqa: F811
    """The same, of the program as it is: otherwise the tests above would find anything."""
    with started(out, files, tmp_path) as running:
        all_attacks(running)


@pytest.mark.parametrize("sanitizers", ["thread", "address,undefined"])
def test_sanitizers(
    out: Path,  # noqa: F811
    files: dict[str, NodeFiles],  # noqa: F811
    tmp_path: Path,
    sanitizers: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The attacks, and frames of a client, with ThreadSanitizer, and with ASan and UBSan."""
    flags = ("-std=c++17", "-O1", "-g", "-DASIO_STANDALONE", f"-fsanitize={sanitizers}")
    monkeypatch.setattr(node_program, "FLAGS", flags)
    monkeypatch.setattr(node_program, "LIBRARIES", (*node_program.LIBRARIES, f"-fsanitize={sanitizers}"))
    # Memory is that of the sanitizer, too.
    monkeypatch.setattr("host_attacks.MOST_GROWTH", 1 << 30)
    program = node_program.node_program(find_verilator(), tmp_path / "cache")
    watched = {node: replace(given, program=program) for node, given in files.items()}
    with started(out, watched, tmp_path) as running:
        all_attacks(running)
        said = {name: (tmp_path / name / "log").read_text() for name in running.nodes}
    for name, text in said.items():
        assert "Sanitizer" not in text, name
        assert "runtime error" not in text, name
