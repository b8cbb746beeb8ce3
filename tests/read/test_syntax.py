# SPDX-License-Identifier: BSD-3-Clause
"""Verilog by syntax tree: odd and hostile texts, and edits that change nothing else."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from read.build_fixture import Build, write_stitched
from scale_partition import wrapper

from shellgen.errors import InputError, ToolMissingError
from shellgen.read import read_network
from shellgen.read.missing import missing_modules
from shellgen.read.verilog import Verilog, decoded, encoded, read_text
from shellgen.read.wrapper import group_ports, ports_of_module
from vivado_check.syntax import process, stop
from vivado_check.syntax.prepare import prepare

DEEP = 100_000
NESTED = {
    "parentheses": f"module m; assign x = {'(' * DEEP}1{')' * DEEP}; endmodule",
    "blocks": f"module m; initial {'begin ' * DEEP}{'end ' * DEEP}endmodule",
    "unbalanced": f"module m; assign x = {'(' * DEEP};",
    "chain": f"module m; initial {'if (a) b = 1; else ' * DEEP}b = 2; endmodule",
}
DOUBLING = "".join(f"`define A{k} `A{k + 1} `A{k + 1}\n" for k in range(40)) + "module m; `A0 endmodule"
# What would overflow the stack that a process has by itself.
LONG = {
    "a sum": f"module m; assign x = {' + '.join(['a'] * DEEP)}; endmodule",
    "generate": f"module m; {'if (1) begin ' * DEEP}leaf u (); {'end ' * DEEP}endmodule",
    "a path": f"module m; assign x = a{'.b' * DEEP}; endmodule",
    "dimensions": f"module m; wire {'[1:0]' * DEEP} a; endmodule",
}


def test_a_text_that_is_nested_beyond_reason_is_refused_and_the_next_one_is_read() -> None:
    for name, text in NESTED.items():
        with pytest.raises(InputError, match=r"^deep\.v: it is nested too deeply to be read\. "):
            _ = Verilog(text, "deep.v").facts
        assert Verilog(f"module {name}; endmodule").defined == {name}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_text_that_is_only_long_is_read(text: str) -> None:
    assert Verilog(text).defined == {"m"}


def test_macros_that_use_each_other_many_times_over_take_no_memory_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_SECONDS", 300.0)  # a slow machine must meet the limit of memory first
    with pytest.raises(InputError, match=r"^bomb\.v: reading it takes more than 1 GiB of memory"):
        _ = Verilog(DOUBLING, "bomb.v").facts


def test_a_parser_that_hangs_or_dies_costs_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    stop()
    with monkeypatch.context() as patch:
        patch.setattr(process, "_SECONDS", 0.0)
        patch.setattr(process, "_SECONDS_A_MEGABYTE", 0.0)
        patch.setattr(process, "_START", "while True: pass")
        with pytest.raises(InputError, match=r"^slow\.v: reading it takes more than 0 s"):
            _ = Verilog("module slow; endmodule", "slow.v").facts
    assert Verilog("module alive; endmodule").defined == {"alive"}
    ends = {signal.SIGSEGV: "it is nested too deeply", signal.SIGKILL: "reading it takes more than 1 GiB"}
    for number, found in ends.items():
        worker = process._worker
        assert worker
        os.kill(worker.process.pid, number)
        worker.process.wait()
        with pytest.raises(InputError, match=rf"^killer\.v: {found}"):
            _ = Verilog(f"module dead_{number}; endmodule", "killer.v").facts
        assert Verilog(f"module risen_{number}; endmodule").defined == {f"risen_{number}"}


def test_a_parser_that_the_machine_gives_no_time_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    stop()
    with monkeypatch.context() as patch:
        patch.setattr(process, "_SECONDS", 0.0)
        patch.setattr(process, "_SECONDS_A_MEGABYTE", 0.0)
        patch.setattr(process, "processor_seconds", lambda _: 0.0)
        assert Verilog("module late; endmodule").defined == {"late"}


def test_a_machine_without_pyslang_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    stop()
    with monkeypatch.context() as patch:
        patch.setattr(process, "_START", "import sys; sys.modules['pyslang'] = None; " + process._START)
        with pytest.raises(ToolMissingError, match=r"^pyslang: it cannot be imported: .*pyslang"):
            _ = Verilog("module lonely; endmodule").facts
    stop()


def test_a_forked_process_has_a_parser_of_its_own() -> None:
    """Two that share a pipe would read each other's answers."""
    assert Verilog("module parent; endmodule").defined == {"parent"}
    child = os.fork()
    if not child:
        good = process._worker is None and Verilog("module child; endmodule").defined == {"child"}
        stop()
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert Verilog("module after; endmodule").defined == {"after"}


def test_the_folder_that_a_user_stands_in_gives_no_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "pyslang", "threading"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    stop()
    assert Verilog("module foreign; endmodule").defined == {"foreign"}
    assert not (tmp_path / "ran").exists()


def test_nothing_is_included_but_what_is_given(tmp_path: Path) -> None:
    header = tmp_path / "w.vh"
    header.write_text("`define W 8\n")
    for name in (str(header), f"../{tmp_path.name}/w.vh", "w.vh"):
        text = f'`include "{name}"\nmodule top (input [`W-1:0] x); endmodule'
        with pytest.raises(InputError, match="unknown macro"):
            ports_of_module(Verilog(text, str(tmp_path / "top.v")), "top")
        (pin,) = ports_of_module(Verilog(text, "top.v", {"w.vh": "`define W 4\n"}), "top")
        assert pin.bits == 4, "the header of the build, wherever its place was"
    again = {"w.vh": '`include "w.vh"\n' * 3}
    assert Verilog('`include "w.vh"\nmodule m; endmodule', "top.v", again).defined == {"m"}


@pytest.mark.parametrize("content", [b"\0" * (1 << 20), "module m; endmodule".encode("utf-16")])
def test_a_source_that_is_no_text_is_refused_with_its_line(content: bytes, tmp_path: Path) -> None:
    ip = write_stitched(tmp_path / "conv", Build())
    (path,) = ip.rglob("memstream.v")
    path.write_bytes(b"module m;\n" + content)
    with pytest.raises(InputError, match=rf"{path.name}:2: it contains a zero byte, so it is not Verilog"):
        read_network(ip)


def test_a_source_of_any_size_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.v"
    with path.open("wb") as file:
        file.truncate(10 << 30)
    with pytest.raises(InputError, match=r"huge\.v: it has 10240 MiB, and no source of a build more than 32"):
        read_text(path)


ODD = """\
// leaf u (); \\leaf
/* leaf */ (* note = "leaf
leaf", keep *) module top #(parameter P = "leaf") (input \\a.b[3] , output leaf_q);\r
  // leaf\xe9 \udce9 \u20ac\r
  `define USES(x) leaf x (.leaf(leaf)); /* leaf */ \\
    leaf``_not u_not (); pkg::leaf z;
  `USES(u_first)
  \\leaf u_second (.leaf(top.leaf));
`ifdef SYNTHESIS
  leaf #(.A("leaf"), .leaf(3)) u_synth ();
`elsif VERILATOR
  leaf u_bench [3:0] ();
`else
  `ifndef NEVER\tleaf u_else (); `endif
`endif
  wire [3:0] leaf = leaf.leaf ? "leaf" : leaf;
  initial begin : leaf $display("%m leaf", leaf); leaf(leaf); end
  generate for (genvar leaf = 0; leaf < 2; leaf++) begin leaf u_loop (); end endgenerate
endmodule : top
`define UNUSED leaf u_unused ();
"""
RENAMED = (
    "`define USES(x) @ x",
    "  \\@ u_second",
    "  @ #(.A",
    "  @ u_bench",
    "\t@ u_else",
    "begin @ u_loop",
    "`define UNUSED @ u_unused",
)


@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_renaming_changes_what_is_a_module_in_every_branch_and_no_other_byte(begin: bytes, end: str) -> None:
    content = begin + encoded(ODD.replace("\n", end))
    wanted = content
    for new in RENAMED:
        old = new.replace("@", "leaf").encode()
        assert wanted.count(old) == 1, new
        wanted = wanted.replace(old, new.replace("@", "leaf__p1").encode())
    assert encoded(Verilog(decoded(content)).renamed({"leaf": "leaf__p1"}, {})) == wanted


def test_a_name_that_a_macro_puts_together_cannot_be_renamed() -> None:
    text = "`define MAKE(x) mod_``x u_``x ();\nmodule top;\n  `MAKE(a)\nendmodule\n"
    assert Verilog(text).renamed({"mod_b": "new"}, {}) == text
    assert "mod_a" in Verilog(text).used
    with pytest.raises(InputError, match=r"^top\.v: a macro assembles the name mod_a"):
        Verilog(text, "top.v").renamed({"mod_a": "new"}, {})


def test_macros_of_a_header_are_renamed_in_the_header() -> None:
    header = "`define CORE(x) core x ();\n"
    top = Verilog('`include "sub/m.vh"\nmodule top; `CORE(u) endmodule', "top.v", {"m.vh": header})
    assert top.used == {"core"}
    assert top.renamed({"core": "new"}, {"m.vh": "m2.vh"}) == top.text.replace("sub/m.vh", "m2.vh")
    assert Verilog(header).renamed({"core": "new"}, {}) == header.replace("core", "new")


def test_what_branches_and_macros_lack_is_known_and_not_certain() -> None:
    found = {entry.module: entry.certain for entry in missing_modules("top", {"a.v": Verilog(ODD)})}
    assert found == {"leaf": True, "leaf_not": True}
    text = ODD.replace("leaf u_bench", "other u_bench").replace("leaf u_else", "third u_else")
    found = {entry.module: entry.certain for entry in missing_modules("top", {"a.v": Verilog(text)})}
    assert found == {"leaf": True, "leaf_not": True, "other": False, "third": False}


def test_an_error_that_hides_a_module_is_one_and_others_are_the_tools_business() -> None:
    wrong = "module first;\n  function\nmodule second; endmodule // module third\n"
    with pytest.raises(InputError, match=r"^cut\.v:\d: .+, so that module \w+ cannot be read\. Copy"):
        _ = Verilog(wrong, "cut.v").facts
    assert Verilog('module m; initial $display("module n"); assign = 1; endmodule').defined == {"m"}


def test_guards_and_branches_that_exclude_each_other() -> None:
    text = """`ifndef GUARD
`define GUARD
`ifdef A `ifdef B module a_b; endmodule `else module a; endmodule `endif `endif
`ifndef A `ifdef B module b; endmodule `endif `else module again; endmodule `endif
`ifdef GUARD module always_; endmodule `else module never; endmodule `endif
`endif
"""
    assert Verilog(text).defined == {"a_b", "a", "b", "again", "always_"}


def test_a_prepared_text_keeps_every_place() -> None:
    text = ODD + '`include "a/b.vh"\n`include `X\n`protected\nleaf u ();\n`endprotected\n(* x = "a\nb" *)\n'
    for headers in ((), ("b.vh",)):
        found = prepare(text, headers).text
        assert len(found) == len(text)
        assert found.isascii()
        assert [at for at, char in enumerate(found) if char == "\n"] == [
            at for at, char in enumerate(text) if char == "\n"
        ]


def test_a_wrapper_with_a_thousand_slaves() -> None:
    text = wrapper([16] * 1024)
    pins = ports_of_module(Verilog(text, "many.v"), "many_wrapper")
    assert len(group_ports(pins)) == 1024 + 1 + 1
    assert {pin.bits for pin in pins if pin.name.endswith("awaddr")} == {16}
