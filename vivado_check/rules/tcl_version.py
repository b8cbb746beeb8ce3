# SPDX-License-Identifier: BSD-3-Clause
"""Commands of a Tcl that the stated release of Vivado may not have.

AMD's own Tcl store asks for Tcl 8.5, and no document says which release has a newer one. So what came with
8.6 is a finding in our scripts, which are to run in all releases, and "not modelled" in others.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..coverage import NEWER
from ..report import Message, Verdict
from .base import Context, rule


@rule("tcl-version", scope="session", source="Xilinx/XilinxTclStore, wiki: App Versions; changes of Tcl 8.6")
def tcl_version(context: Context) -> Iterator[Message]:
    """No script needs a Tcl beyond 8.5."""
    for call in context.recording.calls:
        if call.command in NEWER:
            yield Message(
                rule="tcl-version",
                verdict=Verdict.FINDING if context.ours else Verdict.NOT_MODELLED,
                origin=call.origin,
                where=call.command,
                found=f"{call.command} came with Tcl 8.6; Vivado {context.release} may have 8.5",
                expected="commands of Tcl 8.5",
                remedy="write it with foreach, catch and the like",
            )
