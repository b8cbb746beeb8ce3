# SPDX-License-Identifier: BSD-3-Clause
"""Fixes of FINN's RTL: each changes its passage, still finds it in a release, and is listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from read.build_fixture import Build, child, save, write_stitched

from shellgen.api import generate
from shellgen.errors import SimulationError
from shellgen.hdl_fixes import FIXES, fixed
from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.tools import find_verilator
from shellgen.stitch.environment import default_folder, ensure_finn_env


def text_of(name: str, text: str) -> str:
    return fixed(name, text)[0]


def test_constant_function_moves_out_of_the_generate_block() -> None:
    text = """module add_multi;
\tlocalparam int unsigned  L = $clog2(N);
\tif(L < 1) begin : genTrivial
\tend
\telse begin : genTree
\t\ttypedef int unsigned  leaf_load_t[2*N-1];
\t\tfunction leaf_load_t init_leaf_loads();
\t\tendfunction : init_leaf_loads
\t\tlocalparam leaf_load_t   LEAF_LOAD = init_leaf_loads();
\tend
endmodule
"""
    new = text_of("add_multi.sv", text)
    assert new.index("typedef") < new.index("endfunction") < new.index("localparam int unsigned  L =")
    assert sorted(new.split()) == sorted(text.split())
    assert text_of("add_multi.sv", new) != text
    assert text_of("other.sv", text) == text


def test_small_fixes() -> None:
    fifo = "$error(\"Unrecognized FIFO_CORE '%s'\", FIFO_CORE);"
    assert text_of("P_StreamingFIFO_rtl_0.v", fifo) == fifo.replace(", FIFO_CORE)", ", fifo_core)")
    assert (
        text_of("fifo.sv", "typedef struct { int a; } abits_t;")
        == "typedef struct packed { int a; } abits_t;"
    )
    sizes = ".OUT_SHAPE('{ 5, 1, 5 }),"
    assert text_of("P_HWWhere_rtl_0_core.sv", sizes) == ".OUT_SHAPE('{ 5, 1, 5, 1, 1, 1, 1, 1 }),"
    watch = "x\n\tif(1) begin : blkRecoveryWatch\n\t\t#100ns;\n\tend : blkRecoveryWatch\ny\n"
    guarded = text_of("mvu.sv", watch)
    assert guarded.startswith("x\n`ifndef VERILATOR\n\tif(1)")
    assert guarded.endswith(": blkRecoveryWatch\n`endif\ny\n")
    assert text_of("mvu.sv", "nothing of that\r\n") == "nothing of that\r\n"
    windows = watch.replace("\n", "\r\n")
    assert text_of("mvu.sv", windows) == guarded.replace("\n", "\r\n")


@pytest.mark.finn
def test_every_fix_finds_its_passage_in_some_release() -> None:
    """The fixes for finn-plus 1.6.1 in its library, except what it generates for a layer (HWWhere).

    The misnamed FIFO is of 1.3.0 or before.
    """
    ensure_finn_env()
    library = next(default_folder().glob("lib/python3.*/site-packages/finn/finn-rtllib"))
    files = {path.name: path.read_text(errors="replace") for path in library.rglob("*.*v")}
    found = {reason for name, text in files.items() for reason in fixed(name, text)[1]}
    lost = [fix.name for fix in FIXES if fix.reason not in found]
    assert lost == [r".*StreamingFIFO.*\.v", r".*HWWhere.*_core\.sv"]


def test_the_manifest_lists_the_fixes(tmp_path: Path) -> None:
    before = "module StreamingFIFO_rtl_9;\ninitial $error(\"FIFO_CORE '%s'\", FIFO_CORE);\nendmodule\n"
    build = Build(extra={"hdl/StreamingFIFO_rtl_9.v": before})
    ip = write_stitched(tmp_path / "conv", build)
    save(child(build), ip / "conv.onnx")
    cluster = tmp_path / "cluster.toml"
    cluster.write_text('build = "conv"\n[[node]]\nname = "n0"\nboard = "zedboard"\npartitions = [0]\n')
    out = tmp_path / "out"
    for _ in range(2):  # and the manifest of the first run is understood by the second
        generate(cluster, out)
    manifest = json.loads((out / "manifest.json").read_text())
    path = "n0/partition/StreamingFIFO_rtl_9.v"
    assert manifest["fixes"] == {path: [m.reason for m in FIXES if m.name == r".*StreamingFIFO.*\.v"]}
    assert (out / path).read_text() == before.replace(", FIFO_CORE)", ", fifo_core)")


TOP = """
module top (input wire clk, input wire rst, input wire [2:0] a[5], output wire [5:0] q, input wire [7:0] d);
  add_multi #(.N(5), .DEPTH(2), .ARG_WIDTH(3)) u_add (.clk, .rst, .en(1'b1), .arg(a), .sum(q));
  StreamingFIFO_rtl_0 u_fifo (
    .ap_clk(clk), .ap_rst_n(rst), .in0_V_TDATA(d), .in0_V_TVALID(rst), .out0_V_TREADY(rst)
  );
endmodule
"""


@pytest.mark.finn
def test_the_rtl_of_finn_plus_simulates_once_it_is_fixed(tmp_path: Path) -> None:
    """As FINN writes it, Verilator takes neither the adder tree nor a FIFO."""
    ensure_finn_env()
    library = next(default_folder().glob("lib/python3.*/site-packages/finn/finn-rtllib"))
    fifo = (library / "fifo/hdl/fifo_template.v").read_text()
    for name, value in {
        "$TOP_MODULE_NAME$": "StreamingFIFO_rtl_0",
        "$RAM_STYLE$": "auto",
        "$IN_RANGE$": "[7:0]",
        "$OUT_RANGE$": "[7:0]",
        "$WIDTH$": "8",
        "$DEPTH$": "16",
    }.items():
        fifo = fifo.replace(name, value)
    texts = {"StreamingFIFO_rtl_0.v": fifo, "top.sv": TOP}
    names = ("mvu/mvu_pkg.sv", "mvu/add_multi.sv", "fifo/hdl/fifo.sv")
    texts = {Path(name).name: (library / name).read_text() for name in names} | texts

    def verilate(folder: Path, files: dict[str, str]) -> None:
        (folder / "work").mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        paths = tuple(folder / name for name in files)
        translate(find_verilator(), Design("top", paths, frozenset(paths), (), ()), folder / "work")

    right = {name: fixed(name, text)[0] for name, text in texts.items()}
    verilate(tmp_path / "fixed", right)
    for name in ("add_multi.sv", "fifo.sv"):
        with pytest.raises(SimulationError, match=name):
            verilate(tmp_path / f"raw_{name}", right | {name: texts[name]})
