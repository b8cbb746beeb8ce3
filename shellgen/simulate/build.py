# SPDX-License-Identifier: BSD-3-Clause
"""Turn HDL sources into a simulation program, once per content."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shellgen.cache import default_cache_dir, digest, once
from shellgen.counted import counted
from shellgen.errors import InputError, Problem, offer
from shellgen.progress import Tally, step
from shellgen.simulate.blocks import Block, CompiledBlock, Content, compile_blocks, refuse_changed
from shellgen.simulate.frontend import Design
from shellgen.simulate.icarus import compile_icarus
from shellgen.simulate.ports import read_ports
from shellgen.simulate.runtime import runtime_key
from shellgen.simulate.tools import SIMULATORS, Simulator, find_cocotb, find_icarus, find_verilator
from shellgen.simulate.trace import WaveFormat, trace_options
from shellgen.simulate.verilate import verilate


@dataclass(frozen=True)
class Model:
    """A simulation program.

    Attributes:
        simulator: Which simulator runs it.
        top: Top module.
        program: Executable (Verilator) or ``.vvp`` file (Icarus), in the cache.
        data_files: Files that the HDL reads by name; `run_model` puts them into the run folder.
        was_cached: Nothing had to be built.
        seconds: Wall time of finding or building it.
    """

    simulator: Simulator
    top: str
    program: Path
    data_files: tuple[Path, ...]
    was_cached: bool
    seconds: float


@dataclass(frozen=True)
class ModelSpec:
    """Inputs of a model.

    Attributes:
        ours: Our HDL, in compile order; ``top`` is among it.
        top: Top module.
        edited: Of ``ours``, what the user has changed: its warnings are logged and do not count.
        third_party: HDL whose warnings are not ours to fix, compiled after ``ours``, which its macros
            and directives then do not reach.
        include_dirs: Folders of include files.
        data_files: Files that the HDL reads at run time by bare name; they do not decide what is built.
        defines: Macros, ``NAME`` or ``NAME=value``.
        public: Further handles for cocotb, ``module.signal`` (Verilator; Icarus shows all).
        extra_flags: For the HDL compiler.
        cxx_flags: For the C++ compiler of a Verilator model, after ours.
        blocks: Modules of ``third_party`` that Verilator makes models of their own of; ``defines`` and
            ``extra_flags`` do not reach them.
        inline: Modules inside of which ``ours`` forces flops. Verilator keeps a module with many instances
            apart, and then forces the flop of the first instance only.
        waves: Build what can dump waves, in this format, with the macro ``BENCH_WAVES``; it is kept beside
            the model without. Of ``blocks`` that are models of their own only the pins are seen.
    """

    ours: Sequence[Path]
    top: str
    third_party: Sequence[Path] = ()
    include_dirs: Sequence[Path] = ()
    data_files: Sequence[Path] = ()
    defines: Sequence[str] = ()
    public: Sequence[str] = ()
    extra_flags: Sequence[str] = ()
    cxx_flags: Sequence[str] = ()
    blocks: Sequence[Block] = ()
    inline: Sequence[str] = ()
    waves: WaveFormat | None = None
    edited: Sequence[Path] = ()

    @property
    def sources(self) -> tuple[Path, ...]:
        """All HDL, in compile order."""
        return (*self.ours, *self.third_party)

    def resolved(self, simulator: Simulator) -> ModelSpec:
        """Return the same with absolute paths, as a simulator takes it."""
        return replace(
            self,
            ours=_absolute(self.ours),
            edited=_absolute(self.edited),
            third_party=_absolute(self.third_party),
            include_dirs=_absolute(self.include_dirs),
            data_files=_absolute(self.data_files),
            defines=(*self.defines, *(["BENCH_WAVES"] if self.waves else [])),
            waves=self.waves if simulator == "verilator" else None,  # with Icarus the run decides
        )

    def parts(self) -> Iterable[str | bytes]:
        """Yield everything that decides what the program does; folders do not."""
        yield self.top
        foreign = frozenset(self.third_party)
        for source in self.sources:
            yield source.name
            yield "third party" if source in foreign else "own"
            yield source.read_bytes()
        for file in self._headers():
            yield file.name
            yield file.read_bytes()
        for group in (self.defines, self.public, self.extra_flags, self.cxx_flags, self.inline):
            yield str(len(group))
            yield from group
        for block in self.blocks:
            yield from block.parts()
        if self.waves:
            yield f"waves {self.waves}"

    def files(self) -> Iterable[Path]:
        """Yield the files that `parts` reads."""
        yield from self.sources
        yield from self._headers()
        for block in self.blocks:
            yield from block.files()

    def _headers(self) -> Iterator[Path]:
        for folder in self.include_dirs:
            yield from sorted(path for path in folder.iterdir() if path.is_file())


def _absolute(paths: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(path.resolve() for path in paths)


def build_model(spec: ModelSpec, simulator: Simulator, cache_dir: Path | None = None) -> Model:
    """Return the program that simulates a top module; build it unless this content was built before.

    With Verilator every warning of ``-Wall`` about our files is an error, and none about third-party ones.
    cocotb sees the ports of the top and nothing else, so that the rest can be optimised.

    Args:
        spec: Its inputs.
        simulator: ``verilator`` or ``icarus``.
        cache_dir: Where models live; `default_cache_dir` if None.

    Raises:
        ToolMissingError: The simulator, the C++ compiler or cocotb is not installed.
        InputError: Files are missing; all of them are named.
        SimulationError: A source does not compile.
    """
    began = time.perf_counter()
    _check(simulator, [*spec.sources, *spec.data_files])
    request, cache = spec.resolved(simulator), cache_dir or default_cache_dir()
    program, was_cached = (_verilator if simulator == "verilator" else _icarus)(request, cache)
    return Model(
        simulator=simulator,
        top=spec.top,
        program=program,
        data_files=tuple(request.data_files),
        was_cached=was_cached,
        seconds=time.perf_counter() - began,
    )


def _check(simulator: str, files: Sequence[Path]) -> None:
    problems = [
        Problem(str(path), "this file is missing", "Generate the folder again")
        for path in files
        if not path.is_file()
    ]
    if simulator not in SIMULATORS:
        problems.append(Problem("simulator", f"{simulator!r} is not known", offer(simulator, SIMULATORS)))
    if problems:
        raise InputError(*problems)


def _verilator(request: ModelSpec, cache: Path) -> tuple[Path, bool]:
    tool, cocotb = find_verilator(), find_cocotb()
    before = Content.of(request)
    folder = cache / "verilator" / digest([runtime_key(tool, cocotb), before.digest])

    def make(scratch: Path) -> None:
        tally, key = Tally("C++"), runtime_key(tool, cocotb)
        step("Verilator translates", counted(len(request.blocks), "partition") if request.blocks else "")
        compiled = compile_blocks(tool, cache, key, request.blocks, request.cxx_flags, tally)
        verilate(
            tool,
            cocotb,
            cache,
            scratch,
            design=_design(request, compiled, _control(request)),
            objects=[file for block in compiled for file in block.objects],
            cxx_flags=request.cxx_flags,
            waves=request.waves,
            tally=tally,
        )
        refuse_changed(request, before)

    found = once(folder, make)
    return found.folder / "model", found.was_there


def _design(
    request: ModelSpec, compiled: Sequence[CompiledBlock] = (), control: Iterable[str] = ()
) -> Design:
    """Put the wrappers in the place of the separately compiled blocks."""
    modules = tuple(block.module for block in compiled if block.module)
    inside = {path for block in compiled if block.module for path in block.block.sources}
    inside -= {path for block in compiled if not block.module for path in block.block.sources}
    inside &= set(request.third_party)
    return Design(
        top=request.top,
        sources=(*modules, *(path for path in request.sources if path not in inside)),
        foreign=frozenset(request.third_party) - inside | frozenset(modules),
        edited=frozenset(request.edited),
        # -I and -D take a path and a value as they are; +incdir+ and +define+ would split at a plus.
        options=(
            *(f"-I{folder}" for folder in request.include_dirs),
            *(f"-D{define}" for define in request.defines),
            *request.extra_flags,
            *(trace_options(request.waves) if request.waves else ()),
        ),
        control=tuple(control),
    )


def _control(request: ModelSpec) -> list[str]:
    """Name the handles that cocotb may use and the modules to be inlined, for the control file."""
    # With what may be written, all that follows from it is evaluated at each edge of a clock and in between.
    handles = [
        (request.top, port.name, "public_flat_rd" if port.is_output else "public_flat_rw")
        for port in read_ports(request.sources, request.top)
    ]
    for name in request.public:
        module, _, signal = name.rpartition(".")
        handles.append((module, signal, "public_flat_rw"))
    public = [f'{kind} -module "{module}" -var "{signal}"' for module, signal, kind in handles]
    return [*public, *(f'inline -module "{module}"' for module in request.inline)]


def _icarus(request: ModelSpec, cache: Path) -> tuple[Path, bool]:
    tool = find_icarus()
    before = Content.of(request)
    folder = cache / "icarus" / digest([tool.identity, before.digest])
    step("Icarus compiles", request.top)

    def make(scratch: Path) -> None:
        compile_icarus(tool, _design(request), scratch)
        refuse_changed(request, before)

    found = once(folder, make)
    return found.folder / "model.vvp", found.was_there
