# SPDX-License-Identifier: BSD-3-Clause
"""Hook scripts of a run: each run is a process of its own, where no project is open (UG904)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from .interpreter import run_script
from .sandbox import OutsideError

if TYPE_CHECKING:
    from ..record.scenario import MessageRules
    from ..record.session import Session
    from ..recording import Run

_HOOK = re.compile(r"STEPS\.\w+\.TCL\.(?:PRE|POST)", re.IGNORECASE)


def run_hooks(session: Session, run: Run, folder: str, rules: MessageRules) -> str:
    """Run the hooks of a run, in the order of their steps' setting.

    Args:
        session: Of the project.
        run: Its hooks are properties ``STEPS.<step>.TCL.PRE`` and ``.POST``.
        folder: Where the run is.
        rules: Takes the rules on messages that hooks set in that process.

    Returns:
        Why the run fails, or nothing.
    """
    for name, setting in list(run.properties.items()):
        if not _HOOK.fullmatch(name) or not setting.value:
            continue
        path = session.path(setting.value)
        try:
            there = session.sandbox.is_file(path) or session.sandbox.real(path)
        except OutsideError as error:
            session.not_modelled(run.name, f"{name}: {error}")
            continue
        if not there:
            return f'couldn\'t read file "{setting.value}": no such file or directory'
        child = session.child(rules)
        outcome = run_script(Path(path), child, cwd=Path(folder))
        if outcome.code:
            assert outcome.message
            run.hooked.append(outcome.message)
            return outcome.error or "the hook ended the run"
    return ""
