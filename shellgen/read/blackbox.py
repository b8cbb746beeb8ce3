# SPDX-License-Identifier: BSD-3-Clause
"""Sources that only Vivado can read: netlists beside a stub, and encrypted sources.

A partition of them gets everything around it, but no simulator runs it. A stub is what Vivado's
``write_verilog -mode synth_stub`` makes of a netlist: the ports of its module, and no logic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from shellgen.read.pins import Boundary
from shellgen.read.sources import NETLISTS, Source
from shellgen.read.verilog import Verilog
from vivado_check.formats.looks import is_file


def find_netlists(folder: Path, listed: Iterable[str], sources: Sequence[Source]) -> tuple[Path, ...]:
    """Return the netlists that a component in this folder names, and those beside a stub, named like it.

    FINN packages a checkpoint for Vitis beside all of its RTL: that is no black box.
    """
    logic = {name for source in sources if not source.is_stub for name in source.verilog.defined}
    named = (folder / name for name in listed if Path(name).suffix.lower() in NETLISTS)
    found = [path for path in named if path.stem not in logic]
    for source in sources:
        if source.is_stub:
            names = {source.path.stem.removesuffix("_stub"), *source.verilog.defined}
            found += [
                source.path.with_name(f"{name}{kind}") for name in sorted(names) for kind in sorted(NETLISTS)
            ]
    return tuple(dict.fromkeys(path.resolve() for path in found if is_file(path)))


def black_box(sources: Sequence[Source], netlists: Sequence[Path], top: str) -> str | None:
    """Return why no simulator can run a partition, or None if it can."""
    reasons = [f"{source.path.name} is encrypted" for source in sources if source.verilog.protected]
    reasons += [f"{path.name} is a netlist" for path in netlists]
    stub = next((source for source in sources if source.is_stub and top in source.verilog.defined), None)
    if stub and not netlists:
        reasons.append(f"{stub.path.name} is a stub, and the netlist with its logic is not there")
    if len(reasons) > 3:
        reasons[2:] = [f"and {len(reasons) - 2} more like these"]
    return ", ".join(reasons) or None


def make_stub(boundary: Boundary, netlist: Path) -> Source:
    """Write the stub of a netlist that comes without one, from the ports that the component names."""
    ports = ",\n    ".join(
        f"{'input ' if pin.direction == 'in' else 'output'} wire [{pin.bits - 1}:0] {pin.name}"
        for pin in boundary.pins
    )
    text = f"(* black_box *)\nmodule {boundary.module} (\n    {ports}\n);\nendmodule\n"
    path = netlist.with_name(f"{boundary.module}_stub.v")
    return Source(path, "verilog", Verilog(text, str(path)), str(netlist.parent))
