# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of shellgen-node compiles: it lists the node's sources itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.host.__main__ import compile_all, server


@pytest.mark.sweep
def test_it_compiles_and_listens(tmp_path: Path) -> None:
    compile_all(tmp_path)
    for name in ("node", "ends", "pair", "paper"):
        assert (tmp_path / name).stat().st_mode & 0o100, name
    with server(tmp_path / "node", 1, 64, 0, 0, 0) as found:
        assert found.port > 0
