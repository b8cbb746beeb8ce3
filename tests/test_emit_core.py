# SPDX-License-Identifier: BSD-3-Clause
"""Cores of every shape: silent on Verilator, elaborated by Icarus, plain Verilog ports, complete trees."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_network import chain, lite, one_each, partition, plan_of, spec
from pyverilog.vparser.ast import Ioport, ModuleDef
from pyverilog.vparser.parser import VerilogParser

from shellgen.disk.output import write
from shellgen.emit.core import core_name
from shellgen.emit.whole import emit
from shellgen.model import Plan
from shellgen.simulate.tools import find_icarus, find_verilator

# What Icarus 11 says of an always_comb that selects: it waits for the whole vector, which is right too.
HARMLESS = "constant selects in always_* processes are not currently supported (all bits will be included)"

Fake = tuple[Plan, dict[str, bytes]]


def pair(board: str = "zedboard", **more: object) -> Fake:
    network = chain(partition("a", slaves=(lite(0),)), partition("b"))
    return plan_of(network, one_each(network, board, **more)), network.files


def many_slaves() -> Fake:
    """Two levels of crossbars: 37 slaves of five sizes on one node."""
    slaves = [lite(i, addr_bits=(4, 7, 8, 12, 14)[i % 5], words=2) for i in range(37)]
    network = chain(partition("a", slaves=tuple(slaves[:20])), partition("b", slaves=tuple(slaves[20:])))
    return plan_of(network, spec([{"name": "n", "board": "zcu104", "partitions": [0, 1]}])), network.files


def most_slaves() -> Fake:
    """Three levels."""
    network = chain(partition("a", slaves=tuple(lite(i, addr_bits=6) for i in range(270))))
    return plan_of(network, one_each(network)), network.files


def exactly_full() -> Fake:
    """Status and 15 slaves fill one crossbar."""
    network = chain(partition("a", slaves=tuple(lite(i) for i in range(15))))
    return plan_of(network, one_each(network)), network.files


def several_streams() -> Fake:
    """Three streams between two nodes, of 3, 52/26 and 72 bits."""
    makes = (("UINT3", 1, 10), ("INT13", 4, 16), ("UINT8", 9, 18))
    takes = (("UINT3", 5, 10), ("INT13", 2, 16), ("UINT8", 9, 18))
    network = chain(partition("a", makes, makes), partition("b", takes, takes))
    network.edges = ()
    links = [{"from": f"a.m_axis_{i}", "to": f"b.s_axis_{i}"} for i in range(3)]
    return plan_of(network, one_each(network, link=links)), network.files


def one_board() -> Fake:
    """Three partitions, two direct streams of which one changes width, one bit wide at the end."""
    network = chain(
        partition("a", (("UINT4", 2, 16),), (("UINT4", 4, 16),)),
        partition("b", (("UINT4", 2, 16),), (("BIPOLAR", 1, 8),)),
        partition("c", (("BIPOLAR", 1, 8),), (("BIPOLAR", 1, 8),)),
    )
    return plan_of(
        network, spec([{"name": "n", "board": "kv260_som", "partitions": [0, 1, 2]}])
    ), network.files


def one_word() -> Fake:
    """A frame of one word, wider than the DMA, and one of one bit."""
    network = chain(partition("a", (("INT32", 16, 16),), (("BINARY", 1, 1),)))
    return plan_of(network, one_each(network)), network.files


def padded() -> Fake:
    ends = (("UINT3", 3, 9),)
    network = chain(partition("a", ends, ends), partition("b", ends, ends))
    return plan_of(network, one_each(network, packing="finn")), network.files


SHAPES: dict[str, Callable[[], Fake]] = {
    "pair": pair,
    "pair_us": lambda: pair("ultra96-v2"),
    "many_slaves": many_slaves,
    "most_slaves": most_slaves,
    "exactly_full": exactly_full,
    "several_streams": several_streams,
    "one_board": one_board,
    "one_word": one_word,
    "padded": padded,
}


# 270 slaves take five tools eleven seconds.
PARAMETERS = [pytest.param(name, marks=[pytest.mark.sweep] * (name == "most_slaves")) for name in SHAPES]


@pytest.fixture(scope="module", params=PARAMETERS)
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    plan, files = SHAPES[request.param]()
    out = tmp_path_factory.mktemp(request.param)
    write(emit(plan, files), out)
    return plan, out


def sources(out: Path, node: str) -> tuple[list[Path], list[Path]]:
    """Return the partition's files and ours."""
    theirs = sorted((out / node / "partition").glob("*.v"))
    return theirs, [*sorted((out / node / "rtl").glob("*.sv")), out / node / f"{node}_core.v"]


def test_verilator_has_no_warning(generated: tuple[Plan, Path], tmp_path: Path) -> None:
    plan, out = generated
    tool = find_verilator()
    for node in plan.nodes:
        theirs, ours = sources(out, node.name)
        assert theirs
        control = tmp_path / f"{node.name}.vlt"
        control.write_text("`verilator_config\n" + "".join(f'lint_off -file "{p}"\n' for p in theirs))
        command = [str(tool.binary), "--lint-only", "-Wall", "--top-module", core_name(node), str(control)]
        ran = subprocess.run(
            [*command, *map(str, (*theirs, *ours))],
            capture_output=True,
            text=True,
            env=tool.environment(),
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert "%Warning" not in ran.stdout + ran.stderr


def test_no_waiver_is_in_our_files(generated: tuple[Plan, Path]) -> None:
    plan, out = generated
    for node in plan.nodes:
        core = (out / node.name / f"{core_name(node)}.v").read_text()
        assert "verilator" not in core
        assert "synthesis" not in core
        for block in (out / node.name / "rtl").glob("*.sv"):
            assert "lint_off" not in block.read_text(), block.name


def test_icarus_elaborates_it(generated: tuple[Plan, Path]) -> None:
    """The core is Verilog-2001 by its suffix: Icarus reads only the blocks below it as SystemVerilog."""
    plan, out = generated
    for node in plan.nodes:
        theirs, ours = sources(out, node.name)
        command = [str(find_icarus().compiler), "-g2012", "-t", "null", "-s", core_name(node)]
        ran = subprocess.run(
            [*command, *map(str, (*theirs, *ours))], capture_output=True, text=True, check=False
        )
        said = [line for line in ran.stderr.splitlines() if HARMLESS not in line]
        assert (ran.returncode, said) == (0, []), ran.stderr


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> VerilogParser:
    """One for all: its tables take seconds."""
    return VerilogParser(outputdir=str(tmp_path_factory.mktemp("tables")))


def test_the_core_is_plain_verilog(generated: tuple[Plan, Path], parser: VerilogParser) -> None:
    """Vivado's block design accepts the core: a Verilog-2001 module with flat ports, attributes aside."""
    plan, out = generated
    for node in plan.nodes:
        text = (out / node.name / f"{core_name(node)}.v").read_text()
        bare = re.sub(r"\(\*.*?\*\)|^`default_nettype.*$", "", text, flags=re.MULTILINE)
        tree = parser.parse(bare)
        modules = [d for d in tree.description.definitions if isinstance(d, ModuleDef)]
        assert [module.name for module in modules] == [core_name(node)]
        ports = [port.first.name for port in modules[0].portlist.ports if isinstance(port, Ioport)]
        assert ports[:2] == ["aclk", "aresetn"]
        streams = [node.pin(end).name for end in node.ends]
        wanted = [
            f"{s}_{signal}" for s in streams for signal in ("tdata", "tkeep", "tlast", "tvalid", "tready")
        ]
        assert [port for port in ports[2:] if not port.startswith("s_axil_")] == wanted
        assert len([port for port in ports if port.startswith("s_axil_")]) == 19
        assert "logic" not in re.sub(r"//.*", "", text).split()


def test_the_tree_reaches_every_window_once(generated: tuple[Plan, Path]) -> None:
    """From the root: every leaf under one crossbar, no crossbar too wide, windows inside and disjoint."""
    plan, out = generated
    maps = {node["name"]: node for node in json.loads((out / "memory_map.json").read_text())["nodes"]}
    for node in plan.nodes:
        crossbars = {crossbar.name: crossbar for crossbar in node.crossbars}
        leaves = []
        for crossbar in node.crossbars:
            assert len(crossbar.ports) <= 16
            spans = sorted((p.offset, p.offset + (1 << p.size_log2)) for p in crossbar.ports)
            assert all(low[1] <= high[0] for low, high in itertools.pairwise(spans))
            assert spans[-1][1] <= 1 << node.lite_addr_bits
            leaves += [port.target for port in crossbar.ports if port.target not in crossbars]
        assert sorted(leaves) == sorted(window.name for window in node.windows)
        regions = maps[node.name]["regions"]
        assert len(regions) == len(node.windows) - 1
        text = (out / node.name / f"{core_name(node)}.v").read_text()
        assert text.count("axil_root #(") == 1
        assert text.count("axil_node #(") == len(node.crossbars)
        # No answer crosses three nodes in one cycle: in three levels the middle one has registers.
        middle = {port.target for port in node.crossbars[0].ports} & set(crossbars)
        parents = [name for name in middle if any(p.target in crossbars for p in crossbars[name].ports)]
        assert text.count(".REG_EN(1)") == len(parents)


def test_lint_can_fail(tmp_path: Path) -> None:
    """A core with an unused net is not silent, so silence means something."""
    plan, files = pair()
    write(emit(plan, files), tmp_path)
    core = tmp_path / "n0" / "n0_core.v"
    core.write_text(core.read_text().replace("endmodule", "wire [3:0] idle = 5'd0;\nendmodule"))
    theirs, ours = sources(tmp_path, "n0")
    tool = find_verilator()
    command = [str(tool.binary), "--lint-only", "-Wall", "--top-module", "n0_core"]
    ran = subprocess.run(
        [*command, *map(str, (*theirs, *ours))],
        capture_output=True,
        text=True,
        env=tool.environment(),
        check=False,
    )
    assert ran.returncode != 0
    assert "%Warning-WIDTHTRUNC" in ran.stderr


def test_a_partition_of_hundreds_of_layers() -> None:
    """Icarus takes no line of 16 KiB, not even a comment."""
    (part, text) = partition("a")
    layers = tuple(f"StreamingDataflowPartition_0_Thresholding_rtl_{index}" for index in range(400))
    network = chain((part.model_copy(update={"layers": layers}), text))
    plan = plan_of(network, one_each(network))
    (core,) = (one for one in emit(plan, network.files) if one.path.endswith("_core.v"))
    (line,) = re.findall(rb"// the partition: .*", core.content)
    assert len(line) < 1100
    assert line.endswith(b" ... StreamingDataflowPartition_0_Thresholding_rtl_399")
