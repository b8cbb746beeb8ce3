# SPDX-License-Identifier: BSD-3-Clause
"""FINN's virtual environment, separate from shellgen's: FINN pins its own numpy, onnx and protobuf."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from shellgen.cache import default_cache_dir
from shellgen.disk.files import write_whole
from shellgen.disk.locks import locked, private_folder
from shellgen.errors import ShellgenError, ToolMissingError, one
from shellgen.progress import step
from shellgen.stitch.installer import SYSTEM_CERTIFICATES, own_index, pip_of, uv
from vivado_check.formats.files import StrPath

REQUIREMENTS = Path(__file__).resolve().parent / "finn-requirements.txt"
FOLDER = "finn-1.6"  # in the cache; `finn-venv` belongs to releases of shellgen that use FINN 1.3
VARIABLE = "SHELLGEN_FINN_ENV"
_PYTHONS = ((3, 14), (3, 13), (3, 12), (3, 11))
_RELEASE = "1.6"
_TEST_DATA = "lib/python3.*/site-packages/onnx/backend/test/data"  # 62 MB that only the tests of onnx read
_MARK = ".shellgen-finn"
_NEW_MARK = f".{_MARK}.new"  # left by a kill between two calls of write_whole
_LOG = logging.getLogger(__name__)


def default_folder() -> Path:
    """Return where it belongs: ``$SHELLGEN_FINN_ENV``, or the user's cache.

    Never a folder of the current directory, since its Python is executed: a foreign build may contain one.
    """
    return Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else _own_folder()


def _own_folder() -> Path:
    return default_cache_dir() / FOLDER


def ensure_finn_env(path: StrPath | None = None) -> Path:
    """Return the Python of an environment with FINN, making the environment first if there is none.

    An environment that has finn-plus is taken as it is; one that this function made is brought up to date
    when the pinned list changes, and reinstalled if its installation was interrupted. An installation needs
    about 160 MB and, with a fast index, ten seconds.

    Args:
        path: Folder of the environment; `default_folder` if left out.

    Raises:
        ToolMissingError: There is no Python 3.11 to 3.14, the packages cannot be installed, or the
            environment has a finn-plus of another release.
    """
    folder = Path(path or default_folder()).absolute()
    python = folder / "bin" / "python"
    if _is_ready(folder, python):
        _check_release(folder)
        with suppress(PermissionError):  # a foreign environment
            os.utime(folder)  # `shellgen cache` tells when it was used last
        return python
    try:
        with locked(_lock_file(folder), wait=True) as lock:  # two runs may find it missing at the same time
            if not _is_ready(folder, python):
                _make(folder, python, lock)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise _failed(folder, f"{where}{error.strerror}") from None
    return python


def _lock_file(folder: Path) -> Path:
    """Return the lock that `shellgen cache` knows; beside a folder of the user none is left."""
    if folder == _own_folder().absolute():
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder.with_name(f"{folder.name}.lock")
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    return private_folder() / f"finn-{name}.lock"


def check_finn_env(path: StrPath | None = None) -> None:
    """Find out, before anything is made, whether there is an environment with FINN or a Python to make one.

    Raises:
        ToolMissingError: There is neither.
    """
    folder = Path(path or default_folder()).absolute()
    if not _is_ready(folder, folder / "bin" / "python"):
        _base_python()


def _wanted() -> str:
    return hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()


def _is_ready(folder: Path, python: Path) -> bool:
    site = folder.glob("lib/python3.*/site-packages/finn/finn-rtllib")
    mark = folder / _MARK
    current = not mark.is_file() or mark.read_text().strip() == _wanted()
    return current and python.is_file() and any(site)


def _make(folder: Path, python: Path, lock: int) -> None:
    """Make the environment under its final name, since scripts of a virtual environment know their folder.

    The mark is there before anything else and goes never, so a run that is killed at any point leaves either
    nothing or what the next run knows for its own and clears.
    """
    mark = folder / _MARK
    _check_ours(folder, mark)
    step(f"installing FINN into {folder} (about 160 MB)")
    base = _base_python()
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(mark, b"incomplete\n")
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path != mark:
            path.unlink()
    _install(base, folder, python, lock)
    for data in folder.glob(_TEST_DATA):
        shutil.rmtree(data)
    write_whole(mark, f"{_wanted()}\n".encode())


def _install(base: str, folder: Path, python: Path, lock: int) -> None:
    """Install the pinned list by uv, which takes a tenth of pip's time, or by pip where uv cannot."""
    # Isolated, since the current folder may contain a venv.py or pip.py, and PYTHONPATH another package.
    venv = [base, "-I", "-m", "venv"]
    pinned = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", str(REQUIREMENTS)]
    if (program := uv()) and not own_index(base):
        _run([*venv, "--without-pip", str(folder)], folder, lock)
        # --no-config: a foreign build may have a pyproject.toml, with settings for uv.
        command = [program, "pip", "install", "--quiet", "--no-config", "--python", str(python), *pinned]
        try:
            _run(command, folder, lock, os.environ | SYSTEM_CERTIFICATES)
        except ToolMissingError as error:
            _LOG.info("uv failed, so pip installs FINN: %s", error)
        else:
            return
    pip = pip_of(base)
    _run([*venv, *(["--without-pip"] if pip else []), str(folder)], folder, lock)
    pip = [*pip, "--python", str(python)] if pip else [str(python), "-I", "-m", "pip"]
    options = ["--disable-pip-version-check", "install", "--quiet", "--no-compile"]
    _run([*pip, *options, *pinned], folder, lock)  # what FINN imports is compiled then, a small part


def _check_release(folder: Path) -> None:
    """Refuse a foreign environment whose finn-plus has other modules than `finn_worker` imports."""
    for path in folder.glob("lib/python3.*/site-packages/finn_plus-*.dist-info"):
        found = path.name.removeprefix("finn_plus-").removesuffix(".dist-info")
        if not found.startswith(f"{_RELEASE}."):
            remedy = f"Install finn-plus {_RELEASE}.1 there, or unset {VARIABLE}"
            said = f"it has finn-plus {found}, and shellgen needs {_RELEASE}"
            raise one(ToolMissingError, str(folder), said, remedy)


def _check_ours(folder: Path, mark: Path) -> None:
    """Refuse to clear a folder of the user; in the cache, where earlier releases left no mark, none is."""
    if folder == _own_folder().absolute() or mark.is_file() or not os.path.lexists(folder):
        return
    if not folder.is_dir() or any(path.name != _NEW_MARK for path in folder.iterdir()):
        found = "it is not an environment with FINN"
        raise one(ToolMissingError, str(folder), found, f"Remove it, or point {VARIABLE} to another folder")


def _base_python() -> str:
    """Find a Python that FINN runs on; the running one if it fits."""
    names = [sys.executable] if sys.version_info[:2] in _PYTHONS else []
    names += [found for major, minor in _PYTHONS if (found := shutil.which(f"python{major}.{minor}"))]
    for name in names:
        check = f"import sys, venv; sys.exit(sys.version_info[:2] not in {_PYTHONS})"
        if subprocess.run([name, "-I", "-c", check], capture_output=True, check=False).returncode == 0:
            return name
    raise one(
        ToolMissingError,
        "FINN environment",
        "FINN needs Python 3.11 to 3.14 with the module venv, and none is on PATH",
        f"Install one, or point {VARIABLE} to an environment that has finn-plus {_RELEASE}.1",
    )


def _run(command: list[str], folder: Path, lock: int, variables: Mapping[str, str] | None = None) -> None:
    """Run a step; it holds the lock as long as it lives, also if this process is killed."""
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, pass_fds=(lock,), env=variables
    )
    if result.returncode != 0:
        raise _failed(folder, _last_line(result.stderr or result.stdout))


def _failed(folder: Path, reason: str) -> ShellgenError:
    remedy = (
        f"Check the connection to the package index, or point {VARIABLE} to an environment with finn-plus"
    )
    return one(ToolMissingError, str(folder), f"FINN could not be installed: {reason}", remedy)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["no message"])[-1].rstrip(".")
