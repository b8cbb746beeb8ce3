# SPDX-License-Identifier: BSD-3-Clause
"""A reset in mid-frame that was not caught: the advice names what can still show it, and nothing else."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from sim_module import sim_module

from shellgen.resources import data_dir, sim_file


def with_imports(name: str) -> Any:
    """Import a module of the bench after those that it imports."""
    for needed in re.findall(r"(?m)^(?:from|import) (\w+)", sim_file(f"{name}.py").read_text()):
        if (data_dir("sim") / f"{needed}.py").is_file():
            with_imports(needed)
    return sim_module(name)


module = with_imports("bench_node_reset")
MOST = module.BEFORE + module.AFTER
FRAMES, FULL = f"--frames {MOST} sends more of them", "--walk full resets the board at other moments as well"
OTHER = "--reset-node n1 or n2 has frames of several words"


@pytest.mark.parametrize(
    ("frames", "walk", "longer", "said"),
    [
        (2, "none", ("n1", "n2"), f"{FRAMES}, {OTHER}, {FULL}"),
        (MOST, "sample", ("n1", "n2"), f"{OTHER}, {FULL}"),  # more than these are never sent
        (MOST, "sample", ("n0", "n1"), FULL),  # the board itself has such frames
        (MOST, "none", (), FULL),
        (MOST, "full", (), "resets at other moments follow"),
    ],
)
def test_advice(frames: int, walk: str, longer: tuple[str, ...], said: str) -> None:
    session = SimpleNamespace(bench=SimpleNamespace(frames=frames), options=SimpleNamespace(walk=walk))
    assert module.advice(session, "n0", longer) == said
