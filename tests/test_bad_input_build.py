# SPDX-License-Identifier: BSD-3-Clause
"""FINN builds and boards that are damaged: each is refused with file, field and remedy."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import onnx
import pytest
from bad_input import PARTS, Cases, System, copy_system, expect, refusal

from shellgen.cli import main
from shellgen.read.verilog import Verilog
from shellgen.resources import data_dir

case: Cases[object] = Cases()
WRAPPER = f"{PARTS[0]}_wrapper"
COMPONENT = "partition_0/ip/component.xml"


@pytest.mark.parametrize("name", case.made)
def test_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    damage, wanted = case.made[name]
    damage(copy_system(tmp_path))
    expect(refusal(["generate", "cluster.toml", "-o", "out"], capsys), *wanted)


@case(("cluster.toml: build", "no such FINN build", "build/parent.onnx", "Correct that path"))
def build_is_missing(at: System) -> None:
    shutil.rmtree(at.root / "build")


@case(
    (
        "cluster.toml: build",
        "no such FINN build: build/partition-0.onnx. Did you mean partition_0.onnx?",
        "In build are parent.onnx, partition_0, partition_0.onnx, partition_1, partition_1.onnx.",
    ),
)
def part_is_misspelt(at: System) -> None:
    at.cluster(("build/parent.onnx", "build/partition-0.onnx"))


@case(("empty", "neither a parent ONNX nor a folder with a stitched IP", "Name FINN's dataflow_parent.onnx"))
def build_is_empty(at: System) -> None:
    (at.root / "empty").mkdir()
    at.cluster(("build/parent.onnx", "empty"))


@case(("outer", "build is a build by itself: it holds parent.onnx", "Name outer/build"))
def folder_around_a_build(at: System) -> None:
    (at.root / "outer").mkdir()
    (at.root / "build").rename(at.root / "outer/build")
    at.cluster(("build/parent.onnx", "outer"))


@case(("cluster.toml: node[1].partitions", "there is no partition 1", "The build has 0 (partition_0)"))
def child_in_place_of_its_parent(at: System) -> None:
    at.cluster(("build/parent.onnx", "build/partition_0.onnx"))


@case(("build/parent.onnx", "is not an ONNX model", "git-lfs"))
def parent_is_garbage(at: System) -> None:
    (at.root / "build/parent.onnx").write_bytes(b"\x08\x99 this is no protobuf \xff\xff")


@case(("build/parent.onnx", "is not an ONNX model", "FINN saved"))
def parent_is_a_git_lfs_pointer(at: System) -> None:
    (at.root / "build/parent.onnx").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")


@case((f"build/parent.onnx: node {PARTS[1]}.model", "partition_1.onnx is not there", "Copy partition_1.onnx"))
def child_is_missing(at: System) -> None:
    (at.root / "build/partition_1.onnx").unlink()


@case(
    ("build/partition_0.onnx", "is not an ONNX model", "FINN saved"),
    ("build/partition_1.onnx", "is not an ONNX model", "FINN saved"),
)
def children_are_garbage(at: System) -> None:
    (at.root / "build/partition_0.onnx").write_bytes(b"garbage")
    (at.root / "build/partition_1.onnx").write_bytes(b"")


@case(("build/partition_0.onnx", "(Softmax) is not a FINN hardware operator", "child model"))
def child_has_a_host_operator(at: System) -> None:
    def change(model: onnx.ModelProto) -> None:
        model.graph.node[0].op_type, model.graph.node[0].domain = "Softmax", ""
        del model.graph.node[0].attribute[:]

    at.model("partition_0.onnx", change)


@case(("cluster.toml: stream", f"{PARTS[0]}.m_axis_0", "not known", "Add [[stream]] with port"))
def child_has_an_operator_of_a_newer_finn(at: System) -> None:
    def change(model: onnx.ModelProto) -> None:
        node = model.graph.node[-1]
        node.op_type = "FancyOp_rtl"
        del node.attribute[:]
        del model.graph.quantization_annotation[:]

    at.model("partition_0.onnx", change)


@case((f"{PARTS[0]}", "2 inputs, but its IP has 1 stream on that side", "one build"))
def parent_has_another_number_of_streams(at: System) -> None:
    at.model("parent.onnx", lambda model: model.graph.node[0].input.append("extra"))


@case(("build/partition_1.onnx: metadata vivado_stitch_proj", "no stitched IP", "Copy the folder"))
def stitched_folder_is_missing(at: System) -> None:
    shutil.rmtree(at.root / "build/partition_1")


@case((f"build/{COMPONENT}", "is not XML", "restore the file"))
def component_is_not_xml(at: System) -> None:
    (at.root / "build" / COMPONENT).write_text("version https://git-lfs.github.com/spec/v1\n")


@case((f"build/{COMPONENT}", "is not XML", "Package the IP again"))
def component_is_cut_short(at: System) -> None:
    path = at.root / "build" / COMPONENT
    path.write_bytes(path.read_bytes()[:900])


@case((f"build/{COMPONENT}", "its root is <html>", "component.xml of a stitched IP"))
def component_is_a_web_page(at: System) -> None:
    (at.root / "build" / COMPONENT).write_text("<html><body>404</body></html>")


@case((f"build/{COMPONENT}", "no AXI4-Stream interface", "stitched IP of a compute partition"))
def component_has_no_streams(at: System) -> None:
    text = (at.root / "build" / COMPONENT).read_text()
    begin, end = "<spirit:busInterfaces>", "</spirit:busInterfaces>"
    inner = text[text.index(begin) : text.index(end) + len(end)]
    at.text(f"build/{COMPONENT}", (inner, ""))


@case((f"build/{COMPONENT}: port", "are not numbers", "constant widths"))
def component_has_a_width_that_is_no_number(at: System) -> None:
    text = (at.root / "build" / COMPONENT).read_text()
    left = text[text.index("<spirit:left") :].partition("</spirit:left>")[0] + "</spirit:left>"
    at.text(f"build/{COMPONENT}", (left, "<spirit:left>WIDTH-1</spirit:left>"))


@case(("partition_0.onnx: s_axis_0", "but TDATA has 8", "Use ONNX and IP of one build"))
def component_and_model_disagree(at: System) -> None:
    text = (at.root / "build" / COMPONENT).read_text()
    port = text[text.rindex("<spirit:name>s_axis_0_tdata") :]
    old = port[: port.index("</spirit:left>")]
    at.text(f"build/{COMPONENT}", (old, old[: old.rindex(">") + 1] + "7"))


@case(("partition_0.onnx: s_axis_0", "takes FLOAT32", "links carry integers", "shellgen stitch"))
def model_has_floats_at_its_input(at: System) -> None:
    def change(model: onnx.ModelProto) -> None:
        first = model.graph.node[0]
        for index in reversed(range(len(first.attribute))):
            if first.attribute[index].name in ("inputDataType", "dataType"):
                del first.attribute[index]
        first.attribute.append(onnx.helper.make_attribute("inputDataType", "FLOAT32"))

    at.model("partition_0.onnx", change)


@case(
    (
        "build/partition_0/all_verilog_srcs.txt:1",
        "is nowhere in this build",
        "Copy gone.v into its folder ip/src",
    )
)
def listed_source_is_missing(at: System) -> None:
    path = at.root / "build/partition_0/all_verilog_srcs.txt"
    path.write_text("/dead/container/gone.v\n" + path.read_text())


@case(("build/partition_0", f"no source defines the top module {WRAPPER}", "Copy the whole stitched IP"))
def wrapper_is_not_listed(at: System) -> None:
    path = at.root / "build/partition_0/all_verilog_srcs.txt"
    lines = [line for line in path.read_text().splitlines() if "wrapper" not in line]
    path.write_text("\n".join(lines) + "\n")


@case(
    (
        f"{PARTS[1]}_wrapper.v:",
        "it reads the data file",
        ".dat, which is nowhere in the build",
        "Copy it beside that source",
    )
)
def data_file_is_missing(at: System) -> None:
    next((at.root / "build/partition_1/ip/src").glob("*.dat")).unlink()


@case(("partition_0", "module ref_slice is defined differently in", "copy.sv", "Remove one of them"))
def module_is_defined_twice_and_differently(at: System) -> None:
    (at.root / "build/partition_0/ip/src/copy.sv").write_text("module ref_slice(input wire x); endmodule\n")
    path = at.root / "build/partition_0/all_verilog_srcs.txt"
    path.write_text(path.read_text() + "partition_0/ip/src/copy.sv\n")


@case(("partition_0.onnx: metadata vivado_stitch_ifnames", "is not JSON", "CreateStitchedIP"))
def interface_names_are_not_json(at: System) -> None:
    (at.root / "build" / COMPONENT).unlink()
    at.model("partition_0.onnx", lambda model: set_metadata(model, "{'s_axis': broken"))


@case(("partition_0.onnx: metadata vivado_stitch_ifnames", "'s_quantum' is not known", "delete the metadata"))
def interface_names_are_of_a_newer_finn(at: System) -> None:
    (at.root / "build" / COMPONENT).unlink()
    at.model("partition_0.onnx", lambda model: set_metadata(model, '{"s_quantum": ["q0"]}'))


@case(
    (f"cluster.toml: stream {PARTS[0]}.", "data type and shape are not known", "Add [[stream]] with port"),
)
def child_does_not_make_its_output(at: System) -> None:
    at.model("partition_0.onnx", lambda model: model.graph.node.pop())


def set_metadata(model: onnx.ModelProto, value: str) -> None:
    """Set vivado_stitch_ifnames wherever the model has metadata."""
    for holder in (model.graph, model):
        kept = [(e.key, e.value) for e in holder.metadata_props if e.key != "vivado_stitch_ifnames"]
        del holder.metadata_props[:]
        for key, text in kept:
            holder.metadata_props.add(key=key, value=text)
    model.metadata_props.add(key="vivado_stitch_ifnames", value=value)


@case(("cluster.toml: node[0].lite", "takes 2147483648 bytes", "the host reaches 536870912", "lite.access"))
def memory_map_exceeds_the_window(at: System) -> None:
    text = (at.root / "build" / COMPONENT).read_text()
    port = text[text.rindex("<spirit:name>s_axilite_0_awaddr") :]
    old = port[: port.index("</spirit:left>")]
    at.text(f"build/{COMPONENT}", (old, old[: old.rindex(">") + 1] + "30"))


BOARDS: dict[str, tuple[tuple[tuple[str, str], ...], tuple[tuple[str, ...], ...]]] = {
    "not_toml": (
        (('part = "', "part = "),),
        (("boards/mine.toml", "is not TOML", "Correct that line"),),
    ),
    "no_clock": (
        (("clock_hz", "#"),),
        (("boards/mine.toml: clock_hz", "missing", "Add it"),),
    ),
    "facts_of_wrong_type": (
        (("hp_data_bits = 128", "hp_data_bits = 48"), ("ddr_bytes = ", "ddr_bytes = -1 #")),
        (
            ("boards/mine.toml: platform.zynq.hp_data_bits", "got 48", "64 or 128"),
            ("boards/mine.toml: platform.zynq.ddr_bytes", "above 0", "Correct this field"),
        ),
    ),
    "other_name": (
        (('name = "mine"', 'name = "yours"'),),
        (("boards/mine.toml: name", "got 'yours' in the file of 'mine'", "name of its file"),),
    ),
    "unknown_platform": (
        (("[platform.zynq]", "[platform.versal]"),),
        (("boards/mine.toml: platform", "'versal' is not known", "Choose from: coyote, vitis, zynq"),),
    ),
    "a_file_of_an_earlier_release": (
        (("clock_hz", 'platform = "zynq"\nlinks = ["tcp_dma"]\nclock_hz'), ("[platform.zynq]", "[zynq]")),
        (
            ("boards/mine.toml: platform: got 'zynq'", "expected a table. Remove the line"),
            ("boards/mine.toml: links: this field is not known", "whose docks its platforms offer"),
            ("boards/mine.toml: zynq: this field is not known", "Call the table [platform.zynq]"),
        ),
    ),
    "a_name_that_no_platform_has": (
        (("[platform.zynq]", '[platform."zy nq"]'),),
        (("boards/mine.toml: platform.zy nq: got 'zy nq'", "expected letters"),),
    ),
    "no_platform": (
        (("[platform.zynq]", "[platform]\n[zynq]"),),
        (
            ("boards/mine.toml: platform: ", "expected a table for each platform"),
            ("boards/mine.toml: zynq: this field is not known", "Call the table [platform.zynq]"),
        ),
    ),
    "a_window_below_zero": (
        (("lite_base = ", "lite_base = -1 #"),),
        (("boards/mine.toml: platform.zynq.lite_base: got -", "at least 0"),),
    ),
}


def board_folder(folder: Path) -> Path:
    """Copy the boards and add one of the user's own."""
    shutil.copytree(data_dir("boards"), folder)
    text = (folder / "kv260_som.toml").read_text()
    (folder / "mine.toml").write_text(text.replace('name = "kv260_som"', 'name = "mine"'))
    return folder


@pytest.mark.parametrize("name", BOARDS)
def test_board_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    edits, wanted = BOARDS[name]
    monkeypatch.chdir(tmp_path)
    at = copy_system(tmp_path)
    at.cluster(('"zedboard"', '"mine"'), ('"zedboard"', '"mine"'))
    board_folder(tmp_path / "boards")
    at.text("boards/mine.toml", *edits)
    monkeypatch.setattr("shellgen.read.board.data_dir", lambda _: tmp_path / "boards")
    expect(refusal(["generate", "cluster.toml", "-o", "out"], capsys), *wanted)


def test_list_boards_reports_every_bad_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    board_folder(tmp_path / "boards")
    for name in ("mine", "zedboard"):
        (tmp_path / "boards" / f"{name}.toml").write_text("title = 7\n")
    monkeypatch.setattr("shellgen.read.board.data_dir", lambda _: tmp_path / "boards")
    problems = refusal(["list", "boards"], capsys)
    assert {problem.partition(":")[0] for problem in problems} == {"boards/mine.toml", "boards/zedboard.toml"}
    assert any("boards/mine.toml:1: title: got 7" in problem for problem in problems)


def test_modules_named_like_ours_are_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No mistake: a user's library may well have an axis_width of its own."""
    monkeypatch.chdir(tmp_path)
    copy_system(tmp_path)
    for path in (tmp_path / "build/partition_0/ip/src").glob("*v"):
        path.write_text(path.read_text().replace("ref_slice", "axis_width"))
    assert main(["generate", "cluster.toml", "-o", "out"]) == 0
    files = [path for path in (tmp_path / "out/zed0").rglob("*v") if path.is_file()]
    defined = Counter(name for path in files for name in Verilog(path.read_text()).defined)
    assert defined["axis_width"] == 1
    assert defined[f"axis_width__{PARTS[0]}"] == 1
    assert set(defined.values()) == {1}
    used = Verilog((tmp_path / "out/zed0/partition/ref_product.sv").read_text()).used
    assert f"axis_width__{PARTS[0]}" in used
