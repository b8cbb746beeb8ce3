# SPDX-License-Identifier: BSD-3-Clause
"""Metadata of the package, its citation, its image and its bills of materials."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager
from test_wheel import PARTS
from waiting import PATIENCE

import shellgen

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CONTAINERFILE = ROOT / "tools" / "Containerfile"
# Keys that version 1.2.0 of the Citation File Format requires (https://citation-file-format.github.io).
REQUIRED = {"authors", "cff-version", "message", "title"}


def test_the_citation_agrees_with_the_package() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert set(said) >= REQUIRED
    assert said["cff-version"] == "1.2.0"
    assert (said["title"], said["version"]) == (PROJECT["name"], PROJECT["version"])
    assert said["version"] == shellgen.__version__
    assert (said["license"], said["abstract"]) == (PROJECT["license"], PROJECT["description"])
    assert said["authors"] == PROJECT["authors"]


def test_pypi_shows_no_dead_link() -> None:
    """The description of the package is the README without links into the repository."""
    shown = str(ProjectMetadata(str(ROOT), PluginManager()).core.readme)
    written = (ROOT / "README.md").read_text()
    targets = re.findall(r"\]\(([^)]*)\)|(?:src|srcset|href)=\"([^\"]*)\"", shown)
    assert targets
    assert all((one or other).startswith("https://") for one, other in targets), targets
    assert "<picture>" in written
    assert "picture>" not in shown
    assert re.findall(r"^#+ .*", shown, re.MULTILINE) == re.findall(r"^#+ .*", written, re.MULTILINE)


def test_an_older_python_is_told() -> None:
    """All of __init__ that runs before the sentence is syntax and library of Python 3.8."""
    text = (ROOT / "shellgen" / "__init__.py").read_text()
    ast.parse(text, feature_version=(3, 8))
    space: dict[str, Any] = {"__name__": "shellgen"}
    asked = text.replace("sys.version_info", "(3, 10, 2)")
    with pytest.raises(
        ImportError, match=r"^shellgen needs Python 3\.11 or later, and this is Python 3\.10$"
    ):
        exec(compile(asked, "__init__.py", "exec"), space)  # noqa: S102 - our own file
    assert PROJECT["requires-python"] == ">=3.11"
    assert "Programming Language :: Python :: 3.11" in PROJECT["classifiers"]


def test_the_image_is_linted_and_has_all_parts() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, CONTAINERFILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    text = CONTAINERFILE.read_text()
    wrong = text.replace("rm -rf /var/lib/apt/lists/*", "true")
    done = subprocess.run([linter, "-"], input=wrong, capture_output=True, text=True, check=False)
    assert "DL3009" in done.stdout
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for name in line.split()}
    assert copied == set(PARTS)


@pytest.mark.parametrize("engine", ["podman", "docker", None])
def test_make_container(tmp_path: Path, engine: str | None) -> None:
    """With what is there of the two; without, a sentence."""
    for name in ("sh", "make"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    if engine:
        (tmp_path / engine).write_text('#!/bin/sh\necho "$0 $*"\n')
        (tmp_path / engine).chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", "container"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if engine:
        image = "build --file tools/Containerfile --build-arg PYTHON=3.13 --tag shellgen ."
        assert done.stdout == f"{tmp_path / engine} {image}\n"
    else:
        assert done.returncode == 2
        assert "make: container needs podman or docker" in done.stderr


@pytest.mark.sweep
def test_the_bills_of_materials(tmp_path: Path) -> None:
    """Every requirement of the package is in the bill of its environment, all of FINN's in the other."""
    skip = shutil.ignore_patterns("__pycache__", "out")
    for name in ("Makefile", *PARTS):
        copy = shutil.copy if (ROOT / name).is_file() else partial(shutil.copytree, ignore=skip)
        copy(ROOT / name, tmp_path / name)
    words = ["make", "--silent", "sbom"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=PATIENCE, capture_output=True)

    def names(file: str) -> set[str]:
        document = json.loads((tmp_path / "out" / "sbom" / file).read_text())
        assert document["bomFormat"] == "CycloneDX"
        return {plain(one["name"]) for one in document["components"]}

    asked = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["sim"]]
    assert {plain(re.split(r"[^\w-]", one)[0]) for one in asked} <= names("shellgen.json")
    pins = (ROOT / "shellgen" / "stitch" / "finn-requirements.txt").read_text()
    assert {plain(one) for one in re.findall(r"^([\w.-]+)==", pins, re.MULTILINE)} <= names("finn.json")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
