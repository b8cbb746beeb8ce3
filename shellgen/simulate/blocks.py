# SPDX-License-Identifier: BSD-3-Clause
"""Partitions that are models of their own: translated and compiled once per content, then only linked.

Cluster and monolith, and every later cluster with the same partition, share that one compilation; a change of
cluster.toml compiles the shells alone. A model of one partition is also smaller C++ than its part of the
whole: names are short, and nothing is there twice.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from shellgen.cache import digest, once
from shellgen.disk.files import stamp
from shellgen.errors import Problem, SimulationError
from shellgen.progress import Tally
from shellgen.simulate.compile import compile_model
from shellgen.simulate.findings import Finding
from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.parallel import in_parallel
from shellgen.simulate.tools import Verilator
from shellgen.simulate.wrapper import prefix, read_pins, wrapper

# Of C++. Each compilation has its fixed cost: six partitions of a third of this took three times as long one
# by one as together, two of this size took as long.
WORTH_BYTES = 1_000_000
_COLUMN = re.compile(r":(\d+):(\d+): ")
_NO_TIME = re.compile(r"#\s*0\b(?![.'])")


@dataclass(frozen=True)
class Block:
    """A module that can be compiled by itself.

    Attributes:
        top: Its name.
        clocks: Its clock ports.
        sources: All its HDL in compile order, by absolute path.
        headers: Files that they include.
        flags: For Verilator.
    """

    top: str
    clocks: tuple[str, ...]
    sources: tuple[Path, ...]
    headers: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()

    def parts(self) -> Iterable[str | bytes]:
        """Yield everything that decides what its model does; folders do not."""
        for file in (*self.sources, *self.headers):
            yield file.name
            yield file.read_bytes()
        for group in (self.clocks, self.flags):
            yield str(len(group))
            yield from group
        yield self.top

    def files(self) -> Iterable[Path]:
        """Yield the files that `parts` reads."""
        return (*self.sources, *self.headers)


class Sources(Protocol):
    """Inputs of a model."""

    def parts(self) -> Iterable[str | bytes]:
        """Yield everything that decides what the model does."""

    def files(self) -> Iterable[Path]:
        """Yield the files among it."""


class Content(NamedTuple):
    """Sources at some time: a digest, and whether anybody has written to the files since."""

    digest: str
    stamps: tuple[str, ...]

    @classmethod
    def of(cls, sources: Sources) -> Content:
        """Read them."""
        return cls(digest(sources.parts()), tuple(stamp(path) for path in sources.files()))


@dataclass(frozen=True)
class CompiledBlock:
    """A separately compiled block, for a program that links it.

    Attributes:
        block: Which.
        module: SystemVerilog wrapper that calls the model; None if the block cannot be separated.
        objects: Of the model.
    """

    block: Block
    module: Path | None
    objects: tuple[Path, ...]


def compile_blocks(  # noqa: PLR0913 - internal to the builder
    tool: Verilator,
    cache: Path,
    runtime_key: str,
    blocks: Sequence[Block],
    cxx_flags: Sequence[str],
    tally: Tally,
) -> list[CompiledBlock]:
    """Return the blocks, each compiled unless this content was compiled before, or too small to be worth it.

    Args:
        tool: Verilator and compiler.
        cache: Where they are kept.
        runtime_key: What the objects must fit.
        blocks: With different tops.
        cxx_flags: For the C++ compiler, after ours.
        tally: Counts the units of C++.

    Raises:
        SimulationError: The compiler failed.
    """

    def one(block: Block) -> CompiledBlock:
        fixed = (runtime_key, str(WORTH_BYTES), *cxx_flags, "", *wrapper("", (), ()).values())
        before = Content.of(block)
        wanted = cache / "partitions" / digest([*fixed, before.digest])

        def make(scratch: Path) -> None:
            _make(tool, cache, block, scratch, cxx_flags, tally)
            refuse_changed(block, before)

        folder = once(wanted, make).folder
        objects = tuple(sorted(folder.glob("*.o")))
        return CompiledBlock(block, folder / f"{block.top}.sv" if objects else None, objects)

    return in_parallel(one, blocks, 2)


def refuse_changed(sources: Sources, before: Content) -> None:
    """Check that what was compiled is what the name of the entry in the cache stands for.

    A file that was changed and restored meanwhile has the same content, and another may have been compiled.

    Raises:
        SimulationError: Sources changed during the compilation.
    """
    try:
        same = Content.of(sources) == before
    except OSError:  # a file is gone
        same = False
    if not same:
        found = "sources changed during their compilation, so this model is not kept"
        raise SimulationError(Problem("simulate", found, "Simulate again"))


def _make(  # noqa: PLR0913 - of one compilation
    tool: Verilator, cache: Path, block: Block, scratch: Path, cxx_flags: Sequence[str], tally: Tally
) -> None:
    """Leave the objects and the wrapper, or nothing if the block must stay a part of the whole."""
    generated = scratch / "cpp"
    generated.mkdir()
    folders = sorted({header.parent for header in block.headers})
    design = Design(
        top=block.top,
        sources=block.sources,
        foreign=frozenset(block.sources),
        options=(*(f"-I{folder}" for folder in folders), *block.flags),
        control=(),
        prefix=prefix(block.top),
        separate=True,
    )
    try:
        findings = translate(tool, design, generated)
    except SimulationError:  # the whole is refused in the same words, or has the time that this lacks
        pins = None
    else:
        pins = None if takes_time(findings) else read_pins(generated / f"{design.prefix}.h")
    size = sum(file.stat().st_size for file in generated.glob("*.cpp"))
    if pins and size >= WORTH_BYTES and {pin.name for pin in pins}.issuperset(block.clocks):
        parts = wrapper(block.top, pins, block.clocks)
        (scratch / f"{block.top}.sv").write_text(parts["sv"])
        compile_model(tool, cache, generated, design.prefix, scratch, parts["cpp"], cxx_flags, tally)
    shutil.rmtree(generated)


def takes_time(findings: Sequence[Finding]) -> bool:
    """Tell whether there is a delay other than the ``#0`` that HLS writes before every initial value."""
    for finding in findings:
        if finding.rule not in ("STMTDLY", "ASSIGNDLY") or finding.path is None:
            continue
        place = _COLUMN.search(finding.text)
        lines = finding.path.read_text(errors="replace").splitlines()
        if place is None or not _NO_TIME.match(lines[int(place[1]) - 1], int(place[2]) - 1):
            return True
    return False
