# SPDX-License-Identifier: BSD-3-Clause
"""Cost of whole cores as they are generated, by Yosys, beside the formulas of `shellgen plan`.

    python -m tools.blocks.core_cost out          in parts, which the cache keeps: core_parts.py
    python -m tools.blocks.core_cost --flat out   as one netlist

Partitions are black boxes. As one netlist, a core with VNx takes Yosys two minutes, others some seconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from shellgen.model import NodePlan, Plan, Usage
from shellgen.plan.fit import core_usage
from shellgen.plan.numbers import tags_usage
from shellgen.read.output import read_plan
from shellgen.simulate.stubs import stubs
from tools.blocks.core_parts import in_parts
from tools.blocks.cost import Cost, Subject, measure

SERIES_7 = "xc7"
LARGER = "xcup"  # UltraScale+, for synth_xilinx
GOAL = 0.15  # error of LUTs and flip-flops


def nodes(plan: Plan) -> Iterator[NodePlan]:
    """Yield the nodes with a core of their own: replicas have that of the first."""
    yield from (node for node in plan.nodes if not node.copy_of)


def told(plan: Plan, node: NodePlan) -> Usage:
    """Return the cost of a core by formulas."""
    return core_usage(node) + tags_usage(plan)[node.name]


def subject(plan: Plan, node: NodePlan, out: Path) -> Subject:
    """Return a generated core for Yosys, its partitions as modules without a body."""
    folder = out / node.name
    core = next(folder.rglob("*_core.v"))
    tops = {plan.partition(name).top for name in node.partitions}
    sources = [path for path in sorted(folder.rglob("*.v")) if path != core]
    empty = {name: text for name, text in stubs(sources, [core]).items() if name in tops}
    assert set(empty) == tops, f"{out}: no source of {', '.join(sorted(tops - set(empty)))}"
    boxes = folder / f"{node.name}_boxes.v"
    boxes.write_text("".join(f"(* blackbox *)\n{empty[name]}" for name in sorted(empty)))
    return Subject(core.stem, (boxes, *sorted((folder / "rtl").glob("*.sv")), core))


def found(plan: Plan, node: NodePlan, out: Path, *, parts: bool = False) -> Cost:
    """Return what Yosys makes of a generated core, as one netlist or in parts."""
    family = SERIES_7 if node.board.part.startswith("xc7") else LARGER
    one = subject(plan, node, out)
    return in_parts(one, family) if parts else measure(one, family, timeout=1200)


def compared(plan: Plan, node: NodePlan, out: Path, *, parts: bool = True) -> tuple[str, float]:
    """Return a line of a core, and the error of its LUTs."""
    ours, theirs = told(plan, node), found(plan, node, out, parts=parts)
    pairs = (("LUT", ours.lut, theirs.lut), ("FF", ours.ff, theirs.ff))
    text = ", ".join(f"{kind} {our:,} of {their:,} ({our / their - 1:+.1%})" for kind, our, their in pairs)
    memory = f"BRAM18 {ours.bram18} of {2 * theirs.bram:g}"
    return f"{node.name}: {text}, {memory}", ours.lut / theirs.lut - 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Generated cores, by formulas and by Yosys.")
    parser.add_argument("out", type=Path, nargs="+", help="of shellgen generate")
    worse = 0
    parser.add_argument("--flat", action="store_true", help="each core as one netlist, which takes longer")
    options = parser.parse_args()
    for out in options.out:
        plan = read_plan(out)
        for node in nodes(plan):
            line, error = compared(plan, node, out, parts=not options.flat)
            worse += abs(error) > GOAL
            print(f"{out.name}, {line}", flush=True)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
