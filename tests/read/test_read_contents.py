# SPDX-License-Identifier: BSD-3-Clause
"""What is in the weight memories: files of this very run, made from the ONNX, or noise that says so."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from read.build_fixture import DEAD, Build, child, make_model, node, put, save, write_stitched

from shellgen.errors import InputError
from shellgen.model import Network, StreamSpec
from shellgen.read import read_network
from shellgen.read.finn_onnx import load_model
from shellgen.read.initial import memblock, threshold_files, words_of
from shellgen.read.memory import memory_of
from shellgen.read.weights import runtime_registers

LAYER = "MVAU_rtl_0"
OWN, OTHER = f"code_gen_ipgen_{LAYER}_q7a_gh72", f"code_gen_ipgen_{LAYER}_0therrun"
SIM, SYNTH = "memblock_sim_0.dat", "memblock_synth_0.dat"
FOREIGN = "11111111\n22222222\n33333333\n44444444\n"
BRANCHES = """
module memstream_singleblock #(parameter MEM_INIT = "./") ();
  initial begin
`ifdef SYNTHESIS
    $readmemh({MEM_INIT, "memblock_synth_0.dat"}, mem);
`else
    $readmemh({MEM_INIT, "memblock_sim_0.dat"}, mem);
`endif
  end
endmodule
"""
TREE = """
module thresholding #(parameter THRESHOLDS_PATH = "") ();
  initial $readmemh($sformatf("%sthreshs_%0d_%0d.dat", THRESHOLDS_PATH, 0, 0), mem);
endmodule
"""


def streamer(style: str = "auto") -> str:
    numbers = f'.MEM_DEPTH(4), .MEM_WIDTH(32), .MEM_INIT("{DEAD}/{OWN}/"), .RAM_STYLE("{style}")'
    return f"module wstrm ();\n  memstream_singleblock #({numbers}) inst ();\nendmodule\n"


def read(ip: Path) -> Network:
    described = [
        {"port": "net.s_axis_0", "datatype": "UINT4", "shape": (1, 8), "elements_per_word": 4},
        {"port": "net.m_axis_0", "datatype": "INT13", "shape": (1, 4), "elements_per_word": 2},
    ]
    return read_network(ip, [StreamSpec.from_data(entry, "[[stream]]") for entry in described])


def placed(ip: Path, module: str) -> Path:
    """Instantiate a module in the block design."""
    (path,) = ip.rglob("finn_design.v")
    path.write_text(path.read_text().replace("endmodule", f"  {module} {module}_i ();\nendmodule"))
    return ip


def ip_of(folder: Path, *, model: bool = False, style: str = "auto", place: bool = True) -> Path:
    """A stitched IP with a memstream that reads one file in simulation and another in synthesis."""
    build = Build(memory="bare", extra={"a/singleblock.v": BRANCHES, "a/wstrm.v": streamer(style)})
    ip = write_stitched(folder / "net", build)
    if model:
        save(child(build), ip / "net.onnx")
    return placed(ip, "wstrm") if place else ip


def found_in(ip: Path) -> dict[str, list[bytes]]:
    """Words of each memory file, by its name in the folder."""
    network = read(ip)
    (part,) = network.partitions
    return {
        source.name.rsplit("__", 1)[1]: words_of(network.files[source.sha256])
        for source in part.sources
        if "memblock" in source.name
    }


def problem_of(ip: Path) -> str:
    with pytest.raises(InputError) as caught:
        read(ip)
    (problem,) = caught.value.problems
    return str(problem)


def made(folder: Path) -> str:
    text = memblock(load_model(save(child(Build()), folder / "told.onnx")), LAYER)
    assert text
    return text.decode()


def test_both_branches_are_made_from_the_onnx(tmp_path: Path) -> None:
    words = words_of(made(tmp_path).encode())
    assert len(words) == 4
    assert found_in(ip_of(tmp_path, model=True)) == {SIM: words, SYNTH: words}


@pytest.mark.parametrize(("there", "lost"), [(SIM, SYNTH), (SYNTH, SIM)])
def test_one_branch_that_is_left_serves_the_other(tmp_path: Path, there: str, lost: str) -> None:
    ip = ip_of(tmp_path)
    put(ip / OWN / there, FOREIGN)
    assert found_in(ip) == {there: words_of(FOREIGN.encode()), lost: words_of(FOREIGN.encode())}


def test_branches_that_differ(tmp_path: Path) -> None:
    ip = ip_of(tmp_path)
    put(ip / OWN / SIM, FOREIGN)
    put(ip / OWN / SYNTH, FOREIGN.replace("3", "5"))
    assert f"{SIM} and {SYNTH} of {LAYER} differ" in problem_of(ip)


def test_ultraram_is_synthesised_from_zeros(tmp_path: Path) -> None:
    ip = ip_of(tmp_path, style="ultra")
    put(ip / OWN / SIM, FOREIGN)
    assert found_in(ip) == {SIM: words_of(FOREIGN.encode()), SYNTH: [b"0"] * 4}
    put(ip / OWN / SYNTH, "00000000\n" * 4)
    assert found_in(ip)[SIM] == words_of(FOREIGN.encode())


def test_lost_weights_without_a_model_are_noise_and_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ip = ip_of(tmp_path)
    with caplog.at_level(logging.WARNING):
        found = found_in(ip)
    assert found[SIM] == found[SYNTH]
    assert len(set(found[SIM])) == 4
    assert len(caplog.records) == 1
    assert found == found_in(ip), "the same noise every time"
    (part,) = read(ip).partitions
    assert part.lost_weights == (LAYER,)
    assert f"the weights of {LAYER} are lost" in caplog.text
    assert f"below a folder named {OWN}" in caplog.text


def test_lost_weights_of_a_memory_that_is_not_instantiated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A source list may name more than the partition has."""
    ip = ip_of(tmp_path, place=False)
    with caplog.at_level(logging.WARNING):
        (part,) = read(ip).partitions
    assert part.lost_weights == ()
    assert not caplog.records


def test_the_folder_of_this_run_wins_over_that_of_another(tmp_path: Path) -> None:
    ip = ip_of(tmp_path)
    put(ip.parent / OTHER / SIM, FOREIGN)
    put(ip.parent / OWN / SIM, FOREIGN.replace("3", "5"))
    assert found_in(ip)[SIM] == words_of(FOREIGN.replace("3", "5").encode())


def test_weights_of_another_run_are_not_taken(tmp_path: Path) -> None:
    ip = ip_of(tmp_path)
    put(ip.parent / OTHER / SIM, FOREIGN)
    (part,) = read(ip).partitions
    assert part.lost_weights == (LAYER,)


def test_weights_of_another_run_that_the_model_contradicts(tmp_path: Path) -> None:
    ip = ip_of(tmp_path, model=True)
    put(ip.parent / OTHER / SIM, FOREIGN)
    assert "holds other words than MVAU_rtl_0 has in" in problem_of(ip)
    put(ip.parent / OTHER / SIM, made(tmp_path))
    assert found_in(ip)[SIM] == words_of(made(tmp_path).encode())


def test_a_folder_that_the_user_names_after_the_layer(tmp_path: Path) -> None:
    ip = ip_of(tmp_path)
    put(ip / LAYER / SIM, FOREIGN)
    (part,) = read(ip).partitions
    assert part.lost_weights == ()


def test_the_file_of_this_run_wins_over_a_retrained_model(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ip = ip_of(tmp_path, model=True)
    put(ip / OWN / SIM, FOREIGN)
    put(ip / OWN / SYNTH, FOREIGN)
    with caplog.at_level(logging.WARNING):
        assert found_in(ip)[SIM] == words_of(FOREIGN.encode())
    assert "the file is what is built" in caplog.text


@pytest.mark.parametrize("lines", [1, 3, 5])
def test_a_file_of_another_length(tmp_path: Path, lines: int) -> None:
    ip = ip_of(tmp_path)
    put(ip / OWN / SIM, "".join(f"{line:08x}\n" for line in range(lines)))
    assert f"has {lines} words, and the memory 4" in problem_of(ip)


@pytest.mark.parametrize("name", [f"{OWN}/{SIM}", "data/MVAU_rtl_0_rom.dat"])
@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ("version https://git-lfs.github.com/spec/v1\n", "is no text of hexadecimal words")],
)
def test_a_file_that_is_no_memory(tmp_path: Path, name: str, text: str, message: str) -> None:
    ip = ip_of(tmp_path)
    for path in ip.rglob("MVAU_rtl_0_rom.dat"):
        path.unlink()
    put(ip / "data/MVAU_rtl_0_rom.dat", "01\n")
    put(ip / name, text)
    assert f"{message}. Copy it again; git-lfs" in problem_of(ip)


def test_a_file_that_finn_has_appended_to(tmp_path: Path) -> None:
    ip = ip_of(tmp_path)
    put(ip / OWN / SIM, 2 * FOREIGN)
    assert found_in(ip)[SIM] == words_of(FOREIGN.encode())


def test_a_short_rom_of_hls(tmp_path: Path) -> None:
    rom = 'module rom;\nparameter AddressRange = 16;\ninitial $readmemh("./rom.dat", rom0);\nendmodule\n'
    ip = placed(write_stitched(tmp_path / "net", Build(extra={"a/rom.v": rom})), "rom")
    put(ip / "rom.dat", "01\n" * 16)
    read(ip)
    put(ip / "rom.dat", "01\n" * 15)
    assert "has 15 words of the 16 it reads" in problem_of(ip)


@pytest.mark.parametrize("literal", ["./rom.dat", f"{DEAD}/{OWN}/project/hdl/verilog/rom.dat"])
def test_a_rom_of_another_run(tmp_path: Path, literal: str) -> None:
    """The copy in the IP counts, though the folder of the other run has the longer path in common."""
    rom = f'module rom;\ninitial $readmemh("{literal}", rom0);\nendmodule\n'
    ip = placed(write_stitched(tmp_path / "net", Build(extra={"a/rom.v": rom})), "rom")
    put(ip / "ip/rom/rom.dat", "01\n")
    put(ip.parent / OTHER / "project/hdl/verilog/rom.dat", "02\n")
    network = read(ip)
    (found,) = [s for part in network.partitions for s in part.sources if s.name == "net__rom.dat"]
    assert network.files[found.sha256] == b"01\n"


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


def test_a_model_of_another_folding_tells_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    build = Build(memory="bare", extra={"a/singleblock.v": BRANCHES, "a/wstrm.v": streamer()})
    ip = placed(write_stitched(tmp_path / "net", build), "wstrm")
    model = child(build)
    for attribute in model.graph.node[1].attribute:
        if attribute.name == "SIMD":
            attribute.i = 2
    save(model, ip / "net.onnx")
    with caplog.at_level(logging.WARNING):
        (part,) = read(ip).partitions
    assert "it is not what was built" in caplog.text
    assert part.lost_weights == (LAYER,)


def test_renumbered_nodes_are_known_by_the_folders_that_they_record(tmp_path: Path) -> None:
    """Partitioning counts the nodes of each child from 0 again; folders keep their first name."""
    nodes, values = [], {}
    for now, before in ((0, 1), (1, 0)):
        made = node("MVAU_rtl", [f"x{now}", f"w{now}"], [f"x{now + 1}"], name=f"P_1_MVAU_{now}", **FOLD)
        folder = f"/dead/code_gen_ipgen_MVAU_{before}_ab_def_h"
        made.attribute.append(helper.make_attribute("code_gen_dir_ipgen", folder))
        nodes.append(made)
        values[f"w{now}"] = np.full((8, 8), now)
    model = load_model(
        save(make_model(nodes, {"x0": (1, 8)}, {"x2": (1, 8)}, initialisers=values), tmp_path / "m.onnx")
    )
    assert set(words_of(memblock(model, "MVAU_0") or b"")) == {b"1" * 8}
    assert set(words_of(memblock(model, "MVAU_1") or b"")) == {b"0"}


FOLD = {"PE": 2, "SIMD": 4, "MW": 8, "MH": 8, "weightDataType": "INT4"}


@pytest.mark.parametrize("whole", [True, False])
def test_a_child_that_has_inherited_the_project_of_the_whole_network(
    tmp_path: Path, whole: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """FINN stitches the network, partitions it, and the children keep what the parent has recorded."""
    build = Build(memory="bare", extra={"a/singleblock.v": BRANCHES, "a/wstrm.v": streamer()})
    ip = write_stitched(tmp_path / build.project, build)
    model = child(build)
    folder = f"{DEAD}/{OWN if whole else 'code_gen_ipgen_MVAU_rtl_7_abcdefgh'}"
    model.graph.node[1].attribute.append(helper.make_attribute("code_gen_dir_ipgen", folder))
    path = save(model, tmp_path / "dataflow_partition2_x/df_model.onnx")
    described = [
        {"port": f"{build.project}.{port}", "datatype": kind, "shape": (1, count), "elements_per_word": per}
        for port, kind, count, per in (("s_axis_0", "UINT4", 8, 4), ("m_axis_0", "INT13", 4, 2))
    ]
    with caplog.at_level(logging.WARNING):
        network = read_network(ip, [StreamSpec.from_data(entry, "[[stream]]") for entry in described])
    (part,) = network.partitions
    assert bool(part.layers) == whole
    assert (f"{path} is not used: the RTL in {ip} has {LAYER} besides" in caplog.text) != whole


def tree_model(folder: Path, rows: int = 4, steps: int = 3, **more: object) -> Path:
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


def narrow(folder: Path, rtl: dict[str, int], **more: object) -> tuple[list[bytes], list[int]]:
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


def test_weights_in_a_file_beside_the_model(tmp_path: Path) -> None:
    model = child(Build())
    plain = load_model(save(model, tmp_path / "plain.onnx"))
    onnx.save(model, str(tmp_path / "m.onnx"), save_as_external_data=True, location="m.bin", size_threshold=0)
    split = load_model(tmp_path / "m.onnx")
    assert memblock(split, LAYER) == memblock(plain, LAYER) is not None
    (tmp_path / "m.bin").unlink()
    with pytest.raises(InputError, match=r"the values of w lie in m\.bin, which cannot be read"):
        memblock(split, LAYER)


def test_large_layers_are_packed_fast(tmp_path: Path) -> None:
    fold = {"PE": 16, "SIMD": 16, "MW": 1024, "MH": 1024, "weightDataType": "INT4"}
    values = np.random.default_rng(1).integers(-8, 8, (1024, 1024))
    layer = node("MVAU_rtl", ["x", "w"], ["y"], name=LAYER, **fold)
    model = load_model(
        save(
            make_model([layer], {"x": (1, 1024)}, {"y": (1, 1024)}, initialisers={"w": values}),
            tmp_path / "m.onnx",
        )
    )
    begin = time.process_time()
    text = memblock(model, LAYER)
    assert time.process_time() - begin < 1
    assert text
    assert len(text) == 4096 * 257
    first = int(text.partition(b"\n")[0], 16)
    assert [first >> 4 * at & 15 for at in range(3)] == [int(value) & 15 for value in values[:3, 0]]
