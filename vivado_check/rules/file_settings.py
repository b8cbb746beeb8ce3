# SPDX-License-Identifier: BSD-3-Clause
"""Settings of a project's files: properties by name and value, and those that a node depends on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..design import Setting
from ..hdl import MEMORY, kind_of, shown, tops
from ..recording import File, Project
from ..report import Message, Origin, Verdict
from .base import Context, rule

_SWITCH = ("0", "1", "false", "no", "true", "yes")
# Those of UG912 and UG835; a value is one of these, anything if there are none.
PROPERTIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("used_in_synthesis", "used_in_implementation", "used_in_simulation"), _SWITCH),
    **dict.fromkeys(("is_enabled", "is_global_include", "generate_synth_checkpoint"), _SWITCH),
    **dict.fromkeys(("registered_with_manager", "auto_disabled", "is_locked", "needs_refresh"), _SWITCH),
    "processing_order": ("early", "normal", "late"),
    "synth_checkpoint_mode": ("none", "hierarchical", "singular"),
    "path_mode": ("relativefirst", "absolutefirst"),
    **dict.fromkeys(("file_type", "library", "used_in", "scoped_to_ref", "scoped_to_cells"), ()),
    **dict.fromkeys(("imported_from", "core_container", "pfm_name", "platform.name", "version"), ()),
}


@rule("file-settings", scope="session", source="UG912, Files; UG835, set_property; UG903, processing order")
def file_settings(context: Context) -> Iterator[Message]:
    """Properties of files are such as Vivado has, with values that it takes."""
    for project in context.recording.projects:
        for file in project.files:
            for name, setting in file.properties.items():
                yield from _named(context, file, name.lower(), setting)


def _named(context: Context, file: File, name: str, setting: Setting) -> Iterator[Message]:
    values = PROPERTIES.get(name)
    if values == () or (values and setting.value.lower() in values):
        return
    known = ", ".join(sorted(PROPERTIES)) if values is None else ", ".join(values)
    ours = Verdict.ERROR if context.ours else Verdict.NOT_MODELLED
    yield Message(
        rule="file-settings",
        verdict=ours,
        origin=setting.origin,
        where=shown(file, context.folder),
        found=f"{name} is {setting.value!r}" if values else f"a file has no property {name}",
        expected=f"one of {known}",
        remedy="correct the name" if values is None else "correct the value",
    )


@rule(
    "file-duties",
    scope="session",
    source="UG896, out-of-context synthesis; UG903, processing order",
    ours=True,
)
def file_duties(context: Context) -> Iterator[Message]:
    """Memory files reach the core of a block design, and blocks that cross clocks have their constraints."""
    for project in context.recording.projects:
        for file in project.files:
            if Path(file.name).suffix == ".bd":
                yield from _together(context, project, file)
                yield from _constrained(context, project, file)


def _together(context: Context, project: Project, design: File) -> Iterator[Message]:
    """A design that is synthesised in parts reads no memory file that only the project has."""
    if context.recording.ended:  # what was to come may have said so
        return
    setting = design.properties.get("synth_checkpoint_mode")
    if setting is not None and setting.value.lower() == "none":
        return
    filled = sum(kind_of(file) in MEMORY for file in project.files)
    modules = [name for name in tops(context.recording) if name != "top_wrapper"]
    if filled and modules:
        yield Message(
            rule="file-duties",
            verdict=Verdict.FINDING,
            origin=setting.origin if setting else design.origin,
            where=Path(design.name).name,
            found=f"each block is synthesised by itself: {modules[0]} does not see the {filled} memory files",
            expected="synth_checkpoint_mode None",
            remedy="set it before generate_target",
            vivado="Synth 8-4445",
        )


def _constrained(context: Context, project: Project, design: File) -> Iterator[Message]:
    here = context.home / "vivado"
    given = {Path(file.name).name: file for file in project.files if file.fileset == "constrs_1"}
    scripts = {path.stem: path for path in sorted(here.glob("*.tcl"))}
    for module in sorted(_modules(context) & scripts.keys()):
        name = f"{module}.tcl"
        file = given.get(name)
        if file is None:
            yield _late(name, design.origin, f"{module} has instances, and its constraints are in no project")
            continue
        for key, value in (("used_in_synthesis", ("false", "0", "no")), ("processing_order", ("late",))):
            setting = file.properties.get(key)
            if setting is None or setting.value.lower() not in value:
                said = f"{key} is {setting.value!r}" if setting else f"{key} is left as it is"
                yield _late(name, setting.origin if setting else file.origin, said)


def _late(name: str, origin: Origin, found: str) -> Message:
    return Message(
        rule="file-duties",
        verdict=Verdict.FINDING,
        origin=origin,
        where=name,
        found=found,
        expected="a file of constrs_1, for implementation only, read after the clocks of all others",
        remedy="add it, with used_in_synthesis false and processing_order LATE",
    )


def _modules(context: Context) -> set[str]:
    """Return the modules that have instances below a top that the project has."""
    return {
        name
        for project in context.projects
        for top in tops(context.recording)
        if project.defining(top)
        for name in project.below(top).modules
    }
