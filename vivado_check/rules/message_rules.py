# SPDX-License-Identifier: BSD-3-Clause
"""Messages that Vivado only warns with, and that our scripts promised to stop at."""

from __future__ import annotations

from collections.abc import Iterator

from ..messages import severities
from ..report import Message, Origin, Verdict
from .base import Context, rule
from .flow import of, plain, value_of

HOOK = "STEPS.SYNTH_DESIGN.TCL.PRE"


@rule("message-rules", scope="session", source="UG835, set_msg_config", ours=True)
def message_rules(context: Context) -> Iterator[Message]:
    """Messages that must be errors are made errors early, by their right name, and none is suppressed."""
    yield from _names(context)
    yield from _order(context)
    yield from _raised(context)


def _names(context: Context) -> Iterator[Message]:
    for _, call in of(context.recording, "set_msg_config"):
        identity, severity = value_of(call, "-id"), value_of(call, "-new_severity")
        if "-suppress" in call.words or severity.upper() in ("INFO", "STATUS", "WARNING"):
            yield Message(
                rule="message-rules",
                verdict=Verdict.FINDING,
                origin=call.origin,
                where=identity or value_of(call, "-string"),
                found="the message is hidden, or made less than it is",
                expected="messages as Vivado gives them, or errors",
                remedy="leave it as it is",
            )
        elif identity and severity.upper() == "ERROR" and not severities(identity):
            yield Message(
                rule="message-rules",
                verdict=Verdict.FINDING,
                origin=call.origin,
                where=identity,
                found="it is raised to an error, and no message of that name is known",
                expected="the name of a message of Vivado",
                remedy="correct the name: a rule for a message that never comes does nothing",
            )


def _order(context: Context) -> Iterator[Message]:
    """Rules about block designs come before the first cell."""
    cells = of(context.recording, "create_bd_cell")
    for place, call in of(context.recording, "set_msg_config"):
        identity = value_of(call, "-id")
        if cells and identity.startswith("BD ") and place > cells[0][0]:
            already = any(
                value_of(other, "-id") == identity and at < cells[0][0]
                for at, other in of(context.recording, "set_msg_config")
            )
            if not already:
                yield Message(
                    rule="message-rules",
                    verdict=Verdict.FINDING,
                    origin=call.origin,
                    where=identity,
                    found="it is raised to an error after cells have been made",
                    expected="the rule before the first cell",
                    remedy="source messages.tcl before the block design is made",
                )


def _raised(context: Context) -> Iterator[Message]:
    """All that the caller promises, here and in the process of each synthesis run."""
    wanted = context.expectation.raised
    rules = context.recording.message_rules
    done = context.recording.ended == 0
    for identity in wanted:
        found = rules.get(identity)
        if done and (found is None or found.value.upper() != "ERROR"):
            yield Message(
                rule="message-rules",
                verdict=Verdict.FINDING,
                origin=Origin(),
                where=identity,
                found="Vivado would only warn of it and go on",
                expected="set_msg_config that makes it an error",
                remedy="put it back into messages.tcl",
                vivado=identity,
            )
    launched = {name for _, call in of(context.recording, "launch_runs") for name in plain(call)}
    for project in context.recording.projects if wanted else ():
        for name, run in project.runs.items():
            if (
                name in launched
                and "synth" in name
                and not any(HOOK in key.upper() for key in run.properties)
            ):
                yield Message(
                    rule="message-rules",
                    verdict=Verdict.FINDING,
                    origin=run.launched[0] if run.launched else Origin(),
                    where=name,
                    found="it is a process of its own, and none of the rules is set there",
                    expected=f"messages.tcl as {HOOK} of the run",
                    remedy="set the property before the run is launched",
                    vivado="Synth 8-4445",
                )
