# SPDX-License-Identifier: BSD-3-Clause
"""The core of a node as a shared library, which shellgen-node loads in place of a board."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from shellgen.cache import digest, once
from shellgen.errors import Problem, SimulationError
from shellgen.model.bench import Bench
from shellgen.progress import Tally, step
from shellgen.render import render
from shellgen.simulate.blocks import Content, refuse_changed, takes_time
from shellgen.simulate.cluster import verilator_flags
from shellgen.simulate.compile import compile_model
from shellgen.simulate.frontend import Design, translate
from shellgen.simulate.runtime import CPP, compile_flags, compile_units, run_compiler
from shellgen.simulate.tools import Verilator
from shellgen.simulate.vendor import Vendor
from shellgen.simulate.wrapper import read_pins

# Of Verilator's runtime: what a model without VPI needs.
_RUNTIME = ("verilated", "verilated_threads", "verilated_random", "verilated_dpi", "fatal")
_SHARED = "-fPIC"
FLAGS: tuple[str, ...] = ()  # of the C++ compiler, after ours


def _runtime_parts() -> tuple[str, ...]:
    """Return what else the objects of the runtime depend on: ours among its sources."""
    return (*_RUNTIME, (CPP / "fatal.cpp").read_text())


@dataclass(frozen=True)
class CoreSources:
    """Sources of a core, as `Sources` of simulate/blocks.py.

    Attributes:
        top: Module of the core.
        sources: HDL in compile order.
        include_dirs: Folders of include files.
    """

    top: str
    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...]

    def parts(self) -> Iterable[str | bytes]:
        """Yield everything that decides what the library does."""
        yield self.top
        for path in self.files():
            yield path.name
            yield path.read_bytes()

    def files(self) -> Iterable[Path]:
        """Yield the files among it."""
        yield from self.sources
        for folder in self.include_dirs:
            yield from sorted(path for path in folder.iterdir() if path.is_file())


def core_sources(out: Path, bench: Bench, node: str, vendor: Vendor) -> CoreSources:
    """Return the sources of the core of a node of a generated folder."""
    own = [name for name in bench.sources.ours if name.startswith(f"{node}/")]
    known = {Path(name).name for name in own}
    # A block that several cores use is listed once, in the folder of the first.
    shared = [
        name
        for name in bench.sources.ours
        if "/rtl/" in name and name not in own and Path(name).name not in known
    ]
    ours = [out / name for name in (*own, *shared)]
    partition = [out / name for name in bench.sources.partition]
    files = (*vendor.models, *ours, *vendor.originals, *partition)
    folders = tuple((out / name).resolve() for name in bench.sources.include_dirs)
    return CoreSources(f"{node}_core", tuple(path.resolve() for path in files), folders)


def core_library(tool: Verilator, sources: CoreSources, cache: Path) -> Path:
    """Return the shared library of a core, made unless this content was compiled before.

    Args:
        tool: Verilator and compiler.
        sources: Of the core.
        cache: Where libraries are kept.

    Raises:
        SimulationError: A source does not compile, or has delays, which a core has not.
    """
    runtime = _runtime(tool, cache)
    before = Content.of(sources)
    glue = render("rehearse/core.cpp.j2", prefix="", pins=())
    key = digest(
        ["core library", tool.identity, *compile_flags(tool), *FLAGS, *_runtime_parts(), glue, before.digest]
    )

    def make(scratch: Path) -> None:
        generated = scratch / "cpp"
        generated.mkdir()
        step("Verilator translates", sources.top)
        named = _named(sources, scratch / "sources")
        design = Design(
            top=sources.top,
            sources=named.sources,
            foreign=frozenset(named.sources),  # `simulate` judges warnings
            options=(
                *(f"-I{folder}" for folder in named.include_dirs),
                *verilator_flags(sources.sources, "verilator"),
            ),
            control=(),
            prefix="Vcore",
            separate=True,
        )
        if takes_time(translate(tool, design, generated)):
            raise _refused(sources.top, "it has delays, which a rehearsal cannot wait for")
        pins = read_pins(generated / "Vcore.h")
        if pins is None:
            raise _refused(sources.top, "it has a pin that is neither input nor output")
        text = render("rehearse/core.cpp.j2", prefix="Vcore", pins=pins)
        tally = Tally(f"C++ of {sources.top}")
        compile_model(tool, cache, generated, "Vcore", generated, text, [_SHARED, *FLAGS], tally)
        objects = (*sorted(generated.glob("*.o")), *sorted(runtime.glob("*.o")))
        run_compiler(tool, "-shared", *objects, "-o", scratch / "core.so", "-pthread")
        shutil.rmtree(generated)
        shutil.rmtree(scratch / "sources")
        refuse_changed(sources, before)

    return once(cache / "cores" / key, make).folder / "core.so"


def _named(sources: CoreSources, folder: Path) -> CoreSources:
    """Return the sources by names without a quote, which ends a file name of Verilator's preprocessor."""
    folder.mkdir()

    def named(index: int, path: Path) -> Path:
        if '"' not in str(path):
            return path
        link = folder / str(index) / path.name.replace('"', "_")
        link.parent.mkdir()
        link.symlink_to(path)
        return link

    paths = (*sources.sources, *sources.include_dirs)
    found = tuple(named(index, path) for index, path in enumerate(paths))
    count = len(sources.sources)
    return replace(sources, sources=found[:count], include_dirs=found[count:])


def _runtime(tool: Verilator, cache: Path) -> Path:
    """Return the folder with the objects of Verilator's runtime for a shared library."""
    flags = [*compile_flags(tool), "-O2", *FLAGS, _SHARED, "-c"]

    def make(scratch: Path) -> None:
        compile_units(tool, flags, [_RUNTIME], scratch)

    return once(
        cache / "runtime" / digest(["shared runtime", tool.identity, *flags, *_runtime_parts()]), make
    ).folder


def _refused(top: str, found: str) -> SimulationError:
    return SimulationError(Problem(top, found, "Use `shellgen simulate`, which has no such limit"))
