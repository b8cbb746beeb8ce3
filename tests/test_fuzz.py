# SPDX-License-Identifier: BSD-3-Clause
"""Some of `make fuzz`'s mutants, the findings it must make, and edges that it met."""

from __future__ import annotations

import json
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from fuzz.campaign import Campaign
from fuzz.mutate import mutate
from fuzz.victim import Ending, judge, run
from onnx import TensorProto, helper, numpy_helper

from shellgen.cli import main
from shellgen.disk.manifest import MANIFEST
from shellgen.disk.output import write
from shellgen.errors import InputError
from shellgen.formats.npy import read_npy
from shellgen.formats.onnx import load_onnx, tensor_values
from shellgen.model import Artifact
from vivado_check.formats.data import parse_json, read_toml
from vivado_check.formats.xml import XmlError, parse_xml

# One worker makes the corpus, and damages one file at a time.
pytestmark = pytest.mark.xdist_group("fuzz")
COUNT = 30


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return Campaign(tmp_path_factory.mktemp("fuzz"))


def test_no_mutant_is_met_by_a_traceback(campaign: Campaign) -> None:
    said: list[str] = []
    campaign.go(COUNT, said.append)
    assert not campaign.findings, "\n".join(said)
    assert campaign.counts["exit 0"] > COUNT // 10, "mutants that break everything show nothing"
    assert campaign.counts["exit 2"] > COUNT // 4, "mutants that break nothing show nothing"


def test_every_seed_is_good(campaign: Campaign) -> None:
    """Every seed is valid before it is damaged: each kind of file, by each of its commands."""
    targets = [target for _, group in campaign.groups for target in group]
    for argv, system in sorted({(argv, target.system) for target in targets for argv in target.commands}):
        code, _, err, _ = run(argv, system, campaign.said)
        stops = ("FINN is not called", "Vivado is not called", "the model is not built")
        stopped = any(f"fuzz: {stop}" in err for stop in stops)
        assert code == 0 or (code == 2 and stopped), f"{argv}: {err}"


def test_mutants_are_those_of_their_seed(campaign: Campaign) -> None:
    one = campaign.mutant(7)
    assert one == campaign.mutant(7)
    content = (one.target.system / one.target.path).read_bytes()
    assert mutate(one.target.kind, content, one.steps) == mutate(one.target.kind, content, one.steps)
    assert mutate("text", b"name = 1\n" * 20, ["a"]) != mutate("text", b"name = 1\n" * 20, ["b"])


@pytest.mark.parametrize(
    ("code", "out", "err", "changed", "what"),
    [
        (70, "", "Traceback\nValueError: x", [], "traceback"),
        (70, "", "Traceback\nMemoryError", [], "memory"),
        (-11, "", "", [], "exit code"),
        (0, "a \x1b[31m", "", [], "control character"),
        (2, "", "shellgen: error: a \u202e", [], "control character"),
        (2, "", "", [], "no message"),
        (2, "", "shellgen: error: a\nowned", [], "line of its own"),
        (2, "", "shellgen: error: a", ["out/plan.json"], "changed output"),
        (0, "", "", ["../outside/keep.txt"], "outside"),
        (0, "", "", ["pwned"], "outside"),
        (2, "", "shellgen: error: a", [], None),
        (1, "fine", "shellgen: note: a", ["out/plan.json"], None),
    ],
)
def test_the_judge(code: int, out: str, err: str, changed: list[str], what: str | None) -> None:
    found = judge(Ending(("plan",), code, out, err, False, changed))
    assert (found.what if found else None) == what


def test_a_defect_is_found_and_made_small(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that trusts its input, as one of shellgen's did."""

    def careless(path: Path) -> onnx.ModelProto:
        return onnx.load_model_from_string(path.read_bytes())

    monkeypatch.setattr("shellgen.read.finn_onnx.load_onnx", careless)
    monkeypatch.setattr(campaign, "findings", {})
    models = (n for n in range(1000) if campaign.mutant(n).target.kind == "onnx")
    while not campaign.findings:
        campaign.go(1, lambda _: None, first=next(models))
    ((what, _),) = campaign.findings
    assert what == "traceback"
    campaign.save(tmp_path / "found")
    (report,) = (tmp_path / "found").glob("*/report.txt")
    assert "Traceback" in report.read_text()
    assert [path.suffix for path in report.parent.iterdir() if path != report] == [".onnx"]


# ---- edges, each by itself ------------------------------------------------------------------------------


def npy(header: str, data: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    text = header.encode()
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text + data


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a .npy"),
        (b"\x93NUMPY\x01\x00\xff", "not a .npy"),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (10**12,)}"), "not a .npy"),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,)}"), "8000000000000 bytes"),
        (npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"x"), "not numbers"),
        (npy("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1,)}", bytes(8)), "not numbers"),
        (npy("{'descr': '<f1', 'fortran_order': False, 'shape': (1,)}", b"x"), "not numbers"),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", bytes(9)), "the file has 9"),
        (npy("{'descr': '<i8', 'shape': (1,)}", bytes(8)), "not a .npy"),
        (npy("(" * 5000, bytes(8)), "not a .npy"),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", bytes(8), (9, 0)), "not a .npy"),
    ],
)
def test_npy_headers(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_npy(tmp_path / "a.npy", "a.npy")


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3, 4)])
@pytest.mark.parametrize("kind", ["<i8", ">i2", "|u1", "<f4", "|b1"])
def test_npy_as_numpy_writes_it(shape: tuple[int, ...], kind: str, tmp_path: Path) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind)
    for order in ("C", "F"):
        np.save(tmp_path / "a.npy", np.asarray(array, order=order))
        read = read_npy(tmp_path / "a.npy", "a.npy")
        assert read.dtype == array.dtype
        assert np.array_equal(read, array)
    (tmp_path / "old.npy").write_bytes(
        npy("{'shape': (2L, 3L), 'fortran_order': False, 'descr': '<i2'}\n", bytes(12), (2, 0))
    )
    assert read_npy(tmp_path / "old.npy", "old.npy").shape == (2, 3)


BOMB = b'<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c SYSTEM "file:///etc/hostname">]><a>&b;&c;</a>'


@pytest.mark.parametrize(
    "content",
    [
        BOMB,
        b"",
        b"<a>",
        b"<a>" * 10_000,
        b'<?xml version="1.0" encoding="x-none"?><a/>',
        b"\xff\xfe<",
        b"<a>\0</a>",
    ],
)
def test_xml_that_is_not_taken(content: bytes) -> None:
    with pytest.raises(XmlError):
        parse_xml(content)


def test_xml_keeps_names_and_texts() -> None:
    root = parse_xml('<s:a xmlns:s="urn:x" s:k="1" l="2">caf\u00e9<s:b/>end</s:a>'.encode("utf-16"))
    assert (root.tag, root.text, root.attrib) == ("{urn:x}a", "caf\u00e9", {"{urn:x}k": "1", "l": "2"})
    assert (root[0].tag, root[0].tail) == ("{urn:x}b", "end")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1" * 30, "integer of 97 bits"),
        ("1" * 5000, "thousands of digits"),
        ("[" * 100_000, "64 deep"),
        ("[" * 70 + "]" * 70, "64 deep"),
        ("[1e999]", r"\[0\]: got inf"),
        ('{"a": "\\u001b"}', "a: got .*control characters"),
        ('{"\\ud800": 1}', "control characters"),
        ("{", "is not JSON"),
    ],
)
def test_json_is_bounded(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_json(text, "a.json", "Correct it")


def test_what_has_a_default_may_be_left_out_of_a_map(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (system,) = {t.system for _, group in campaign.groups for t in group if t.path == "out/memory_map.json"}
    monkeypatch.chdir(tmp_path)
    told = json.loads((system / "out/memory_map.json").read_text())
    for node in told["nodes"]:
        del node["slot_bytes"]
        for stream in node["streams"]:
            del stream["passes"], stream["role"]
    (tmp_path / "out").mkdir()
    (tmp_path / "out/memory_map.json").write_text(json.dumps(told))
    assert main(["map", "out"]) == 0
    assert "zed1" in capsys.readouterr().out


ODD_LINES = (
    *("/", ".", "..", "//", "x.v/", "/.v", "./", "a/../b.v", ".sv", "~"),
    *("\0.v", "a" * 5000 + ".v", "\x1b[31m.v"),
)


def test_odd_lines_of_a_source_list(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (system,) = {t.system for _, group in campaign.groups for t in group if t.path == "out/memory_map.json"}
    shutil.copytree(system, tmp_path / "pair")
    monkeypatch.chdir(tmp_path / "pair")
    path = Path("build/partition_0/all_verilog_srcs.txt")
    good = path.read_text()
    for line in ODD_LINES:
        path.write_text(f"{good}{line}\n")
        assert main(["plan", "cluster.toml", "-o", "new", "--quiet"]) in (0, 2)
        said = capsys.readouterr().err
        assert all(text.startswith("shellgen: ") for text in said.splitlines())
        assert "\x1b" not in said


@pytest.mark.parametrize("value", ["9" * 30, "9" * 5000, "inf", '"\\u202e"', "[" * 5000, "-nan"])
def test_toml_is_bounded(value: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(f"a = {value}\n")
    with pytest.raises(InputError):
        read_toml(tmp_path / "a.toml", "a.toml")


def saved(tmp_path: Path, tensor: TensorProto, name: str = "node") -> Path:
    node = helper.make_node("Relu", ["a"], ["b"], name=name)
    graph = helper.make_graph([node], "g", [], [], initializer=[tensor])
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    return tmp_path / "m.onnx"


def test_tensors_are_what_they_say(tmp_path: Path) -> None:
    good = numpy_helper.from_array(np.arange(6, dtype=np.float32).reshape(2, 3), "w")
    path = saved(tmp_path, good)
    (kept,) = load_onnx(path).graph.initializer
    assert np.array_equal(tensor_values(kept, path), numpy_helper.to_array(good))
    for change, said in (
        (lambda t: t.dims.append(2), "takes 48 bytes, and it has 24"),
        (lambda t: t.dims.append(-1), "its shape is"),
        (lambda t: t.dims.extend([1 << 40] * 3), "its shape is"),
        (lambda t: setattr(t, "data_type", 99), "data type is 99"),
        (lambda t: setattr(t, "data_type", TensorProto.STRING), "data type is STRING"),
        (lambda t: t.ClearField("raw_data"), "takes 6 values, and it has 0"),
    ):
        bad = TensorProto()
        bad.CopyFrom(good)
        change(bad)
        with pytest.raises(InputError, match=said):
            tensor_values(bad, path)


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("../secret.bin", "not beside the model"),
        ("{tmp}/secret.bin", "not beside the model"),
        ("link/secret.bin", "cannot be read"),
        ("none.bin", "cannot be read"),
        ("", "not beside the model"),
    ],
)
def test_external_data_lies_beside_the_model(location: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "secret.bin").write_bytes(bytes(24))
    (tmp_path / "m").mkdir()
    (tmp_path / "m/link").symlink_to(tmp_path)
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[6], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location.format(tmp=tmp_path))
    with pytest.raises(InputError, match=said):
        tensor_values(tensor, tmp_path / "m/m.onnx")
    (tmp_path / "m/w.bin").write_bytes(bytes(8) + np.arange(6, dtype="<f4").tobytes())
    tensor.external_data[0].value = "w.bin"
    tensor.external_data.add(key="offset", value="8")
    assert tensor_values(tensor, tmp_path / "m/m.onnx").tolist() == [0, 1, 2, 3, 4, 5]


def test_texts_of_a_model_are_texts(tmp_path: Path) -> None:
    tensor = numpy_helper.from_array(np.zeros(1, np.float32), "w")
    path = saved(tmp_path, tensor, "XXXX")
    path.write_bytes(path.read_bytes().replace(b"XXXX", b"\xff\xfe\xff\xfe"))
    with pytest.raises(InputError, match=r"node\.name"):
        load_onnx(path)
    with pytest.raises(InputError, match=r"graph\.node\.name"):
        load_onnx(saved(tmp_path, tensor, "a\x1b[31m"))


@pytest.mark.parametrize(
    "entry", ["/etc/x", "../x", "a/../../x", "", "a//b", "a\n", "a\0", "~/x", "a b", "x" * 300, "./a"]
)
def test_a_manifest_of_another_changes_nothing(entry: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write((Artifact.text("a.txt", "a"), Artifact.text("b/c.txt", "c")), out)
    entries = json.loads((out / MANIFEST).read_text()) | {entry: "0" * 64}
    (out / MANIFEST).write_text(json.dumps(entries))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    with pytest.raises(InputError, match="not a manifest of shellgen"):
        write((Artifact.text("a.txt", "new"),), out)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_what_is_the_users_stays(tmp_path: Path) -> None:
    """A file in the manifest whose content is another, and a folder that is a link."""
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    write((Artifact.text("a.txt", "a"), Artifact.text("b/c.txt", "c")), out)
    (out / "b/c.txt").write_text("mine")
    assert write((Artifact.text("a.txt", "a"),), out).removed == ()
    assert (out / "b/c.txt").read_text() == "mine"
    write((Artifact.text("a.txt", "a"), Artifact.text("d/e.txt", "e")), out)
    (out / "d").rename(elsewhere)
    (out / "d").symlink_to(elsewhere)
    for artifacts in ((Artifact.text("a.txt", "a"),), (Artifact.text("d/e.txt", "new"),)):
        with pytest.raises(InputError, match="link"):
            write(artifacts, out)
    assert (elsewhere / "e.txt").read_text() == "e"


BENCH_CHANGES: tuple[dict[str, Any], ...] = (
    {"sources": []},
    {"data": ["../../x"]},
    {"blocks": [{}]},
    {"frames": "8"},
    {"clock_hz": 0},
    {"monolith": {"inputs": [], "outputs": [{"boundary": "0"}], "lites": {}}},
)


def test_bench_json_has_a_schema(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    system = next(t.system for _, group in campaign.groups for t in group if t.path.endswith("bench.json"))
    monkeypatch.chdir(system)
    path = Path("out/bench/bench.json")
    good = path.read_text()
    try:
        for change in BENCH_CHANGES:
            path.write_text(json.dumps(json.loads(good) | change))
            assert main(["simulate", "out", "--quiet"]) == 2
            said = capsys.readouterr().err
            assert f"bench.json: {next(iter(change))}" in said
            assert "Generate the folder again." in said
    finally:
        path.write_text(good)
