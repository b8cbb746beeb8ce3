# SPDX-License-Identifier: BSD-3-Clause
"""Contents of Vivado's memories: every file exists, and both sides of ``ifdef SYNTHESIS`` agree."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from read.build_fixture import Build, put, write_stitched
from read.contents_fixture import placed, problem_of, read
from read.test_read_contents import FOREIGN, OWN, SIM, SYNTH, found_in, ip_of

from shellgen.read.initial import words_of
from shellgen.read.memory_proof import check_memories

RAM = """
module ram #(parameter MEM_INIT = "./", parameter ID = 0) (input clk);
  reg [31:0] mem [0:3];
  reg [7:0] idx = ID;
  initial begin
`ifdef SYNTHESIS
    if (ID < 10) $readmemh({MEM_INIT, "memblock_synth_", idx + 8'd48, ".dat"}, mem, 0, 3);
    else $readmemh({MEM_INIT, "memblock_synth_", (idx / 10) + 8'd48, (idx % 10) + 8'd48, ".dat"}, mem, 0, 3);
`else
    $sformat(idx, "%0d", ID);
    $readmemh({MEM_INIT, "memblock_sim_", idx[7:0], ".dat"}, mem, 0, 3);
`endif
  end
endmodule
module middle #(parameter MEM_INIT = "./") (input clk);
  ram #(.ID(0), .MEM_INIT(MEM_INIT)) u_ram (.clk(clk));
endmodule
module top (input clk);
  middle #(.MEM_INIT("a__")) u_a (.clk(clk));
  middle #(.MEM_INIT("b__")) u_b (.clk(clk));
endmodule
"""
# The AXI-Lite slave in a component.xml: the interface and its ports.
WITHOUT_LITE = re.compile(
    r"<spirit:busInterface>\s*<spirit:name>s_axilite_0<.*?</spirit:busInterface>"
    r"|<spirit:port>\s*<spirit:name>s_axilite_0_.*?</spirit:port>",
    re.DOTALL,
)
LIVE = frozenset({"top", "middle", "ram"})
FILES = {f"{at}__memblock_{side}_0.dat": b"01\n02\n" for at in "ab" for side in ("sim", "synth")}


def said(text: str, files: dict[str, bytes], live: frozenset[str] = LIVE) -> list[str]:
    return [str(problem) for problem in check_memories([(Path("ram.v"), text)], files, live)]


def test_the_names_of_finn_are_put_together_through_wrappers() -> None:
    assert said(RAM, FILES) == []
    assert said(RAM, FILES | {"a__memblock_synth_0.dat": b"00001\n2 // the same words\n"}) == []
    for name in FILES:
        problems = said(RAM, {n: FILES[n] for n in FILES if n != name})
        assert {text.partition(": ")[2] for text in problems} == {
            f"it fills mem from {name.replace('_0.', '_*.')}, and no such file is in the partition. "
            "Copy the file into the folder of the partition."
        }, "each file of each instance is needed"
    changed = FILES | {"b__memblock_synth_0.dat": b"01\n03\n"}
    assert "b__memblock_sim_0.dat and b__memblock_synth_0.dat differ" in said(RAM, changed)[0]
    zeros = FILES | {"b__memblock_synth_0.dat": b"00\n00\n"}
    assert len(said(RAM, zeros)) == 1, "zeros are no weights, but for URAM"
    texts = [(Path("ram.v"), RAM)]
    assert check_memories(texts, zeros, LIVE, frozenset({"b__memblock_synth_0.dat"})) == []
    assert said(RAM, {}, frozenset()) == [], "what nothing instantiates opens no file"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('`ifndef SYNTHESIS\ninitial $readmemh("x.dat", m);\n`endif', "fills m in simulation only"),
        ('`ifdef SYNTHESIS\ninitial $readmemh("x.dat", m);\n`endif', "fills m in synthesis only"),
        ('`ifdef VERILATOR\ninitial $readmemh("x.dat", m);\n`endif', "fills m in simulation only"),
        (
            '// synthesis translate_off\ninitial $readmemh("x.dat", m);\n// synthesis translate_on',
            "fills m in simulation only",
        ),
        ('// synopsys translate_off\n// synopsys translate_on\ninitial $readmemh("x.dat", m);', ""),
        ('`ifdef VERILATOR\n`elsif SYNTHESIS\ninitial $readmemh("x.dat", m);\n`endif', "in synthesis only"),
        ('`ifdef FAST\ninitial $readmemh("x.dat", m);\n`else\ninitial $readmemh("x.dat", m);\n`endif', ""),
        ('`ifndef FAST\ninitial $readmemh("x.dat", m);\n`endif', ""),
        ('`define A\n`ifdef A\n`else\ninitial $readmemh("q.dat", m);\n`endif', ""),
        ('`define A\n`undef A\n`ifndef A\ninitial $readmemh("q.dat", m);\n`endif', "from q.dat"),
        ('`ifdef B\n`define A\n`endif\n`ifndef A\ninitial $readmemh("q.dat", m);\n`endif', "from q.dat"),
        ('initial $readmemh("Q.DAT", m);', "from Q.DAT, and no such file"),
        ('initial $readmemb("y.mem", m[1]);', "fills m[1] from y.mem, and no such file"),
        (
            '`ifdef SYNTHESIS\ninitial $readmemh("x.dat", m);\n`else\ninitial $readmemh("z.dat", m);\n`endif',
            "z.dat and x.dat differ",
        ),
        ('localparam string F = {"z", ".dat"}; initial $readmemh(F, m);', ""),
        ('localparam F = "q.dat"; initial $readmemh(F, m);', "from q.dat, and no such file"),
        ('parameter P = ""; initial if (P != "") $readmemh(P, m);', ""),
        ("task load(input string name); $readmemh(name, m); endtask", ""),
        ('initial $readmemh($sformatf("%sq_%0d.dat", "z", 3), m);', "from zq_*.dat"),
        ('initial $display("$readmemh(\\"q.dat\\", m)"); // $readmemh("q.dat", m)', ""),
    ],
)  # fmt: skip
def test_what_only_one_side_sees(text: str, found: str) -> None:
    files = {"x.dat": b"1\n", "z.dat": b"2\n"}
    problems = said(f"module one;\n{text}\nendmodule\n", files, frozenset({"one"}))
    assert len(problems) == bool(found), problems
    assert all(found in problem and "ram.v:" in problem for problem in problems)


def test_zeros_for_synthesis_are_taken_for_uram_only(tmp_path: Path) -> None:
    """A memory of another kind would have them in hardware, where nobody loads it."""
    ip = ip_of(tmp_path)
    put(ip / OWN / SIM, FOREIGN)
    put(ip / OWN / SYNTH, "00000000\n" * 4)
    assert f"{SIM} and {SYNTH} of MVAU_rtl_0 differ" in problem_of(ip)


def test_whole_paths_in_both_branches(tmp_path: Path) -> None:
    """Each literal names its own file; the one that is lost is that of the other branch, and both agree."""
    text = (
        f'module both;\n`ifdef SYNTHESIS\ninitial $readmemh("/dead/{OWN}/{SYNTH}", mem);\n`else\n'
        f'initial $readmemh("/dead/{OWN}/{SIM}", mem);\n`endif\nendmodule\n'
    )
    ip = placed(write_stitched(tmp_path / "net", Build(extra={"a/both.v": text})), "both")
    put(ip / OWN / SIM, FOREIGN)
    assert found_in(ip)[SYNTH] == words_of(FOREIGN.encode())
    put(ip / OWN / SYNTH, FOREIGN.replace("3", "5"))
    assert "differ: the board would compute something else" in problem_of(ip)


def test_uram_is_loaded_by_the_host_or_refused(tmp_path: Path) -> None:
    ip = ip_of(tmp_path / "loaded", style="ultra", model=True)
    (part,) = read(ip).partitions
    assert part.uram_weights == ("MVAU_rtl_0",)
    assert any(
        "URAM starts with zeros, so load the weights of MVAU_rtl_0 first" in text for text in part.remarks
    )
    fixed = ip_of(tmp_path / "fixed", style="ultra", model=True)
    text = (fixed / "net.onnx").read_bytes()
    (fixed / "net.onnx").write_bytes(text.replace(b"runtime_writeable_weights", b"runtime_writeable_nothing"))
    (xml,) = fixed.rglob("component.xml")
    xml.write_text(WITHOUT_LITE.sub("", xml.read_text()))
    assert "the weights of MVAU_rtl_0 are in URAM, which starts with zeros" in problem_of(fixed)


def test_icarus_opens_the_same_words_on_both_sides(tmp_path: Path) -> None:
    """The emitted files and texts, compiled with and without SYNTHESIS."""
    ip = ip_of(tmp_path, model=True)
    network = read(ip)
    (part,) = network.partitions
    for source in part.sources:
        put(tmp_path / "run" / source.name, network.files[source.sha256])
    top = next(path for path in (tmp_path / "run").glob("wstrm*.v"))
    block = next(path for path in (tmp_path / "run").glob("singleblock*.v"))
    text = block.read_text()
    for old, new in (
        ("initial begin", "reg [31:0] mem [0:3];\n  initial begin"),
        ("`endif", '`endif\n    $display("%h %h %h %h", mem[0], mem[1], mem[2], mem[3]);'),
        ("parameter ", 'parameter MEM_DEPTH = 4, MEM_WIDTH = 32, RAM_STYLE = "auto", '),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    block.write_text(text)
    shown = []
    for define in ([], ["-DSYNTHESIS"]):
        run = ["iverilog", "-g2012", *define, "-s", "wstrm", "-o", "a.out", top.name, block.name]
        subprocess.run(run, cwd=tmp_path / "run", check=True)
        done = subprocess.run(
            ["vvp", "a.out"], cwd=tmp_path / "run", capture_output=True, text=True, check=True
        )
        shown.append(done.stdout)
    assert shown[0] == shown[1]
    assert [word.lstrip("0") for word in shown[0].split()] == [word.decode() for word in found_in(ip)[SIM]]
