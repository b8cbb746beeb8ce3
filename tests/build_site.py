# SPDX-License-Identifier: BSD-3-Clause
"""Generated folders, and stubs of the vendor tools that `shellgen build` starts there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from coyote_project import vfpga
from fake_network import chain, lite, partition, plan_of, spec
from vitis_project import cards
from zynq_project import with_files, write_project

from shellgen.disk.output import manifest
from shellgen.model import Artifact, Network, Plan

ROOT = Path(__file__).parents[1]
# The command, with less patience for tools that are to end.
# A test run in the background of a script inherits that SIGINT is ignored; a user's shell does not.
START = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import shellgen.build.tool
shellgen.build.tool.GRACE = 0.2
from shellgen.cli import main
raise SystemExit(main(["build", *sys.argv[1:]]))
"""
STAND_INS = Path(__file__).parent / "build_stand_in"


def zeds(count: int) -> tuple[Plan, Network]:
    """Plan a chain of ZedBoards ``card0``, ``card1`` ..."""
    made = [with_files(partition(f"part{k}", slaves=(lite(0),)), double_clock=False) for k in range(count)]
    joined = chain(*((part, b"") for part, _ in made))
    files = {sha256: data for _, own in made for sha256, data in own.items()}
    network = Network(joined.partitions, joined.edges, files, "build")
    nodes = [{"name": f"card{k}", "board": "zedboard", "partitions": [k]} for k in range(count)]
    return plan_of(network, spec(nodes)), network


_KEPT = TemporaryDirectory(prefix="shellgen_build_")  # removed at exit


@lru_cache
def _written(kind: str, count: int) -> Path:
    folder = Path(mkdtemp(dir=_KEPT.name))
    if kind == "coyote":
        plan, network = vfpga()
    else:
        plan, network = zeds(count) if kind == "zynq" else cards(*["u280"] * count)
    write_project(plan, network, folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    made = tuple(Artifact(str(path.relative_to(folder)), path.read_bytes()) for path in files)
    (folder / "plan.json").write_text(plan.to_json())
    (folder / "manifest.json").write_bytes(manifest(made).content)
    return folder


@dataclass
class Site:
    """A generated folder ``out``, a stub of VNx, and settings of the stubs.

    Attributes:
        root: Where both lie.
    """

    root: Path

    @property
    def out(self) -> Path:
        return self.root / "out"

    def told(self, node: str, tool: str, text: str) -> None:
        """Let a stub do more when it builds a node: shell commands."""
        (self.root / "stand_in" / f"{node}.{tool}").write_text(text)

    def untold(self, node: str, tool: str) -> None:
        (self.root / "stand_in" / f"{node}.{tool}").unlink()

    @property
    def calls(self) -> list[str]:
        """Calls since, by their first words."""
        path = self.root / "stand_in" / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [" ".join(line.split()[:2]) for line in lines]

    @property
    def environment(self) -> dict[str, str]:
        env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
        path = f"{STAND_INS}{os.pathsep}{os.environ['PATH']}"
        return env | {
            "PATH": path,
            "STAND_IN": str(self.root / "stand_in"),
            "PYTHONPATH": str(ROOT),
            "VNX": str(self.root / "vnx"),
            "VNX_COMMIT": "",  # it is no clone
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start the command in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-c", START, str(self.out), *words],
            cwd=self.root,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def state(self, node: str = "card0") -> dict[str, Any]:
        """Return what is known of a node."""
        found: dict[str, Any] = json.loads((self.out / node / "build.json").read_text())
        return found

    def alive(self) -> list[str]:
        """Processes that work in this folder or know of it, but for this one."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if str(self.root / "stand_in") in (entry / "environ").read_text(errors="replace"):
                        found.append((entry / "cmdline").read_text(errors="replace").replace("\0", " "))
                except OSError:
                    continue
        return found


def site(root: Path, kind: str = "vitis", count: int = 2) -> Site:
    """Write a folder with nodes ``card0``, ``card1`` ..., and put the stubs beside it."""
    shutil.copytree(_written(kind, count), root / "out")
    (root / "stand_in").mkdir()
    vnx = root / "vnx"
    for name in ("Ethernet/post_sys_link.tcl", "NetLayers/100G-fpga-network-stack-core/Makefile"):
        (vnx / name).parent.mkdir(parents=True)
        (vnx / name).touch()
    shutil.copy(STAND_INS / "vnx.mk", vnx / "Makefile")
    return Site(root)
