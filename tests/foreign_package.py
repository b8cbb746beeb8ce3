# SPDX-License-Identifier: BSD-3-Clause
"""Installs a package of plug-ins into a folder of its own, and runs shellgen with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder
from waiting import PATIENCE

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")
SOURCE = ROOT / "tests" / "foreign"
# As `short_compilations` of run_hooks.py, in a process of its own.
QUICK = """
from dataclasses import replace
from shellgen.cli import main
from shellgen.simulate import cluster
build = cluster.build_model
cluster.build_model = lambda spec, *more: build(replace(spec, cxx_flags=("-O0", *spec.cxx_flags)), *more)
raise SystemExit(main())
"""


@dataclass(frozen=True)
class Foreign:
    """A place where the package is installed.

    Attributes:
        site: What stands on the path of modules.
        work: Where commands run.
    """

    site: Path
    work: Path

    @property
    def environment(self) -> dict[str, str]:
        """Environment of its processes."""
        return os.environ | {"PYTHONPATH": os.pathsep.join((str(self.site), str(ROOT)))}

    def run(self, *command: str, code: int = 0) -> str:
        """Run shellgen; return what it printed, or what it said was wrong."""
        program = ["-c", QUICK] if command[0] == "simulate" else ["-m", "shellgen"]
        ran = subprocess.run(
            [sys.executable, *program, *command],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert "Traceback" not in ran.stderr, ran.stderr
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout if code < 2 else ran.stderr


def install(folder: Path, source: Path = SOURCE) -> Foreign:
    """Build a wheel of the package and install it offline."""
    copy, site, work = (folder / name for name in ("source", "site", "work"))
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    wheel = next(WheelBuilder(str(copy)).build(directory=str(folder)))
    target = ["--no-deps", "--no-index", "--python", sys.executable, "--target", str(site), str(wheel)]
    subprocess.run([UV, "pip", "install", "--quiet", *target], check=True, cwd=folder, timeout=PATIENCE)
    work.mkdir()
    return Foreign(site, work)
