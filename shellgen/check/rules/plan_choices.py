# SPDX-License-Identifier: BSD-3-Clause
"""Against the plan: strategies, compression and register slices, which are legal in other values too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shellgen.platforms import platform_registry
from vivado_check.report import Message, Origin

from .base import Context, rule
from .planned import RETURN, differs, planned
from .planned_files import texts

_RULE = "plan-choices"


@rule(_RULE, scope="session", source="docs/zynq.md, docs/coyote.md; UG904, strategies")
def choices(context: Context) -> Iterator[Message]:
    """Runs, constraints and user logic have the values of the plan; another value is legal."""
    wanted = planned(context)
    if wanted is None:
        return
    settings = platform_registry()[wanted.node.platform].settings(wanted.node)
    for choice in settings.choices:
        for _, text in texts(context, choice.file):
            for found in re.finditer(choice.pattern, text.text):
                if found[1].lower() != choice.value.lower():
                    line = text.text.count("\n", 0, found.start(1)) + 1
                    where = re.sub(r"\s+", " ", found[0])
                    yield differs(_RULE, Origin(text.name, line), where, found[1], choice.value, RETURN)
    asked = {(run, key.lower()): value for run, key, value in settings.runs}
    for project in context.recording.projects if asked else ():
        for name, run in project.runs.items():
            for key, setting in run.properties.items():
                value = asked.get((name, key.lower()), setting.value)
                if setting.value.lower() != value.lower():
                    yield differs(_RULE, setting.origin, f"{name} {key}", setting.value, value, RETURN)
