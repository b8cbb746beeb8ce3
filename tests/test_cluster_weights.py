# SPDX-License-Identifier: BSD-3-Clause
"""The loader of the board in the bench: through a bridge and direct, right weights, wrong ones, refusals."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from cluster_bench import FRAMES, MIXED, report_text, run

from shellgen.api import generate, weights
from shellgen.errors import InputError

pytestmark = [pytest.mark.recorded, pytest.mark.xdist_group("cluster_weights")]
BRIDGED = '[[node]]\nname = "zed"\n'
LITE = 'lite = { access = "bridge", window = 16384, reserved = [{ offset = 0, bytes = 4096 }] }\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two boards, the first with a bridge; ``out`` and ``weights`` beside cluster.toml."""
    folder = tmp_path_factory.mktemp("weights")
    cluster = MIXED.write_inputs(folder)
    text = cluster.read_text()
    assert BRIDGED in text
    cluster.write_text(text.replace(BRIDGED, BRIDGED + LITE))
    generate(cluster, folder / "out")
    count, silent = weights(cluster, folder / "weights")
    assert (count, silent) == (3, [])
    return folder


def loaded(made: Path, simulator: str = "verilator", **options: Any) -> dict[str, Any]:
    """Load, then run the stalled streams, which start with a reset."""
    chosen = {"control": False, "walk": False, "full_rate": False, "weights": str(made / "weights")}
    return run(made / "out", simulator, **{**chosen, **options})


@pytest.mark.sweep
@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_noise_is_replaced_by_the_right_weights(made: Path, simulator: str) -> None:
    report = loaded(made, simulator, control=True, walk=simulator == "verilator")
    assert report["passed"], report["problem"]
    nodes = json.loads((made / "out" / "memory_map.json").read_text())["nodes"]
    assert [{region["access"] for region in node["regions"]} for node in nodes] == [{"bridge"}, {"direct"}]
    assert [(f["node"], f["memories"]) for f in report["loaded"]] == [("zed", 2), ("zcu", 1)]
    assert all(finding["registers"] for finding in report["loaded"])
    verdicts = {v["name"]: v for v in report["stalled"]["verdicts"]}
    assert {"monolith", "golden"} < set(verdicts)
    assert all(v["words"] > 0 and v["mismatches"] == 0 for v in verdicts.values())
    assert verdicts["golden"]["words"] >= FRAMES


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.mark.sweep
def test_one_wrong_bit_in_a_file_is_seen(copy: Path) -> None:
    path = next((copy / "weights" / "zcu").glob("*.dat"))
    lines = path.read_text().splitlines()
    lines[1] = f"{int(lines[1], 16) ^ 1:08x}"
    path.write_text("\n".join(lines) + "\n")
    report = loaded(copy, edited=True)
    assert not report["passed"]
    assert report["loaded"], "the loader has no objection: it loads what the file says"
    differing = {v["name"] for v in report["stalled"]["verdicts"] if v["mismatches"]}
    assert differing == {"golden"}, "the monolith has got the same"


@pytest.mark.sweep
def test_retrained_weights_are_proven_by_vectors_of_their_own(copy: Path) -> None:
    """Without such vectors the golden proof is not run, and says why; the monolith gets the weights too."""
    path = copy / "build" / "partition_2.onnx"
    model = onnx.load(path)
    values = onnx.numpy_helper.to_array(model.graph.initializer[0])
    model.graph.initializer[0].CopyFrom(
        onnx.numpy_helper.from_array(np.roll(values, 1, axis=0), model.graph.initializer[0].name)
    )
    onnx.save(model, path)
    weights(copy / "cluster.toml", copy / "retrained")
    # Between the two runs is a reset by CONTROL, which leaves what was loaded.
    report = loaded(copy, "icarus", weights=str(copy / "retrained"), control=True, full_rate=True)
    assert report["problem"] == ""
    assert report["replaced"] == ["StreamingDataflowPartition_2_s_axilite_0"]
    assert {"monolith", "golden"} < {v["name"] for v in report["stalled"]["verdicts"]}
    assert "of the weights that were loaded" in report_text(report)
    shutil.rmtree(copy / "retrained" / "golden")
    report = loaded(copy, "icarus", weights=str(copy / "retrained"), edited=True)
    assert report["problem"] == ""
    assert "golden not run: the vectors are of the build's weights" in report_text(report)
    names = {v["name"] for v in report["stalled"]["verdicts"]}
    assert "monolith" in names
    assert "golden" not in names


def test_weights_of_another_folding_are_refused_before_the_run(copy: Path) -> None:
    path = next((copy / "weights" / "zcu").glob("*.dat"))
    path.write_text(path.read_text().replace('"pe": ', '"pe": 9', 1))
    said = rf"{path.name}: it is packed for pe 9\d+, and the memory has pe \d+ in layer \w"
    with pytest.raises(InputError, match=said):
        loaded(copy, edited=True)
    path.write_text(path.read_text().replace('"pe": 9', '"pe": ', 1) + "12x\n")
    lines = len(path.read_text().splitlines())
    with pytest.raises(InputError, match=rf"{path.name}:{lines}: the line is no hexadecimal number"):
        loaded(copy, edited=True)


def change_map(out: Path, **fields: Any) -> None:
    """Change every node with a bridge in the cluster's map, or the first of its regions."""
    path = out / "memory_map.json"
    content = json.loads(path.read_text())
    bridged = [node for node in content["nodes"] if node["aperture"]]
    assert bridged
    for node in bridged:
        for name, value in fields.items():
            if name == "build_id":
                node[name] = value
            else:
                node["regions"][0][name] += value
    path.write_text(json.dumps(content))


def problem(copy: Path) -> str:
    report = loaded(copy, "icarus", stalled=False)
    assert not report["passed"]
    assert "loaded" not in report
    return str(report["problem"])


def test_another_build_is_refused(copy: Path) -> None:
    change_map(copy / "out", build_id="0123456789abcdef")
    assert "the map is for 0123456789abcdef; use the map of this bitstream" in problem(copy)


def test_an_address_that_answers_with_an_error_stops_the_load(copy: Path) -> None:
    """A hole behind the bridge: the noise that comes first meets it (the loader itself: test_load.py)."""
    content = json.loads((copy / "out" / "memory_map.json").read_text())
    far = max(region["base"] + region["size"] for region in content["nodes"][0]["regions"])
    change_map(copy / "out", base=far)
    assert re.search(r"load: zed: read at 0x\w+ \(\w+, 0x\w+ behind the bridge\): DECERR", problem(copy))


def test_a_file_of_the_wrong_length(copy: Path) -> None:
    path = next((copy / "weights" / "zed").glob("*.dat"))
    path.write_text(path.read_text() + "00000000\n")
    assert f"{path.name}: " in (said := problem(copy))
    assert "registers, and layer" in said
