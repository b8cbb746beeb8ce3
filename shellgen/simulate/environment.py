# SPDX-License-Identifier: BSD-3-Clause
"""Environments of the programs that `simulate` starts: composed of what they need, not inherited.

cocotb, Python, the loader and both simulators obey dozens of variables (COCOTB_TEST_FILTER, PYTHONOPTIMIZE,
LD_PRELOAD, IVERILOG_VPI_MODULE_PATH, VERILATOR_ROOT ...), with which a run proves less than it says.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path

from shellgen.errors import InputError, Problem

# Where programs, temporary files and messages belong: nothing here changes what is compiled or proved.
# A compiler from a module system finds its own libraries by LD_LIBRARY_PATH; the simulation does not get it.
_KEPT = ("PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
_COMPILING = ("LD_LIBRARY_PATH", "CCACHE_DIR")
_IMPORTED = ("cocotb", "cocotb_tools", "cocotb_bus", "find_libpython", "numpy")


def base_environment() -> dict[str, str]:
    """Return the variables of the caller that every program gets."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ}


def compiler_environment() -> dict[str, str]:
    """Return the environment of the HDL and C++ compilers: no flags, search paths or preloaded libraries."""
    return base_environment() | {name: os.environ[name] for name in _COMPILING if name in os.environ}


def search_path(python_path: Sequence[Path], run_dir: Path) -> list[str]:
    """Return PYTHONPATH of a simulation.

    The caller's PYTHONPATH is dropped, or comes last if a package is installed there; Python's own folders
    come before the rest, so that no file in the current folder shadows a standard module.

    Args:
        python_path: Folders of the bench, which come first.
        run_dir: Working directory of the simulation.

    Raises:
        InputError: Python would split the path of such a folder at a colon.
    """
    named = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    brought = {os.path.realpath(folder) for folder in named}
    present = list(dict.fromkeys(folder for folder in sys.path if folder))
    own = [folder for folder in present if os.path.realpath(folder) not in brought]
    own.sort(key=lambda folder: not _of_python(folder))
    lacking = [package for package in _IMPORTED if PathFinder.find_spec(package, own) is None]
    needed = [folder for package in lacking for folder in named if PathFinder.find_spec(package, [folder])]
    return [_entry(folder, run_dir) for folder in python_path] + list(dict.fromkeys([*own, *needed]))


def _entry(folder: Path, run_dir: Path) -> str:
    """Return the entry of a folder; Python splits PYTHONPATH at colons, and knows no escape for them."""
    path = str(folder.resolve())
    if os.pathsep in path:
        path = os.path.relpath(path, run_dir.resolve())
    if os.pathsep in path:
        found = f"Python cannot import from a folder with {os.pathsep!r} in its path"
        raise InputError(Problem(str(folder), found, "Rename it"))
    return path


def _of_python(folder: str) -> bool:
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    return any(Path(folder).is_relative_to(prefix) for prefix in prefixes)
