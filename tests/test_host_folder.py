# SPDX-License-Identifier: BSD-3-Clause
"""The host refuses files that were changed after shellgen wrote them: their results would be wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cluster_bench import generate_fake
from fake_network import chain, one_each, partition

from shellgen.disk.manifest import MANIFEST
from shellgen_host.cluster_map import read_map
from shellgen_host.errors import InputError
from shellgen_host.folder import refuse_changed


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    network = chain(partition("a"), partition("b"))
    folder: Path = generate_fake(network, one_each(network), tmp_path_factory.mktemp("host_folder") / "out")
    return folder


def test_a_map_that_was_changed(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(made, out)
    assert read_map(out).nodes
    path = out / "memory_map.json"
    path.write_text(path.read_text().replace('"signed": false', '"signed": true') + "\n")
    with pytest.raises(
        InputError, match=r"memory_map\.json: it was changed after shellgen had written it; gen"
    ):
        read_map(out)
    (out / MANIFEST).unlink()
    assert read_map(out).nodes, "a copy of what the host needs has no manifest"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda path: path.write_text("other"),
            "it was changed after shellgen had written it; write it again",
        ),
        (lambda path: path.unlink(), "No such file or directory; write it again"),
    ],
    ids=["changed", "removed"],
)
def test_files(change: Callable[[Path], object], said: str, tmp_path: Path) -> None:
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # of no bytes
    (tmp_path / MANIFEST).write_text(json.dumps({"n/a.dat": digest}))
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "a.dat").touch()
    refuse_changed(tmp_path, ["n/a.dat", "n/of_the_user.dat"], "write it again")
    change(tmp_path / "n" / "a.dat")
    with pytest.raises(InputError, match=rf"n/a\.dat: {said}"):
        refuse_changed(tmp_path, ["n/a.dat"], "write it again")


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 4000])
def test_a_manifest_that_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text)
    refuse_changed(tmp_path, ["a.dat"], "write it again")
