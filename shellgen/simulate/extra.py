# SPDX-License-Identifier: BSD-3-Clause
"""Install command for the requirements of simulation, for a checkout and for a wheel."""

from __future__ import annotations

import re
from importlib import metadata


def install_remedy(extra: str = "sim") -> str:
    """Return the command that installs an extra of shellgen, package by package.

    ``pip install 'shellgen[sim]'`` would ask an index for shellgen, and fail where shellgen itself is a
    checkout or a local wheel.
    """
    try:
        required = metadata.requires("shellgen") or []
    except metadata.PackageNotFoundError:  # run from a checkout that was not installed
        return f"Run pip install -e '.[{extra}]' in the checkout"
    marker = re.compile(rf"(.*?)\s*;\s*extra == [\"']{extra}[\"']")
    packages = [found[1] for line in required if (found := marker.fullmatch(line))]
    return "Run pip install " + " ".join(f"'{package}'" for package in packages)
