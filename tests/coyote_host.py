# SPDX-License-Identifier: BSD-3-Clause
"""The programs of nodes in cards that run Coyote, compiled for what stands in for Coyote's driver."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from cluster_bench import Chain
from host_c import STRICT

from shellgen.api import generate

STAND_IN = Path(__file__).with_name("coyote_stand_in")
DRIVER = {"v1": "sw_v1", "v2": "sw"}


def generate_coyote(chain: Chain, folder: Path, options: str = "", more: str = "") -> Path:
    """Generate a cluster whose nodes are all on platform coyote, with a table of options each."""
    path = chain.write_inputs(folder)
    text = path.read_text()
    for name, _, _ in chain.nodes:
        text = text.replace(f'name = "{name}"\n', f'name = "{name}"\nplatform = "coyote"\n{options}')
    path.write_text(text + more)
    generate(path, folder / "out")
    return folder / "out"


def compile_program(
    out: Path, node: str, made: Path, version: str = "v2", flags: Sequence[str] = (), hook: Path | None = None
) -> Path:
    """Compile ``run_<node>`` for a shell behind a socket (simulate_modules/coyote_program.py)."""
    made.mkdir(parents=True, exist_ok=True)
    driver = STAND_IN / DRIVER[version]
    sources = [
        out / "host" / f"run_{node}.cpp",
        out / "host" / f"shellgen_coyote_{version}.cpp",
        *sorted(driver.glob("*.cpp")),
        STAND_IN / "shell_socket.cpp",
        *([hook] if hook else []),
    ]
    includes = [out / node, out / "host", driver]
    command = ["g++", "-std=c++17", "-O0", *STRICT, *flags, *(["-DSHELLGEN_HOOK"] if hook else [])]
    command += [f"-I{folder}" for folder in includes]
    program = made / f"run_{node}"
    subprocess.run([*command, *map(str, sources), "-o", str(program)], check=True)
    return program
