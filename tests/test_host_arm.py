# SPDX-License-Identifier: BSD-3-Clause
"""shellgen-node by CMake, for this machine and, under qemu-user, for both Arm processors of Zynq."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from shellgen.resources import data_dir

ROOT = Path(__file__).parents[1]
MACHINES = {"x86-64": "X86-64", "armhf": "ARM", "aarch64": "AArch64"}


@pytest.mark.sweep
@pytest.mark.parametrize("preset", MACHINES)
def test_unit_tests(preset: str, tmp_path: Path) -> None:
    """CRC-32C, messages, settings, DMA, tokens, store, pace, and a whole node."""
    shutil.copytree(data_dir("host") / "node", tmp_path / "host" / "node")
    for name in ("tests/node_unit", "tests/node_fuzz", "docs/example/out"):
        shutil.copytree(ROOT / name, tmp_path / name)
    node = tmp_path / "host" / "node"
    environment = dict(os.environ)
    if "SHELLGEN_ARM_LIBRARIES" not in environment:  # as `make test-arm` has it
        libraries = ROOT / "out" / "arm_libraries"
        subprocess.run([ROOT / "tools" / "host" / "arm_libraries.sh", libraries], check=True)
        environment["SHELLGEN_ARM_LIBRARIES"] = str(libraries)
    for words in (("cmake", "--preset"), ("cmake", "--build", "--preset"), ("ctest", "--preset")):
        subprocess.run([*words, preset], cwd=node, check=True, env=environment)
    program = node / "build" / preset / "shellgen-node"
    header = subprocess.run(["readelf", "-h", program], check=True, capture_output=True, text=True).stdout
    assert MACHINES[preset] in header
