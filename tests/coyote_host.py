# SPDX-License-Identifier: BSD-3-Clause
"""The programs of nodes in cards that run Coyote, compiled for a model of Coyote's driver."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from cluster_bench import Chain
from coyote_sim import STAND_IN, build_shell
from xrt_library import STRICT

from shellgen.api import generate

DRIVER = {"v1": STAND_IN / "v1" / "sw", "v2": STAND_IN / "sw"}


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
    out: Path,
    node: str,
    made: Path,
    version: str = "v2",
    flags: Sequence[str] = (),
    hook: Path | None = None,
    card: str = "shell_socket.cpp",
) -> Path:
    """Compile ``run_<node>`` for a shell behind a socket (simulate_modules/coyote_program.py), or another."""
    made.mkdir(parents=True, exist_ok=True)
    driver = DRIVER[version]
    sources = [
        out / "host" / f"run_{node}.cpp",
        out / "host" / f"shellgen_coyote_{version}.cpp",
        *sorted((driver / "src").glob("*.cpp")),
        STAND_IN / card,
        *([hook] if hook else []),
    ]
    includes = [out / node, out / "host", driver / "include"]
    more = ["-mavx"] if version == "v1" else []
    command = ["g++", "-std=c++17", "-O0", *STRICT, *more, *flags, *(["-DSHELLGEN_HOOK"] if hook else [])]
    command += [f"-I{folder}" for folder in includes]
    program = made / f"run_{node}"
    subprocess.run([*command, *map(str, sources), "-o", str(program)], check=True)
    return program


def verilated(out: Path, node: str, made: Path) -> Path:
    """Compile ``run_<node>`` and the card that it is for, with the core in its vFPGA, into one program."""
    made.mkdir(parents=True, exist_ok=True)
    sources = [
        out / "host" / f"run_{node}.cpp",
        out / "host" / "shellgen_coyote_v2.cpp",
        DRIVER["v2"] / "src" / "cThread.cpp",
    ]
    flags = [f"-I{folder}" for folder in (out / node, out / "host", DRIVER["v2"] / "include")]
    return build_shell(out / node, made, sources, flags)
