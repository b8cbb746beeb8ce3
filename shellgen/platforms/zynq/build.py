# SPDX-License-Identifier: BSD-3-Clause
"""Commands of `shellgen build` for the bitstream of a Zynq node."""

from __future__ import annotations

from shellgen.model import NodePlan, Setting, Stage
from shellgen.platforms.hooks import HOOK_INPUTS
from shellgen.platforms.memory import implementation_memory
from shellgen.platforms.shared import jobs

_SETTINGS = (
    jobs(2, words=("-jobs", "{}")),
    Setting(name="BOARD_REPO", about="folder of board files", words=("-board_repo", "{}"), folder=True),
    Setting(name="IP_REPO", about="folder of FINN's packaged IP", words=("-ip_repo", "{}"), folder=True),
)


def zynq_stages(node: NodePlan) -> tuple[Stage, ...]:
    """Return the one run of Vivado that does everything (docs/zynq.md)."""
    made = tuple(
        f"vivado/out/{name}" for name in (f"{node.name}.bit", f"{node.name}.hwh", f"xsa/{node.name}.xsa")
    )
    return (
        Stage(
            name="vivado",
            command=(
                "vivado",
                "-mode",
                "batch",
                "-notrace",
                "-nojournal",
                "-source",
                "build.tcl",
                "-tclargs",
            ),
            folder="vivado",
            products=made,
            inputs=("*_core.v", "rtl/*", "partition/*", "vivado/*", *HOOK_INPUTS),
            tools=("vivado",),
            memory=implementation_memory(node.board),
            settings=_SETTINGS,
            logs=("vivado/project/*.runs/*/runme.log",),
        ),
    )
