# SPDX-License-Identifier: BSD-3-Clause
"""libshellgen_host, compiled once per machine and content, and what the tests do with it."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from shellgen.cache import default_cache_dir, digest, once
from shellgen.resources import data_dir
from shellgen_host import native, native_library
from shellgen_host.errors import HostError

NODE = data_dir("host") / "node"
STRICT = ("-Wall", "-Wextra", "-Werror")
# As in CMakeLists.txt, each compiled as one unit: half of the time goes into headers.
UNITS = (
    (
        "axi_dma",
        "core",
        "crc32c",
        "dma_engine",
        "fpga_manager",
        "linux_board",
        "map_check",
        "uio",
        "uio_maps",
        "mapping",
        "udma_buffers",
        "zocl_buffers",
        "coyote_none",
    ),
    ("settings", "library/host_map", "rings"),
)
# Headers in place of XRT's: registers are files, or a card has a simulated core.
HEADERS = {"files": Path(__file__).with_name("xrt_stand_in"), "core": NODE / "xrt_model"}
CARD = ("card_model/card_model", "card_model/disturb", "card_model/udp_stack", "core_model")


def library(xrt: str = "") -> Path:
    """Return the library; `xrt` is one of `HEADERS`, or nothing: without cards."""
    folders = [HEADERS[xrt], *([NODE / "card_model"] if xrt == "core" else [])] if xrt else []
    files = [*NODE.glob("*.cpp"), *NODE.glob("*.h"), *NODE.glob("library/*")]
    files += [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    content = [part for path in sorted(files) for part in (path.name, path.read_bytes())]

    def make(folder: Path) -> None:
        own = [
            f"library/{path.stem}" for path in sorted(NODE.glob("library/*.cpp")) if path.stem != "host_map"
        ]
        units = [*UNITS, tuple(own), ("run_engine", "xrt_board" if xrt else "xrt_none")]
        units += [CARD] if xrt == "core" else []
        flags = ["-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden", *STRICT]
        flags += [f"-I{each}" for each in (NODE, *folders)]

        def build(number: int) -> Path:
            source, made = folder / f"{number}.cpp", folder / f"{number}.o"
            source.write_text("".join(f'#include "{NODE / name}.cpp"\n' for name in units[number]))
            subprocess.run(["g++", *flags, "-c", str(source), "-o", str(made)], check=True)
            return made

        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(build, range(len(units))))
        script = f"-Wl,--version-script={NODE / 'library' / 'shellgen_host.map'}"
        command = ["g++", "-shared", script, *map(str, objects), "-ldl", "-pthread"]
        subprocess.run([*command, "-o", str(folder / native_library.NAME)], check=True)

    kept = default_cache_dir() / "host_libraries" / digest([*content, xrt])
    return once(kept, make).folder / native_library.NAME


def use_library(path: Path | str | None) -> None:
    """Let this process use it, or the one that it finds."""
    if path is None:
        os.environ.pop(native_library.VARIABLE, None)
    else:
        os.environ[native_library.VARIABLE] = str(path)
    native_library.library.cache_clear()


def lib_load(
    found: Path, node: str, bus: Any, folder: Path, answered: type[Exception], **how: Any
) -> tuple[str, int, int]:
    """Load a node of a map; return what is wrong, memories and registers."""
    try:
        with native.NativeNode(found, node, bus=bus, answered=(answered,)) as opened:
            done = opened.load(folder, **how)
    except HostError as error:
        return str(error), 0, 0
    return "", done.memories, done.registers


def lib_run(
    out: Path, node: str, board: Any, paths: list[str | None], answered: type[Exception], **how: Any
) -> tuple[int, str]:
    """Run the frames of a file through a node; write those that leave, and compare them.

    Args:
        out: The generated folder.
        node: Its name.
        board: Registers and memory.
        paths: Input, output and golden file.
        answered: What an access raises that is answered with an error.
        how: Of the run.

    Returns:
        0; or 1 if results differ or are marked, or 2, with what is said.
    """
    try:
        opened = native.NativeNode(
            out / "memory_map.json", node, bus=board, memory=board, answered=(answered,)
        )
        with opened:
            (name,) = (one.name for one in opened.streams if one.enters and one.moved)
            ran = opened.run({name: np.load(str(paths[0]))}, **how)
            ((left, packed),) = ran.outputs.items()
            values = opened.layout([one.name for one in opened.streams].index(left)).unpack(packed)
    except HostError as error:
        return 2, str(error)
    if paths[1]:
        np.save(paths[1], values)
    if paths[2]:
        wanted = np.load(paths[2])[: len(values)].reshape(values.shape)
        for at in np.argwhere(values != wanted)[:1]:
            return 1, f"{left} differs at frame {at[0]}, {(values != wanted).sum()} of {values.size} values"
    return int(bool(ran.marked)), ran.marked
