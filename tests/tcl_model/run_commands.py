# SPDX-License-Identifier: BSD-3-Clause
"""The commands of runs, reports and exports."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import Arguments, join_list
from .child import run_in_child
from .project import ModelError, Project, Run

RUN_COMMANDS = {
    "reset_runs": ("", 1),
    "launch_runs": ("-to_step= -jobs=", 1),
    "wait_on_run": ("", 1),
    "get_runs": ("-quiet", 1),
    "current_run": ("", 0),
    "open_run": ("", 1),
    "write_edif": ("", 1),
    "write_verilog": ("", 1),
    "write_debug_probes": ("-force", 1),
    "report_utilization": ("-hierarchical -file=", 0),
    "report_timing_summary": ("-file=", 0),
    "report_power": ("-file=", 0),
    "write_hw_platform": ("-fixed -include_bit -force", 1),
}


class RunCommands:
    """Mixed into the session; works on the runs of its project."""

    if TYPE_CHECKING:

        @property
        def current(self) -> Project: ...

        slack: dict[str, str]
        failing_run: str
        opened_run: str

        def path(self, text: str) -> str: ...

    def do_launch_runs(self, arguments: Arguments) -> str:
        self.current.launch(arguments.rest[0], arguments.options.get("-to_step", ""))
        return ""

    def do_reset_runs(self, arguments: Arguments) -> str:
        self.current.runs[arguments.rest[0]] = Run(arguments.rest[0])
        return ""

    def do_wait_on_run(self, arguments: Arguments) -> str:
        run, project = arguments.rest[0], self.current
        if project.runs[run].status != "Running":
            raise ModelError(f"[Common 17-165] run {run} was not launched")
        problem = project.obstacle(run)
        before = [name for name in project.runs if run == "synth_1" and name.endswith("_synth_1")]
        for name in (*before, run):  # IP is synthesised by itself, and first
            problem = problem or run_in_child(project, name)
        project.finish(run, "it was told to fail" if run == self.failing_run else problem)
        return ""

    def do_get_runs(self, arguments: Arguments) -> str:
        return join_list([run for run in self.current.runs if fnmatchcase(run, arguments.rest[0])])

    def do_current_run(self, arguments: Arguments) -> str:  # noqa: ARG002
        return "impl_1"

    def do_open_run(self, arguments: Arguments) -> str:
        if self.current.runs[arguments.rest[0]].progress != "100%":
            raise ModelError(f"[model] run {arguments.rest[0]} is not complete")
        self.opened_run = arguments.rest[0]
        return ""

    def _write(self, arguments: Arguments) -> str:
        if not self.opened_run:
            raise ModelError(f"[Common 17-53] {arguments.command} needs an open run")
        Path(self.path(arguments.rest[0])).write_text(f"{arguments.command}\n")
        return ""

    do_write_edif = do_write_verilog = do_write_debug_probes = _write

    def _report(self, arguments: Arguments) -> str:
        if not self.opened_run:
            raise ModelError(f"[Common 17-53] {arguments.command} needs an open run")
        Path(self.path(*arguments.need("-file"))).write_text(f"{arguments.command}\n")
        return ""

    do_report_utilization = do_report_timing_summary = do_report_power = _report

    def do_write_hw_platform(self, arguments: Arguments) -> str:
        if self.current.runs["impl_1"].to_step != "write_bitstream" or not arguments.has("-include_bit"):
            raise ModelError("[model] no bitstream to include")
        Path(self.path(arguments.rest[0])).write_text("xsa\n")
        return ""

    def _run_property(self, name: str, run: str) -> str:
        entry = self.current.runs[run]
        if name.startswith("STATS."):
            return self.slack[name.removeprefix("STATS.")] if entry.progress == "100%" else ""
        known = {
            "PROGRESS": entry.progress,
            "STATUS": entry.status,
            "DIRECTORY": str(self.current.run_folder(run)),
            "NEEDS_REFRESH": "0",
            **self.current.settings[run],
        }
        if name not in known:
            raise ModelError(f"[Common 17-54] a run has no property {name}")
        return known[name]
