# SPDX-License-Identifier: BSD-3-Clause
"""The corpus: systems that the project makes itself, and for each file of them the commands that read it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bad_input
import branch_cluster
import external_cluster
import numpy as np
import onnx
from read.build_fixture import put, write_network

from shellgen.api import generate, weights
from shellgen.reference import random_frames, synthetic_model
from shellgen.resources import data_dir

_GENERATE = ("generate", "cluster.toml", "-o", "out")
_PLAN = ("plan", "cluster.toml", "-o", "new")
_WEIGHTS = ("weights", "cluster.toml", "-o", "w")
_SIMULATE = ("simulate", "out", "--edited", "--weights", "w", "--labels", "labels.npy")
_KINDS = {
    ".npy": "npy",
    ".onnx": "onnx",
    ".json": "json",
    ".bd": "json",
    ".xml": "xml",
    ".toml": "text",
    ".txt": "text",
    ".v": "text",
    ".sv": "text",
    ".vh": "text",
    ".dat": "text",
    ".yaml": "text",
    ".xci": "json",
}
_BD = {
    "design": {
        "design_info": {"device": "xc7z020clg400-1", "tool_version": "2022.2.2", "name": "finn_design"},
        "ports": {"ap_clk": {"type": "clk", "parameters": {"FREQ_HZ": {"value": "100000000.0"}}}},
    }
}
_PARAMETERS = {"DEVICE": "xc7z020", "PACKAGE": "clg400", "SPEEDGRADE": "-1", "TEMPERATURE_GRADE": ""}
_XCI = {
    "ip_inst": {
        "parameters": {"project_parameters": {name: [{"value": text}] for name, text in _PARAMETERS.items()}},
        "boundary": {"interfaces": {"ap_clk": {"parameters": {"FREQ_HZ": [{"value": "100000000"}]}}}},
    }
}


@dataclass(frozen=True)
class Target:
    """A file, how it is damaged, and the commands that read it; ``system`` is the folder they run in."""

    system: Path
    path: str
    kind: str
    commands: tuple[tuple[str, ...], ...]


def make_seeds(folder: Path) -> list[Target]:
    """Write the systems below a folder; return their targets, those of one kind side by side."""
    makers = (_pair, _moved, _external, _joined, _loose)
    targets = [target for maker in makers for target in maker(folder / maker.__name__.strip("_"))]
    assert len({target.kind for target in targets}) == 5
    return targets


def by_kind(targets: list[Target]) -> dict[str, list[Target]]:
    """Return the targets by the rarest thing about them: kind and name, numbers aside."""
    found: dict[str, list[Target]] = {}
    for target in targets:
        name = "".join(char for char in Path(target.path).name if not char.isdigit())
        name = "boards" if target.path.startswith("boards/") else name
        suffix = Path(name).suffix
        found.setdefault(suffix if suffix in {".v", ".sv", ".dat"} else name, []).append(target)
    return found


def _build_files(system: Path, build: str, commands: tuple[tuple[str, ...], ...]) -> Iterator[Target]:
    for path in sorted((system / build).rglob("*")):
        if path.is_file() and path.suffix in _KINDS:
            yield Target(system, str(path.relative_to(system)), _KINDS[path.suffix], commands)


def _pair(system: Path) -> Iterator[Target]:
    """Two boards with everything: vectors, an output, weights; every optional table is in cluster.toml."""
    bad_input.copy_system(system)
    extra = (
        '\n[[link]]\nfrom = "0"\nto = "1"\nkind = "tcp_dma"\npacking = "dense"\n'
        '[[stream]]\nport = "StreamingDataflowPartition_0.s_axis_0"\ndatatype = "UINT4"\nshape = [1, 16]\n'
        'elements_per_word = 8\nrole = "data"\npasses = 1\n'
    )
    text = (system / "cluster.toml").read_text()
    text = text.replace(
        "partitions = [1]",
        'partitions = [1]\nclock_mhz = 50.0\n[node.lite]\nwindow = 65536\naccess = "bridge"\n'
        "reserved = [{ offset = 0, bytes = 4096 }]\n[node.options.zynq]\nila = 1024\n",
    )
    (system / "cluster.toml").write_text(text)
    weights(system / "cluster.toml", system / "w")
    np.save(system / "labels.npy", np.arange(4))
    (system / "full.toml").write_text(text + extra)
    generate(system / "cluster.toml", system / "out")
    yield Target(system, "cluster.toml", "text", (_GENERATE, _PLAN, _WEIGHTS))
    yield Target(system, "full.toml", "text", (("plan", "full.toml", "-o", "new"),))
    for name in ("input.npy", "output.npy"):
        yield Target(system, name, "npy", (_GENERATE, _WEIGHTS))
    yield from _build_files(system, "build", (_GENERATE, _WEIGHTS, ("init", "build"), _PLAN))
    yield Target(system, "build/parent.onnx", "onnx", (("import-floorplan", "build/parent.onnx"),))
    for name in ("manifest.json", "plan.json", "memory_map.json"):
        yield Target(
            system,
            f"out/{name}",
            "json",
            (_GENERATE, ("map", "out"), ("plan", "cluster.toml", "-o", "out"), ("build", "out")),
        )
    yield Target(system, "out/manifest.json", "json", (_GENERATE, ("plan", "cluster.toml", "-o", "out")))
    done = {"digest": "0" * 64, "products": {"a/b.bit": 1}, "seconds": 1.5, "warnings": 0, "critical": 0}
    state = {"schema_version": 1, "stages": {"vivado": done}, "peaks": {"vivado": 1 << 30}}
    put(system / "out/zed0/build.json", json.dumps(state, indent=1))
    yield Target(system, "out/zed0/build.json", "json", (("build", "out"),))
    yield Target(system, "w/manifest.json", "json", (_WEIGHTS,))
    yield Target(system, "out/memory_map.json", "json", (("map", "out"),))
    yield Target(system, "out/bench/bench.json", "json", (_SIMULATE,))
    for path in sorted((system / "w/golden").iterdir()):
        yield Target(system, f"w/golden/{path.name}", _KINDS[path.suffix], (_SIMULATE,))
    yield Target(system, "labels.npy", "npy", (_SIMULATE,))


def _moved(system: Path) -> Iterator[Target]:
    """FINN's folders after a move: child models, stitched IPs, what Vivado and FINN left beside them."""
    parent = write_network(system / "build", 1)
    for ip in sorted(path.parent.parent for path in parent.parent.rglob("ip/component.xml")):
        project = ip / "finn_vivado_stitch_proj.srcs/sources_1/bd/finn_design"
        put(project / "finn_design.bd", json.dumps(_BD, indent=1))
        put(project / "ip/finn_design_MVAU_0/finn_design_MVAU_0.xci", json.dumps(_XCI, indent=1))
        report = {"MVAU_rtl_0": {"LUT": 100, "BRAM_18K": "1", "DSP": 2.0}, "total": {"LUT": 100.0}}
        put(ip.parent / "report/estimate_layer_resources.json", json.dumps(report))
    text = bad_input.CLUSTER.partition('[[node]]\nname = "zed1"')[0]
    put(system / "cluster.toml", text.replace("parent", "dataflow_parent"))
    commands = (_PLAN, _WEIGHTS, ("init", "build"), ("init", "build/dataflow_parent.onnx"))
    yield from _build_files(system, "build", commands)
    yield Target(system, "cluster.toml", "text", (_PLAN,))


def _external(system: Path) -> Iterator[Target]:
    """External weights, from cluster.toml."""
    system.mkdir(parents=True)
    external_cluster.write_build(system)
    taken = external_cluster.move_out(system / "build")
    with (system / "cluster.toml").open("a") as file:
        for port, values in taken.items():
            np.save(system / f"{port}.npy", values)
            name = f"{external_cluster.PARTITION}.{port}"
            file.write(f'[[weights]]\nport = "{name}"\nfile = "{port}.npy"\n')
    for path in sorted(system.glob("*.npy")):
        yield Target(system, path.name, "npy", (_PLAN, _GENERATE))
    yield Target(system, "cluster.toml", "text", (_PLAN,))
    yield from _build_files(system, "build", (_PLAN, _WEIGHTS))


def _joined(system: Path) -> Iterator[Target]:
    """A parent that shows a fork and a join, and builds that cluster.toml joins to the same graph."""
    branches = ("b0", "b1")
    for name in branches:
        branch_cluster.write_build(system / name, (8, 6), "UINT4", [(2, 4)], seed=int(name[1]))
    kind = branch_cluster.made_type(system / "b0")
    branch_cluster.write_build(system / "head", (12, 4), kind, [(2, 12)], seed=3)
    branch_cluster.write_parent(system, "Concat", branches, "head")
    nodes = [(f"n{k}", "zedboard", f"[{k}]") for k in range(3)]
    links = (
        '[[link]]\nfrom = "host"\nto = ["0", "1"]\nname = "image"\n'
        '[[link]]\nfrom = ["0", "1"]\nto = "2"\njoin = "concat"\nvia = ["n3"]\n'
        '[[link]]\nfrom = "2"\nto = "host"\nat = "n0"\n'
    )
    passed = [*nodes, ("n3", "zedboard", "[]")]
    builds = branch_cluster.write_cluster(system, [*branches, "head"], passed, links)
    builds.rename(system / "builds.toml")
    branch_cluster.write_cluster(system, ["net"], nodes, "")
    yield Target(system, "cluster.toml", "text", (_PLAN,))
    yield Target(system, "builds.toml", "text", (("plan", "builds.toml", "-o", "new"),))
    yield Target(system, "net/parent.onnx", "onnx", (_PLAN, ("init", "net")))


def _loose(system: Path) -> Iterator[Target]:
    """Files that are read by themselves: models, configurations, floorplans, boards."""
    system.mkdir(parents=True)
    model = synthetic_model([16, 12, 8, 4])
    onnx.save(model, str(system / "model.onnx"))
    np.save(system / "vectors.npy", random_frames("UINT4", 16, 4))
    layers = {"MVAU_0": {"PE": 2, "SIMD": 4, "runtime_writeable_weights": 1}, "Thresholding_0": {"PE": 1}}
    layers["Thresholding_0"]["runtime_writeable_weights"] = 1
    config = {"part": "xc7z020clg484-1", "clk_ns": 10.0, "cut_before": ["MVAU_1"], "folding": layers}
    (system / "folding.json").write_text(json.dumps(config, indent=1))
    places = {
        name: {"slr": 0, "partition_id": number, "device_id": number} for number, name in enumerate(layers)
    }
    floorplan = {"Defaults": {"slr": [-1, ["all"]], "device_id": [0, ["all"]]}, **places}
    (system / "floorplan.json").write_text(json.dumps(floorplan, indent=1))
    (system / "partitioning.yaml").write_text("---\n# a device for each layer\nMVAU_0: 0\nMVAU_1: 1\n")
    reference = ("reference", "model.onnx", "folding.json", "--vectors", "vectors.npy", "-o", "build")
    stitch = ("stitch", "model.onnx", "folding.json", "-o", "stitched")
    for name in ("model.onnx", "folding.json", "vectors.npy"):
        readers = (reference,) if name == "vectors.npy" else (reference, stitch)
        yield Target(system, name, _KINDS[Path(name).suffix], readers)
    for name in ("floorplan.json", "partitioning.yaml"):
        yield Target(system, name, _KINDS[Path(name).suffix], (("import-floorplan", name),))
    build = bad_input.good_system() / "build"
    shutil.copytree(build / "partition_0", system / "one/partition_0")
    shutil.copy(build / "partition_0.onnx", system / "one/partition_0/partition_0.onnx")
    # Boards under names of their own: two of one name that differ are refused before anything else.
    for path in sorted(data_dir("boards").glob("*.toml")):
        name = f"my_{path.stem}"
        text = path.read_text().replace(f'name = "{path.stem}"', f'name = "{name}"')
        put(system / f"boards/{name}.toml", text)
        node = f'[[node]]\nname = "n"\nboard = "./boards/{name}.toml"\npartitions = [0]\n'
        (system / f"{name}.toml").write_text(f'build = "one"\n{node}')
        commands = (("generate", f"{name}.toml", "-o", "new"), ("list", "boards"))
        yield Target(system, f"boards/{name}.toml", "text", commands)
