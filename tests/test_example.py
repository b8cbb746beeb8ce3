# SPDX-License-Identifier: BSD-3-Clause
"""docs/example is what shellgen writes today, and its picture what the README shows."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_file_format import ROOT

from shellgen.cli import main
from tools.example.make import CLUSTER, EXAMPLE, committed, make_example


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("example")


@pytest.fixture(scope="module")
def made(scratch: Path) -> dict[str, bytes]:
    return make_example(scratch)


def test_every_byte_is_what_is_generated_today(made: dict[str, bytes]) -> None:
    there = committed()
    assert sum(map(len, there.values())) < 230_000
    assert sorted(there) == sorted(made), "run `make example`"
    assert [name for name in made if made[name] != there[name]] == [], "run `make example`"
    assert f"{EXAMPLE}/out/zed0/zed0_core.v" in there


def test_the_readme_shows_this_cluster(made: dict[str, bytes]) -> None:
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"```toml\n(.*?)```", readme, re.DOTALL)
    assert block
    assert re.sub(r" +#.*", "", block[1]) == CLUSTER.read_text()
    shown = {*re.findall(r"docs/example/[\w-]+\.svg", readme)}
    assert shown == {name for name in made if name.endswith(".svg")}
    tree = made[f"{EXAMPLE}/tree.txt"].decode().split()
    commands = (ROOT / "docs" / "commands.md").read_text()
    listed = re.search(r"```\nout/\n(.*?)```", commands, re.DOTALL)
    assert listed
    folder = ""
    for line in listed[1].splitlines():
        names, inside = re.findall(r"(?<!\S)[\w./]+(?!\S)", line[:36]), line.startswith("    ")
        folder = folder if inside else names[0]
        for name in names:
            start = folder + name if inside else name
            found = [path for path in tree if path.startswith(start) or path.endswith(name)]
            assert found or name == "...", f"{name} of docs/commands.md is not generated"


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("command", ["generate", "estimate"])
def test_samples_on_the_pages_are_printed_today(
    command: str, scratch: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this order; an ellipsis stands for lines, or for the rest of its line."""
    page = {"generate": "commands", "estimate": "estimate"}[command]
    (sample,) = re.findall(
        r"^```\n((?:node|part) .*?)^```", (ROOT / f"docs/{page}.md").read_text(), re.M | re.S
    )
    monkeypatch.chdir(scratch)
    arguments = {"generate": ["cluster.toml", "-o", "out"], "estimate": ["out"]}[command]
    assert main([command, *arguments]) == 0
    printed = iter(capsys.readouterr().out.splitlines())
    for line in sample.splitlines():
        start, more, _ = line.partition("...")
        assert any(found == line or (more and found.startswith(start)) for found in printed), line


def test_the_picture_is_svg_with_a_name(made: dict[str, bytes]) -> None:
    light, dark = (made[f"{EXAMPLE}/cluster-{theme}.svg"] for theme in ("light", "dark"))
    assert re.sub(rb"#[0-9a-f]{6}", b"", light) == re.sub(rb"#[0-9a-f]{6}", b"", dark)
    assert light != dark
    root = ElementTree.fromstring(light)  # noqa: S314 - our own
    names = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert names[0].startswith("Cluster ")
    words = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [word for word in words if word in ("host", "zed0", "zed1")] == ["host", "zed0", "zed1", "host"]
    sizes = [f"{count} bytes per frame" for count in (32, 12, 20)]
    assert [word for word in words if word.endswith(" bytes per frame")] == sizes
