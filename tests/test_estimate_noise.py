# SPDX-License-Identifier: BSD-3-Clause
"""Networks that delay and lose frames, in the estimate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bad_input import System, copy_system

from shellgen.cli import main
from shellgen.estimate.engine import Channel, Stage, run
from shellgen.estimate.engine import System as Stages
from shellgen.estimate.noise import Noise, disturbed


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    return copy_system(tmp_path)


def test_frames_are_late_as_drawn() -> None:
    """Ports of 1 s: a tenth of the frames is lost, so a frame takes 1/0.9 s; the delays have their mean."""
    stages = Stages((Stage("a", 1.0), Stage("port", 1.0)), (Channel("a", "port", 1),))
    lossy = disturbed(stages, frozenset({"port"}), Noise(loss=0.1), 20_000)
    assert 1 + np.mean(lossy.stage("port").extra) == pytest.approx(1 / 0.9, rel=0.02)
    assert set(np.unique(lossy.stage("port").extra)) <= set(range(20))
    assert lossy.stage("a").extra == ()
    late = disturbed(stages, frozenset({"port"}), Noise(jitter=0.5), 20_000)
    assert np.mean(late.stage("port").extra) == pytest.approx(0.5, rel=0.03)
    assert late == disturbed(stages, frozenset({"port"}), Noise(jitter=0.5), 20_000)
    assert late != disturbed(stages, frozenset({"port"}), Noise(jitter=0.5, seed=2), 20_000)
    assert run(late, 20_000).period("port") == pytest.approx(1.5, rel=0.03)


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["estimate", "cluster.toml", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("at")
def test_the_command_shows_median_and_percentile(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = shown(capsys)
    assert all(one["latency_99"] is None for one in quiet["regimes"])
    assert shown(capsys, "--jitter", "0", "--loss", "0") == quiet
    noisy = shown(capsys, "--jitter", "50", "--loss", "2")
    assert noisy["parts"] == quiet["parts"]
    assert noisy["stages"] == quiet["stages"], "the first frame is shown without disturbance"
    one, many = noisy["regimes"]
    assert one["latency"] > quiet["regimes"][0]["latency"] + 50e-6  # several ports
    assert one["latency_99"] > one["latency"] * 1.2
    assert one["frames_per_second"] < quiet["regimes"][0]["frames_per_second"]
    assert many["frames_per_second"] <= quiet["regimes"][1]["frames_per_second"]
    assert shown(capsys, "--jitter", "50", "--loss", "2") == noisy
    assert shown(capsys, "--jitter", "50", "--loss", "2", "--seed", "9") != noisy
    assert noisy["frames_per_second"] == many["frames_per_second"]
    assert noisy["undisturbed"] == quiet["frames_per_second"]
    assert main(["estimate", "cluster.toml", "--jitter", "50"]) == 0
    said = capsys.readouterr().out
    assert " in the median, 99 % within " in said
    assert " with the delays and losses of the networks; without, about " in said
    for option, values in (("--jitter", ("-1", "x", "nan", "1e9")), ("--loss", ("-1", "91", "100", "inf"))):
        for value in values:
            assert main(["estimate", "cluster.toml", f"{option}={value}"]) == 2
            assert "give a number from 0 to" in capsys.readouterr().err
