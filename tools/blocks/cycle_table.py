# SPDX-License-Identifier: BSD-3-Clause
"""The worked example in the header of a block: what each register holds in each cycle.

python -m tools.blocks.cycle_table axis_width_down    # fill in the table from simulation

The table of a header::

    //   Example: UNIT_W = 4, IN_UNITS = 3, OUT_UNITS = 5
    //   cycle  s_axis_tdata  s_axis_tlast  full_q  m_axis_tdata
    //   0      321           0             0       xxxxx

Below `cycle` the columns are inputs, outputs and signals of the block by name. Inputs are written by hand;
``-`` is a cycle in which nothing is offered. An input without a column is 0, a ready or a keep 1. The other
columns are what the signals hold in the cycle, before the clock edge that ends it, hexadecimal. A test
compares them with a simulation.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from tools.blocks.block_bench import block_file, closure, run_sources
from tools.blocks.pages_header import Block, read_block

HEAD = re.compile(r"^//   Example: (.*)\n//   (cycle .*)\n((?://   \d.*\n)+)", re.MULTILINE)

__all__ = ["CycleTable", "read_table", "simulated"]


@dataclass(frozen=True)
class CycleTable:
    """A worked example.

    Attributes:
        block: Name of the block.
        parameters: Value by name.
        columns: Names of signals, without `cycle`.
        rows: What each column shows, cycle by cycle.
    """

    block: str
    parameters: dict[str, str]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """Return the lines of the header."""
        table = [("cycle", *self.columns), *((str(k), *row) for k, row in enumerate(self.rows))]
        widths = [max(len(line[k]) for line in table) for k in range(len(table[0]))]
        lines = [", ".join(f"{name} = {value}" for name, value in self.parameters.items())]
        lines[0] = f"Example: {lines[0]}"
        lines += [
            "  ".join(f"{cell:<{wide}}" for cell, wide in zip(line, widths, strict=True)) for line in table
        ]
        return "".join(f"//   {line.rstrip()}\n" for line in lines)


def read_table(block: str) -> CycleTable | None:
    """Return the table in the header of a block, or None when there is none.

    Raises:
        ValueError: A row has not as many cells as there are columns, or the cycles are not 0, 1, 2 ...
    """
    found = HEAD.search(block_file(block).read_text(encoding="ascii"))
    if found is None:
        return None
    pairs = (pair.split("=") for pair in found[1].split(","))
    columns = tuple(found[2].split()[1:])
    lines = [line.removeprefix("//").split() for line in found[3].splitlines()]
    for number, cells in enumerate(lines):
        if len(cells) != len(columns) + 1 or cells[0] != str(number):
            raise ValueError(f"{block}: row {number} of the table is {cells}, for cycle and {list(columns)}")
    rows = tuple(tuple(cells[1:]) for cells in lines)
    return CycleTable(block, {name.strip(): value.strip() for name, value in pairs}, columns, rows)


def simulated(table: CycleTable) -> CycleTable:
    """Return the table with all columns but the inputs as Icarus shows them.

    Raises:
        ValueError: The simulation failed or stopped early.
    """
    block = read_block(block_file(table.block))
    with tempfile.TemporaryDirectory() as scratch:
        bench = Path(scratch) / "bench.sv"
        bench.write_text(_bench(block, table), encoding="ascii")
        ran = run_sources("table_bench", [bench, *closure(table.block)], "icarus")
    shown = [tuple(line.split()[1:]) for line in ran.text.splitlines() if line.startswith("ROW ")]
    if ran.code or len(shown) != len(table.rows):
        raise ValueError(f"{table.block}: code {ran.code} after {len(shown)} cycles: {ran.text}")
    inputs = _inputs(block, table)
    rows = tuple(
        tuple(
            drawn if name in inputs else seen
            for name, drawn, seen in zip(table.columns, left, right, strict=True)
        )
        for left, right in zip(table.rows, shown, strict=True)
    )
    return replace(table, rows=rows)


def _inputs(block: Block, table: CycleTable) -> set[str]:
    return {port.name for port in block.ports if port.direction == "in"} & set(table.columns)


def _bench(block: Block, table: CycleTable) -> str:
    """Return a testbench that plays the columns of inputs and prints every column in every cycle."""
    lines = ["`default_nettype none", "module table_bench;"]
    for entry in block.parameters:
        value = table.parameters.get(entry.name, entry.default)
        lines.append(f"    localparam {entry.kind} {entry.name} = {value};")
    lines += [f"    localparam {kind} {name} = {value};" for kind, name, value in block.locals]
    for port in block.ports:
        lines.append(f"    {'reg' if port.direction == 'in' else 'wire'} {port.width} {port.name};")
    named = ", ".join(f".{entry.name}({entry.name})" for entry in block.parameters)
    wired = ", ".join(f".{port.name}({port.name})" for port in block.ports)
    lines += [f"    {block.name} #({named}) u_block ({wired});", "    initial begin"]
    for port in block.ports:
        if port.direction == "in":
            lines.append(f"        {port.name} = {_rest(port.name)};")
    lines += ["        repeat (4) begin #5 aclk = 1; #5 aclk = 0; end", "        aresetn = 1;"]
    inputs = _inputs(block, table)
    ports = {port.name for port in block.ports}
    shown = ", ".join(name if name in ports else f"u_block.{name}" for name in table.columns)
    for row in table.rows:
        offered = dict(zip(table.columns, row, strict=True))
        given = {name: offered[name] for name in table.columns if name in inputs}
        idle = "-" in given.values()
        for name, value in given.items():
            lines.append(f"        {name} = {_rest(name) if value == '-' else chr(39) + 'h' + value};")
        lines.append(f"        s_axis_tvalid = {0 if idle else 1};")
        lines.append(f'        #4 $display("ROW{" %h" * len(table.columns)}", {shown});')
        lines.append("        #1 aclk = 1; #5 aclk = 0;")
    return "\n".join([*lines, "        $finish(0);", "    end", "endmodule", "`default_nettype wire", ""])


def _rest(port: str) -> str:
    """Return what an input is where no column says it."""
    return (
        "'1"
        if port.endswith(("ready", "keep"))
        else "'x"
        if port.endswith(("data", "last", "user"))
        else "'0"
    )


def _main() -> None:
    parser = argparse.ArgumentParser(description="Fill in the table in the header of a block.")
    parser.add_argument("block")
    block = parser.parse_args().block
    table = read_table(block)
    if table is None:
        parser.error(f"{block}: the header has no table")
    path = block_file(block)
    text = path.read_text(encoding="ascii")
    path.write_text(HEAD.sub(lambda _: simulated(table).text(), text, count=1), encoding="ascii")


if __name__ == "__main__":
    _main()
