# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes planted by hand in a core with two streams in each direction: the usual run finds them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from cluster_bench import generate_fake, report_text, run
from fake_network import chain, one_each, partition
from simulators import mostly_on

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("planted")]
WORDS = (("UINT4", 3, 24), ("UINT4", 3, 24))
OTHER = r"\.frames\(frames_per_transfer\[\d+:\d+\]\)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    network = chain(partition("p", WORDS, WORDS), partition("q", WORDS[:1], WORDS[:1]))
    return generate_fake(network, one_each(network), tmp_path_factory.mktemp("planted") / "out")


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


def behind(text: str, pin: str, width: str, made: str) -> str:
    """Drive a pin of the first link to another board by an expression of what its framer gives, ``found``."""
    found = text.replace(f".m_axis_{pin}(m_axis_0_{pin})", f".m_axis_{pin}(found)")
    assert found != text
    name, declared = f"m_axis_0_{pin}", "    axis_frame_tx #("
    before, after = found.split(declared, 1)
    return f"{before}    wire {width}found;\n    assign {name} = {made};\n{declared}{after}"


def restless(text: str) -> str:
    """Change each beat while it waits."""
    return behind(text, "tdata", "[31:0] ", "m_axis_0_tready ? found : ~found")


def unsaid(text: str) -> str:
    """Let nobody know of a beat whether it is the last, unless it is."""
    return behind(text, "tlast", "", "found ? 1'b1 : 1'bx")


MISTAKES = {
    "the transfers of a neighbour": (swapped, "verilator", "_to_host"),
    "a reset that waits for no link": (undrained, "verilator", "a beat was changed or taken back"),
    "frames without an end": (endless, "verilator", "framing of p_m_axis_1_to_host: "),
    "beats that change": (restless, "verilator", "a beat was changed or taken back"),
    "an unknown TLAST": (unsaid, "icarus", "its TLAST was unknown (X)"),
}


@pytest.mark.parametrize("simulator", mostly_on("verilator"))
def test_without_a_mistake_it_passes(made: Path, simulator: str) -> None:
    report = run(made, simulator, walk=False)
    assert report["passed"], report_text(report)


def changed(made: Path, folder: Path, name: str, old: str, new: str) -> Path:
    """Copy the cluster, with another text in a file of n0."""
    out = Path(shutil.copytree(made, folder / "out"))
    source = out / "n0" / name
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    return out


def test_a_reset_that_reaches_no_partition_is_found(made: Path, tmp_path: Path) -> None:
    """With frames of a few words, nothing is left of those that it cuts off."""
    stuck = ("inner_aresetn <= !reset_q;", "inner_aresetn <= 1'b1 | reset_q;")
    report = run(changed(made, tmp_path, "rtl/shell_reset.sv", *stuck), "verilator", walk=False, edited=True)
    assert not report["passed"]
    assert "n0: a partition is not in reset while" in report_text(report)


def test_padding_of_a_partition_may_be_anything(made: Path, tmp_path: Path) -> None:
    out = changed(made, tmp_path, "partition/p.v", "{4{1'b1}}", "{4{1'bx}}")
    report = run(out, "icarus", walk=False, edited=True)
    assert report["passed"], report_text(report)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(made: Path, tmp_path: Path, name: str) -> None:
    plant, simulator, said = MISTAKES[name]
    out = Path(shutil.copytree(made, tmp_path / "out"))
    core = out / "n0" / "n0_core.v"
    core.write_text(plant(core.read_text()))
    report = run(out, simulator, walk=False, edited=True)
    assert not report["passed"]
    assert said in report_text(report)
    assert "StopIteration" not in report_text(report)
