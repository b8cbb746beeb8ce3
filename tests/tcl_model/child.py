# SPDX-License-Identifier: BSD-3-Clause
"""The process of a run: message rules of its own, which only its hook can set, and a log."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import parse
from .messages import SET_MSG_CONFIG, Messages
from .project import MEMORY, ModelError

if TYPE_CHECKING:
    from .project import Project


class Child:
    """What a hook of a run may use."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.messages = Messages()

    def call(self, command: str, words: list[str]) -> str:
        if command != "set_msg_config":
            raise ModelError(f'invalid command name "{command}" in the hook of a run')
        return self.messages.configure(parse(command, words, *SET_MSG_CONFIG))


def run_in_child(project: Project, run: str) -> str:
    """Run a step, write its ``runme.log``, and return why it failed, or nothing."""
    from .interpreter import run_script  # noqa: PLC0415 - which runs sessions, this one too

    folder = project.run_folder(run)
    folder.mkdir(parents=True, exist_ok=True)
    child = Child(folder)
    hook = project.settings[run].get("STEPS.SYNTH_DESIGN.TCL.PRE", "")
    failure = ""
    if hook:
        outcome = run_script(child, Path(hook)) if Path(hook).is_file() else None
        failure = f"couldn't read file {hook}" if outcome is None else outcome.error
    if run == "synth_1" and not failure:
        failure = _undefined(project) or _synthesise(project, child.messages)
    (folder / "runme.log").write_text("\n".join([*child.messages.lines, failure, ""]))
    return failure


def _undefined(project: Project) -> str:
    """Return what synthesis says of an instance in the core whose module is nowhere."""
    texts = [Path(path).read_text() for path, kind in project.files.items() if "verilog" in kind]
    defined = {name for text in texts for name in re.findall(r"^\s*module\s+(\w+)", text, re.M)}
    for text in texts:
        if not any(re.search(rf"^module {name}\b", text, re.M) for name in project.references):
            continue
        for module in re.findall(r"^\s{4}(\w+) (?:#\([^;]*?\)\s*)?u_\w+ \(", text, re.M):
            if module not in defined | project.ips.keys():
                return f"ERROR: [Synth 8-439] module '{module}' not found"
    return ""


def _synthesise(project: Project, messages: Messages) -> str:
    """Read the memory files; one that is not there stops the run only if the message is an error."""
    have = {Path(path).name for path, kind in project.files.items() if kind == MEMORY}
    for path, kind in project.files.items():
        if "verilog" not in kind:
            continue
        for name in re.findall(r'\$readmem[hb]\(\s*"([^"]+)"', Path(path).read_text()):
            if Path(name).name in have:
                text = f"$readmem data file '{name}' is read successfully"
                messages.lines.append(f"INFO: [Synth 8-3876] {text}")
                continue
            text = (
                f"could not open $readmem data file '{name}'; please make sure the file is added to project "
                f"and has read permission, ignoring [{path}:1]"
            )
            try:
                messages.critical("Synth 8-4445", text)
            except ModelError as error:
                return str(error)
    return ""
