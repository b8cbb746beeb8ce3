# SPDX-License-Identifier: BSD-3-Clause
"""Contents of the weight memories: files of this very run, made from the ONNX, or noise that says so."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from read.build_fixture import DEAD, Build, child, make_model, node, put, save, write_stitched
from read.contents_fixture import placed, problem_of, read

from shellgen.errors import InputError
from shellgen.model import StreamSpec
from shellgen.read import read_network
from shellgen.read.finn_onnx import load_model
from shellgen.read.initial import memblock, words_of

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


def streamer(style: str = "auto") -> str:
    numbers = f'.MEM_DEPTH(4), .MEM_WIDTH(32), .MEM_INIT("{DEAD}/{OWN}/"), .RAM_STYLE("{style}")'
    return f"module wstrm ();\n  memstream_singleblock #({numbers}) inst ();\nendmodule\n"


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
    assert (f"{path} is not used: the RTL in {ip} has {LAYER} as well" in caplog.text) != whole


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
