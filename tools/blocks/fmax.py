# SPDX-License-Identifier: BSD-3-Clause
"""Record how fast the blocks are: `make fmax`, or `python -m tools.blocks.fmax [block ...] [--record]`.

Measured are the first parameter set of every costs.toml and every AXI-Lite tree, with ``--all`` every set, if
they have no record or changed since, and blocks that are named in any case; placed.py says how. With
``--record`` each figure goes to costs.toml as ``mhz``, and what it is about to ``ip/fmax.json``: the rate of
each seed, levels and fan-out of the netlist, and a digest of sources and parameters, by which a test knows a
figure of other sources.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tools.blocks.axil_tree import BLOCKS, module
from tools.blocks.block_bench import IP, block_folder
from tools.blocks.budgets import Tree, hardware, load, load_trees
from tools.blocks.cost import Subject
from tools.blocks.placed import SEEDS, Placed, harness, method, place, promise
from tools.blocks.sources import bare

RECORD = IP / "fmax.json"
# Of a port of each kind: another harness, other figures.
_SAMPLE = {"aclk": ("input", 1), "s_axis_tdata": ("input", 8), "m_axis_tdata": ("output", 17)}
Record = dict[str, dict[str, dict[str, object]]]  # by block and name of the set

__all__ = ["RECORD", "Measured", "digest", "measured", "note", "recorded", "stale", "write"]


@dataclass(frozen=True)
class Measured:
    """Something whose rate is recorded: a parameter set of a block, or a tree.

    Attributes:
        block: Folder in ip/ with the costs.toml.
        name: Of the set; of a tree its table's.
        subject: For Yosys; the sources of a tree are the blocks, and its text is made when it is measured.
        text: Verilog that is made, empty for a block.
        first: The main set of the block, or a tree.
        seeds: Of the placer. A tree of more than 64 slaves takes minutes for each, and gets one.
    """

    block: str
    name: str
    subject: Subject
    text: str = ""
    first: bool = True
    seeds: tuple[int, ...] = SEEDS


def measured(blocks: Sequence[str] = ()) -> list[Measured]:
    """Return what can be measured, of some blocks or of all; not what needs memories that an ECP5 has not."""
    found = []
    for block in blocks or hardware():
        file = block_folder(block) / "costs.toml"
        sets = [budget for budget in load(file) if budget.family == "xc7"]
        for number, budget in enumerate(sets):
            found.append(Measured(block, budget.name, budget.subject(block), first=not number))
        found += [_tree(block, tree) for tree in load_trees(file)]
    return found


def _tree(block: str, tree: Tree) -> Measured:
    subject = Subject("axil_tree", BLOCKS, frontend=tree.frontend)
    seeds = SEEDS[:1] if tree.slaves > 64 else SEEDS
    return Measured(block, tree.name, subject, module(tree.slaves), seeds=seeds)


def digest(one: Measured) -> str:
    """Return the sha256 of what a figure is about: bare sources, parameters, tools and harness."""
    subject = one.subject
    settings = [
        subject.top,
        dict(subject.parameters),
        dict(subject.ties),
        list(subject.opens),
        subject.frontend,
    ]
    parts = [json.dumps([settings, method()], sort_keys=True), harness(_SAMPLE), one.text]
    parts += [bare(file) for file in subject.sources]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def recorded() -> Record:
    """Return what fmax.json says: by block and set seeds, levels, fanout and digest."""
    found: Record = json.loads(RECORD.read_text()) if RECORD.is_file() else {}
    return found


def stale(one: Measured, entry: Mapping[str, object]) -> bool:
    """Tell whether a record is of other sources than the present ones."""
    return entry["digest"] != digest(one)


def measure(one: Measured, scratch: Path) -> Placed:
    """Place and route; a tree is written to the folder first."""
    if not one.text:
        return place(one.subject, one.seeds)
    file = scratch / f"{one.name.replace(' ', '_')}.v"
    file.write_text(one.text)
    return place(replace(one.subject, sources=(file, *one.subject.sources)), one.seeds)


def write(results: Mapping[tuple[str, str], tuple[Placed, str]]) -> None:
    """Write results, by block and set, with the digests of what they are about; drop sets that are gone."""
    before = recorded()
    after: Record = {}
    for one in measured():
        key = (one.block, one.name)
        old = before.get(one.block, {}).get(one.name)
        if key in results:
            placed, about = results[key]
            old = {"digest": about, **vars(placed)}
            del old["path"]
            note(block_folder(one.block) / "costs.toml", one.name, placed.mhz)
        if old:
            after.setdefault(one.block, {})[one.name] = old
    # In one step: tests may read it at this moment.
    scratch = RECORD.with_suffix(f".{os.getpid()}.tmp")
    scratch.write_text(json.dumps(after, indent=2, sort_keys=True) + "\n")
    scratch.replace(RECORD)


def note(file: Path, name: str, mhz: float) -> None:
    """Set ``mhz`` in a table of a costs.toml, which is otherwise left as it is."""
    tables = re.split(r"(?m)^(?=\[\[)", file.read_text())
    for index, table in enumerate(tables):
        if f'\nname = "{name}"\n' in table:
            without = re.sub(r"(?m)^mhz = .*\n", "", table)
            # Behind the last key: what follows is about the next table.
            tables[index] = re.sub(r"(?s)(.*\n\w+ = [^\n]*\n)", rf"\g<1>mhz = {mhz}\n", without, count=1)
    file.write_text("".join(tables))


def _main() -> int:
    parser = argparse.ArgumentParser(description="Place and route the blocks, and tell their clock rates.")
    parser.add_argument("block", nargs="*")
    parser.add_argument("--all", action="store_true", help="every parameter set, not the first of each block")
    parser.add_argument("--record", action="store_true", help=f"write costs.toml and {RECORD.name}")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if unknown := sorted(set(options.block) - set(hardware())):
        parser.error(f"no such block: {', '.join(unknown)}")
    kept = recorded()
    chosen = []
    for one in measured(options.block):
        entry = kept.get(one.block, {}).get(one.name)
        # What is kept is kept true, even if it need not be there.
        if (one.first or options.all or entry) and (options.block or not entry or stale(one, entry)):
            chosen.append(one)
    if not chosen:
        print(f"{RECORD.name} is complete and of the present sources")
        return 0
    return _run(chosen, options.jobs, options.record)


def _run(chosen: Sequence[Measured], jobs: int, keep: bool) -> int:
    """Measure, print and record as each is done."""
    failed = 0
    width = max(len(f"{one.block}  {one.name}") for one in chosen)
    scratch = IP.parent / "out" / "fmax"
    scratch.mkdir(parents=True, exist_ok=True)

    def work(one: Measured) -> tuple[Measured, Placed | str, str, float]:
        start, about = time.monotonic(), digest(one)
        try:
            found: Placed | str = measure(one, scratch)
        except RuntimeError as fault:
            found = str(fault)
        return one, found, about, time.monotonic() - start

    with ThreadPoolExecutor(jobs) as pool:
        for one, found, about, seconds in pool.map(work, chosen):
            label = f"{one.block}  {one.name}".ljust(width)
            if isinstance(found, str):
                failed += 1
                print(f"{label}  {found}", flush=True)
                continue
            least = promise(found.levels, found.fanout, found.memory)
            slow = "" if found.mhz >= least else f"  BELOW the {least:.0f} MHz of {found.levels} levels"
            failed += bool(slow)
            print(f"{label}  {found.mhz:6.1f} MHz  {seconds:5.0f} s  {found.path}{slow}", flush=True)
            if keep:
                write({(one.block, one.name): (found, about)})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(_main())
