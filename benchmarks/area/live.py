# SPDX-License-Identifier: BSD-3-Clause
"""How a peer is measured from its checkout: which files, which parameters, and what stands around it.

A row is a function and its numbers, such as ``("width data", 40, 512)``: see rows.py. ``data`` means tkeep
tied to ones, tlast to zero and both dropped at the output, ``full`` that both are alive. Where ports are
interfaces, a wrapper of ours is written at run time. Nothing of a peer is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

from tools.blocks.cost import Subject

Row = tuple[str, *tuple[int, ...]]
OFF = {"ID_ENABLE": 0, "DEST_ENABLE": 0, "USER_ENABLE": 0}
QUIET = {"s_axis_tid": 0, "s_axis_tdest": 0, "s_axis_tuser": 0}
UNUSED = ("m_axis_tid", "m_axis_tdest", "m_axis_tuser")
STATUS = [f"status_{name}" for name in ("depth", "depth_commit", "overflow", "bad_frame", "good_frame")]
LITE_ADDR_W = 32
LITE_SIZE_LOG2 = 12

__all__ = ["FOLDERS", "LIVE", "Row"]


def _register(root: Path, row: Row) -> Subject | None:
    if row[0] not in ("register light", "register full"):
        return None
    kind = 1 if row[0] == "register light" else 2
    parameters = {"DATA_WIDTH": row[1], "KEEP_ENABLE": 0, "REG_TYPE": kind, **OFF}
    ties, opens = {**QUIET, "s_axis_tkeep": 1}, [*UNUSED, "m_axis_tkeep"]
    return Subject("axis_register", (root / "rtl/axis_register.v",), parameters, ties, opens)


def _fifo(root: Path, row: Row) -> Subject | None:
    if row[0] != "fifo":
        return None
    parameters = {"DATA_WIDTH": row[1], "DEPTH": row[2], "KEEP_ENABLE": 0, **OFF}
    ties = {**QUIET, "s_axis_tkeep": 1, "pause_req": 0}
    opens = [*UNUSED, "m_axis_tkeep", "pause_ack", *STATUS]
    return Subject("axis_fifo", (root / "rtl/axis_fifo.v",), parameters, ties, opens)


def _frames(root: Path, row: Row) -> Subject | None:
    if row[0] not in ("frames", "frames-status"):
        return None
    parameters = {
        "DATA_WIDTH": row[1],
        "DEPTH": row[2] * row[1] // 8,
        "KEEP_ENABLE": 1,
        **OFF,
        "USER_ENABLE": 1,
    }
    parameters |= dict.fromkeys(("FRAME_FIFO", "DROP_OVERSIZE_FRAME", "DROP_BAD_FRAME", "DROP_WHEN_FULL"), 1)
    ties = {"s_axis_tid": 0, "s_axis_tdest": 0, "pause_req": 0}
    opens = ["m_axis_tid", "m_axis_tdest", "pause_ack", *(STATUS if row[0] == "frames" else [])]
    return Subject("axis_fifo", (root / "rtl/axis_fifo.v",), parameters, ties, opens)


def _adapter(root: Path, row: Row) -> Subject | None:
    if row[0] not in ("width data", "width full"):
        return None
    _, wide_in, wide_out = row
    unit = min(8, wide_in, wide_out)
    parameters = {"S_DATA_WIDTH": wide_in, "M_DATA_WIDTH": wide_out, **OFF}
    for side, width in (("S", wide_in), ("M", wide_out)):
        parameters |= {f"{side}_KEEP_ENABLE": int(width > unit), f"{side}_KEEP_WIDTH": width // unit}
    ties, opens = dict(QUIET), list(UNUSED)
    if row[0] == "width data":
        ties |= {"s_axis_tkeep": 1, "s_axis_tlast": 0}
        opens += ["m_axis_tkeep", "m_axis_tlast"]
    return Subject("axis_adapter", (root / "rtl/axis_adapter.v",), parameters, ties, opens)


def _two_steps(root: Path, row: Row, scratch: Path) -> Subject | None:
    """Two adapters with a stream of the least common multiple between them."""
    if row[0] != "width data" or max(row[1:]) % min(row[1:]) == 0:
        return None
    _, wide_in, wide_out = row
    middle = math.lcm(wide_in, wide_out)

    def step(name: str, source: int, sink: int, inward: str, outward: str) -> str:
        return f"""
    axis_adapter #(.S_DATA_WIDTH({source}), .M_DATA_WIDTH({sink}), .S_KEEP_ENABLE(1), .M_KEEP_ENABLE(1),
        .ID_ENABLE(0), .DEST_ENABLE(0), .USER_ENABLE(0)) {name} (.clk(clk), .rst(rst),
        .s_axis_tdata({inward}_tdata), .s_axis_tkeep({inward}_tkeep), .s_axis_tvalid({inward}_tvalid),
        .s_axis_tready({inward}_tready), .s_axis_tlast({inward}_tlast),
        .s_axis_tid(8'd0), .s_axis_tdest(8'd0), .s_axis_tuser(1'b0),
        .m_axis_tdata({outward}_tdata), .m_axis_tkeep({outward}_tkeep),
        .m_axis_tvalid({outward}_tvalid), .m_axis_tready({outward}_tready), .m_axis_tlast({outward}_tlast),
        .m_axis_tid(), .m_axis_tdest(), .m_axis_tuser());"""

    text = f"""module two_steps (input wire clk, input wire rst,
    input wire [{wide_in - 1}:0] s_tdata, input wire s_tvalid, output wire s_tready,
    output wire [{wide_out - 1}:0] m_tdata, output wire m_tvalid, input wire m_tready);
    wire [{wide_in // 8 - 1}:0] s_tkeep = '1;
    wire s_tlast = 1'b0;
    wire [{middle - 1}:0] x_tdata;
    wire [{middle // 8 - 1}:0] x_tkeep;
    wire x_tvalid, x_tready, x_tlast, m_tlast;
    wire [{wide_out // 8 - 1}:0] m_tkeep;
    {step("u_up", wide_in, middle, "s", "x")}
    {step("u_down", middle, wide_out, "x", "m")}
endmodule
"""
    return Subject("two_steps", (_write(scratch, text), root / "rtl/axis_adapter.v"))


def _crossings(root: Path, row: Row) -> Subject | None:
    """Broadcast, arbiter, demultiplexer and switch of verilog-axis."""
    rtl = root / "rtl"
    arbiter = (rtl / "arbiter.v", rtl / "priority_encoder.v")
    ties, opens = {**QUIET, "s_axis_tkeep": 1}, [*UNUSED, "m_axis_tkeep"]
    off = {"KEEP_ENABLE": 0, "ID_ENABLE": 0, "USER_ENABLE": 0}
    if row[0] == "broadcast":
        parameters = {"M_COUNT": row[1], "DATA_WIDTH": row[2], **off, "DEST_ENABLE": 0}
        return Subject("axis_broadcast", (rtl / "axis_broadcast.v",), parameters, ties, opens)
    if row[0] == "arbiter":
        # With the number of the input in tid, as ours.
        parameters = {"S_COUNT": row[1], "DATA_WIDTH": row[2], **off, "DEST_ENABLE": 0}
        parameters |= {"ID_ENABLE": 1, "UPDATE_TID": 1, "ARB_TYPE_ROUND_ROBIN": 1, "S_ID_WIDTH": 1}
        parameters |= {"M_ID_WIDTH": max(1, (row[1] - 1).bit_length())}
        opens.remove("m_axis_tid")
        return Subject("axis_arb_mux", (rtl / "axis_arb_mux.v", *arbiter), parameters, ties, opens)
    if row[0] == "demux":
        select = max(1, (row[1] - 1).bit_length())
        parameters = {"M_COUNT": row[1], "DATA_WIDTH": row[2], **off, "DEST_ENABLE": 1, "TDEST_ROUTE": 1}
        parameters |= {"S_DEST_WIDTH": select, "M_DEST_WIDTH": 1}
        del ties["s_axis_tdest"]
        ties |= {"enable": 1, "drop": 0, "select": 0}
        return Subject("axis_demux", (rtl / "axis_demux.v",), parameters, ties, opens)
    if row[0] == "switch":
        select = max(1, (row[2] - 1).bit_length())
        parameters = {"S_COUNT": row[1], "M_COUNT": row[2], "DATA_WIDTH": row[3], **off}
        parameters |= {"S_DEST_WIDTH": select, "M_DEST_WIDTH": 1, "ID_ENABLE": 1, "UPDATE_TID": 1}
        parameters |= {"S_ID_WIDTH": 1, "M_ID_WIDTH": max(1, (row[1] - 1).bit_length())}
        del ties["s_axis_tdest"]
        opens.remove("m_axis_tid")
        sources = (rtl / "axis_switch.v", rtl / "axis_register.v", *arbiter)
        return Subject("axis_switch", sources, parameters, ties, opens)
    return None


def _lite(root: Path, row: Row, top: str) -> Subject | None:
    if row[0] != "axil":
        return None
    rtl = root / "rtl"
    parts = ["arbiter", "priority_encoder", top]
    if top == "axil_crossbar":
        parts += [f"axil_crossbar_{part}" for part in ("addr", "rd", "wr")] + [
            "axil_register_rd",
            "axil_register_wr",
        ]
    sizes = f"{32 * row[1]}'h" + f"{LITE_SIZE_LOG2:08x}" * row[1]
    parameters = {"S_COUNT": 1, "M_COUNT": row[1], "ADDR_WIDTH": LITE_ADDR_W, "M_ADDR_WIDTH": sizes}
    return Subject(top, tuple(rtl / f"{part}.v" for part in parts), parameters)


def _lite_register(root: Path, row: Row) -> Subject | None:
    if row[0] not in ("axil-register light", "axil-register full"):
        return None
    kind = 1 if row[0] == "axil-register light" else 2
    parameters = {f"{channel}_REG_TYPE": kind for channel in ("AW", "W", "B", "AR", "R")}
    sources = tuple(root / f"rtl/axil_register{part}.v" for part in ("", "_rd", "_wr"))
    return Subject("axil_register", sources, {"ADDR_WIDTH": row[1], **parameters})


def _finn_dwc(root: Path, row: Row, scratch: Path) -> Subject | None:
    if row[0] != "width data" or max(row[1:]) % min(row[1:]):
        return None
    source = _slang_can_read(root / "finn-rtllib/dwc/hdl/dwc.sv", scratch)
    return Subject("dwc", (source,), {"IBITS": row[1], "OBITS": row[2]}, frontend="slang")


def _finn_vpc(root: Path, row: Row, scratch: Path, beats: int) -> Subject | None:
    """The converter of vectors, for such that both sides divide, so that nothing is padded."""
    if row[0] != "width data":
        return None
    unit = math.gcd(row[1], row[2])
    whole = max(row[1:]) % min(row[1:]) == 0
    if beats == 1 and not whole:
        return None
    elements = math.lcm(row[1], row[2]) // unit * (beats if whole else 1)
    parameters = {"W": unit, "N": elements, "PI": row[1] // unit, "PO": row[2] // unit}
    source = _slang_can_read(_finn_plus(root, "dwc/hdl/vpc.sv"), scratch)
    return Subject("vpc", (source,), parameters, frontend="slang")


def _finn_skid(root: Path, row: Row, scratch: Path) -> Subject | None:
    if row[0] != "register srl":
        return None
    source = _slang_can_read(_finn_plus(root, "skid/skid.sv"), scratch)
    # slang wants to have seen the vendor's primitive.
    pins = ", ".join(f"input {pin}" for pin in ("CLK", "CE", "D", "A3", "A2", "A1", "A0"))
    stub = _write(scratch, f"(* blackbox *) module SRL16E ({pins}, output Q); endmodule")
    return Subject("skid", (stub, source), {"DATA_WIDTH": row[1] + 1, "FEED_STAGES": 0}, frontend="slang")


def _finn_plus(root: Path, path: str) -> Path:
    """Return a file of finn-rtllib in a checkout or in an unpacked wheel."""
    found = [root / "finn-rtllib" / path, root / "finn" / "finn-rtllib" / path]
    return next((file for file in found if file.is_file()), found[0])


def _slang_can_read(source: Path, scratch: Path) -> Path:
    """Return a copy without what slang refuses: `type(x)`, directives inside, a wrong message."""
    text = source.read_text()
    text = re.sub(r"type\((\w+)\)\s+(\w+) = ", lambda m: f"logic [$bits({m[1]})-1:0]  {m[2]} = ", text)
    text = re.sub(r"(?m)^`default_nettype \w+$", "", text)
    text = text.replace("Requested number of %0d FEED_STAGES", "Requested number of FEED_STAGES")
    copy = scratch / source.name
    copy.write_text(text)
    return copy


def _taxi_axis(root: Path, row: Row, scratch: Path) -> Subject | None:
    rtl = root / "src/axis/rtl"
    if row[0] in ("width data", "width full") and max(row[1:]) % min(row[1:]) == 0:
        block, settings, width_in, width_out = "taxi_axis_adapter", "", row[1], row[2]
    elif row[0] in ("register light", "register full"):
        block, width_in, width_out = "taxi_axis_register", row[1], row[1]
        settings = f"#(.REG_TYPE({1 if row[0] == 'register light' else 2}))"
    elif row[0] == "fifo":
        block, settings, width_in, width_out = "taxi_axis_fifo", f"#(.DEPTH({row[2]}))", row[1], row[1]
    else:
        return None
    width = block == "taxi_axis_adapter"
    full = row[0] == "width full"
    unit = min(8, width_in, width_out)
    keep_in, keep_out = max(1, width_in // unit), max(1, width_out // unit)
    ports = ", .pause_req(1'b0)" if block == "taxi_axis_fifo" else ""
    last = full or not width
    text = f"""module taxi_top (input wire clk, input wire rst,
    input wire [{width_in - 1}:0] s_tdata, input wire [{keep_in - 1}:0] s_tkeep, input wire s_tlast,
    input wire s_tvalid, output wire s_tready,
    output wire [{width_out - 1}:0] m_tdata, output wire [{keep_out - 1}:0] m_tkeep, output wire m_tlast,
    output wire m_tvalid, input wire m_tready);
    taxi_axis_if #(.DATA_W({width_in}), .KEEP_W({keep_in}), .KEEP_EN({int(width and keep_in > 1)})) s ();
    taxi_axis_if #(.DATA_W({width_out}), .KEEP_W({keep_out}), .KEEP_EN({int(width and keep_out > 1)})) m ();
    assign s.tdata = s_tdata;
    assign s.tkeep = {"s_tkeep" if full else "'1"};
    assign s.tlast = {"s_tlast" if last else "1'b0"};
    assign s.tstrb = '1;
    assign s.tid = '0;
    assign s.tdest = '0;
    assign s.tuser = '0;
    assign s.tvalid = s_tvalid;
    assign s_tready = s.tready;
    assign m_tdata = m.tdata;
    assign m_tkeep = {"m.tkeep" if full else "'0"};
    assign m_tlast = {"m.tlast" if last else "1'b0"};
    assign m_tvalid = m.tvalid;
    assign m.tready = m_tready;
    {block} {settings} u_taxi (.clk(clk), .rst(rst), .s_axis(s), .m_axis(m){ports});
endmodule
"""
    sources = (rtl / "taxi_axis_if.sv", rtl / f"{block}.sv", _write(scratch, text))
    return Subject("taxi_top", sources, frontend="slang")


def _taxi_lite(root: Path, row: Row, scratch: Path, kind: str) -> Subject | None:
    if row[0] != "axil":
        return None
    rtl, n = root / "src/axi/rtl", row[1]
    vectors = [("aw", "addr", LITE_ADDR_W), ("aw", "prot", 3), ("w", "data", 32), ("w", "strb", 4)]
    vectors += [("ar", "addr", LITE_ADDR_W), ("ar", "prot", 3)]
    handshakes = [("aw", True), ("w", True), ("b", False), ("ar", True), ("r", False)]
    answers = [("b", "resp", 2), ("r", "data", 32), ("r", "resp", 2)]
    ports, body = [], []
    for side, count, forward in (("s", 1, True), ("m", n, False)):
        index = "" if side == "s" else "[k]"
        lines = []
        for channel, name, bits in [*vectors, *answers]:
            inward = (channel not in "br") == forward
            ports.append(
                f"{'input' if inward else 'output'} wire [{count * bits - 1}:0] {side}_{channel}{name}"
            )
            part = f"{side}_{channel}{name}[{'k*' if index else '0*'}{bits} +: {bits}]"
            net = f"{side}{index}.{channel}{name}"
            lines.append(f"assign {net} = {part};" if inward else f"assign {part} = {net};")
        for channel, request in handshakes:
            for name, with_data in (("valid", True), ("ready", False)):
                inward = (request == with_data) == forward
                ports.append(f"{'input' if inward else 'output'} wire [{count - 1}:0] {side}_{channel}{name}")
                part = f"{side}_{channel}{name}[{'k' if index else 0}]"
                net = f"{side}{index}.{channel}{name}"
                lines.append(f"assign {net} = {part};" if inward else f"assign {part} = {net};")
        unused = [
            f"assign {side}{index}.{user}user = '0;"
            for user in (("aw", "w", "ar") if forward else ("b", "r"))
        ]
        joined = "\n        ".join([*lines, *unused])
        loop = f"for (genvar k = 0; k < {n}; k++) begin : g_m\n        {joined}\n    end" if index else joined
        body.append(loop)
    module = f"taxi_axil_{kind}_1s"
    text = f"""module taxi_top (input wire clk, input wire rst,
    {("," + chr(10) + "    ").join(ports)});
    taxi_axil_if #(.DATA_W(32), .ADDR_W({LITE_ADDR_W})) s ();
    taxi_axil_if #(.DATA_W(32), .ADDR_W({LITE_ADDR_W})) m [{n}] ();
    {body[0]}
    {body[1]}
    {module} #(.M_COUNT({n}), .ADDR_W({LITE_ADDR_W}), .M_ADDR_W({{{n}{{32'd{LITE_SIZE_LOG2}}}}})) u_taxi (
        .clk(clk), .rst(rst), .s_axil_wr(s), .s_axil_rd(s), .m_axil_wr(m), .m_axil_rd(m));
endmodule
"""
    sources = (*_file_list(rtl / f"{module}.f", root), _write(scratch, text))
    return Subject("taxi_top", sources, frontend="slang", options=f"--unroll-limit {max(2000, 40 * n * n)}")


def _file_list(file: Path, root: Path) -> list[Path]:
    """Return the sources of a .f file, those of the files it names too, each once."""
    found: list[Path] = []
    for line in file.read_text().split():
        path = root / line.split("lib/taxi/")[1] if "lib/taxi/" in line else file.parent / line
        found += _file_list(path, root) if path.suffix == ".f" else [path]
    return list(dict.fromkeys(found))


def _write(scratch: Path, text: str) -> Path:
    file = scratch / "wrapper.sv"
    file.write_text(text)
    return file


def _plain(build: Callable[[Path, Row], Subject | None]) -> Callable[[Path, Row, Path], Subject | None]:
    return lambda root, row, _: build(root, row)


def _crossing(function: str) -> Callable[[Path, Row, Path], Subject | None]:
    return lambda root, row, _: _crossings(root, row) if row[0] == function else None


# Peer, the folder of its checkout, and what to measure of it for a row.
LIVE: dict[str, tuple[str, Callable[[Path, Row, Path], Subject | None]]] = {
    "verilog-axis axis_register": ("verilog-axis", _plain(_register)),
    "verilog-axis axis_fifo": ("verilog-axis", _plain(_fifo)),
    "verilog-axis axis_fifo of frames": ("verilog-axis", _plain(_frames)),
    "verilog-axis axis_adapter": ("verilog-axis", _plain(_adapter)),
    "verilog-axis axis_adapter in two steps": ("verilog-axis", _two_steps),
    "verilog-axis axis_broadcast": ("verilog-axis", _crossing("broadcast")),
    "verilog-axis axis_arb_mux": ("verilog-axis", _crossing("arbiter")),
    "verilog-axis axis_demux": ("verilog-axis", _crossing("demux")),
    "verilog-axis axis_switch": ("verilog-axis", _crossing("switch")),
    "FINN dwc": ("finn", _finn_dwc),
    "finn-plus vpc": ("finn-plus", lambda root, row, s: _finn_vpc(root, row, s, 16)),
    "finn-plus vpc, a vector is one wide beat": (
        "finn-plus",
        lambda root, row, s: _finn_vpc(root, row, s, 1),
    ),
    "finn-plus skid": ("finn-plus", _finn_skid),
    "taxi": ("taxi", _taxi_axis),
    "taxi interconnect": ("taxi", lambda root, row, s: _taxi_lite(root, row, s, "interconnect")),
    "taxi crossbar": ("taxi", lambda root, row, s: _taxi_lite(root, row, s, "crossbar")),
    "verilog-axi interconnect": ("verilog-axi", lambda root, row, _: _lite(root, row, "axil_interconnect")),
    "verilog-axi axil_register": ("verilog-axi", _plain(_lite_register)),
    "verilog-axi crossbar": ("verilog-axi", lambda root, row, _: _lite(root, row, "axil_crossbar")),
}
FOLDERS = sorted({folder for folder, _ in LIVE.values()})
