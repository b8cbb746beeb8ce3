# SPDX-License-Identifier: BSD-3-Clause
"""A partition that does not fit its board is reported before Vivado: FINN's reports, blocks, an estimate."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from bad_input import PARTS, System, copy_system, expect, refusal

from shellgen import costs
from shellgen.api import load
from shellgen.cli import main
from shellgen.cli.fit import fit_records, fit_table
from shellgen.model import Plan, Usage
from shellgen.plan.fit import fit_notes
from shellgen.resources import data_dir, rtl_file

LUTS, BRAMS = 53_200, 280  # of a ZedBoard


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    monkeypatch.chdir(tmp_path)
    return copy_system(tmp_path)


def report(at: System, part: int, row: Mapping[str, object]) -> None:
    """Say of the layers of a partition what they take: the first this, the others next to nothing."""
    layers = planned(at).partition(PARTS[part]).layers
    content = {layer: row if layer == layers[0] else {"LUT": 1, "BRAM_18K": 0} for layer in layers}
    put(at, "estimate_layer_resources.json", json.dumps(content))


def put(at: System, name: str, text: str) -> None:
    folder = at.root / "build/report"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)


def planned(at: System) -> Plan:
    return load(at.root / "cluster.toml")[0]


def test_without_reports_nothing_is_zero(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "cluster.toml", "-o", "out"]) == 0
    shown = capsys.readouterr().out
    row = next(line for line in shown.splitlines() if line.startswith("zed0") and "not known" in line)
    assert row.split()[2:5] == ["?", "?", "?"]
    assert "at least" in shown
    assert main(["generate", "cluster.toml", "-o", "out", "--json"]) == 0
    fit = json.loads(capsys.readouterr().out)["fit"]
    assert [one["lut"] for one in fit if one["part"] == PARTS[0]] == [None]
    own = [one for one in fit if one["node"] == "zed0" and one["part"] in ("core", "DMA and interconnect")]
    assert all(one["lut"] > 100 and one["ff"] > 100 for one in own)
    assert next(one["source"] for one in own if one["part"] != "core") == "estimate"
    plan = Plan.model_validate_json((at.root / "out/plan.json").read_text())
    assert fit == fit_records(plan), "plan.json holds all of it"


def test_more_than_a_board_has_is_refused(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    before = planned(at).cluster_id
    report(at, 1, {"LUT": 60_000, "BRAM_18K": "300", "DSP": 5})
    problems = refusal(["generate", "cluster.toml", "-o", "out"], capsys)
    lut = ("LUT (1", "%) of the 53,200 that zedboard has")
    bram = ("BRAM18 (1", "%) of the 280 that zedboard has")
    last = ('fit = "warn" in this [[node]]',)
    expect(
        problems,
        ("cluster.toml: node zed1: it takes 6", *lut, "60,00", "by FINN's estimates", *last),
        ("cluster.toml: node zed1: it takes 30", *bram, "300 of them for its layers", *last),
    )
    at.cluster(("partitions = [1]", 'partitions = [1]\nfit = "warn"'))
    assert main(["plan", "cluster.toml", "-o", "out"]) == 0
    assert "note: node zed1: it takes 6" in capsys.readouterr().out
    assert planned(at).cluster_id == before, "what a report says is in no bitstream"


@pytest.mark.parametrize(
    ("kind", "have", "limit", "name"), [("LUT", LUTS, 0.70, "LUT"), ("BRAM_18K", BRAMS, 0.80, "BRAM18")]
)
def test_a_warning_begins_where_vivado_has_trouble(
    at: System, kind: str, have: int, limit: float, name: str
) -> None:
    node = planned(at).node("zed1")
    assert node.takes
    assert node.takes.platform
    own = node.takes.core + node.takes.platform
    shell = own.lut if kind == "LUT" else own.bram18
    for share, said in ((limit + 0.01, True), (limit - 0.01, False)):
        report(at, 1, {"LUT": 1} | {kind: round(share * have) - shell})
        notes = [note for note in fit_notes(planned(at)) if "zed1" in note]
        assert bool(notes) == said
        if said:
            assert f"it takes {share * 100:.0f} % of the {name} of zedboard" in notes[0]


def demand(at: System, lut: int, bram: int, dsp: int) -> None:
    """Let the layers of zed1 take so much that it is this with the shell."""
    plan = planned(at)
    takes, others = plan.node("zed1").takes, len(plan.partition(PARTS[1]).layers) - 1
    assert takes
    assert takes.platform
    own = takes.core + takes.platform
    row = {"LUT": lut - own.lut - others, "BRAM_18K": bram - own.bram18, "DSP": dsp - own.dsp}
    report(at, 1, row)


def test_published_demands_are_the_published_shares(at: System) -> None:
    """MobileNetV1 on one ZedBoard (126, 378 and 340 %); a third of ResNet-50's 4,320 BRAM36 on a U280."""
    at.cluster(("partitions = [1]", 'partitions = [1]\nfit = "warn"'))
    demand(at, 67_032, 1_058, 748)
    notes = " ".join(note for note in fit_notes(planned(at)) if "zed1" in note)
    for said in ("67,032 LUT (126 %)", "1,058 BRAM18 (378 %)", "748 DSP (340 %)"):
        assert f"it takes {said} of the" in notes
    text = (at.root / "cluster.toml").read_text()
    (at.root / "cluster.toml").write_text(text.replace('board = "zedboard"', 'board = "u280"'))
    report(at, 1, {"LUT": 1, "BRAM_18K": 0})
    demand(at, 276_969, 2_880, 8)  # of the 830,906 LUTs and 4,320 BRAM36 of three cards
    row = next(one for one in fit_records(planned(at)) if (one["node"], one["part"]) == ("zed1", "of u280"))
    assert (row["bram18"], row["lut"]) == (pytest.approx(0.714, abs=5e-4), pytest.approx(0.2125, abs=5e-4))


def test_uram_on_a_board_that_has_none(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    layers = planned(at).partition(PARTS[0]).layers
    rows = {layer: {"LUT": 10, "URAM": 2 * (layer == layers[0])} for layer in layers}
    put(at, "post_synth_resources.json", json.dumps(rows))
    problems = refusal(["plan", "cluster.toml", "-o", "out"], capsys)
    expect(problems, ("node zed0", "takes 2 URAM of the 0 that zedboard has"))
    assert "Move the node to kv260_som or zcu104, or fold its layers less" in problems[0]


@pytest.mark.parametrize(
    ("lut", "advice"),
    [
        (100_000, "Move the node to zc706 or kv260_som or zcu104"),
        (190_000, "Move the node to zc706 or zcu104"),
        (240_000, "Move the node to a board with xc7z100, of which no board file is built in"),
        (900_000, "Fold its layers less, or cut it into more partitions"),
    ],
)
def test_what_is_large_enough_is_named(
    at: System, lut: int, advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report(at, 0, {"LUT": lut})
    assert advice in refusal(["plan", "cluster.toml", "-o", "out"], capsys)[0]


def test_reports_that_leave_layers_out_say_so(at: System) -> None:
    layers = planned(at).partition(PARTS[0]).layers
    put(at, "estimate_layer_resources.json", json.dumps({layers[0]: {"LUT": 100}}))
    takes = planned(at).partition(PARTS[0]).takes
    assert takes
    assert (takes.lut, takes.told, takes.layers, takes.knows_ff) == (100, 1, len(layers), False)
    plan = planned(at)
    rows = {one["part"]: one for one in fit_records(plan) if one["node"] == "zed0"}
    assert rows[PARTS[0]]["source"] == f"FINN's estimates, 1 of {len(layers)} layers"
    assert rows[PARTS[0]]["ff"] is None
    assert rows["of zedboard"]["source"] == "at least"


HEADINGS = ("Instance", "Total LUTs", "FFs", "RAMB36", "RAMB18", "DSP Blocks")


def vivado_report(rows: list[tuple[object, ...]]) -> str:
    """Return a hierarchical utilisation as Vivado writes it, with spaces around what is in a cell."""
    lines = [
        "<tablerow>" + "".join(f'<tablecell contents=" {cell} "/>' for cell in row) + "</tablerow>"
        for row in [HEADINGS, *rows]
    ]
    return f"<RptDoc><section><table>{''.join(lines)}</table></section></RptDoc>"


def test_vivados_own_report_wins(at: System) -> None:
    layers = planned(at).partition(PARTS[0]).layers
    rows: list[tuple[object, ...]] = [(name, 40, 50, 2, 1, 3) for name in ("top_wrapper", *layers)]
    rows.append((layers[0], 1, 1, 1, 1, 1))  # something inside of the same name
    report(at, 0, {"LUT": 9_000})
    put(at, "post_synth_resources.xml", vivado_report(rows))
    takes = planned(at).partition(PARTS[0]).takes
    assert takes
    count = len(layers)
    assert Usage(**takes.model_dump(include=set(Usage.model_fields))) == Usage(
        lut=40 * count, ff=50 * count, bram18=5 * count, dsp=3 * count
    )
    assert takes.source == "FINN's synthesis"


def test_the_table_fits_a_terminal(at: System) -> None:
    report(at, 0, {"LUT": 12_345, "BRAM_18K": 100, "DSP": 17})
    plan = planned(at)
    wide, narrow = fit_table(plan), fit_table(plan, 80)
    assert all(len(line) <= 80 for line in narrow)
    assert not any("URAM" in line for line in wide), "no column for what no board of the cluster has"
    assert any("12,34" in line for line in narrow)
    assert len(wide) == 1 + 2 * 4


def test_the_estimate_shows_the_regions_of_a_card(at: System, capsys: pytest.CaptureFixture[str]) -> None:
    """Each SLR against what it has itself, where somebody says in which one the core is."""
    text = (at.root / "cluster.toml").read_text().replace('board = "zedboard"', 'board = "u280"')
    (at.root / "cluster.toml").write_text(f"{text}\n[node.options.vitis]\nslr = 1\n")
    report(at, 1, {"LUT": 100_000})
    assert main(["estimate", "cluster.toml"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert sum(" of u280 " in line for line in said) == 2 + 3
    assert main(["estimate", "cluster.toml", "--json"]) == 0
    rows = {(one["node"], one["part"]): one for one in json.loads(capsys.readouterr().out)["resources"]}
    has = tomllib.loads((data_dir("boards") / "u280.toml").read_text())["platform"]["vitis"]["slrs"]
    inside = sum(rows["zed1", part]["lut"] for part in (PARTS[1], "core"))
    assert inside > 100_000
    assert rows["zed1", "of SLR1 of u280"]["lut"] == pytest.approx(inside / has[1]["lut"], abs=1e-4)


def node_of(ports: int) -> Usage:
    """Return what a node of so many ports adds to a tree."""
    root, whole = costs.tree((), 20), costs.tree((ports,), 20)
    return Usage(lut=whole.lut - root.lut, ff=whole.ff - root.ff)


FORMULAS: dict[str, Callable[[dict[str, Any]], Usage | None]] = {
    "axis_frame_rx": lambda p: costs.frame_rx(p["DATA_W"], p["LAST_BYTES"], p.get("MANY_EN", 1)),
    "axis_frame_tx": lambda p: costs.frame_tx(p["DATA_W"], p["LAST_BYTES"]),
    "axis_arbiter": lambda p: costs.arbiter(p["N"], p["DATA_W"], p.get("CUT", 4) == 0),
    "axis_demux": lambda p: costs.demux(p["N"], p["DATA_W"], p.get("REG_EN", 1) == 1),
    "vnx_sender": lambda p: costs.vnx_sender(p["SLOTS"], p["PACKET_BEATS"], "ULTRA" in p),
    "vnx_receiver": lambda p: costs.vnx_receiver(
        p["SLOTS"], p["PACKET_BEATS"], p["FRAME_BYTES"], "ULTRA" in p
    ),
    "vnx_seal": lambda p: costs.vnx_seal(p["PACKET_BEATS"]) if p["DATA_W"] == 512 else None,
    "vnx_port": lambda _: costs.vnx_port(),
    "vnx_check": lambda p: costs.vnx_check() if p["DATA_W"] == 512 else None,
    "axis_swallow": lambda _: costs.swallow(),
    "axis_tid": lambda p: costs.thread_id(p["ID_W"]),
    "axis_frame_tag": lambda _: costs.frame_tag(),
    "axis_frame_label": lambda _: costs.frame_label(),
    "axis_frame_match": lambda p: costs.frame_match(p["N"], p.get("ANY", 0) == 1),
    "axis_tag_deal": lambda p: costs.tag_deal(p["N"]),
    "axis_broadcast": lambda p: costs.broadcast(p["N"], p["DATA_W"]) if p.get("REG_EN", 1) == 1 else None,
    "axis_run_rx": lambda p: costs.run_rx(p["DATA_W"]),
    "axis_run_tx": lambda p: costs.run_tx(p["DATA_W"]),
    "axis_width": lambda p: costs.width(p["IN_W"], p["OUT_W"]) if p["IN_BEATS"] else None,
    "axis_width_narrow_fast": lambda p: costs.width(p["IN_W"], p["OUT_W"], fast=True),
    "axis_fifo": lambda p: (
        None if p.get("STORE") or p.get("OUT_REG") else costs.fifo(p["DATA_W"], p["DEPTH"])
    ),
    "axil_node": lambda p: None if p.get("REG_EN") or "BRANCHES" in p else node_of(p["N"]),
    "axil_root": lambda p: costs.tree((), p["ADDR_W"]),
    "axil_bridge": lambda _: costs.bridge(),
    "axil_slot": lambda _: costs.slot(),
    "axil_cdc": lambda p: costs.lite_cdc(p["ADDR_W"], p.get("DATA_W", 32)),
    "axis_fifo_cdc": lambda p: (
        costs.fifo_cdc(p["DATA_W"], p["DEPTH"]) if p.get("SYNC_STAGES", 2) == 2 else None
    ),
    "axis_ddr_fifo": lambda p: (
        None if p.get("STORE") or p.get("STAGE") else costs.ddr_fifo(p["DATA_W"], p["ADDR_W"])
    ),
    "ddr_ring_port": lambda p: costs.ddr_ring_port(p["N"]),
    "ring_requests": lambda p: costs.ring_requests(p["N"]),
    "accl_command": lambda p: costs.accl_command(p["N"]),
    "accl_gate": lambda p: costs.accl_gate(p["DATA_W"]),
    "accl_demux": lambda p: costs.accl_demux(p["N"], p.get("DATA_W", 512)),
    "accl_frames": lambda p: costs.accl_frames(p.get("DATA_W", 512)),
    "accl_number": lambda p: costs.accl_number(p.get("DATA_W", 512)),
    "accl_told": lambda p: costs.accl_told(p.get("DATA_W", 512)),
    "accl_port": lambda p: costs.accl_port(p["N_OUT"], p["N_IN"]),
    "layer_dot": lambda p: costs.layer_dot(p["PE"] * p["SIMD"], p["PE"], p["A_W"], p["W_W"], p["OUT_W"]),
    "shell_status": lambda p: costs.status(p["N_RX"], p["N_TX"]),
    "shell_turns": lambda p: costs.turns(p["N"]),
    "shell_reset": lambda p: costs.reset(p["N"]),
}


@pytest.mark.parametrize("block", FORMULAS)
def test_formulas_follow_what_yosys_finds(block: str) -> None:
    """Within a quarter and 40, on both sides; a block in a core has constant ports, those here have not."""
    share = 0.4 if block == "layer_dot" else 0.25  # its multipliers depend on the weights
    sets = tomllib.loads((rtl_file(block).parent / "costs.toml").read_text())["set"]
    compared = 0
    for entry in sets:
        usage = FORMULAS[block](entry["parameters"])
        if usage is None:
            continue
        compared += 1
        assert usage.uram == entry["uram"]
        blocks = (usage.bram18, 2 * entry["bram"])
        for told, found in ((usage.lut, entry["lut"]), (usage.ff, entry["ff"]), blocks):
            assert (1 - share) * found - 40 <= told <= (1 + share) * found + 40, (entry["name"], told, found)
    assert compared
