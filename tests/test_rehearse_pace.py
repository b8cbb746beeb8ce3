# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen rehearse --pace`: servers and client of a cluster whose boards take their own time."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cluster_bench import Chain
from host_pair import PAIR

from shellgen.api import generate
from shellgen.cli import main
from shellgen.rehearse.pace import Pace
from shellgen.rehearse.report import Rehearsal

pytestmark = pytest.mark.xdist_group("rehearse")

# Six boards, a layer on each.
SIX = Chain(
    widths=(4, 4, 4, 4, 4, 4, 4),
    activations="UINT3",
    folds=((2, 2, 2),) * 6,
    cuts=tuple(range(6)),
    nodes=tuple((f"zed{k}", "zedboard", (k,)) for k in range(6)),
)
# The publication's first board: 6,754 us in the PL; its server takes 1,699 us more for a frame, in sequence.
PUBLISHED_US, PUBLISHED = 8_453.0, 118.3
FIRST_US, LATER_US = 6_754, 3_422


def paced(out: Path, frames: int, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    """Return the report of a rehearsal at a pace, whose every result was right."""
    capsys.readouterr()
    code = main(["rehearse", str(out), "--frames", str(frames), "--json", "--quiet", *more])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == 0, found
    return found


def with_figures(chain: Chain, folder: Path) -> Path:
    """Generate a cluster of boards like those of the publication, of which the first limits the rate."""
    spec = chain.write_inputs(folder)
    layers, servers = [], []
    for k, (name, _, _) in enumerate(chain.nodes):
        cycles = 100 * (LATER_US if k else FIRST_US)  # at 100 MHz
        layers.append(f"StreamingDataflowPartition_{k}_MVAU_rtl_0 = {cycles}\n")
        each = (PUBLISHED_US - FIRST_US) / 2
        servers.append(f"[estimate.servers.{name}]\nframe_us = {each}\nin_sequence = true\n")
    spec.write_text(spec.read_text() + "[estimate.layers]\n" + "".join(layers) + "".join(servers))
    generate(spec, folder / "out")
    return folder / "out"


def test_a_published_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rate is that of the estimate, and that of the publication."""
    out = with_figures(PAIR, tmp_path)
    assert main(["rehearse", str(out), "--pace", "1e6"]) == 2
    said = capsys.readouterr().err
    assert re.search(r"--pace 1000000: a frame takes [\d.e+]+ s then, .* Give \d+ at most\.", said), said
    found = paced(out, 120, capsys, "--pace")["pace"]
    assert found["estimate"] == pytest.approx(PUBLISHED, rel=0.01)
    assert found["frames_per_second"] == pytest.approx(
        PUBLISHED, rel=0.1
    )  # a machine with other work is late
    found = paced(out, 60, capsys, "--pace", "2")["pace"]
    assert found["estimate"] == pytest.approx(PUBLISHED / 2, rel=0.01)


def test_a_pace_that_this_machine_does_not_reach() -> None:
    """The report names a number at which it needs half of its time."""
    found = Rehearsal(
        frames=10,
        wrong=(),
        missing={},
        first_wrong="",
        seconds=1.0,
        median_s=0.0,
        percentile_99_s=0.0,
        epochs=1,
        faults=(),
        notes=(),
        nodes={},
        rate=100.0,
        pace=Pace(2.0, 1_000.0),
    )
    assert "(-90.0 %): this machine or too few frames limit it; try --pace 40, or more" in found.text()
    assert "try" not in replace(found, rate=800.0).text()


@pytest.mark.sweep
def test_the_published_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Six boards, and the rate with one frame in flight, which goes through all of them before the next."""
    out = with_figures(SIX, tmp_path)
    found = paced(out, 600, capsys, "--pace")["pace"]
    assert found["frames_per_second"] == pytest.approx(PUBLISHED, rel=0.03)
    found = paced(out, 60, capsys, "--pace", "--in-flight", "1")["pace"]
    # The client, wake-ups of processes, and connections that pass on a short frame whole come on top.
    assert 0.6 < found["frames_per_second"] / found["estimate"] < 1.02


@pytest.mark.sweep
@pytest.mark.parametrize("boards", [("u280", "u280"), ("zedboard", "u280")])
def test_cards(boards: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Joined to a card or to a board, with faults; without cores all frames pass servers."""
    nodes = (("near", boards[0], (0,)), ("far", boards[1], (1,)))
    chain = Chain((40, 300, 10), "UINT3", ((3, 5, 3), (5, 3, 5)), (0, 1), nodes)
    spec = chain.write_inputs(tmp_path)
    if "zedboard" in boards:
        address = 'options.vnx_udp.ip = ["192.168.0.20"]'
        spec.write_text(spec.read_text().replace('name = "near"\n', f'name = "near"\n{address}\n'))
    generate(spec, tmp_path / "out")
    script = tmp_path / "faults.toml"
    cut = "StreamingDataflowPartition_0_to_StreamingDataflowPartition_1"
    script.write_text(f'[[fault]]\nframe = 100\nkill = "far"\n[[fault]]\nframe = 150\ncut = "{cut}"\n')
    slower = "1000" if boards[0] == "u280" else "10"
    assert paced(tmp_path / "out", 300, capsys, "--pace", slower, "--script", str(script))["passed"]
    found = paced(tmp_path / "out", 600, capsys, "--pace", slower)["pace"]
    assert 0.5 < found["frames_per_second"] / found["estimate"] < 1.05


def test_faults_at_a_pace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A board that is killed takes its frames with it, and they are sent again."""
    script = tmp_path / "faults.toml"
    script.write_text('[[fault]]\nframe = 20\nkill = "two"\n')
    found = paced(with_figures(PAIR, tmp_path), 60, capsys, "--pace", "--script", str(script))
    assert (found["epochs"], found["faults"][0]["seen"]) == (2, True)


@pytest.mark.parametrize("text", ["0.5", "inf", "nan", "fast", "1e7"])
def test_a_pace_that_is_none(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rehearse", str(tmp_path), "--pace", text]) == 2
    assert "give a number from 1 to 1000000" in capsys.readouterr().err


def test_replicas_have_no_pace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = PAIR.write_inputs(tmp_path)
    spec.write_text(spec.read_text().replace('name = "two"', 'name = "two"\nreplicas = 2', 1))
    generate(spec, tmp_path / "out")
    assert main(["rehearse", str(tmp_path / "out"), "--pace"]) == 2
    said = "it has no pace: it deals frames to replicas, gathers them, or is one"
    assert said in capsys.readouterr().err
