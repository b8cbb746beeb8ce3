# SPDX-License-Identifier: BSD-3-Clause
"""Windows that a link claims: placed, refused, in the map, and reached through the tree in simulation."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fake_network import chain, lite, one_each, partition, plan_of, spec, stream
from systemrdl.parser.SystemRDLLexer import SystemRDLLexer

from shellgen.emit.core import core_blocks, emit_core
from shellgen.emit.ends import end_texts
from shellgen.emit.maps import emit_memory_maps
from shellgen.emit.memory_map import memory_map
from shellgen.errors import PlanError
from shellgen.links.base import Site
from shellgen.links.tcp_dma import TcpDma
from shellgen.model import Attachment, Claim, Network, NodePlan, Plan
from shellgen.model.axilite import CHANNELS
from shellgen.model.names import RDL_WORDS
from shellgen.plan import rules
from shellgen.plan.claims import RESERVED
from shellgen.platforms.zynq import Zynq
from shellgen.resources import rtl_file
from tools.blocks.block_bench import SIMULATORS, TOOLS, run_sources


def claims(patch: pytest.MonkeyPatch, *made: Claim) -> None:
    """Let each attachment of the TCP link claim these windows."""
    plain = TcpDma.attach

    def attach(self: TcpDma, site: Site) -> tuple[Attachment, ...]:
        return tuple(one.model_copy(update={"claims": made}) for one in plain(self, site))

    patch.setattr(TcpDma, "attach", attach)


def network() -> Network:
    return chain(partition("a", slaves=(lite(0), lite(1, 12))))


def planned(access: str = "direct", **more: Any) -> NodePlan:
    options = {"access": access, **more}
    return plan_of(
        network(), spec([{"name": "n0", "board": "zedboard", "partitions": [0], "lite": options}])
    ).nodes[0]


def places(node: NodePlan) -> dict[str, tuple[str, int, int]]:
    return {window.name: (window.kind, window.offset, window.size) for window in node.windows}


def test_windows_lie_where_there_is_room_or_where_they_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Zynq, "check", lambda *_: [])
    claims(
        monkeypatch,
        Claim(name="mark", addr_bits=6),
        Claim(name="low", addr_bits=13, offset=0, leaves=True),
        Claim(
            name="status_of_another", addr_bits=12, block="shell_status", counts=(("N_RX", 2), ("N_TX", 1))
        ),
    )
    for access, reserved in (("direct", []), ("bridge", []), ("direct", [{"offset": 0x2000, "bytes": 4}])):
        node = planned(access, reserved=reserved)
        found = places(node)
        assert found["low"] == ("master", 0, 0x2000)
        assert found["mark"][0] == "block"
        ranges = sorted((first, first + size) for _, first, size in found.values())
        assert all(end <= first for (_, end), (first, _) in pairwise(ranges))
        assert all(first % size == 0 for _, first, size in found.values())
        assert "bridge" in found or "a_s_axilite_0" in found
        assert found["status"][1] == (0x3000 if reserved else 0x2000)


def test_the_map_tells_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Zynq, "check", lambda *_: [])
    claims(
        monkeypatch,
        Claim(name="out", addr_bits=12, leaves=True),
        Claim(name="other", addr_bits=12, block="shell_status", counts=(("N_RX", 40), ("N_TX", 1))),
    )
    plan = plan_of(network(), one_each(network()))
    (node,) = memory_map(plan).nodes
    other, out = node.block("other"), node.block("out")
    assert (other.block, out.block, out.registers) == ("shell_status", None, ())
    assert (
        other.base - node.base
        == plan.nodes[0].windows[[w.name for w in plan.nodes[0].windows].index("other")].offset
    )
    assert other.register("ERRORS").count == 2
    assert other.register("FRAMES").count == 41
    text = emit_core(plan, plan.nodes[0]).content.decode()
    assert re.search(r'aximm:1.0 m_axil_out AWADDR" \*\)\n    output wire \[11:0\] +m_axil_out_awaddr', text)
    assert re.search(r"input  wire \[31:0\] +m_axil_out_rdata", text)
    assert re.search(r"assign other_axil_awaddr = \w+_awaddr\[11:0\];", text)


def test_names_that_the_map_needs_are_known() -> None:
    """All that the header tells of a node by a single word, and all words of SystemRDL."""
    plan = plan_of(network(), one_each(network()))
    (header,) = (one for one in emit_memory_maps(plan) if one.path == "memory_map.h")
    told = re.findall(r"#define SHELLGEN_N0_(\w+)", header.content.decode())
    own = {name.lower() for name in told if not re.match(r"STREAM_|AXI_DMA|INTC_|A_", name)}
    assert {"base", "regions"} <= own <= {*RESERVED, "status", "bridge"}
    literals = {name.strip("'") for name in SystemRDLLexer.literalNames}
    assert {name for name in literals if name.isidentifier()} == RDL_WORDS


OTHER = Claim(name="one", addr_bits=12, offset=0x4000)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            (OTHER, Claim(name="two", addr_bits=4, offset=0x4010)),
            r"window one .* at 0x4000 and window two .* at 0x4010 overlap",
        ),
        (
            (OTHER, OTHER.model_copy(update={"name": "two"})),
            "window one .* and window two .* overlap on node n0",
        ),
        (
            (Claim(name="x", addr_bits=12, offset=0x8000),),
            "0x8000 to 0x8fff overlap what is reserved, 0x8800 to 0x88ff",
        ),
        (
            (Claim(name="x", addr_bits=12, offset=0x4004),),
            "offset 0x4004 is not a multiple of its 0x1000 bytes",
        ),
        (
            (Claim(name="x", addr_bits=16, offset=0x10000),),
            "it ends at 0x20000, and the host reaches 0x10000 bytes",
        ),
        ((Claim(name="x", addr_bits=1),), "it has 1 address bits, and 2 to 32 are possible"),
        ((Claim(name="status", addr_bits=4),), "has the name of a window of the core itself"),
        ((Claim(name="a_s_axilite_1", addr_bits=4),), "has the name of a window of partition a"),
        (
            (Claim(name="x", addr_bits=4), Claim(name="x", addr_bits=4)),
            "window x .* has the name of a window of tcp_dma",
        ),
        (
            (Claim(name="x", addr_bits=4), Claim(name="X", addr_bits=4)),
            "window X .* has the name of a window of tcp_dma",
        ),
        ((Claim(name="crossing", addr_bits=4),), "has the name of a window of the core itself"),
        ((Claim(name="base", addr_bits=4),), "window base .* has a name that the memory map needs"),
        ((Claim(name="reg", addr_bits=4),), "window reg .* has a name that the memory map needs"),
        (
            (Claim(name="x", addr_bits=8, block="shell_status"),),
            "block shell_status has 12 address bits, and the window 8",
        ),
        (
            (Claim(name="x", addr_bits=12, block="shell_status"),),
            "registers ERRORS of shell_status need to know N_RX",
        ),
        ((Claim(name="x", addr_bits=12, block="nothing"),), r"nothing/registers.json: there is no such file"),
        (
            (Claim(name="x", addr_bits=12, leaves=True),),
            "x leaves the core as m_axil_x, and nothing here takes it",
        ),
    ],
)
def test_what_cannot_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, made: tuple[Claim, ...], said: str
) -> None:
    claims(monkeypatch, *made)
    with pytest.raises(PlanError) as error:
        planned(window=0x1_0000, reserved=[{"offset": 0x8800, "bytes": 0x100}])
    (problem,) = error.value.problems
    assert re.search(said, str(problem)), problem
    assert "node" in str(problem)


def many(inputs: int) -> Network:
    """A partition that takes so many streams and makes one."""
    (made, text) = partition("a", (("UINT4", 2, 16),) * inputs)
    assert made.streams[0] == stream("s_axis_0", "in", "UINT4", 2, 16)
    return chain((made, text), edges=False)


@pytest.mark.parametrize(("inputs", "words"), [(32, 1), (33, 2)])
def test_more_than_32_receivers(monkeypatch: pytest.MonkeyPatch, inputs: int, words: int) -> None:
    monkeypatch.setattr(Zynq, "check", lambda *_: [])
    monkeypatch.setattr(rules, "slot_problems", lambda _: [])  # a ZedBoard has fewer DMAs
    plan = plan_of(many(inputs), one_each(many(inputs), "zcu104"))
    (node,) = memory_map(plan).nodes
    assert node.block("status").register("ERRORS").count == words
    assert f".N_RX({inputs})" in emit_core(plan, plan.nodes[0]).content.decode()


def test_more_streams_than_the_status_registers_have() -> None:
    with pytest.raises(PlanError) as error:
        plan_of(many(120), one_each(many(120)))
    said = "status registers of node n0 cannot have all its streams: 121 registers FRAMES are needed, and"
    assert any(said in str(problem) for problem in error.value.problems)


def axil(prefix: str, port: str) -> str:
    """Return the connections of an AXI-Lite port."""
    return ", ".join(f".{port}_{signal}({prefix}_{signal})" for signal, _, _ in CHANNELS)


def status(name: str, prefix: str, build_id: int) -> str:
    """Return our own status registers as a block of somebody, at these nets."""
    ties = ", ".join(f".{pin}(2'b00)" for pin in ("beat", "stall", "frame_done", "passed", "marked"))
    ties += ", " + ", ".join(f".error_{kind}(1'b0)" for kind in ("short", "long", "keep"))
    ties += ", .reset_busy(1'b0), .restart(1'b0), .frames_per_transfer(), .reset_start(), .reset_hold()"
    head = f"shell_status #(.BUILD_ID(64'd{build_id}), .N_RX(1), .N_TX(1)) u_{name}"
    return f"    {head} (.aclk(aclk), .aresetn(aresetn), {axil(prefix, 's_axil')}, {ties});\n"


BENCH = """
module tb_claims;
    logic aclk, aresetn;
    logic [31:0] got, compared;
    logic [1:0]  resp;
    initial begin
        aclk = 1'b0;
        forever #5 aclk = !aclk;
    end
%(wires)s
    bench_lite_master #(.ADDR_W(%(bits)d)) u_host (.aclk(aclk), .aresetn(aresetn), .eager(1'b0), %(host)s);
    n0_core u_core (.aclk(aclk), .aresetn(aresetn), %(core)s, %(out)s,
        .s_axis_0_tdata('0), .s_axis_0_tkeep('0), .s_axis_0_tlast(1'b0), .s_axis_0_tvalid(1'b0),
        .s_axis_0_tready(), .m_axis_0_tdata(), .m_axis_0_tkeep(), .m_axis_0_tlast(), .m_axis_0_tvalid(),
        .m_axis_0_tready(1'b1));
%(outside)s
    task expect_read(input int at, input logic [31:0] value);
        u_host.read(%(bits)d'(at), got, resp);
        if (resp != 2'b00 || got !== value)
            $fatal(1, "%%h: got %%h with %%b, expected %%h", at, got, resp, value);
        compared = compared + 1;
    endtask
    task put(input int at, input logic [31:0] value);
        u_host.write(%(bits)d'(at), value, 4'b1111, resp);
        if (resp != 2'b00) $fatal(1, "write to %%h answered %%b", at, resp);
    endtask
    initial begin
        aresetn = 1'b0;
        compared = 0;
        repeat (4) @(negedge aclk);
        aresetn = 1'b1;
%(steps)s
        $display("PASS %%0d", compared);
        $finish;
    end
endmodule
"""


@pytest.mark.parametrize("simulator", SIMULATORS)
def test_registers_of_a_link_answer_through_the_tree(
    monkeypatch: pytest.MonkeyPatch, simulator: str, tmp_path: Path
) -> None:
    """A block in the core and one outside, beside the core's own; also while partitions are in reset."""
    monkeypatch.setattr(Zynq, "check", lambda *_: [])
    counts = (("N_RX", 1), ("N_TX", 1))
    claims(
        monkeypatch,
        Claim(name="mark", addr_bits=12, block="shell_status", counts=counts),
        Claim(name="out", addr_bits=12, offset=0, block="shell_status", counts=counts, leaves=True),
    )

    def with_registers(plan: Plan, node: NodePlan, attachment: Attachment) -> list[str]:
        return [*end_texts(plan, node, attachment), status("mark", "mark_axil", 77)]

    monkeypatch.setattr("shellgen.emit.core.end_texts", with_registers)
    found = network()
    plan = plan_of(found, one_each(found))
    (node,) = memory_map(plan).nodes
    ids = {"status": int(node.build_id, 16), "mark": 77, "out": 88}
    steps = []
    for turn in range(2):
        for block in node.blocks:
            at, scratch = block.base - node.base, ids[block.name] % 1000 + turn
            low, register = block.register("BUILD_ID_LOW").offset, block.register("SCRATCH").offset
            steps.append(f"expect_read({at + low}, 32'd{ids[block.name] & 0xFFFFFFFF});")
            steps.append(f"put({at + register}, 32'd{scratch});")
        for block in node.blocks:
            scratch = ids[block.name] % 1000 + turn
            steps.append(f"expect_read({block.base - node.base + register}, 32'd{scratch});")
        status_block = node.block("status")
        control = status_block.register("CONTROL")
        (hold,) = [field.mask for field in control.fields if field.name == "HOLD"]
        steps.append(f"put({status_block.base - node.base + control.offset}, 32'd{hold});")
    bits = plan.nodes[0].lite_port_bits
    wires = [
        f"wire [{(width or bits) - 1}:0] {name}_{signal};"
        for signal, width, _ in CHANNELS
        for name in ("host", "out")
    ]
    text = BENCH % {
        "bits": bits,
        "wires": "\n".join(line.replace(f"[{bits - 1}:0] out", "[11:0] out") for line in wires),
        "host": axil("host", "m_axil"),
        "core": axil("host", "s_axil"),
        "out": axil("out", "m_axil_out"),
        "outside": status("outside", "out", 88),
        "steps": "\n".join(f"        {step}" for step in steps),
    }
    artifact = emit_core(plan, plan.nodes[0])
    files = {"tb_claims.sv": text.encode(), "n0_core.v": artifact.content}
    files |= {f"{digest}.v": content for digest, content in found.files.items()}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    blocks = [rtl_file(name) for name in {"axis_checker", *core_blocks(artifact)}]
    sources = [*(tmp_path / name for name in files), TOOLS / "bench" / "bench_lite_master.sv", *blocks]
    result = run_sources("tb_claims", sources, simulator)
    assert result.comparisons == 12, result.text
