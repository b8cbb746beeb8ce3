# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes planted by hand in a core with two streams in each direction: the usual run finds them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import chain, partition, spec
from simulators import mostly_on

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("planted")]
WORDS = (("UINT4", 3, 24), ("UINT4", 3, 24))
OTHER = r"\.frames\(frames_per_transfer\[\d+:\d+\]\)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    network = chain(partition("p", WORDS, WORDS))
    cluster = spec([{"name": "n0", "board": "zedboard", "partitions": [0]}])
    return generate_fake(network, cluster, tmp_path_factory.mktemp("planted") / "out")


def swapped(text: str) -> str:
    """Give each receiver and each sender the register of its neighbour of the same direction."""
    slices = re.findall(OTHER, text)
    assert len(slices) == 4
    for one, two in ((0, 1), (2, 3)):
        text = text.replace(slices[one], "@").replace(slices[two], slices[one]).replace("@", slices[two])
    return text


def undrained(text: str) -> str:
    """Let the reset of the core begin whatever its links do."""
    found = re.sub(r"(u_reset \(.*?\.drained\()drained\)", r"\g<1>drained | 4'hf)", text, flags=re.DOTALL)
    assert found != text
    return found


def endless(text: str) -> str:
    """Let the frames of a stream never end."""
    found = text.replace(".s_axis_tlast(tx_1_frame_tlast)", ".s_axis_tlast(tx_1_frame_tlast & 1'b0)")
    assert found != text
    return found


MISTAKES = {
    "the transfers of a neighbour": (swapped, "_to_host"),
    "a reset that waits for no link": (undrained, "or a beat was taken back"),
    "frames without an end": (endless, "framing of p_m_axis_1_to_host: "),
}


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_without_a_mistake_it_passes(made: Path, simulator: str) -> None:
    report = run(made, simulator, walk=False)
    assert report["passed"], report_text(report)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(made: Path, tmp_path: Path, name: str) -> None:
    plant, said = MISTAKES[name]
    out = Path(shutil.copytree(made, tmp_path / "out"))
    core = out / "n0" / "n0_core.v"
    core.write_text(plant(core.read_text()))
    report = run(out, "verilator", walk=False, edited=True)
    assert not report["passed"]
    assert said in report_text(report)
    assert "StopIteration" not in report_text(report)
