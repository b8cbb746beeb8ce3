# SPDX-License-Identifier: BSD-3-Clause
"""A link and a platform of another package, installed by entry point, from cluster.toml to three proofs.

Every kind of link that is registered then, ours too, joins the same three boards: a fan-in, both directions
on one port, words that are not beats.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cluster_bench import Chain
from foreign_package import Foreign, install
from host_board import HostBoard
from sweep_cases import some

from shellgen.links import link_registry

pytestmark = pytest.mark.xdist_group("foreign")

# slot9 receives from both others, and sends to slot7.
CHAIN = Chain(
    widths=(24, 12, 8, 6, 4),
    activations="UINT3",
    folds=((3, 4, 3), (4, 4, 4), (2, 8, 1), (1, 2, 1)),
    cuts=(0, 1, 2, 3),
    nodes=(("slot5", "crate-7", (0,)), ("slot9", "crate-9", (1, 3)), ("slot7", "crate-7", (2,))),
)
# What cluster.toml must say for each link of a kind that has no defaults for all: by its number.
OPTIONS: dict[str, Callable[[int], str]] = {
    "lane": lambda row: f"options = {{ row = {row}, gated = {str(row == 1).lower()} }}",
    "tcp_dma": lambda _: "",
}
KINDS = tuple(OPTIONS)
# Of platforms that no crate has: test_vnx_cluster.py, test_accl_cluster.py, test_tcp_xrt.py.
ELSEWHERE = {"vnx_udp", "accl", "tcp_xrt"}


def cluster(foreign: Foreign, kind: str) -> str:
    """Write a cluster.toml whose boards are joined by one kind of link; return its name."""
    links = "".join(
        f'[[link]]\nfrom = "{row}"\nto = "{row + 1}"\nkind = "{kind}"\n{OPTIONS[kind](row)}\n'
        for row in range(3)
    )
    defaults = "[links.lane]\nqueue = 8\n" if kind == "lane" else ""
    text = (foreign.work / "cluster.toml").read_text()
    path = foreign.work / f"{kind}.toml"
    path.write_text(text.replace("[verify]", f"{defaults}{links}[verify]"))
    return path.name


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    found = install(tmp_path_factory.mktemp("foreign"))
    CHAIN.write_inputs(found.work)
    for kind in KINDS:
        found.run("generate", cluster(found, kind), "-o", f"out_{kind}")
    return found


def test_it_is_listed(foreign: Foreign) -> None:
    links = json.loads(foreign.run("list", "links", "--json"))["links"]
    hosts = {kind for kind, link in link_registry().items() if "nodes" not in link.reach}
    assert set(links) == set(KINDS) | ELSEWHERE | hosts, "a new kind: say in OPTIONS what its links need"
    assert "boards in a crate" in foreign.run("list", "platforms")
    assert "Crate, slot 9" in foreign.run("list", "boards")


def test_what_is_generated(foreign: Foreign) -> None:
    out = foreign.work / "out_lane"
    sources = (out / "slot9" / "crate" / "sources.f").read_text()
    assert "# lane.tx is m_lane" in sources
    assert "rtl/lane_gate.sv" in sources
    assert (out / "slot9" / "slot9_core.v").read_text().count("axis_fifo #(") == 3
    assert (out / "bench" / "sim" / "lane_row.sv").is_file()
    node = json.loads((out / "slot9" / "memory_map.json").read_text())["nodes"][0]
    assert {block["block"] for block in node["blocks"]} == {"shell_status", "lane_gate"}
    assert [(unit["name"], unit["base"]) for unit in node["units"]] == [("lane_switch", 0x4000_0000)]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("kind", "simulator"),
    [
        ("lane", "verilator"),
        ("lane", "icarus"),
        ("tcp_dma", "icarus"),
        ("tcp_dma", "verilator"),
    ],
)
def test_three_proofs(foreign: Foreign, kind: str, simulator: str) -> None:
    parameter = f"{kind}.{'hold' if kind == 'lane' else 'latency'}"
    run = [
        "simulate",
        f"out_{kind}",
        "--simulator",
        simulator,
        "--frames",
        "5",
        "--set",
        f"{parameter}=9",
        "--json",
    ]
    report = json.loads(foreign.run(*run))
    assert report["ok"], report
    states = {proof["name"]: proof["state"] for proof in report["proofs"]}
    assert {states[name] for name in ("control", "boundaries", "monolith", "golden")} == {"OK"}, states
    assert report["settings"][parameter] == 9
    assert report["directed_tests"].get("lane") == (
        dict.fromkeys(("slot5", "slot9", "slot7"), 0) if kind == "lane" else None
    )


def generate_one(foreign: Foreign) -> None:
    """Write the network on one board."""
    node = '[[node]]\nname = "slot9"\nboard = "crate-9"\npartitions = [0, 1, 2, 3]\n'
    text = (foreign.work / "cluster.toml").read_text()
    one = foreign.work / "one.toml"
    one.write_text(re.sub(r"(?s)\[\[node]].*(?=\[verify])", lambda _: node, text))
    foreign.run("generate", one.name, "-o", "out_one")


@pytest.mark.sweep
def test_a_board_with_a_driver_of_its_own_is_simulated(foreign: Foreign) -> None:
    generate_one(foreign)
    simulated = foreign.run("simulate", "out_one", "--simulator", "icarus", "--frames", "5", "--json")
    states = {proof["name"]: proof["state"] for proof in json.loads(simulated)["proofs"]}
    assert {states[name] for name in ("control", "boundaries", "monolith", "golden")} == {"OK"}, states


@pytest.mark.sweep
def test_the_package_brings_what_runs_its_boards(foreign: Foreign, tmp_path: Path) -> None:
    """`run_slot9.py` in a process of its own: bus, memory and engine are the package's."""
    generate_one(foreign)
    given = ["--input", foreign.work / "in.npy", "--golden", foreign.work / "out.npy"]
    wrong = np.load(foreign.work / "out.npy")
    wrong[1].flat[2] ^= 1
    np.save(tmp_path / "wrong.npy", wrong)
    board = HostBoard(foreign.work / "out_one", "slot9", program="crate_program")
    said = board.run(
        tmp_path / "run",
        [*given, "--device", "{slot}", "--batch", 2],
        [*given[:2], "--golden", tmp_path / "wrong.npy", "--device", "{slot}"],
        given,
        [*given, "--device", "127.0.0.1:1"],
    )
    assert [one.code for one in said] == [0, 1, 2, 2], said
    assert "slot9: as in the golden frames" in said[0].out
    assert "1 of " in said[1].err
    assert "give --device HOST:PORT" in said[2].err
    assert "127.0.0.1:1: Connection refused" in said[3].err


@pytest.mark.sweep
def test_a_link_that_loses_packets_is_seen(foreign: Foreign) -> None:
    """It has neither credits nor a memory of what it sent: the run must say so, and where."""
    run = (
        "simulate",
        "out_lane",
        "--simulator",
        "verilator",
        "--frames",
        "5",
        "--set",
        "lane.lose=128",
        "--no-walk",
        "--json",
    )
    report = json.loads(foreign.run(*run, code=1))
    assert not report["ok"]
    assert "_to_StreamingDataflowPartition" in json.dumps(report)


def test_a_parameter_that_is_not_there(foreign: Foreign) -> None:
    assert "lane.hold" in foreign.run("simulate", "out_lane", "--set", "lane.speed=1", code=2)


LACKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no block": (
        lambda home: (home / "ip/lane_gate/lane_gate.sv").unlink(),
        "core.v.j2: it instantiates lane_gate",
    ),
    "no directed test": (
        lambda home: (home / "sim/lane_directed.py").unlink(),
        "sim/lane_directed.py: link lane lists it in its directed test",
    ),
    "no template": (
        lambda home: (home / "templates/links/lane/core.v.j2").unlink(),
        "core.v.j2: TemplateNotFound",
    ),
    "undefined": (
        lambda home: (home / "templates/links/lane/bench.sv.j2").write_text("{{ nowhere.to }}"),
        "bench.sv.j2: UndefinedError: 'nowhere' is undefined",
    ),
    "a built-in block": (
        lambda home: (
            shutil.copytree(home / "ip/lane_gate", home / "ip/axis_fifo")
            and (home / "ip/axis_fifo/lane_gate.sv").rename(home / "ip/axis_fifo/axis_fifo.sv")
        ),
        "plug-in in shellgen_lane: ip/axis_fifo/axis_fifo.sv",
    ),
    "a built-in program": (
        lambda home: (home / "templates/host/shellgen_bus_crate.py").rename(
            home / "templates/host/shellgen_run.py"
        ),
        "plug-in in shellgen_lane: templates/host/shellgen_run.py",
    ),
    "no driver": (
        lambda home: (home / "templates/host/shellgen_bus_crate.py").unlink(),
        "templates/host/shellgen_bus_crate.py: the driver of platform crate lists it",
    ),
}


@pytest.mark.parametrize(("change", "told"), some(LACKS, ["no block", "undefined", "a built-in block"]))
def test_what_a_package_lacks_is_told(
    foreign: Foreign, tmp_path: Path, change: Callable[[Path], object], told: str
) -> None:
    site = tmp_path / "site"
    shutil.copytree(foreign.site, site)
    change(site / "shellgen_lane")
    before = (foreign.work / "out_lane" / "manifest.json").read_bytes()
    said = Foreign(site, foreign.work).run("generate", "lane.toml", "-o", "out_lane", code=2)
    assert told in " ".join(said.split())
    assert (foreign.work / "out_lane" / "manifest.json").read_bytes() == before
