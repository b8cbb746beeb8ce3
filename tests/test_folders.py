# SPDX-License-Identifier: BSD-3-Clause
"""Pieces of a link or platform lie in folders of its name; what several links use lies in none of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from shellgen.links import link_registry
from shellgen.platforms import platform_registry

ROOT = Path(__file__).parents[1]
LINKS = {kind for kind, link in link_registry().items() if type(link).__module__.startswith("shellgen.links")}
PLATFORMS = {
    kind for kind, one in platform_registry().items() if type(one).__module__.startswith("shellgen.platforms")
}


def folders(path: str) -> set[str]:
    return {found.name for found in (ROOT / path).glob("*/") if found.name != "__pycache__"}


def test_folders_carry_the_names_of_kinds() -> None:
    for top in ("shellgen", "templates"):
        assert folders(f"{top}/links") == LINKS
        assert folders(f"{top}/platforms") == PLATFORMS
    for top in ("ip", "sim"):
        assert folders(f"{top}/links") <= LINKS
    for kind, link in link_registry().items():
        assert type(link).__module__ == f"shellgen.links.{kind}.link"
    for kind, platform in platform_registry().items():
        assert type(platform).__module__ == f"shellgen.platforms.{kind}.platform"


def owner(path: Path) -> str | None:
    """Return the link that a file of ip/, sim/, templates/ or shellgen/ belongs to."""
    parts = path.relative_to(ROOT).parts
    return parts[2] if len(parts) > 3 and parts[1] == "links" else None


def named(files: Mapping[str, Path], texts: Mapping[Path, str]) -> set[tuple[str, str]]:
    """Return files of links that a text outside the folders of their link names, with that text's file."""
    word = re.compile(rf"\b({'|'.join(map(re.escape, files))})\b")
    return {
        (str(path), name)
        for path, text in texts.items()
        for name in word.findall(text)
        if owner(files[name]) not in (None, owner(path))
    }


def readers(*suffixes: str) -> dict[Path, str]:
    """Return the texts that instantiate or import: templates, RTL, models and the classes; not comments."""
    found = {}
    for top in ("ip", "sim", "templates", "shellgen"):
        for path in (ROOT / top).rglob("*"):
            bench = re.match(r"(tb_|formal_|traffic_)", path.name) or "host" in path.parts
            if path.suffix in suffixes and not bench and "vivado_check" not in path.parts:
                found[path] = re.sub(r"//.*|(?m:#.*$)|\"\"\".*?\"\"\"", "", path.read_text(), flags=re.DOTALL)
    return found


def test_what_several_use_belongs_to_no_link() -> None:
    """A block, model or Python file of a link is used by that link alone."""
    blocks = {path.stem: path for path in (ROOT / "ip").rglob("*.sv") if path.stem == path.parent.name}
    models = {path.stem: path for path in (ROOT / "sim").rglob("*.sv")}
    python = {path.stem: path for path in (ROOT / "sim").rglob("*.py")}
    assert {owner(path) for path in blocks.values()} == {None, "accl", "ddr_ring", "vnx_udp"}
    assert {owner(path) for path in models.values()} == {None, *LINKS} - {"tcp_xrt"}
    assert not named(blocks | models, readers(".sv", ".j2"))
    assert not named(python, readers(".py"))


def test_the_rule_can_fail() -> None:
    path = ROOT / "ip" / "links" / "vnx_udp" / "vnx_port" / "vnx_port.sv"
    text = {ROOT / "ip" / "axis_fifo" / "axis_fifo.sv": "    vnx_port #(", path: "    vnx_port #("}
    assert named({"vnx_port": path}, text) == {(str(ROOT / "ip/axis_fifo/axis_fifo.sv"), "vnx_port")}


def test_a_model_of_one_link_lies_in_its_folder() -> None:
    """A model that one link's bench names, and nothing else in sim/ or templates/, is that link's."""
    texts = readers(".sv", ".j2", ".py")
    general = {path.stem for path in (ROOT / "sim").glob("*.sv")}
    for name in sorted(general):
        word = re.compile(rf"\b{name}\b")
        users = {owner(path) for path, text in texts.items() if path.stem != name and word.search(text)}
        assert len(users) != 1 or users == {None}, f"{name} is used by {users} alone"


def test_names_are_found_once() -> None:
    """Files that are found by name have one name each, wherever they lie: the emitted folders are flat."""
    patterns = (
        ("ip", "*/*.sv"),
        ("sim", "*.sv"),
        ("sim", "*.py"),
        ("sim", "vendor/*/registers.json"),
    )
    for top, pattern in patterns:
        names = [
            path.parent.name if path.name == "registers.json" else path.name
            for folder in (ROOT / top, *(ROOT / top).glob("links/*"))
            for path in folder.glob(pattern)
        ]
        assert len(names) == len(set(names))
