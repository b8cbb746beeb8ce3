# SPDX-License-Identifier: BSD-3-Clause
"""Partitions under another name in the bench: only the name changes, and only in the copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from shellgen.errors import InputError
from shellgen.model.bench import BenchBlock
from shellgen.simulate.bare import bare_sources

TOP = b"""\
// part, made by a tool\r
`include "size.vh"
(* keep = "part" *)
module part (input wire [`SIZE-1:0] a, output wire b); // \xb5 of part
    part_core u_part (.a(a), .b(b));
    initial $display("part");
`ifdef LATER
endmodule : part
`else
endmodule
`endif
"""


def block(top: str = "part") -> BenchBlock:
    files = tuple(f"n0/partition/{name}" for name in ("part_core.v", "part.v"))
    header = ("n0/partition/size.vh",)
    return BenchBlock(top=top, bare=f"{top}_bare", clocks=("clk",), sources=files, headers=header)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out" / "n0" / "partition"
    folder.mkdir(parents=True)
    (folder / "part.v").write_bytes(TOP)
    (folder / "part_core.v").write_text("module part_core (input a, output b);\nassign b = a;\nendmodule\n")
    (folder / "size.vh").write_text("`define SIZE 1\n")
    return tmp_path / "out"


def test_a_copy_has_the_other_name_and_nothing_else(out: Path, tmp_path: Path) -> None:
    copies = bare_sources(out, [block()], tmp_path / "cache")
    source = (out / "n0/partition/part.v").resolve()
    assert list(copies) == [source]
    assert source.read_bytes() == TOP
    wanted = TOP.replace(b"module part (", b"module part_bare (").replace(
        b"module : part", b"module : part_bare"
    )
    assert copies[source].read_bytes() == wanted
    again = bare_sources(out, [block()], tmp_path / "cache")
    assert again == copies


def test_what_was_edited_is_copied_anew(out: Path, tmp_path: Path) -> None:
    (before,) = bare_sources(out, [block()], tmp_path / "cache").values()
    (out / "n0/partition/part.v").write_bytes(TOP.replace(b"u_part", b"u_other"))
    (after,) = bare_sources(out, [block()], tmp_path / "cache").values()
    assert b"u_other" in after.read_bytes()
    assert b"u_other" not in before.read_bytes()


def test_a_name_that_a_macro_makes_is_refused(out: Path, tmp_path: Path) -> None:
    (out / "n0/partition/part.v").write_text("`define M(x) module par``x\n`M(t) ();\nendmodule\n// part\n")
    with pytest.raises(InputError, match=r"part\.v.*a macro puts the name of the module part together"):
        bare_sources(out, [block()], tmp_path / "cache")
