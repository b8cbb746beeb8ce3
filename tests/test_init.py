# SPDX-License-Identifier: BSD-3-Clause
"""`shellgen init`: a build in, a cluster.toml out that plan takes, or whose gaps are what plan asks for."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import onnx
import pytest
from bad_input import PROGRESS, WARNING, copy_system
from read.build_fixture import Build, child, make_model, put, save, sdp, write_network, write_stitched

from shellgen import costs
from shellgen.cli import main
from shellgen.init import start_cluster
from shellgen.init.boards import clock_on, fitting_boards
from shellgen.init.links import guess_links
from shellgen.model import Estimate
from shellgen.model.device import die_of, dsp_of
from shellgen.read import read_board, read_boards, read_network
from shellgen.read.device import BuiltFor, built_for
from shellgen.read.estimates import estimate
from shellgen.read.finn_onnx import load_model

DESIGN = "finn_vivado_stitch_proj.srcs/sources_1/bd/finn_design/finn_design.bd"


def planned(cluster: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["plan", str(cluster), "-o", str(cluster.parent / "out")])
    return code, WARNING.sub("", PROGRESS.sub("", capsys.readouterr().err))


def test_a_parent_tells_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy_system(tmp_path)
    cluster = tmp_path / "here" / "cluster.toml"
    assert main(["init", str(tmp_path / "build"), "-o", str(cluster)]) == 0
    assert f"next: shellgen plan {cluster} -o out" in capsys.readouterr().out
    spec = tomllib.loads(cluster.read_text())
    assert spec["build"] == "../build"
    assert [node["partitions"] for node in spec["node"]] == [[0], [1]]
    assert "link" not in spec
    assert planned(cluster, capsys) == (0, "")


def test_what_a_build_does_not_tell_is_what_plan_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two stitched IPs without ONNX: their streams and their link are commented, and filled in they do."""
    for name in ("a", "b"):
        write_stitched(tmp_path / "build" / name, Build())
    cluster = tmp_path / "cluster.toml"
    assert main(["init", str(tmp_path / "build"), "-o", str(cluster)]) == 0
    said = capsys.readouterr().out
    ports = [f"{part}.{port}" for part in "ab" for port in ("s_axis_0", "m_axis_0")]
    for gap in ("[[link]] a.m_axis_0 -> b.s_axis_0: a guess", *(f"[[stream]] {port}" for port in ports)):
        assert f"to fill in: {gap}" in said
    code, said = planned(cluster, capsys)
    assert code == 2
    assert "neither the build nor a [[link]] joins them" in said
    text = cluster.read_text()
    text = re.sub(r"(?m)^# (\[\[link\]\]|from = .*|to = .*)$", r"\1", text)
    cluster.write_text(text)
    code, said = planned(cluster, capsys)
    assert (code, said.count("data type and shape are not known")) == (2, 4)
    assert all(f'port = "{port}"  # TDATA has' in said for port in ports)  # ready to be pasted
    text = re.sub(
        r"(?m)^# (\[\[stream\]\]|port = .*|datatype = .*|shape = .*|elements_per_word = .*)$", r"\1", text
    )
    cluster.write_text(text)
    code, said = planned(cluster, capsys)
    assert (code, said.count("datatype"), said.count("shape"), said.count("elements_per_word")) == (
        2,
        4,
        4,
        4,
    )
    for old, new in (('datatype = ""', 'datatype = "UINT4"'), ("shape = []", "shape = [1, 8]")):
        text = text.replace(old, new)
    cluster.write_text(text.replace("elements_per_word = 0", "elements_per_word = 4"))
    assert planned(cluster, capsys) == (0, "")


def test_one_stitched_folder_and_what_vivado_and_finn_left_around_it(tmp_path: Path) -> None:
    build = Build()
    ip = write_stitched(tmp_path / "my net" / "stitched_ip", build)
    save(child(build), tmp_path / "my net" / "intermediate_models" / "step_create_stitched_ip.onnx")
    ports = {"ap_clk": {"parameters": {"FREQ_HZ": {"value": "83333333"}}}}
    info = {"device": "xczu7ev-ffvc1156-2-e", "tool_version": "2022.2"}
    put(ip / DESIGN, json.dumps({"design": {"design_info": info, "ports": ports}}))
    report = {"LUT": 23040.0, "FF": 100.0, "BRAM_18K": 1.0, "BRAM_36K": 2.0, "DSP": 0.0, "URAM": 0.0}
    put(tmp_path / "my net" / "report" / "ooc_synth_and_timing.json", json.dumps(report))
    started = start_cluster(ip, tmp_path)
    assert (started.gaps, started.problems) == ((), ())
    spec = tomllib.loads(started.text)
    assert (spec["name"], spec["build"]) == ("my_net", "my net/stitched_ip")
    assert spec["node"] == [{"name": "fpga0", "board": "zcu104", "partitions": [0], "clock_mhz": 83.333333}]
    for line in (
        "#   s_axis_0: 1 x 8 UINT4 in 2 words of 4, TDATA has 16 bits",
        "#   built for xczu7ev-ffvc1156-2-e with Vivado 2022.2 for 83.3333 MHz",
        "#   23040 LUT, 100 FF, 5 BRAM18, 0 DSP, by FINN's out-of-context synthesis",
    ):
        assert line in started.text.splitlines()
    assert (
        'board = "zcu104"  # LUT 10 %; also fits: ultra96-v2 (LUT 33 %), kv260_som (LUT 20 %)' in started.text
    )


def test_a_partition_for_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """FINN's 3.33 ns are no whole MHz, and v++ counts in these."""
    build = Build()
    write_stitched(tmp_path / build.project, build)
    path = save(child(build), tmp_path / "conv.onnx")
    ports = {"ap_clk": {"parameters": {"FREQ_HZ": {"value": "300300300.300"}}}}
    info = {"device": "xcu280-fsvh2892-2L-e", "tool_version": "2022.2"}
    put(tmp_path / build.project / DESIGN, json.dumps({"design": {"design_info": info, "ports": ports}}))
    assert main(["init", str(path), "-o", str(tmp_path / "cluster.toml")]) == 0
    capsys.readouterr()
    text = (tmp_path / "cluster.toml").read_text()
    assert tomllib.loads(text)["node"] == [
        {"name": "fpga0", "board": "u280", "partitions": [0], "clock_mhz": 300.0}
    ]
    assert "for 300.3 MHz" in text
    assert planned(tmp_path / "cluster.toml", capsys) == (0, "")


def test_a_model_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = Build()
    write_stitched(tmp_path / build.project, build)
    path = save(child(build), tmp_path / "conv.onnx")
    assert main(["init", str(path), "-o", str(tmp_path / "cluster.toml")]) == 0
    capsys.readouterr()
    assert planned(tmp_path / "cluster.toml", capsys) == (0, "")


def test_a_parent_of_who_knows_which_run_gives_hints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run's model is gone, the parent is there: its types are proposed, and TDATA gives the folding."""
    ip = write_stitched(tmp_path / "build" / "stitched_ip", Build())
    nodes = [sdp("", "i", "o", "/gone/df_model.onnx")]
    parent = make_model(nodes, {"i": (1, 8)}, {"o": (1, 4)}, {"i": "UINT4", "o": "INT13"})
    save(parent, tmp_path / "build/intermediate_models/dataflow_parent.onnx")
    cluster = tmp_path / "cluster.toml"
    for build in (tmp_path / "build", ip):
        text = start_cluster(build, tmp_path).text
        assert text.count("# What dataflow_parent.onnx says, if it is of this run:") == 2
        block = r"(?m)^# (\[\[stream\]\]|(?:port|datatype|shape|elements_per_word) = .*)$"
        cluster.write_text(re.sub(block, r"\1", text))
        assert [entry["elements_per_word"] for entry in tomllib.loads(cluster.read_text())["stream"]] == [
            4,
            2,
        ]
        assert planned(cluster, capsys) == (0, "")


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_network(tmp_path / "build")
    cluster = put(tmp_path / "cluster.toml", "mine")
    assert main(["init", str(tmp_path / "build"), "-o", str(cluster)]) == 2
    assert "it already exists" in capsys.readouterr().err
    assert cluster.read_text() == "mine"
    assert main(["init", str(tmp_path / "build"), "-o", str(cluster), "--force"]) == 0
    assert cluster.read_text().startswith("# Written by `shellgen init`")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["build", "cluster.toml"]


def test_without_a_file_it_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_network(tmp_path / "build")
    monkeypatch.chdir(tmp_path)
    assert main(["init", "build"]) == 0
    text = capsys.readouterr().out
    assert tomllib.loads(text)["build"] == "build"
    assert main(["init", "build", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == text


def test_what_is_wrong_with_the_build_itself_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build = Build()
    ip = write_stitched(tmp_path / "build" / "conv", build)
    save(child(build), ip / "conv.onnx")
    next(ip.rglob("memstream.v")).unlink()
    started = start_cluster(tmp_path / "build", tmp_path)
    (problem,) = started.problems
    assert f"# Fix first: {problem}" in started.text.splitlines()
    cluster = put(tmp_path / "cluster.toml", started.text)
    code, said = planned(cluster, capsys)
    assert code == 2
    assert problem.found in said


def test_a_stranger_among_partitions_of_one_run(tmp_path: Path) -> None:
    """FINN's build folder keeps the stitched IPs of earlier runs, and their models are gone."""
    build = Build()
    stranger = Build(project="vivado_stitch_proj_aaaaaaaa", block="another_design")
    write_stitched(tmp_path / stranger.project, stranger)
    write_stitched(tmp_path / build.project, build)
    save(child(build), tmp_path / "dataflow_partition_ab12cd34" / "partition_0.onnx")
    text = start_cluster(tmp_path, tmp_path).text
    assert "# No ONNX mentions vivado_stitch_proj_aaaaaaaa: left over from an earlier run?" in text


def test_nothing_to_begin_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path)]) == 2
    assert "neither a parent ONNX nor a folder with a stitched IP" in capsys.readouterr().err


def set_attribute(model: onnx.ModelProto, name: str, value: str) -> None:
    for node in model.graph.node:
        if node.op_type == "MVAU_rtl":
            node.attribute.append(onnx.helper.make_attribute(name, value))


MERGED = "FINN's estimates and HLS reports"


@pytest.mark.parametrize(
    ("reports", "attributes", "lut", "source"),
    [
        ({}, {}, None, ""),
        ({}, {"res_estimate": "{'LUT': 7, 'BRAM_18K': 1}"}, 7, "FINN's estimates"),
        (
            {},
            {"res_estimate": "{'LUT': 7}", "res_hls": "{'LUT': '8'}"},
            7,
            MERGED,
        ),
        ({}, {"res_hls": "{'LUT': '8'}"}, 8, "FINN's HLS reports"),
        ({}, {"res_hls": "{'LUT': '8'}", "res_synth": "{'LUT': 5}"}, 5, "FINN's synthesis"),
        ({}, {"res_synth": "broken"}, None, ""),
        ({"estimate_layer_resources.json": {"MVAU_rtl_0": {"LUT": 9}}}, {}, 9, "FINN's estimates"),
        (
            {
                "estimate_layer_resources.json": {"MVAU_rtl_0": {"LUT": 9}},
                "estimate_layer_resources_hls.json": {"MVAU_rtl_0": {"LUT": "10"}, "other": {"LUT": "900"}},
            },
            {},
            9,
            MERGED,
        ),
        ({"estimate_layer_resources.json": {"another": {"LUT": 9}}}, {}, None, ""),
        ({"estimate_layer_resources.json": {"MVAU_rtl_0": {"LUT": 0, "DSP": 0}}}, {}, None, ""),
        ({"estimate_layer_resources.json": {"MVAU_rtl_0": {"LUT": "inf"}}}, {}, None, ""),
        ({"estimate_layer_resources.json": {"MVAU_rtl_0": [9]}}, {}, None, ""),
        ({"post_synth_resources.json": {"MVAU_rtl_0": {"LUT": 4}}}, {}, 4, "FINN's synthesis"),
    ],
)
def test_who_tells_the_size(
    tmp_path: Path, reports: dict[str, object], attributes: dict[str, str], lut: int | None, source: str
) -> None:
    model = child(Build())
    for name, value in attributes.items():
        set_attribute(model, name, value)
    path = save(model, tmp_path / "conv.onnx")
    for name, content in reports.items():
        put(tmp_path / "report" / name, json.dumps(content))
    found = estimate(tmp_path / "stitched_ip", load_model(path))
    # The two FIFOs of the model are computed, but for a synthesis that has counted them.
    fifos = 0 if source == "FINN's synthesis" else costs.fifo(16, 2).lut + costs.fifo(26, 2).lut
    assert (found.lut - fifos if found else None, found.source if found else "") == (lut, source)


def test_rom_weights_take_no_uram(tmp_path: Path) -> None:
    """FINN estimates UltraRAM for any large ROM of an MVAU; only a layer that asks for it gets some."""
    for style, uram in (("auto", 0), ("block", 0), ("ultra", 2)):
        model = child(Build())
        set_attribute(model, "res_estimate", "{'LUT': 7, 'URAM': 2}")
        set_attribute(model, "ram_style", style)
        found = estimate(tmp_path / "stitched_ip", load_model(save(model, tmp_path / "conv.onnx")))
        assert found is not None
        assert found.uram == uram


def test_the_report_of_a_parent_build_is_found_from_its_child(tmp_path: Path) -> None:
    """FINN stitches the partitions of a parent in folders of its own, far from the reports."""
    path = save(child(Build()), tmp_path / "out/intermediate_models/kernel_partitions/partition_0.onnx")
    put(
        tmp_path / "out/report/estimate_layer_resources.json",
        json.dumps({"MVAU_rtl_0": {"LUT": 9, "DSP": 2}}),
    )
    found = estimate(tmp_path / "host/vivado_stitch_proj_abcdefgh", load_model(path))
    assert found
    assert (found.dsp, found.told, found.layers) == (2, 3, 3)


def test_boards_by_part_die_and_size() -> None:
    boards = read_boards()
    small = Estimate(lut=1000, ff=0, bram18=0, uram=0, dsp=0, source="")

    def names(need: Estimate | None, part: str | None) -> list[str]:
        return [choice.board.name for choice in fitting_boards(boards, need, part)]

    assert names(small, "xc7z020clg484-1")[0] == "zedboard"
    small_first = ["arty-z7-20", "pynq-z1", "pynq-z2", "zedboard", "zybo-z7-20", "zc706"]
    assert names(small, "xc7a100tcsg324-1") == small_first  # DSP48E1, as in Artix
    assert names(small, "xczu7ev-ffvc1156-2-i")[0] == "zcu104"
    assert names(small, "xcvc1902-vsva2197-2MP-e-S") == []
    assert {one.board.name for one in fitting_boards(boards, small, None, "DSP48E2")} == {
        board.name for board in boards if dsp_of(board.part) == "DSP48E2"
    }
    assert set(names(None, None)) == {board.name for board in boards}
    need = Estimate(lut=0, ff=0, bram18=0, uram=8, dsp=0, source="")
    first, *others = fitting_boards(boards, need, None)
    assert first.board.resources.uram >= 8
    assert first.filling.startswith("URAM")
    assert {choice.board.name for choice in others if not choice.fits} >= {"zedboard", "ultra96-v2"}


def test_links_that_only_one_pair_of_ports_can_be(tmp_path: Path) -> None:
    """Three equal partitions fit each other anywhere; without a choice there is no doubt."""
    for index in range(3):
        build = Build()
        ip = write_stitched(tmp_path / f"p{index}", build)
        save(child(build), ip / f"p{index}.onnx")
    parts = read_network(tmp_path).partitions
    assert [joint.certain for joint in guess_links(parts)] == [False, False]  # INT13 fits no UINT4
    out = parts[0].outputs[0]
    fed = parts[1].model_copy(
        update={"streams": (parts[1].streams[0].model_copy(update=described(out)), parts[1].streams[1])}
    )
    (joint,) = guess_links([parts[0], fed])
    assert (joint.producer, joint.consumer, joint.certain) == ("p0.m_axis_0", "p1.s_axis_0", True)
    both = guess_links([parts[0], fed, parts[2]])
    assert [joint.certain for joint in both if joint.consumer == "p1.s_axis_0"] == [False, False]


def described(port: object) -> dict[str, object]:
    return {name: getattr(port, name) for name in ("datatype", "normal_shape", "folded_shape")}


@pytest.mark.parametrize(
    ("part", "dsp", "die"),
    [
        ("xc7z020clg400-1", "DSP48E1", "xc7z020"),
        ("xc7vx690tffg1761-2", "DSP48E1", "xc7vx690t"),
        ("xqrku060-cna1509-1M-m", "DSP48E2", "xqrku060"),
        ("xcau25p-ffvb676-1-e", "DSP48E2", "xcau25p"),
        ("xck26-sfvc784-2LV-c", "DSP48E2", "xck26"),
        ("xcu280-fsvh2892-2L-e", "DSP48E2", "xcu280"),
        ("xcve2802-vsvh1760-2MP-e-S", "DSP58", "xcve2802"),
        ("10AX115", None, "10ax115"),
    ],
)
def test_what_a_part_says(part: str, dsp: str | None, die: str) -> None:
    assert (dsp_of(part), die_of(part)) == (dsp, die)


def test_a_folder_that_tells_nothing_of_its_device(tmp_path: Path) -> None:
    assert built_for(write_stitched(tmp_path / "conv", Build())) == BuiltFor()


def test_boards_of_one_platform(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A board with that platform second needs the option; the clock is compared with the platform's."""
    write_stitched(tmp_path / "build", Build())
    text = start_cluster(tmp_path / "build", tmp_path, "coyote").text
    (node,) = tomllib.loads(text)["node"]
    assert node["platform"] == "coyote"
    assert node["board"] in ("u50", "u55c", "u200", "u250", "u280")
    assert "zedboard" not in text
    (node,) = tomllib.loads(start_cluster(tmp_path / "build", tmp_path, "vitis").text)["node"]
    assert "platform" not in node
    assert main(["init", str(tmp_path / "build"), "--platform", "loom"]) == 2
    assert "shellgen init: --platform: 'loom' is not known. Choose from: coyote, " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("board", "kind", "mhz", "clock"),
    [
        ("u55c", "vitis", 210, None),
        ("u55c", "coyote", 210, 210_000_000),
        ("u55c", "coyote", 250, None),
        ("u55c", "coyote", 142.857, 142_000_000),
        ("u55c", "vitis", 142.857, 142_000_000),
        ("zedboard", "zynq", 100, None),
        ("zedboard", "gone", 99.5, 99_500_000),
    ],
)
def test_the_clock_is_what_the_platform_can_give(
    board: str, kind: str, mhz: float, clock: int | None
) -> None:
    assert clock_on(read_board(board), kind, round(mhz * 1e6)) == clock
