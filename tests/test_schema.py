# SPDX-License-Identifier: BSD-3-Clause
"""The schemas of cluster.toml and boards accept what shellgen accepts, and find what a person mistypes."""

from __future__ import annotations

import copy
import json
import random
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from shellgen.cli import main
from shellgen.errors import InputError
from shellgen.links import link_registry
from shellgen.model import Board, ClusterSpec
from shellgen.platforms import platform_registry
from shellgen.schema import SCHEMAS

ROOT = Path(__file__).parent.parent
FULL = """
name = "all"
build = "build"
packing = "finn"
host = { through = "card0" }
links.vnx_udp = { mtu = 9000, round_trip_ns = 2000 }
[[node]]
name = "card0"
board = "u280"
platform = "vitis"
partitions = [0, "StreamingDataflowPartition_1"]
clock_mhz = 200
lite = { window = 65536, reserved = [{ offset = 0, bytes = 64 }], access = "bridge" }
options.vnx_udp = { mtu = 1500 }
fit = "warn"
[[link]]
from = "0"
to = "1.s_axis_0"
kind = "vnx_udp"
packing = "dense"
depth = 32
options = { mtu = 9000 }
[[stream]]
port = "0.in0"
datatype = "INT4"
shape = [1, 8]
elements_per_word = 4
role = "weights"
passes = 3
[[weights]]
port = "0.in0"
file = "w.npy"
[verify]
input = ["in.npy"]
output = { "0.out" = "out.npy" }
"""


def texts() -> list[str]:
    files = [*ROOT.glob("examples/*/cluster*.toml"), *ROOT.glob("docs/example/cluster.toml")]
    assert len(files) >= 6
    return [FULL, *(file.read_text() for file in sorted(files))]


def errors(name: str, data: object) -> list[str]:
    return [error.message for error in Draft202012Validator(SCHEMAS[name]()).iter_errors(data)]


def test_our_own_files() -> None:
    """Every example, every board, and a file with a value in every table."""
    for name in SCHEMAS:
        Draft202012Validator.check_schema(SCHEMAS[name]())
    assert not [found for text in texts() for found in errors("cluster", tomllib.loads(text))]
    boards = sorted(ROOT.glob("boards/*.toml"))
    assert boards
    assert not [found for board in boards for found in errors("board", tomllib.loads(board.read_text()))]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('board = "u280"', 'bord = "u280"', "bord"),
        ("[[node]]", "[node]", "is not of type 'array'"),
        ('name = "card0"', 'name = "0card"', "does not match"),
        ("mtu = 1500", "mut = 1500", "mut"),
        ("options = { mtu = 9000 }", "options = { mode = 1 }", "mode"),
        ("depth = 32", "depth = 1", "less than the minimum"),
        ('kind = "vnx_udp"', 'kind = "vnx"', "is not one of"),
        ('fit = "warn"', 'fit = "no"', "is not one of"),
        ("options.vnx_udp", "options.vnx", "vnx"),
    ],
)
def test_mistakes_are_found(old: str, new: str, said: str) -> None:
    """Misspelt fields and kinds, single brackets, values out of range."""
    assert FULL.count(old) == 1
    found = errors("cluster", tomllib.loads(FULL.replace(old, new)))
    assert any(said in one for one in found), found


def damaged(data: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Change one value of a document: remove it, rename it, or put another in its place."""
    data = copy.deepcopy(data)
    places: list[tuple[Any, Any]] = []

    def walk(one: Any) -> None:
        for key, inner in list(one.items() if isinstance(one, dict) else enumerate(one)):
            places.append((one, key))
            if isinstance(inner, dict | list):
                walk(inner)

    walk(data)
    holder, key = draw.choice(places)
    value = holder.pop(key)
    others = [0, 1, 64, -1, 2.5, True, "dense", "a", "", [], [1], ["a"], {}, {"a": "b"}, value]
    if isinstance(holder, dict):
        if draw.random() < 0.8:
            holder[draw.choice([key, key, key, "name"])] = draw.choice(others)
    else:
        holder.insert(key, draw.choice(others))
    return data


def accepted(data: dict[str, Any]) -> bool:
    """Whether shellgen's records take a document, with all its tables of options."""
    try:
        spec = ClusterSpec.from_data(data, "c.toml")
        for kind, table in spec.links.items():
            link_registry()[kind].Options.from_data(table, "c.toml")
        for node in spec.node:
            for kind, table in node.options.items():
                (link_registry() | platform_registry())[kind].Options.from_data(table, "c.toml")
        for link in spec.link:
            if link.options:
                link_registry()[str(link.kind)].Options.from_data(link.options, "c.toml")
    except (InputError, KeyError):
        return False
    return True


def test_never_refuses_what_is_accepted() -> None:
    """The schema of files with a random change accepts all that the records accept."""
    draw = random.Random(5)
    check = Draft202012Validator(SCHEMAS["cluster"]())
    count = 0
    documents = [tomllib.loads(text) for text in texts()]
    for _ in range(3000):
        data = damaged(draw.choice(documents), draw)
        if accepted(data):
            count += 1
            # Kinds are no matter of the records: an unknown one is found by the plan.
            found = [error.message for error in check.iter_errors(data) if error.validator != "enum"]
            assert not found, (data, found)
    assert 200 < count < 2900


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the schema, alone or in an answer."""
    for name, make in SCHEMAS.items():
        assert main(["schema", name]) == 0
        assert json.loads(capsys.readouterr().out) == make()
        assert main(["schema", name, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"ok": True, "schema": make()}
    described = SCHEMAS["cluster"]()["$defs"]["NodeSpec"]["properties"]
    assert described["board"]["description"] == "Name or path of its file."
    assert set(ClusterSpec.model_fields) == set(SCHEMAS["cluster"]()["properties"])
    assert set(Board.model_fields) == set(SCHEMAS["board"]()["properties"])


@pytest.mark.parametrize("way", ["directive", "rule"])
def test_an_editor_finds_a_mistake(way: str, tmp_path: Path) -> None:
    """Taplo, which editors run, with what docs/cluster-toml.md tells to write."""
    page = (ROOT / "docs" / "cluster-toml.md").read_text()
    (tmp_path / "cluster.schema.json").write_text(json.dumps(SCHEMAS["cluster"]()))
    (directive,) = re.findall(r"^#:schema .*\n", page, re.MULTILINE)
    (rule,) = re.findall(r"^\[\[rule\]\]\n.*?(?=```)", page, re.MULTILINE | re.DOTALL)
    if way == "rule":
        (tmp_path / ".taplo.toml").write_text(rule)
    text = (directive if way == "directive" else "") + FULL

    def taplo(content: str) -> tuple[int, str]:
        (tmp_path / "cluster.toml").write_text(content)
        command = [str(Path(sys.executable).with_name("taplo")), "check", "cluster.toml"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert taplo(text)[0] == 0
    code, said = taplo(text.replace('board = "u280"', 'bord = "u280"'))
    assert code == 1
    assert "is a required property" in said
