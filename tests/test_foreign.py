# SPDX-License-Identifier: BSD-3-Clause
"""A link and a platform of another package, installed by entry point, from cluster.toml to three proofs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cluster_bench import Chain
from foreign_package import Foreign, install

pytestmark = pytest.mark.xdist_group("foreign")

# Three streams on the one port of each board, in both directions; words that are not beats.
CHAIN = Chain(
    widths=(24, 12, 24, 6, 4),
    activations="UINT3",
    folds=((3, 4, 3), (4, 4, 12), (2, 24, 1), (1, 2, 1)),
    cuts=(0, 1, 2, 3),
    nodes=(("slot7", "crate-7", (0, 2)), ("slot9", "crate-9", (1, 3))),
    writeable=(2,),
)
LINKS = "".join(
    f'[[link]]\nfrom = "{row}"\nto = "{row + 1}"\nkind = "lane"\noptions = {{ row = {row} }}\n'
    for row in range(3)
)


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Foreign:
    found = install(tmp_path_factory.mktemp("foreign"))
    cluster = CHAIN.write_inputs(found.work)
    cluster.write_text(cluster.read_text().replace("[verify]", f"[links.lane]\nqueue = 8\n{LINKS}[verify]"))
    found.run("generate", "cluster.toml", "-o", "out")
    return found


def test_it_is_listed(foreign: Foreign) -> None:
    assert "packets of up to 16 streams" in foreign.run("list", "links")
    assert "boards in a crate" in foreign.run("list", "platforms")
    assert "Crate, slot 9" in foreign.run("list", "boards")


def test_what_is_generated(foreign: Foreign) -> None:
    out = foreign.work / "out"
    sources = (out / "slot7" / "crate" / "sources.f").read_text()
    assert "# lane.tx is m_lane" in sources
    assert "rtl/lane_gate.sv" in sources
    core = (out / "slot7" / "slot7_core.v").read_text()
    assert core.count("axis_fifo #(") == 3
    assert (out / "bench" / "sim" / "lane_row.sv").is_file()


@pytest.mark.parametrize("simulator", ["verilator", "icarus"])
def test_three_proofs(foreign: Foreign, simulator: str) -> None:
    run = ("simulate", "out", "--simulator", simulator, "--frames", "5", "--set", "lane.hold=9", "--json")
    report = json.loads(foreign.run(*run))
    assert report["ok"], report
    states = {proof["name"]: proof["state"] for proof in report["proofs"]}
    assert states.keys() >= {"boundaries", "monolith", "golden"}
    assert set(states.values()) == {"OK"}, states
    assert report["settings"]["lane.hold"] == 9


def test_a_link_that_loses_packets_is_seen(foreign: Foreign) -> None:
    """It has neither credits nor a memory of what it sent: the run must say so, and where."""
    run = ("simulate", "out", "--simulator", "verilator", "--frames", "5", "--set", "lane.lose=128", "--json")
    report = json.loads(foreign.run(*run, code=1))
    assert not report["ok"]
    assert "_to_StreamingDataflowPartition" in json.dumps(report)


def test_a_knob_that_is_not_there(foreign: Foreign) -> None:
    said = foreign.run("simulate", "out", "--set", "lane.speed=1", code=2)
    assert "lane.hold" in said


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda home: (home / "ip/lane_gate/lane_gate.sv").unlink(), "core.v.j2: it instantiates lane_gate"),
        (lambda home: (home / "templates/links/lane/core.v.j2").unlink(), "core.v.j2: TemplateNotFound"),
        (
            lambda home: (home / "templates/links/lane/core.v.j2").write_text("{{ nowhere.to }}"),
            "core.v.j2: UndefinedError: 'nowhere' is undefined",
        ),
        (
            lambda home: (
                shutil.copytree(home / "ip/lane_gate", home / "ip/axis_fifo")
                and (home / "ip/axis_fifo/lane_gate.sv").rename(home / "ip/axis_fifo/axis_fifo.sv")
            ),
            "plug-in in shellgen_lane: ip/axis_fifo/axis_fifo.sv",
        ),
    ],
    ids=["no block", "no template", "undefined", "a block of ours"],
)
def test_what_a_package_lacks_is_told(
    foreign: Foreign, tmp_path: Path, change: Callable[[Path], object], told: str
) -> None:
    site = tmp_path / "site"
    shutil.copytree(foreign.site, site)
    change(site / "shellgen_lane")
    before = (foreign.work / "out" / "manifest.json").read_bytes()
    said = Foreign(site, foreign.work).run("generate", "cluster.toml", "-o", "out", code=2)
    assert told in " ".join(said.split())
    assert (foreign.work / "out" / "manifest.json").read_bytes() == before
