# SPDX-License-Identifier: BSD-3-Clause
"""The programs that install Python packages into an environment: uv and pip."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

# As pip does, since a company's proxy signs with its own; the second name is that of uv before 0.13.
SYSTEM_CERTIFICATES = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}
_PIP = 23  # 22.3 is the first with --python
# With one of these, pip takes packages from where its user wants them, and uv would not know.
_OWN_INDEX = re.compile(r"\.(index-url|no-index)=")


def uv() -> str | None:
    """Return uv: the one beside the running Python, as pip installs it, else the one on PATH."""
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.is_file() else shutil.which("uv")


def own_index(python: str) -> bool:
    """Tell whether a file or a variable has the pip of a Python leave PyPI aside."""
    return bool(_OWN_INDEX.search(_said(python, "config", "list")))


def pip_of(python: str) -> list[str]:
    """Return the pip of a Python that can install for another one, since making one takes five seconds."""
    found = re.match(r"pip (\d+)\.", _said(python, "--version"))
    return _pip(python) if found and int(found[1]) >= _PIP else []


def _pip(python: str) -> list[str]:
    return [python, "-I", "-m", "pip"]


def _said(python: str, *arguments: str) -> str:
    ran = subprocess.run([*_pip(python), *arguments], capture_output=True, text=True, check=False)
    return ran.stdout
