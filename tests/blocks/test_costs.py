# SPDX-License-Identifier: BSD-3-Clause
"""Every block costs what its costs.toml says, no more and no less, and no more than goal and best peer.

`make costs` synthesises what has changed and records what its figures are of; here the record is compared
with the sources, and a few small blocks are synthesised. `make test-sweep` synthesises all.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from graphlib import CycleError
from pathlib import Path
from typing import Any

import pytest

from tools.blocks.axil_tree import BLOCKS, module
from tools.blocks.block_bench import IP, block_folder
from tools.blocks.budgets import MOST_LEVELS, Budget, Tree, hardware, load, load_trees, missing
from tools.blocks.cost import FRONTENDS, Subject, count, measure
from tools.blocks.cost_record import digest, recorded, sets, stale

GOOD = """
[[set]]
name = "one"
parameters = { DATA_W = 8 }
frontend = "verilog"
lut = 12
ff = 19
bram = 0.0
uram = 0
levels = 1
latency = 1
rate = 1.0
"""


def read_all() -> tuple[list[tuple[str, Budget]], list[str]]:
    """Return block and budget of every set, and what is wrong with files."""
    sets: list[tuple[str, Budget]] = []
    wrong: list[str] = []
    for name in hardware():
        file = block_folder(name) / "costs.toml"
        if file.is_file():
            try:
                sets += [(name, budget) for budget in load(file)]
            except ValueError as error:
                wrong.append(str(error))
    return sets, wrong


SETS, WRONG = read_all()
CASES = [(f"{name}: {budget.name}", name, budget) for name, budget in SETS]
# What the default run synthesises: flops and SRLs, a block RAM, registers of AXI-Lite.
SMALL = {"axis_register: 8 bit and tlast, SRL", "axis_fifo: 32 bit, 512 deep", "axil_slot: 16 address bits"}


def test_files_are_whole() -> None:
    assert not WRONG, "\n".join(WRONG)


def test_every_block_has_a_budget() -> None:
    assert not missing(), f"no costs.toml: {', '.join(missing())}"


def test_the_record_is_of_the_present_sources() -> None:
    known, record = sets(), recorded()
    gone = [key for block, names in record.items() for name in names if (key := (block, name)) not in known]
    assert not gone, f"run make costs: no longer stated: {gone}"
    assert not stale(known, record), "run make costs"


def test_a_record_is_of_sources_parameters_and_figures() -> None:
    known = sets(["axis_tlast"])
    key, budget = next(iter(known.items()))
    record = {key[0]: {name: digest(block, one) for (block, name), one in known.items()}}
    assert not stale(known, record)
    for change in (
        {"lut": budget.lut + 1},
        {"parameters": {**budget.parameters, "BEATS": 7}},
        {"frontend": "x"},
    ):
        assert stale({key: budget.model_copy(update=change)}, record) == [key], change
    assert not stale({key: budget.model_copy(update={"latency": 9})}, record), "no synthesis finds that"


def test_small_sets_are_there() -> None:
    assert {name for name, _, _ in CASES} >= SMALL


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        pytest.param(name, budget, id=case, marks=[pytest.mark.sweep] * (case not in SMALL))
        for case, name, budget in CASES
    ],
)
def test_costs(name: str, budget: Budget) -> None:
    found = measure(budget.subject(name), budget.family)
    assert not budget.differences(found), f"{name}, {budget.name}: {'; '.join(budget.differences(found))}"


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(each, id=each.name, marks=[pytest.mark.sweep] * each.sweep)
        for each in load_trees(IP / "axil_root" / "costs.toml")
    ],
)
def test_trees(tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "tree.v"
    file.write_text(module(tree.slaves))
    found = measure(Subject("axil_tree", (file, *BLOCKS), frontend=tree.frontend))
    assert (found.lut, found.ff, found.levels) == (tree.lut, tree.ff, tree.levels)


@pytest.mark.parametrize(
    ("name", "budget"), [pytest.param(name, budget, id=case) for case, name, budget in CASES]
)
def test_limits(name: str, budget: Budget) -> None:
    """Neither deeper than allowed nor larger than goal and best peer."""
    over = [f"{is_} {words} {most}" for words, is_, most in budget.limits()]
    assert not over, f"{name}, {budget.name}: {'; '.join(over)}"


def test_peers_are_known() -> None:
    """The figures of a peer are recorded, with version and method, and the peer is correct."""
    file = IP.parent / "benchmarks" / "area" / "peers.toml"
    content = tomllib.loads(file.read_text())
    figures = [figure for figure in content["figure"] if figure["correct"]]
    told = [*content["figure"], *content["placed"]]
    assert {figure["peer"].split()[0] for figure in told} == set(content["version"])
    assert {figure["method"] for figure in told} == set(content["method"])
    known = {(figure["lut"], figure["ff"]) for figure in figures}
    unknown = [
        f"{name}, {budget.name}: {budget.peer} {budget.peer_lut} / {budget.peer_ff}"
        for name, budget in SETS
        if budget.peer and (budget.peer_lut, budget.peer_ff) not in known
    ]
    assert not unknown, f"not among the correct ones in {file.name}: {'; '.join(unknown)}"


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "budget"), [pytest.param(name, budget, id=case) for case, name, budget in CASES]
)
def test_no_better_frontend(name: str, budget: Budget) -> None:
    """The page shows the better of the two front ends, as the peers are shown; too deep is no better."""
    subject = budget.subject(name)
    found = {fe: measure(replace(subject, frontend=fe), budget.family) for fe in FRONTENDS}
    other = found[FRONTENDS[1 - FRONTENDS.index(budget.frontend)]]
    mine = found[budget.frontend]
    better = (other.lut + other.ff, other.levels) < (mine.lut + mine.ff, mine.levels)
    assert not better or other.levels > MOST_LEVELS, f"{mine}; {other}"


# ---- the checks can fail ------------------------------------------------------------------------------
def budget_of(tmp_path: Path, text: str) -> list[Budget]:
    file = tmp_path / "block" / "costs.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return load(file)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lut = 12\n", "", r"block/costs.toml: set 'one': lut: Field required"),
        ("lut = 12", 'lut = "12"', "lut: Input should be a valid integer"),
        ("ff = 19", "ff = -1", "ff: Input should be greater"),
        ("bram = 0.0", "bram = 0.3", "bram: Input should be a multiple of 0.5"),
        ("latency = 1\n", "", "latency: Field required"),
        ("latency = 1", "latency = -2", "latency is in cycles"),
        ("rate = 1.0", "rate = 0.0", "rate: Input should be greater than 0"),
        ("rate = 1.0", "speed = 1.0", "rate: Field required"),
        ("rate = 1.0", "rate = 1.0\nspeed = 1.0", "speed: Extra inputs"),
        ('"verilog"', '"vhdl"', "frontend: Input should be 'verilog' or 'slang'"),
        ("rate = 1.0", 'rate = 1.0\npeer = "x"', "peer, peer_lut and peer_ff go together"),
        ("rate = 1.0", "rate = 1.0\ntie = { a = 2 }", "tie.a: Input should be 0 or 1"),
        ("[[set]]", "[[sets]]", r"sets: unknown.*\n.*no \[\[set\]\]"),
        ("lut = 12", "lut =", "block/costs.toml: Invalid value"),
        (GOOD, GOOD + GOOD, "two sets are named 'one'"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        budget_of(tmp_path, GOOD.replace(old, new))


def test_every_fault_is_named(tmp_path: Path) -> None:
    text = GOOD.replace("lut = 12\n", "").replace("ff = 19\n", "") + GOOD.replace("one", "two").replace(
        "u", "v"
    )
    with pytest.raises(ValueError, match=r"(?s)'one': lut.*'one': ff.*'two': lut"):
        budget_of(tmp_path, text)


def test_more_and_less_than_the_budget(tmp_path: Path) -> None:
    (budget,) = budget_of(tmp_path, GOOD)
    found = measure(budget.subject("axis_register"))
    assert not budget.differences(found)
    for figure in ("lut", "ff", "bram", "uram", "levels"):
        more = replace(found, **{figure: getattr(found, figure) + 1})
        assert "Yosys finds" in " ".join(budget.differences(more))
        less = budget.model_copy(update={figure: getattr(budget, figure) + 1})
        assert "looser than the truth" in " ".join(less.differences(found))


@pytest.mark.parametrize(
    "change",
    [
        {"levels": 6},
        {"goal_lut": 11},
        {"goal_ff": 18},
        {"peer": "p", "peer_lut": 11, "peer_ff": 99},
        {"peer": "p", "peer_lut": 99, "peer_ff": 18},
    ],
)
def test_over_a_limit(tmp_path: Path, change: dict[str, int | str]) -> None:
    (budget,) = budget_of(tmp_path, GOOD)
    assert not budget.limits()
    assert len(budget.model_copy(update=change).limits()) == 1


def test_a_block_without_a_file_is_named(tmp_path: Path) -> None:
    for name in ("with", "without", "axis_checker"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.sv").write_text("")
    (tmp_path / "with" / "costs.toml").write_text(GOOD)
    assert missing(tmp_path) == ["without"]


# ---- the tool counts what it says ---------------------------------------------------------------------
def test_a_tie_is_a_constant_and_an_open_output_costs_nothing(tmp_path: Path) -> None:
    source = tmp_path / "m.sv"
    source.write_text(
        "module m (input wire clk, input wire [7:0] a, b, output logic [7:0] y, output logic z);\n"
        "always_ff @(posedge clk) begin y <= a & b; z <= &a[5:0]; end\nendmodule\n"
        "module n (input wire clk, input wire [7:0] a, output wire [7:0] y);\n"
        "m u (.clk(clk), .a(a), .b(8'hff), .y(y), .z());\nendmodule\n"
    )
    for frontend in FRONTENDS:
        subject = Subject("m", (source,), frontend=frontend)
        free = measure(subject)
        assert (free.lut, free.ff, free.levels) == (8 + 1, 8 + 1, 1)
        ones = measure(replace(subject, ties={"b": 1}, opens=["z"]))
        assert (ones.lut, ones.ff, ones.levels) == (0, 8, 0)
        assert ones == measure(replace(subject, top="n"))
        assert measure(replace(subject, ties={"b": 0}, opens=["z"])).ff == 0
        with pytest.raises(RuntimeError, match="x:nothing"):
            measure(replace(subject, ties={"nothing": 0}))


def cell(kind: str, output: int, **inputs: int) -> dict[str, Any]:
    directions = {"O": "output"} | dict.fromkeys(inputs, "input")
    return {"type": kind, "port_directions": directions, "connections": {"O": [output], **pins(inputs)}}


def pins(inputs: dict[str, int]) -> dict[str, list[int | str]]:
    return {pin: [bit, "0"] for pin, bit in inputs.items()}


def test_levels() -> None:
    """Carry chains and inverters pass, LUT memories count from address to output, flops cut."""
    chain = [cell("LUT2", 2, I0=1), cell("INV", 3, I=2), cell("CARRY4", 4, S=3), cell("LUT6", 5, I5=4)]
    assert count(chain, "slang").levels == 2
    assert count([*chain, cell("FDRE", 6, D=5), cell("LUT1", 7, I0=6)], "slang").levels == 2
    assert count([*chain, cell("RAM32M", 6, ADDRA=5), cell("LUT1", 7, I0=6)], "slang").levels == 4
    assert count([*chain, cell("RAM32M", 6, DIA=5, WE=5), cell("LUT1", 7, I0=6)], "slang").levels == 2
    assert count([*chain, cell("SRL16E", 6, A0=5), cell("LUT1", 7, I0=6)], "slang").levels == 4
    assert count([*chain, cell("SRL16E", 6, D=5, CE=5), cell("LUT1", 7, I0=6)], "slang").levels == 2
    with pytest.raises(CycleError):
        count([*chain, cell("LUT1", 1, I0=5)], "slang")


def test_count() -> None:
    kinds = ["LUT1", "LUT6", "INV", "CARRY4", "SRLC32E", "RAM32M", "RAM64X1D", "FDRE", "FDSE", "RAMB18E1"]
    found = count(
        [cell(kind, bit, D=0) for bit, kind in enumerate([*kinds, "RAMB36E1", "URAM288", "DSP48E1"], 1)]
    )
    assert (found.lut, found.ff, found.bram, found.uram, found.dsp) == (2 + 1 + 4 + 2, 2, 1.5, 1, 1)
    with pytest.raises(KeyError, match="RAM1024X1"):
        count([cell("RAM1024X1", 1)])
