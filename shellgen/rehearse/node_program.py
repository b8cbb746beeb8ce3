# SPDX-License-Identifier: BSD-3-Clause
"""The program shellgen-node, compiled once per machine and content."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from shellgen.cache import digest, once
from shellgen.errors import Problem, ToolMissingError
from shellgen.progress import Tally
from shellgen.resources import data_dir
from shellgen.simulate.blocks import Content, refuse_changed
from shellgen.simulate.parallel import in_parallel
from shellgen.simulate.runtime import run_compiler
from shellgen.simulate.tools import Verilator, compiler_finds

# Each needs asio, whose templates take most of the time: together they take a fifth of it.
NETWORK = (
    "tls",
    "wire",
    "receiver",
    "outlet",
    "udp_ends",
    "sender",
    "node",
    "orders",
    "control",
    "notify",
    "main",
)
# Sources that are compiled as one unit, for the like reason; others are units of their own.
UNITS = (
    (*NETWORK, "bring_up"),
    (
        "settings",
        "pace",
        "paced_board",
        "store",
        "job",
        "weights",
        "map_check",
        "token",
        "rings",
        "fpga_manager",
        "gateway_board",
        "uio",
        "uio_maps",
        "mapping",
        "udma_buffers",
        "zocl_buffers",
        "linux_board",
        "crc32c",
        "model_board",
        "axi_dma",
        "dma_engine",
        "dma_model",
        "axi_model",
        "packet",
        "packet_ends",
        "core_model",
    ),
    ("xrt_board", "run_engine", "card_model", "udp_stack", "disturb"),
    ("coyote_board", "coyote_v2", "cthread", "core", "hook"),
)
_MISSING = ("_none", "_v1")  # what stands for a library, or needs one of which there is no model
FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-DASIO_STANDALONE")
LIBRARIES = ("-pthread", "-ldl", "-lssl", "-lcrypto")
HEADERS = {
    "asio.hpp": "libasio-dev",
    "nlohmann/json.hpp": "nlohmann-json3-dev",
    "openssl/ssl.h": "libssl-dev",
}


@dataclass(frozen=True)
class NodeSources:
    """The sources in a folder; the part of `Sources` of simulate/blocks.py."""

    folder: Path

    def parts(self) -> Iterable[str | bytes]:
        """Yield everything that decides what the program does."""
        for path in self.files():
            yield path.name
            yield path.read_bytes()

    def files(self) -> Iterable[Path]:
        """Yield the files among it."""
        yield from sorted((*self.folder.glob("*.cpp"), *self.folder.glob("*.h")))
        for folder in self.models:
            yield from sorted(path for path in folder.rglob("*") if path.is_file())

    @property
    def models(self) -> list[Path]:
        """Folders with what stands for XRT and for Coyote, and with the card behind both."""
        return sorted(self.folder.glob("*_model"))

    @property
    def units(self) -> list[list[Path]]:
        """The sources of each unit, the longest first, but for those that belong to another library."""
        own = [path for path in sorted(self.folder.glob("*.cpp")) if not path.stem.endswith(_MISSING)]
        own += sorted(path for folder in self.models for path in folder.glob("*.cpp"))
        by_name = {path.stem: path for path in own}
        joined = [[by_name.pop(name) for name in unit] for unit in UNITS]
        return [*joined, *([path] for path in by_name.values())]


def node_program(tool: Verilator, cache: Path) -> Path:
    """Return the program, made unless it was compiled before.

    Args:
        tool: Has the compiler.
        cache: Where programs are kept.

    Raises:
        ToolMissingError: A library that it needs is not installed.
        SimulationError: The compiler failed.
    """
    missing = [package for header, package in HEADERS.items() if not compiler_finds(tool, [header])]
    if missing:
        found = f"shellgen-node is compiled with {' and '.join(HEADERS)}, and {missing[0]} is not installed"
        raise ToolMissingError(Problem("rehearse", found, f"Run apt-get install {' '.join(missing)}"))
    sources = NodeSources(data_dir("host") / "node")
    before = Content.of(sources)

    def make(scratch: Path) -> None:
        units = sources.units
        tally = Tally("C++ of shellgen-node, once per machine:")
        tally.expect(len(units))

        def build(files: list[Path]) -> Path:
            made = unit_object(tool, cache, sources, before, files)
            tally.finish()
            return made

        objects = in_parallel(build, units)
        run_compiler(tool, *objects, "-o", scratch / "shellgen-node", *LIBRARIES)
        refuse_changed(sources, before)

    key = digest([tool.identity, *FLAGS, *LIBRARIES, before.digest])
    return once(cache / "nodes" / key, make).folder / "shellgen-node"


def unit_object(
    tool: Verilator, cache: Path, sources: NodeSources, before: Content, files: list[Path]
) -> Path:
    """Return the object of a unit: minutes of work, which an interruption or another source must not cost."""
    headers = [path for path in sources.files() if path.suffix != ".cpp"]
    parts = [part for path in (*files, *headers) for part in (path.name, path.read_bytes())]
    key = digest([tool.identity, *FLAGS, *parts])

    def make(scratch: Path) -> None:
        source = scratch / "unit.cpp"
        source.write_text("".join(f'#include "{path.name}"\n' for path in files))
        folders = [f"-I{folder}" for folder in (sources.folder, *sources.models)]
        run_compiler(tool, *FLAGS, *folders, "-c", source, "-o", scratch / "unit.o")
        source.unlink()
        refuse_changed(sources, before)

    return once(cache / "node_units" / key, make).folder / "unit.o"
