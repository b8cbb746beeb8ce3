# SPDX-License-Identifier: BSD-3-Clause
"""Renaming: exact, only where names collide, and never what merely looks like a module's name."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from read.build_fixture import Build, put, write_stitched

from shellgen import resources
from shellgen.model import Partition, SourceFile
from shellgen.read import read_network
from shellgen.read.uniquify import _groups, uniquify
from shellgen.read.verilog import Verilog
from vivado_check.syntax.prepare import prepare

KINDS: dict[str, Literal["verilog", "systemverilog", "header", "data"]] = {
    "v": "verilog",
    "sv": "systemverilog",
    "vh": "header",
    "dat": "data",
}


def made(*builds: dict[str, str]) -> tuple[tuple[Partition, ...], dict[str, bytes]]:
    """Partitions p0, p1... whose top is the module ``top``."""
    files: dict[str, bytes] = {}
    partitions = []
    for index, build in enumerate(builds):
        entries = []
        for name, text in build.items():
            sha256 = hashlib.sha256(text.encode()).hexdigest()
            files[sha256] = text.encode()
            entries.append(SourceFile(name=name, kind=KINDS[name.rsplit(".", 1)[1]], sha256=sha256))
        partitions.append(
            Partition(
                name=f"p{index}",
                top="top",
                clock="c",
                reset="r",
                streams=(),
                sources=tuple(entries),
                origin="x",
            )
        )
    return tuple(partitions), files


def texts(partition: Partition, files: dict[str, bytes]) -> dict[str, str]:
    return {entry.name: files[entry.sha256].decode() for entry in partition.sources}


def test_equal_partitions_share_everything() -> None:
    build = {"top.v": "module top; leaf u(); endmodule\n", "leaf.v": "module leaf; endmodule\n"}
    partitions, files = uniquify(*made(build, dict(build)))
    assert partitions[0].sources == partitions[1].sources
    assert partitions[1].top == "top"
    assert len(files) == 2


def test_only_what_differs_is_renamed_and_who_uses_it() -> None:
    """`top` and `mid` have equal text in both, but mean another `leaf`; `same` is shared."""
    shared = {
        "top.v": "module top; mid u(); same s(); endmodule\n",
        "mid.v": "module mid; leaf #(1) u(); endmodule\n",
    }
    shared |= {"same.v": "module same; endmodule\n"}
    one = shared | {"leaf.v": "module leaf #(parameter A = 0); endmodule\n"}
    other = shared | {"leaf.v": "module leaf #(parameter A = 1); endmodule\n"}
    partitions, files = uniquify(*made(one, other))
    assert texts(partitions[0], files) == one
    assert partitions[1].top == "top__p1"
    assert texts(partitions[1], files) == {
        "top__p1.v": "module top__p1; mid__p1 u(); same s(); endmodule\n",
        "mid__p1.v": "module mid__p1; leaf__p1 #(1) u(); endmodule\n",
        "same.v": "module same; endmodule\n",
        "leaf__p1.v": "module leaf__p1 #(parameter A = 1); endmodule\n",
    }


def test_models_of_plug_ins_are_kept_apart_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is simulated with the partitions counts, ours and that of other packages."""
    put(tmp_path / "sim/their_wire.sv", b"module their_wire; endmodule")
    ours = resources.homes()
    monkeypatch.setattr(resources, "homes", lambda: (*ours, tmp_path))
    build = {"top.v": "module top; their_wire u(); tcp_link v(); endmodule\n"}
    build |= {f"{name}.v": f"module {name}; endmodule\n" for name in ("their_wire", "tcp_link")}
    partitions, files = uniquify(*made(build))
    assert (
        "module top; their_wire__p0 u(); tcp_link__p0 v(); endmodule\n"
        in texts(partitions[0], files).values()
    )


def test_a_third_partition_shares_with_whom_it_can() -> None:
    one, other = ({"top.v": f"module top; wire {name}; endmodule\n"} for name in "ab")
    partitions, files = uniquify(*made(one, other, dict(other), dict(one)))
    assert [partition.top for partition in partitions] == ["top", "top__p1", "top__p1", "top"]
    assert partitions[1].sources == partitions[2].sources
    assert len(files) == 2


def test_equal_content_under_two_file_names_is_one_file() -> None:
    text = "module top; endmodule\n"
    partitions, _ = uniquify(*made({"a.v": text}, {"b.v": text}))
    assert [entry.name for entry in partitions[1].sources] == ["a.v"]


def test_file_names_of_other_content_are_told_apart() -> None:
    partitions, files = uniquify(*made({"x.v": "module a; endmodule\n"}, {"x.v": "module b; endmodule\n"}))
    assert texts(partitions[1], files) == {"x__p1.v": "module b; endmodule\n"}


def test_headers_are_renamed_with_their_include() -> None:
    source = '`include "w.vh"\nmodule top; wire [`W:0] x; endmodule\n'
    partitions, files = uniquify(
        *made({"w.vh": "`define W 1\n", "top.v": source}, {"w.vh": "`define W 2\n", "top.v": source})
    )
    assert texts(partitions[1], files)["top__p1.v"] == source.replace("w.vh", "w__p1.vh").replace(
        "top;", "top__p1;"
    )
    assert "w__p1.vh" in texts(partitions[1], files)


def test_packages_are_renamed_with_their_uses() -> None:
    user = "module top import cfg::*; (input cfg::word_t x);\n  import cfg::N;\nendmodule : top\n"
    builds = [
        {"cfg.sv": f"package cfg; localparam N = {n}; endpackage : cfg\n", "top.sv": user} for n in (1, 2)
    ]
    partitions, files = uniquify(*made(*builds))
    found = texts(partitions[1], files)
    assert found["cfg__p1.sv"] == "package cfg__p1; localparam N = 2; endpackage : cfg__p1\n"
    assert found["top__p1.sv"] == user.replace("cfg", "cfg__p1").replace("top", "top__p1")


NOT_A_USE = """
// fifo fifo_i();
/* fifo #(2) u(); */
(* note = "fifo u()" *) module user(input fifo, output [3:0] fifo_2);
  wire [7:0] fifo;  wire my_fifo = fifo | `fifo; wire $fifo;
  assign x = fifo ? "fifo u();" : u.fifo;
  other u1(.fifo(fifo), .q(fifo));
  always @(posedge fifo or negedge x) fifo <= #1 fifo;
endmodule
"""


def test_what_only_looks_like_a_use_stays() -> None:
    assert Verilog(NOT_A_USE).renamed({"fifo": "NEW"}, {}) == NOT_A_USE


@pytest.mark.parametrize(
    "use",
    [
        "fifo u();",
        "fifo #(.A(1)) u();",
        "if (W) begin : g fifo u(); end",
        "if (W) begin : g fifo #(.A(1)) u(); end",
        "if (W) begin wire y; end : g fifo #(.A(1)) u();",
        "endgenerate fifo #(.A(1)) u(); generate",
        "function automatic int f; return 1; endfunction : f fifo #(.A(1)) u();",
        "fifo u[3:0](.fifo(x));",
        "else fifo\n u();",
        "(* keep *) fifo // why\n u();",
    ],
)
def test_what_is_a_use_is_renamed(use: str) -> None:
    text = f"module user; generate {use} endgenerate endmodule"
    renamed = Verilog(text).renamed({"fifo": "NEW"}, {})
    assert renamed.replace("NEW", "fifo") == text
    assert renamed.count("NEW") == 1


def test_two_builds_with_the_same_names_elaborate_together(tmp_path: Path) -> None:
    """Every FINN build has a finn_design_wrapper; a real compiler must take both."""
    for name, value in (("first", 1), ("second", 2)):
        build = Build(extra={"note.v": f"module note;\n  localparam V = {value};\nendmodule\n"})
        write_stitched(tmp_path / "net" / name, build)
    network = read_network(tmp_path / "net")
    tops = [partition.top for partition in network.partitions]
    assert len(set(tops)) == 2
    out = tmp_path / "out"
    names = set()
    for partition in network.partitions:
        for entry in partition.sources:
            put(out / entry.name, network.files[entry.sha256])
            names |= {entry.name} if entry.kind in {"verilog", "systemverilog"} else set()
    for name in names:
        # Icarus 11 refuses Vivado's raw newlines in attributes; they are not what is tested here.
        put(out / name, prepare((out / name).read_text()).text)
    iverilog = shutil.which("iverilog")
    assert iverilog, "Icarus Verilog is part of the test environment"
    command = [iverilog, "-g2012", "-I.", "-o", "both", *(f"-s{top}" for top in tops), *sorted(names)]
    result = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("seed", range(20))
def test_groups_of_files_that_refer_to_each_other(seed: int) -> None:
    """By definition: two are in one group if each is reached from the other; users come after."""
    draw = random.Random(seed)
    count = draw.randint(1, 12)
    uses = [sorted(draw.sample(range(count), draw.randint(0, min(2, count)))) for _ in range(count)]
    reached = [{one} for one in range(count)]
    for _ in range(count):
        for one in range(count):
            reached[one] = reached[one].union(*(reached[other] for other in uses[one]))
    groups = list(_groups(uses))
    assert sorted(one for group in groups for one in group) == list(range(count))
    for at, group in enumerate(groups):
        for one in group:
            assert {other for other in reached[one] if one in reached[other]} == set(group)
            assert reached[one] <= {other for known in groups[: at + 1] for other in known}


def test_a_long_chain_of_files() -> None:
    """Neither recursion nor all files of each: the work is that of the files and their references."""
    count = 20_000
    groups = list(_groups([[number + 1] if number + 1 < count else [] for number in range(count)]))
    assert groups == [[number] for number in reversed(range(count))]
