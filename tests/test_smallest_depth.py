# SPDX-License-Identifier: BSD-3-Clause
"""Planned depths against RTL: where hardware stops, what the bench says then, and the rate at full depth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import generate_fake, report_text, run
from test_depths import BESIDE, beside_a_late_one
from test_residual import alone, build_residual, together, with_fork

from shellgen.api import generate
from shellgen.model import Plan
from shellgen.plan import buffers
from shellgen.read.output import read_plan

SHORT = (Path(__file__).parent / "short_fifo.sv").read_text()
FIFO = re.compile(r"axis_fifo #\(\n( +\.DATA_W\(\d+\),\n) +\.DEPTH\((\d+)\)\n    \) u_(\w+)_fifo \(")
NEARLY = 8  # words by which the plan may be above what hardware needs
FRAMES = 112  # of which the run with stalls has 100

pytestmark = [pytest.mark.sweep, pytest.mark.xdist_group("smallest")]


class Limited:
    """A generated cluster whose FIFOs inside boards hold what files state."""

    def __init__(self, out: Path, plan: Plan) -> None:
        self.out, self.plan = out, plan
        self._files = out.parent / f"{out.name}_words"
        self._files.mkdir()
        self._nets: dict[str, str] = {}
        for node in plan.nodes:
            core = out / node.name / f"{node.name}_core.v"
            text = core.read_text()
            names = {f"direct_{index}": inner.boundary for index, inner in enumerate(node.inner)}
            self._nets |= {boundary: f"{node.name}_{net}" for net, boundary in names.items()}
            most = max((4 * max(fifo.live, fifo.full_rate) for fifo in plan.fifos), default=1)
            new = rf"short_fifo #(\n\1        .DEPTH(\2),\n        .ROOM({most}),\n"
            new += rf'        .FILE("{self._files}/{node.name}_\3")\n    ) u_\3_fifo ('
            text, count = FIFO.subn(new, text)
            assert count == len(node.inner)
            core.write_text(text + SHORT if count else text)
        self.depths({inner.boundary: inner.depth for node in plan.nodes for inner in node.inner})

    def depths(self, depths: Mapping[str, int]) -> None:
        """Let FIFOs be so deep; an axis_fifo holds one word more."""
        for boundary, depth in depths.items():
            (self._files / self._nets[boundary]).write_text(f"{depth + 1}\n")

    def run(self, **more: Any) -> dict[str, Any]:
        """Run the streams with stalls, or at full rate."""
        common = {"walk": False, "control": False, "full_rate": False, "idle_limit": 20_000}
        return run(self.out, "verilator", **{**common, "frames": FRAMES, **more})

    def passes(self, boundary: str, depth: int) -> bool:
        """Return whether the streams run if one FIFO is so deep."""
        self.depths({boundary: depth})
        report = self.run()
        if report["passed"]:
            assert report["stalled"]["frames"] >= 100
        else:
            assert "They wait for one another: " in report_text(report), report_text(report)
        return bool(report["passed"])

    def smallest(self, boundary: str, planned: int) -> int:
        """Return the smallest depth with which the streams run, from what is planned to a little below."""
        assert self.passes(boundary, planned)
        low, high = max(0, planned - NEARLY - 1), planned
        assert not self.passes(boundary, low), f"{low} words are enough, and {planned} are planned"
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.passes(boundary, middle) else (middle, high)
        return high


def proved(cluster: Limited, boundary: str) -> None:
    """Find the smallest depth; with one word less the bench names the FIFO, its level and who waits."""
    (fifo,) = [one for one in cluster.plan.fifos if one.boundary == boundary]
    assert fifo.tight
    cluster.depths({one.boundary: one.live for one in cluster.plan.fifos})
    least = cluster.smallest(boundary, fifo.live)
    assert not cluster.passes(boundary, least - 1)
    text = " ".join(report_text(cluster.run()).split())
    assert f"The FIFO of {boundary} takes no more: it holds {least} words." in text, text
    assert f"waits for the shell of {boundary} waits for" in text


@pytest.fixture(autouse=True)
def _any_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers, "depth_problems", lambda *_: [])


@pytest.mark.parametrize(("lead", "lanes"), [(7, 2), (23, 2), (51, 2), (9, 4), (5, 8), (40, 1)])
def test_beside_a_late_partition(tmp_path: Path, lead: int, lanes: int) -> None:
    """Also one with wider or narrower words than the skip edge, between width converters."""
    out = generate_fake(*beside_a_late_one(lead, lanes=lanes), tmp_path / "out")
    proved(Limited(out, read_plan(out)), BESIDE)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The residual example, with FIFOs of two words behind its fork."""
    return with_fork(build_residual(tmp_path_factory.mktemp("residual") / "example"), 2)


@pytest.mark.finn
@pytest.mark.parametrize("boards", [1, 2])
def test_the_residual_example(built: Path, boards: int) -> None:
    """On one board, where the branch needs rows, and with the branch on another, where it needs frames."""
    path, out = (alone, together)[boards - 1](built), built / f"out_{boards}"
    plan, _ = generate(path, out)
    skip = max(plan.fifos, key=lambda one: one.live).boundary
    cluster = Limited(out, plan)
    proved(cluster, skip)
    # The depth of the plan, and no more of it, gives the rate that any depth gives.
    times = []
    for more in (0, 3):
        cluster.depths({one.boundary: max(one.live, one.full_rate) * (1 + more) for one in plan.fifos})
        report = cluster.run(full_rate=True, stalled=False)
        assert report["passed"]
        times.append(report["full_rate"]["times"])
    assert times[0][-1] - times[0][9] == times[1][-1] - times[1][9]
