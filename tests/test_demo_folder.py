# SPDX-License-Identifier: BSD-3-Clause
"""A demo takes the folder of an earlier run again, of each example, and none with a file of the user."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from shellgen.demo import _check_out
from shellgen.errors import InputError
from shellgen.resources import data_dir

CLUSTERS = sorted(data_dir("examples").glob("*/cluster*.toml"))


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_example_runs_again(cluster: Path, tmp_path: Path) -> None:
    # Three examples have a cluster.toml of their own.
    shutil.copy(cluster, tmp_path)
    _check_out(tmp_path)
    (tmp_path / cluster.name).write_text(cluster.read_text() + "# mine\n")
    with pytest.raises(InputError, match="may be yours"):
        _check_out(tmp_path)
