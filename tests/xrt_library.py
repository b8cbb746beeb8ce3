# SPDX-License-Identifier: BSD-3-Clause
"""The library by which the programs in Python reach cards behind XRT, for headers that stand for XRT's."""

from __future__ import annotations

import subprocess
from pathlib import Path

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


def build_library(source: Path, folder: Path) -> Path:
    """Compile it for the headers of xrt_stand_in."""
    made, stand_in = folder / "libshellgen_xrt.so", Path(__file__).with_name("xrt_stand_in")
    command = ["g++", "-std=c++17", "-O1", *STRICT, "-shared", "-fPIC", f"-I{stand_in}"]
    subprocess.run([*command, str(source / "shellgen_xrt.cpp"), "-o", str(made)], check=True)
    return made
