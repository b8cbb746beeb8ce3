# SPDX-License-Identifier: BSD-3-Clause
"""docs/example is what shellgen writes today, and its picture what the README shows."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_file_format import ROOT

from shellgen.model import Plan
from tools.example.make import CLUSTER, EXAMPLE, committed, make_example
from tools.example.picture import LIGHT, NotARowError, draw


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("example")


@pytest.fixture(scope="module")
def made(scratch: Path) -> dict[str, bytes]:
    return make_example(scratch)


def test_every_byte_is_what_is_generated_today(made: dict[str, bytes]) -> None:
    there = committed()
    assert sum(map(len, there.values())) < 200_000
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
    listed = re.search(r"```\nout/\n(.*?)```", readme, re.DOTALL)
    assert listed
    folder = ""
    for line in listed[1].splitlines():
        names, inside = re.findall(r"(?<!\S)[\w./]+(?!\S)", line[:36]), line.startswith("    ")
        folder = folder if inside else names[0]
        for name in names:
            start = folder + name if inside else name
            found = [path for path in tree if path.startswith(start) or path.endswith(name)]
            assert found or name == "...", f"{name} of the README is not generated"


def test_the_picture_is_svg_with_a_name(made: dict[str, bytes]) -> None:
    light, dark = (made[f"{EXAMPLE}/cluster-{theme}.svg"] for theme in ("light", "dark"))
    assert re.sub(rb"#[0-9a-f]{6}", b"", light) == re.sub(rb"#[0-9a-f]{6}", b"", dark)
    assert light != dark
    root = ElementTree.fromstring(light)  # noqa: S314 - our own
    assert "zed0, zed1" in root.attrib["aria-label"]
    words = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [word for word in words if word.startswith("Partition_")] == ["Partition_0", "Partition_1"]
    assert [word for word in words if "bytes" in word] == [
        "host: 32 bytes per frame",
        "tcp_dma: 12 bytes per frame",
        "host: 20 bytes per frame",
    ]


@pytest.mark.usefixtures("made")
def test_another_cluster_is_not_drawn_wrongly(scratch: Path) -> None:
    plan = Plan.model_validate_json((scratch / "out/plan.json").read_text())
    assert draw(plan, LIGHT) == draw(plan, LIGHT)
    with pytest.raises(NotARowError):
        draw(plan.model_copy(update={"boundaries": plan.boundaries[1:]}), LIGHT)
