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
# Kind of run and property -> legal values (UG835, UG904; Xilinx/finn sets most of them).
RUN_PROPERTIES = {
    ("synth", "strategy"): "Flow_PerfOptimized_high|Flow_AreaOptimized_high",
    ("synth", "STEPS.SYNTH_DESIGN.TCL.PRE"): ".+",
    ("synth", "STEPS.SYNTH_DESIGN.ARGS.DIRECTIVE"): "AlternateRoutability|AreaOptimized_high",
    ("synth", "STEPS.SYNTH_DESIGN.ARGS.RETIMING"): "true|false",
    ("impl", "strategy"): "Performance_ExtraTimingOpt|Area_Explore",
    ("impl", "STEPS.OPT_DESIGN.ARGS.DIRECTIVE"): "Explore|ExploreArea",
    ("impl", "STEPS.PHYS_OPT_DESIGN.ARGS.DIRECTIVE"): "Explore|AggressiveExplore",
    ("impl", "STEPS.POST_ROUTE_PHYS_OPT_DESIGN.ARGS.DIRECTIVE"): "Explore|AggressiveExplore",
    ("impl", "STEPS.POST_ROUTE_PHYS_OPT_DESIGN.IS_ENABLED"): "true|false",
    ("impl", "STEPS.WRITE_BITSTREAM.ARGS.BIN_FILE"): "true|false",
}


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
        settings: Properties of each run.
        ips: VLNV by module.
        references: Modules that the block design refers to.
    """

    name: str
    folder: Path
    release: str
    part: str
    files: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=lambda: {n: Run(n) for n in ("synth_1", "impl_1")})
    settings: dict[str, dict[str, str]] = field(default_factory=lambda: {"synth_1": {}, "impl_1": {}})
    references: set[str] = field(default_factory=set)
    ips: dict[str, str] = field(default_factory=dict)

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

    def add_run(self, name: str) -> str:
        self.runs[name], self.settings[name] = Run(name), {}
        return name

    def launch(self, run: str, to_step: str) -> None:
        if run not in self.runs:
            raise ModelError(f"[Common 17-53] no run {run}")
        if self.runs[run].progress == "100%":
            raise ModelError(f"[Vivado 12-1088] run {run} is already complete; reset it first")
        self.resolve_references()
        self.runs[run].to_step = to_step
        self.runs[run].status = "Running"

    def finish(self, run: str, problem: str) -> None:
        """End a run that was launched, with its results or with a problem."""
        entry = self.runs[run]
        if problem:
            entry.status = f"{run} ERROR {problem}"
            return
        entry.progress, entry.status = "100%", f"{run} Complete!"
        if run == "impl_1" and entry.to_step == "write_bitstream":
            (self.run_folder(run) / f"{self.properties['top']}.bit").write_text("bit\n")

    def set_run(self, run: str, name: str, value: str) -> None:
        """Set a property of a run; a strategy is a set of arguments and takes the place of all others."""
        legal = RUN_PROPERTIES.get((run.split("_")[-2], name))
        if legal is None or not re.fullmatch(legal, value):
            raise ModelError(f"[Common 17-54] run {run} has no property {name} {value}")
        if name == "strategy":
            self.settings[run].clear()
        self.settings[run][name] = value

    def obstacle(self, run: str) -> str:
        """Return why a run would fail."""
        top = self.properties.get("top", "")
        if not any(Path(path).stem == top for path in self.files):
            return f"top {top!r} is in no file of the project"
        if run == "impl_1" and self.runs["synth_1"].progress != "100%":
            return "synth_1 has not been run"
        return ""

    def resolve_references(self) -> None:
        """Look for the modules of the block design, as every launch does.

        Raises:
            ModelError: Compile order is manual, and Vivado looks at no source by itself.
        """
        mode = self.properties.get("source_mgmt_mode", "All")
        for module in sorted(self.references) if mode != "All" else ():
            raise ModelError(
                "[filemgmt 56-587] Failed to resolve reference. Nothing was found in the project to match "
                f"the name {module}"
            )
