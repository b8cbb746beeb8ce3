# SPDX-License-Identifier: BSD-3-Clause
"""Record what the figures of costs.toml are of: `make costs`, `python -m tools.blocks.cost_record [block]`.

Synthesised are the parameter sets that have no record or changed since, and those of blocks that are named.
Where a costs.toml is right, ``ip/costs.json`` gets a digest of sources, parameters and figures, by which a
test knows figures of other sources without synthesising all blocks. What differs is printed, and is for you
to write: a block that has grown wants to be looked at.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

from tools.blocks.block_bench import IP, block_folder
from tools.blocks.budgets import Budget, hardware, load
from tools.blocks.cost import measure
from tools.blocks.sources import bare

RECORD = IP / "costs.json"
Record = dict[str, dict[str, str]]  # digest, by block and name of the set

__all__ = ["RECORD", "digest", "recorded", "sets", "stale"]

# What a synthesis does not find.
_OTHERS = {"latency", "rate", "peer", "peer_lut", "peer_ff", "goal_lut", "goal_ff", "mhz"}


def sets(blocks: Sequence[str] = ()) -> dict[tuple[str, str], Budget]:
    """Return the sets of some blocks, or of all that have a costs.toml, by block and name."""
    files = {name: block_folder(name) / "costs.toml" for name in blocks or hardware()}
    return {(name, one.name): one for name, file in files.items() if file.is_file() for one in load(file)}


def digest(block: str, budget: Budget) -> str:
    """Return the sha256 of a set's figures and of what they are about: bare sources, parameters, Yosys."""
    said = [block, budget.model_dump(exclude=_OTHERS), version("pyosys")]
    parts = [json.dumps(said, sort_keys=True), *(bare(file) for file in budget.subject(block).sources)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def recorded() -> Record:
    """Return what costs.json says."""
    found: Record = json.loads(RECORD.read_text()) if RECORD.is_file() else {}
    return found


def stale(known: Mapping[tuple[str, str], Budget], record: Record) -> list[tuple[str, str]]:
    """Return the sets without a record of their present sources and figures."""
    return [key for key, one in known.items() if record.get(key[0], {}).get(key[1]) != digest(key[0], one)]


def write(found: Mapping[tuple[str, str], str]) -> None:
    """Add digests; drop sets that are gone."""
    before, after = recorded(), Record()
    for block, name in sets():
        about = found.get((block, name)) or before.get(block, {}).get(name)
        if about:
            after.setdefault(block, {})[name] = about
    # In one step: tests may read it at this moment.
    scratch = RECORD.with_suffix(f".{os.getpid()}.tmp")
    scratch.write_text(json.dumps(after, indent=2, sort_keys=True) + "\n")
    scratch.replace(RECORD)


def _main() -> int:
    parser = argparse.ArgumentParser(description="Synthesise the blocks and record that costs.toml is right.")
    parser.add_argument("block", nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if unknown := sorted(set(options.block) - set(hardware())):
        parser.error(f"no such block: {', '.join(unknown)}")
    known = sets(options.block)
    todo = list(known) if options.block else stale(known, recorded())
    width = max((len(f"{block}  {name}") for block, name in todo), default=0)

    def work(key: tuple[str, str]) -> tuple[tuple[str, str], str, list[str], str]:
        block, budget = key[0], known[key]
        about = digest(block, budget)
        found = measure(budget.subject(block), budget.family)
        return key, str(found), budget.differences(found), about

    failed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for key, figures, wrong, about in pool.map(work, todo):
            told = "; ".join(wrong) or figures
            print(f"{'  '.join(key).ljust(width)}  {told}", flush=True)
            failed += bool(wrong)
            if not wrong:
                write({key: about})
    write({})
    print(f"{RECORD.name}: {len(todo)} synthesised, {failed} not as costs.toml says")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(_main())
