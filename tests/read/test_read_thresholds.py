# SPDX-License-Identifier: BSD-3-Clause
"""Contents of the threshold memories: files of this very run, made from the ONNX, or noise that says so."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from read.build_fixture import DEAD, Build, make_model, node, put, save, write_stitched
from read.contents_fixture import placed, problem_of, read

from shellgen.model import Network
from shellgen.read.finn_onnx import load_model
from shellgen.read.initial import threshold_files, words_of
from shellgen.read.memory import memory_of
from shellgen.read.weights import runtime_registers

TREE = """
module thresholding #(parameter THRESHOLDS_PATH = "") ();
  initial $readmemh($sformatf("%sthreshs_%0d_%0d.dat", THRESHOLDS_PATH, 0, 0), mem);
endmodule
"""


def tree_model(folder: Path, rows: int = 4, steps: int = 3, **more: Any) -> Path:
    values = np.arange(rows * steps).reshape(rows, steps) - 4
    attributes = {"NumChannels": 4, "PE": 2, "numSteps": steps, "ActVal": 0, "weightDataType": "INT5"} | more
    attributes |= {"inputDataType": "INT5", "outputDataType": "UINT2", "numInputVectors": [1]}
    layer = node("Thresholding_rtl", ["x", "t"], ["y"], name="Thresholding_rtl_0", **attributes)
    model = make_model([layer], {"x": (1, 4)}, {"y": (1, 4)}, initialisers={"t": values})
    return save(model, folder / "net.onnx")


def tree_ip(folder: Path, prefix: str = "./Thresholding_rtl_0_") -> Path:
    numbers = f'.N(3), .C(4), .PE(2), .WT(5), .BIAS(0), .THRESHOLDS_PATH("{prefix}")'
    top = f"module tree ();\n  thresholding #({numbers}) inst ();\nendmodule\n"
    named = f'module named #(parameter THRESHOLDS_PATH = "{prefix}") ();\nendmodule\n'
    build = Build(extra={"a/t.sv": TREE, "a/top.v": top, "a/named.v": named})
    return placed(write_stitched(folder / "net", build), "tree")


def tree_files(ip: Path) -> tuple[Network, dict[str, list[bytes]]]:
    network = read(ip)
    files = {s.name: network.files[s.sha256] for part in network.partitions for s in part.sources}
    return network, {name: words_of(text) for name, text in files.items() if "threshs" in name}


def test_lost_thresholds_come_from_the_onnx(tmp_path: Path) -> None:
    told = threshold_files(load_model(tree_model(tmp_path)), "Thresholding_rtl_0")
    assert told
    assert told["threshs_0_0.dat"] == b"1d\n03\n", "the middle one of channels 0 and 2"
    assert told["threshs_1_1.dat"] == b"1f\n01\n05\n07\n"


@pytest.mark.parametrize("folder", [".", f"{DEAD}/code_gen_ipgen_T_abcdefgh"])
def test_lost_thresholds_without_a_model_are_noise(
    tmp_path: Path, folder: str, caplog: pytest.LogCaptureFixture
) -> None:
    prefix = f"{folder}/Thresholding_rtl_0_"
    with caplog.at_level(logging.WARNING):
        network, found = tree_files(tree_ip(tmp_path, prefix))
    assert {name: len(words) for name, words in found.items()} == {
        f"net__Thresholding_rtl_0_threshs_{pe}_{stage}.dat": 2 << stage for pe in (0, 1) for stage in (0, 1)
    }
    assert network.partitions[0].lost_weights == ("Thresholding_rtl_0",)
    assert len(caplog.records) == 1, (
        "a layer is reported once, though module and instance both name its files"
    )


def test_one_stage_of_thresholds_that_is_short_or_lost(tmp_path: Path) -> None:
    ip = tree_ip(tmp_path)
    for pe in (0, 1):
        for stage in (0, 1):
            put(ip / f"Thresholding_rtl_0_threshs_{pe}_{stage}.dat", "01\n" * (2 << stage))
    assert tree_files(ip)[0].partitions[0].lost_weights == ()
    (ip / "Thresholding_rtl_0_threshs_1_1.dat").unlink()
    assert tree_files(ip)[0].partitions[0].lost_weights == ("Thresholding_rtl_0",)
    put(ip / "Thresholding_rtl_0_threshs_1_1.dat", "01\n" * 3)
    assert "threshs_1_1.dat has 3 words, and the memory 4" in problem_of(ip)


def test_thresholds_that_still_lie_where_they_were_built(tmp_path: Path) -> None:
    folder = tmp_path / "container"
    for pe in (0, 1):
        for stage in (0, 1):
            put(folder / f"Thresholding_rtl_0_threshs_{pe}_{stage}.dat", "03\n" * (2 << stage))
    _, found = tree_files(tree_ip(tmp_path, f"{folder}/Thresholding_rtl_0_"))
    assert {word for words in found.values() for word in words} == {b"3"}


def narrow(folder: Path, rtl: dict[str, int], **more: Any) -> tuple[list[bytes], list[int]]:
    """First thresholds of channel 0 (of two, -4 and -3) in the last stage, and the registers for them."""
    model = load_model(tree_model(folder, steps=2, **more))
    files = threshold_files(model, "Thresholding_rtl_0", rtl)
    memory = memory_of(model.nodes[0], model, {"Thresholding_rtl_0": rtl})
    assert files
    assert memory
    registers = runtime_registers(model, memory)
    assert registers
    return [files["threshs_0_0.dat"].split()[0], *files["threshs_0_1.dat"].split()[:2]], registers[:4]


def test_the_narrow_ranges_of_finn(tmp_path: Path) -> None:
    """FINN of 2024 puts one threshold in front and lowers the bias, or appends one; later ones need none."""
    rtl = {"N": 2, "C": 4, "PE": 2, "WT": 5, "BIAS": -2}
    assert narrow(tmp_path, rtl, ActVal=-1) == ([b"1c", b"10", b"1d"], [16, 28, 29, 0])
    assert narrow(tmp_path, rtl | {"BIAS": 0}) == ([b"1d", b"1c", b"0f"], [28, 29, 0, 0])
    # The inputs reach the highest threshold of five bits, so all have six.
    assert narrow(tmp_path, rtl | {"BIAS": 0, "WT": 6}) == ([b"3d", b"3c", b"10"], [60, 61, 0, 0])
    assert narrow(tmp_path, rtl | {"BIAS": -1, "SETS": 1}, ActVal=-1)[0] == [b"1d", b"1c", b"00"]


def test_one_row_of_thresholds_for_all_channels(tmp_path: Path) -> None:
    """FINN builds it for PE channels, so the map has no more."""
    model = load_model(tree_model(tmp_path, rows=1))
    memory = memory_of(model.nodes[0], model)
    assert memory
    assert memory.words == 8
    assert runtime_registers(model, memory) == [28, 29, 30, 0, 28, 29, 30, 0]


def test_thresholds_of_another_run(tmp_path: Path) -> None:
    """Their path is relative, so that only the folder of the wrapper tells the run."""
    ip = tree_ip(tmp_path)
    listed = ip / "all_verilog_srcs.txt"
    own, other = (f"code_gen_ipgen_Thresholding_rtl_0_{run}" for run in ("thisrun_", "otherrun"))
    listed.write_text(f"{listed.read_text()}{DEAD}/{own}/wrapper.v\n")
    put(ip / "ip/src/wrapper.v", "module wrapper;\nendmodule\n")
    for pe in (0, 1):
        for stage in (0, 1):
            for folder, word in ((own, "01\n"), (other, "02\n")):
                name = f"Thresholding_rtl_0_threshs_{pe}_{stage}.dat"
                put(ip.parent / folder / name, word * (2 << stage))
    network, found = tree_files(ip)
    assert {word for words in found.values() for word in words} == {b"1"}
    assert network.partitions[0].lost_weights == ()
