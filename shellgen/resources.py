# SPDX-License-Identifier: BSD-3-Clause
"""Where the four data folders are: beside the package in a checkout, inside it once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """Return the folder ``templates``, ``ip``, ``sim`` or ``boards``."""
    for base in (_PACKAGE / "_data", _PACKAGE.parent):
        if (base / name).is_dir():
            return base / name
    raise AssertionError(f"shellgen is installed without its {name}/ folder")


def rtl_file(module: str) -> Path:
    """Return the source of one of our own blocks: ``ip/<module>/<module>.sv``."""
    return data_dir("ip") / module / f"{module}.sv"
