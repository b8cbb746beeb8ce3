# SPDX-License-Identifier: BSD-3-Clause
"""The order of a build: what is asked for before what it needs is there, and what is never looked at.

Vivado's runs are processes that it starts and forgets; a script that does not wait, or does not look how they
ended, reports success. Most of these rules hold for our own scripts only: others may leave it to the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..recording import Call, Recording
from ..report import Message, Origin, Verdict
from .base import Context, rule

UG835 = "UG835"
# Commands after which a design is no longer what was validated.
CHANGES = {
    *("create_bd_cell", "create_bd_port", "create_bd_intf_port", "create_bd_pin", "create_bd_intf_pin"),
    *("connect_bd_net", "connect_bd_intf_net", "disconnect_bd_net", "disconnect_bd_intf_net"),
    *("assign_bd_address", "create_bd_addr_seg", "exclude_bd_addr_seg", "include_bd_addr_seg"),
    *("delete_bd_objs", "apply_bd_automation", "make_bd_pins_external", "make_bd_intf_pins_external"),
}
# Commands after which a design is on the disk: what works on its file, as well.
_SAVES = {
    "save_bd_design",
    "save_bd_design_as",
    "generate_target",
    "make_wrapper",
    "launch_runs",
    "delete_bd_design",
}
_TAKES = {"-jobs", "-to_step", "-timeout", "-dir", "-host", "-remote_cmd", "-email_to", "-pre_launch_script"}


def of(recording: Recording, *commands: str) -> list[tuple[int, Call]]:
    """Return the calls of some commands that did not fail, with their places in the session."""
    return [
        (place, call)
        for place, call in enumerate(recording.calls)
        if call.command in commands and not call.failed
    ]


def plain(call: Call) -> list[str]:
    """Return the words of a call that are neither options nor values of options."""
    words, found = iter(call.words), []
    for word in words:
        if word in _TAKES:
            next(words, None)
        elif not word.startswith("-"):
            found += word.split()
    return found


def value_of(call: Call, option: str) -> str:
    """Return the value of an option, empty if it is not given."""
    words = list(call.words)
    at = words.index(option) if option in words[:-1] else -1
    return words[at + 1] if at >= 0 else ""


@rule("flow-validated", scope="session", source="UG994, Validating a Design", ours=True)
def validated(context: Context) -> Iterator[Message]:
    """Our block design is validated and saved as it is built: later, nothing stops at what Vivado says."""
    changes = of(context.recording, *CHANGES)
    makes = of(context.recording, "make_wrapper", "generate_target")
    # Targets of an IP may be generated before there is a design.
    makes = [one for one in makes if changes and (one[1].command == "make_wrapper" or one[0] > changes[0][0])]
    if not makes:
        return
    last = max((place for place, _ in changes if place < makes[0][0]), default=-1)
    first, call = makes[0]
    for command, verb in (("validate_bd_design", "validated"), ("save_bd_design", "saved")):
        if not any(last < place < first for place, _ in of(context.recording, command)):
            yield Message(
                rule="flow-validated",
                verdict=Verdict.FINDING,
                origin=call.origin,
                where=call.command,
                found=f"the block design has not been {verb} since its last change",
                expected=f"{command} between the last change and {call.command}",
                remedy=f"call {command} before it",
            )


@rule("flow-unsaved", scope="session", source=f"{UG835}, close_bd_design: unsaved changes are lost")
def unsaved(context: Context) -> Iterator[Message]:
    """A block design is saved before it is closed; with a project, nobody says what becomes of it."""
    changed: Call | None = None
    for call in context.recording.calls:
        if call.failed:
            continue
        if call.command in CHANGES:
            changed = call
        elif call.command in _SAVES:
            changed = None
        elif call.command in ("close_bd_design", "close_project") and changed:
            lost = call.command == "close_bd_design"
            yield Message(
                rule="flow-unsaved",
                verdict=Verdict.FINDING if lost else Verdict.NOT_MODELLED,
                origin=call.origin,
                where=call.command,
                found=f"the block design is closed, and has not been saved since {changed.origin}",
                expected="save_bd_design before it" if lost else "",
                remedy="call save_bd_design before it",
            )
            changed = None


@rule("flow-top", scope="session", source="UG895, Setting the Top Module")
def top(context: Context) -> Iterator[Message]:
    """The synthesised module is the one that was named as top."""
    launched = of(context.recording, "launch_runs", "synth_design")
    if not launched or not context.recording.projects:
        return
    project = context.recording.projects[-1]
    hdl = context.projects[-1]
    named = project.filesets.get("sources_1", {}).get("top")
    wrappers = of(context.recording, "make_wrapper")
    if named is None:
        if context.ours:
            yield _top(launched[0][1].origin, "no top is set", "the top module is named", "set it")
        return
    stems = {Path(file.name).stem for file in project.files}
    if named.value in stems or hdl.defining(named.value) or hdl.closed:
        return
    if wrappers and "-import" not in wrappers[-1][1].words:
        found = f"no file of the project has the top {named.value}, and what make_wrapper wrote is not added"
        yield _top(
            named.origin, found, "the wrapper is a file of the project", "add the file of make_wrapper"
        )
    else:
        found = f"no file of the project has the top {named.value}"
        yield _top(named.origin, found, "a file that defines it", "add the file, or name another top")


def _top(origin: Origin, found: str, expected: str, remedy: str) -> Message:
    return Message(
        rule="flow-top",
        verdict=Verdict.FINDING,
        origin=origin,
        where="sources_1",
        found=f"{found}: Vivado takes another module",
        expected=expected,
        remedy=remedy,
        vivado="filemgmt 20-742",
    )


@rule("flow-runs", scope="session", source=f"{UG835}, launch_runs and wait_on_runs", ours=True)
def runs(context: Context) -> Iterator[Message]:
    """Each run that our scripts launch is waited for, and looked at before anything is taken from it."""
    recording = context.recording
    waits = of(recording, "wait_on_run", "wait_on_runs")
    reads = [
        (place, call)
        for place, call in of(recording, "get_property")
        if {"PROGRESS", "STATUS", "NEEDS_REFRESH"} & {word.upper() for word in call.words}
    ]
    for place, call in of(recording, "launch_runs"):
        for name in plain(call):
            waited = [at for at, wait in waits if at > place and name in plain(wait)]
            if not waited:
                yield _run(call, name, "nothing waits for it", "wait_on_run after launch_runs")
            elif not any(at > waited[0] and name in read.words for at, read in reads):
                found = "nobody looks how it ended, and wait_on_run returns when a run has failed, too"
                yield _run(call, name, found, "a look at its PROGRESS after wait_on_run")
    yield from _to_bitstream(context)


def _run(call: Call, name: str, found: str, expected: str) -> Message:
    return Message(
        rule="flow-runs",
        verdict=Verdict.FINDING,
        origin=call.origin,
        where=name,
        found=found,
        expected=expected,
        remedy=f"add {expected}",
    )


def _to_bitstream(context: Context) -> Iterator[Message]:
    """Implementation goes as far as the bitstream that is exported."""
    launched = [call for _, call in of(context.recording, "launch_runs") if "impl_1" in plain(call)]
    steps = [value_of(call, "-to_step") for call in launched]
    written = of(context.recording, "write_bitstream")
    if launched and "write_bitstream" not in steps and not written:
        found = f"it ends with {steps[-1] or 'route_design'}, so there is no bitstream"
        yield _run(launched[-1], "impl_1", found, "-to_step write_bitstream")


@rule("flow-platform", scope="session", source=f"{UG835}, write_hw_platform", ours=True)
def platform(context: Context) -> Iterator[Message]:
    """A hardware platform that our scripts write is fixed and has its bitstream: PetaLinux takes no other."""
    for _, call in of(context.recording, "write_hw_platform"):
        for option in ("-fixed", "-include_bit"):
            if option not in call.words:
                yield Message(
                    rule="flow-platform",
                    verdict=Verdict.FINDING,
                    origin=call.origin,
                    where=plain(call)[-1] if plain(call) else "write_hw_platform",
                    found=f"it is written without {option}",
                    expected="-fixed -include_bit",
                    remedy=f"add {option}",
                )
