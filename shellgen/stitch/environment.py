# SPDX-License-Identifier: BSD-3-Clause
"""The virtual environment that FINN lives in, apart from ours: it needs old numpy and protobuf."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from shellgen.cache import default_cache_dir
from shellgen.errors import ShellgenError, ToolMissingError, one
from shellgen.progress import step

REQUIREMENTS = Path(__file__).resolve().parent / "finn-requirements.txt"
VARIABLE = "SHELLGEN_FINN_ENV"
_PYTHONS = ((3, 11), (3, 10))
_MARK = ".shellgen-finn"


def default_folder() -> Path:
    """Return where it belongs: ``$SHELLGEN_FINN_ENV``, ``.finn-venv`` here, or the user's cache."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    here = Path(".finn-venv")
    if here.is_dir():
        return here
    return default_cache_dir() / "finn-venv"


def ensure_finn_env(path: Path | None = None) -> Path:
    """Return the Python of an environment with FINN, making the environment first if there is none.

    An environment that has finn-plus is taken as it is; one that this function made is brought up to date
    when the pinned list changes. Making one takes about 241 MB and, with a fast index, ten seconds.

    Args:
        path: Folder of the environment; `default_folder` if left out.

    Raises:
        ToolMissingError: There is no Python 3.10 or 3.11, or the packages cannot be installed.
    """
    folder = (path or default_folder()).absolute()
    python = folder / "bin" / "python"
    if _is_ready(folder, python):
        with suppress(PermissionError):  # an environment of others
            os.utime(folder)  # `shellgen cache` tells when it was used last
        return python
    # Two runs may find it missing at the same time. The lock is not beside the folder, to leave no litter.
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    try:
        with (Path(tempfile.gettempdir()) / f"shellgen-finn-{os.getuid()}-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_ready(folder, python):
                _make(folder, python)
    except OSError as error:
        raise _failed(folder, str(error.strerror)) from None
    return python


def check_finn_env(path: Path | None = None) -> None:
    """Find out, before anything is made, whether there is an environment with FINN or a Python to make one.

    Raises:
        ToolMissingError: There is neither.
    """
    folder = (path or default_folder()).absolute()
    if not _is_ready(folder, folder / "bin" / "python"):
        _base_python()


def _wanted() -> str:
    return hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()


def _is_ready(folder: Path, python: Path) -> bool:
    site = folder.glob("lib/python3.*/site-packages/finn/finn-rtllib")
    mark = folder / _MARK
    current = not mark.is_file() or mark.read_text().strip() == _wanted()
    return current and python.is_file() and any(site)


def _make(folder: Path, python: Path) -> None:
    mark = folder / _MARK
    if folder.exists() and not mark.is_file() and (not folder.is_dir() or any(folder.iterdir())):
        found = "it is not an environment with FINN"
        raise one(ToolMissingError, str(folder), found, f"Remove it, or point {VARIABLE} to another folder")
    step(f"installing FINN into {folder} (about 241 MB)")
    base = _base_python()
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run([base, "-m", "venv", "--clear", str(folder)], folder)
    mark.write_text("incomplete\n")  # so that the next run may clear the folder if this one is interrupted
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    _run([*pip, "-r", str(REQUIREMENTS)], folder)
    mark.write_text(_wanted() + "\n")


def _base_python() -> str:
    """Find a Python that FINN 1.3 runs on; the running one if it fits."""
    names = [sys.executable] if sys.version_info[:2] in _PYTHONS else []
    names += [found for major, minor in _PYTHONS if (found := shutil.which(f"python{major}.{minor}"))]
    for name in names:
        check = f"import sys, venv; sys.exit(sys.version_info[:2] not in {_PYTHONS})"
        if subprocess.run([name, "-c", check], capture_output=True, check=False).returncode == 0:
            return name
    raise one(
        ToolMissingError,
        "FINN environment",
        "FINN needs Python 3.10 or 3.11, and neither is on PATH",
        f"Install one, or point {VARIABLE} to an environment that has finn-plus 1.3.0",
    )


def _run(command: list[str], folder: Path) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
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
