# SPDX-License-Identifier: BSD-3-Clause
"""Project mode: files, runs, and what they leave on disk."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path


class ModelError(Exception):
    """What Vivado would refuse: the script sees it as a Tcl error."""


MEMORY = "Memory Initialization Files"


@dataclass
class Run:
    name: str
    progress: str = "0%"
    status: str = "Not started"
    to_step: str = ""


@dataclass
class Project:
    """The open project.

    Attributes:
        files: File type by absolute path, in the order in which they were added.
        properties: Of the project and of its source file set.
    """

    name: str
    folder: Path
    release: str
    part: str
    files: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=lambda: {n: Run(n) for n in ("synth_1", "impl_1")})

    def add(self, path: str, kind: str) -> None:
        if not Path(path).is_file():
            raise ModelError(f"[Common 17-55] file '{path}' does not exist")
        self.files[str(Path(path).resolve())] = kind

    def matching(self, pattern: str) -> list[str]:
        whole = str(Path(pattern).resolve()) if "/" in pattern else f"*/{pattern}"
        return [path for path in self.files if fnmatchcase(path, whole)]

    @property
    def generated(self) -> Path:
        """Where output products of a block design go: a tree of its own from 2020.2 on."""
        tree = "srcs" if self.release == "2020.1" else "gen"
        return self.folder / f"{self.name}.{tree}" / "sources_1" / "bd"

    def run_folder(self, run: str) -> Path:
        return self.folder / f"{self.name}.runs" / run

    def launch(self, run: str, to_step: str) -> None:
        if run not in self.runs:
            raise ModelError(f"[Common 17-53] no run {run}")
        if self.runs[run].progress == "100%":
            raise ModelError(f"[Vivado 12-1088] run {run} is already complete; reset it first")
        self.runs[run].to_step = to_step
        self.runs[run].status = "Running"

    def wait(self, run: str, fails: bool) -> None:
        entry = self.runs[run]
        if entry.status != "Running":
            raise ModelError(f"[Common 17-165] run {run} was not launched")
        problem = self._obstacle(run)
        if fails or problem:
            entry.status = f"{run} ERROR {problem}"
            return
        entry.progress, entry.status = "100%", f"{run} Complete!"
        if run == "impl_1" and entry.to_step == "write_bitstream":
            bit = self.run_folder(run) / f"{self.properties['top']}.bit"
            bit.parent.mkdir(parents=True, exist_ok=True)
            bit.write_text("bit\n")

    def _obstacle(self, run: str) -> str:
        """Return why a run would fail."""
        top = self.properties.get("top", "")
        if not any(Path(path).stem == top for path in self.files):
            return f"top {top!r} is in no file of the project"
        if run == "impl_1" and self.runs["synth_1"].progress != "100%":
            return "synth_1 has not been run"
        return self._missing_memories()

    def _missing_memories(self) -> str:
        have = {Path(path).name for path, kind in self.files.items() if kind == MEMORY}
        for path, kind in self.files.items():
            if "verilog" not in kind:
                continue
            for name in re.findall(r'\$readmem[hb]\(\s*"([^"]+)"', Path(path).read_text()):
                if Path(name).name not in have:
                    return f"[Synth 8-4445] could not open $readmem data file '{name}' of {Path(path).name}"
        return ""
