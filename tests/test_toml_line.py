# SPDX-License-Identifier: BSD-3-Clause
"""A message about a field of a TOML file names its line."""

from __future__ import annotations

import random
import re
import tomllib
from pathlib import Path

import pytest

from shellgen.cli import main
from shellgen.cli.toml_line import lines_of, with_lines
from shellgen.errors import Problem

TEXT = '''build = "build"  # a comment

[[node]]
name = "a"
partitions = [
    0,
    # a comment inside a value
]

[[node]]
name = """
b"""
lite.window = 64
lite.reserved = [{ offset = 0, bytes = 4 }, { offset = 8, bytes = 4 }]
[node.options.zynq]
"a.b" = 1

[links]
tcp_dma = { depth = 2 }
'''


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("build", 1),
        ("node", 3),
        ("node[0].name", 4),
        ("node[0].partitions", 5),
        ("node[0].partitions[0]", 5),
        ("node[0].board", 3),  # missing: its table
        ("node[1].name", 11),
        ("node[1].lite.window", 13),
        ("node[1].lite.reserved[1].bytes", 14),
        ("node[1].options.zynq", 15),
        ("node[2].name", 3),  # no such entry: the first of its kind
        ("links.tcp_dma.depth", 19),
    ],
)
def test_line_of_a_field(tmp_path: Path, field: str, line: int) -> None:
    """Values over several lines, dotted keys, tables in tables; a missing field has the line of its table."""
    file = tmp_path / "c.toml"
    file.write_text(TEXT)
    (placed,) = with_lines([Problem(f"{file}: {field}", "found", "Remedy")])
    assert placed.where == f"{file}:{line}: {field}"


def test_as_it_is_without_a_line(tmp_path: Path) -> None:
    """No field, no such file, another format, not TOML, a field that nothing on its way holds."""
    (tmp_path / "c.toml").write_text("a = 1\n")
    (tmp_path / "bad.toml").write_text("= 1\n")
    for where in ("c.toml", "none.toml: a", "c.json: a", "bad.toml: a", "c.toml: b", "map: a"):
        told = Problem(str(tmp_path / where), "found", "Remedy")
        assert with_lines([told]) == [told]


def test_line_begins_the_value() -> None:
    """In random legal files the line begins the last table or value on the way, and 0 without one."""
    draw = random.Random(3)
    pieces = ["[[node]]", "[[link]]", "a = [", "1,", "]", "# c", "", 'b = """', '"""', "c.d = 1"]
    legal = 0
    for _ in range(2000):
        lines = draw.choices(pieces, k=draw.randint(0, 8))
        text = "\n".join(lines)
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            continue
        legal += 1
        for path in (["node", "0", "a"], ["link", "0", "b"], ["a"], ["node", "1"], ["node", "0", "c", "d"]):
            (line,) = lines_of(text, [path])
            assert bool(line) == (path[0] in data)
            if line:
                key = re.split(r"[\s=.\]]", lines[line - 1].lstrip("["))[0]
                assert key in path, (lines, path, line)
    assert legal > 100


def test_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors of a command, as text and as JSON; `[node]` is reported as `[[node]]`."""
    monkeypatch.chdir(tmp_path)
    Path("c.toml").write_text('build = "b"\n\n[node]\nname = "a"\n')
    assert main(["plan", "c.toml", "-o", "out", "--quiet"]) == 2
    said = "c.toml:3: node: [node] is one table, and there may be several. Write [[node]]."
    assert capsys.readouterr().err == f"shellgen: error: {said}\n"
    assert main(["plan", "c.toml", "-o", "out", "--json"]) == 2
    assert said in capsys.readouterr().out


def test_a_file_with_thousands_of_problems_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table header that damage has repeated: each line is a parse of the lines before it."""
    file = tmp_path / "c.toml"
    file.write_text("[[node]]\n" * 500)
    parses: list[str] = []
    loads = tomllib.loads

    def counted(text: str) -> dict[str, object]:
        parses.append(text)
        return loads(text)

    monkeypatch.setattr("tomllib.loads", counted)
    told = [Problem(f"{file}: node[{k}].{name}", "f", "R") for k in range(500) for name in ("name", "board")]
    placed = with_lines(told)
    assert len(parses) == 500
    assert [one.where for one in placed[:3]] == [
        f"{file}:1: node[0].name",
        f"{file}:1: node[0].board",
        f"{file}:2: node[1].name",
    ]
    assert placed[100:] == told[100:]
