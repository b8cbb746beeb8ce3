# SPDX-License-Identifier: BSD-3-Clause
"""The order of a build, and the messages that it stops at."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_design import SmallCatalogue
from zynq_project import node_plan

from shellgen.check.rules.base import RULES, Context, all_rules
from shellgen.platforms.zynq.messages import fatal_messages
from vivado_check.design import Setting
from vivado_check.recording import Call, File, Project, Recording, Run
from vivado_check.report import Message, Origin

PLAN = node_plan("zedboard", "1rx_1tx")[0]
RAISED = [f"set_msg_config|-id|{identity}|-new_severity|ERROR" for identity in fatal_messages(PLAN.nodes[0])]
SCRIPT = (
    *RAISED,
    "create_bd_cell|-type|ip|core_0",
    "connect_bd_net|a|b",
    "validate_bd_design",
    "save_bd_design",
    "make_wrapper|-files|top.bd|-top",
    "launch_runs|synth_1|-jobs|2",
    "wait_on_run|synth_1",
    "get_property|PROGRESS|synth_1",
    "launch_runs|impl_1|-to_step|write_bitstream|-jobs|2",
    "wait_on_run|impl_1",
    "get_property|PROGRESS|impl_1",
    "write_hw_platform|-fixed|-include_bit|-force|n0.xsa",
)


def judged(lines: tuple[str, ...], *rules: str, ours: bool = True, hook: bool = True) -> list[Message]:
    """Return what is found in a session of these calls, words divided by bars, a call a line."""
    all_rules()
    here = [Origin("build.tcl", number) for number in range(1, len(lines) + 1)]
    calls = [
        Call(words[0], tuple(words[1:]), origin)
        for words, origin in zip((line.split("|") for line in lines), here, strict=True)
    ]
    project = Project("n0", Path("project"), "xc7z020clg484-1", here[0])
    project.filesets["sources_1"] = {"top": Setting("top_wrapper", here[0])}
    project.files.append(File(Path("top_wrapper.v"), "top_wrapper.v", "sources_1", here[0]))
    project.runs = {name: Run(name) for name in ("synth_1", "impl_1")}
    if hook:
        hooked = Setting("messages.tcl", here[0])
        project.runs["synth_1"].properties["steps.synth_design.tcl.pre"] = hooked
    recording = Recording("2022.2", Path(), calls, [project], ended=0)
    for call in calls:
        if call.command == "set_msg_config":
            recording.message_rules[call.words[1]] = Setting(call.words[3], call.origin)
    plan = PLAN if ours else None
    context = Context(recording, SmallCatalogue(), Path(), node="n0", plan=plan)
    return [message for name in rules for message in RULES[name].judge(context)]


MESSAGES = "message-rules"
ALL = ("flow-validated", "flow-top", "flow-runs", "flow-platform", "message-rules")


def without(text: str) -> tuple[str, ...]:
    left = tuple(line for line in SCRIPT if text not in line)
    assert len(left) < len(SCRIPT)
    return left


def changed(old: str, new: str) -> tuple[str, ...]:
    assert any(old in line for line in SCRIPT)
    return tuple(line.replace(old, new) for line in SCRIPT)


def test_our_order_is_right() -> None:
    assert judged(SCRIPT, *ALL) == []


MISTAKES = {
    "not validated": (without("validate_bd"), "flow-validated", "has not been validated since"),
    "not saved": (without("save_bd"), "flow-validated", "has not been saved since"),
    "validated too early": (
        (*RAISED, "validate_bd_design", *(line for line in SCRIPT if "validate" not in line)),
        "flow-validated",
        "validated",
    ),
    "not waited": (without("wait_on_run|impl_1"), "flow-runs", "nothing waits for it"),
    "not looked at": (without("PROGRESS|synth_1"), "flow-runs", "nobody looks how it ended"),
    "no bitstream": (changed("|-to_step|write_bitstream", ""), "flow-runs", "ends with route_design"),
    "wrong step": (changed("write_bitstream|", "place_design|"), "flow-runs", "ends with place_design"),
    "platform without bitstream": (changed("-include_bit|", ""), "flow-platform", "without -include_bit"),
    "rule forgotten": (without("BD 41-1356"), "message-rules", "only warn of it and go on"),
    "rule weakened": (changed("759|-new_severity|ERROR", "759|-new_severity|INFO"), MESSAGES, "hidden"),
    "rule invented": (changed("BD 41-759|", "BD 41-7590|"), "message-rules", "no message of that name"),
    "rules too late": (
        (*(line for line in SCRIPT if "set_msg" not in line), *RAISED),
        "message-rules",
        "after cells have been made",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(name: str) -> None:
    lines, rule, found = MISTAKES[name]
    messages = judged(lines, *ALL)
    assert any(message.rule == rule and found in message.found for message in messages), messages
    assert judged(lines, *ALL, ours=False) == []


def test_the_process_of_a_run_has_the_rules_too() -> None:
    (message,) = judged(SCRIPT, *ALL, hook=False)
    assert message.where == "synth_1"
    assert message.vivado == "Synth 8-4445"


def test_a_failed_call_is_none() -> None:
    all_rules()
    recording = Recording("2022.2", Path(), [Call("launch_runs", ("synth_1",), Origin("a", 1), failed=True)])
    context = Context(recording, SmallCatalogue(), Path(), node="n0", plan=PLAN)
    assert list(RULES["flow-runs"].judge(context)) == []


@pytest.mark.parametrize("ours", [True, False])
def test_a_wrapper_that_is_not_added(ours: bool) -> None:
    """Vivado takes another module as top, in generated and third-party scripts alike."""
    all_rules()
    origin = Origin("build.tcl", 1)
    calls = [Call("make_wrapper", ("-top",), origin), Call("launch_runs", ("synth_1",), origin)]
    project = Project("n0", Path("project"), "xc7z020clg484-1", origin)
    project.filesets["sources_1"] = {"top": Setting("top_wrapper", origin)}
    recording = Recording("2022.2", Path(), calls, [project], ended=0)
    context = Context(recording, SmallCatalogue(), Path(), node="n0", plan=PLAN if ours else None)
    (message,) = RULES["flow-top"].judge(context)
    assert message.vivado == "filemgmt 20-742"
    assert "what make_wrapper wrote is not added" in message.found
    calls[0] = Call("make_wrapper", ("-top", "-import"), origin)
    assert "make_wrapper" not in next(iter(RULES["flow-top"].judge(context))).found
    project.files.append(File(Path("x/top_wrapper.v"), "top_wrapper.v", "sources_1", origin))
    assert list(RULES["flow-top"].judge(context)) == []
